import { bytea, int4, int8, nullable, read, text, write } from '../../kernel/database/statement.ts'

const shown = {
  params: { kind: text, width: int4 },
  row: {
    // Null: the person has none.
    etag: nullable(text),
    bytes: nullable(bytea),
  },
  columns: `i.etag, i.bytes`,
  image: `left join pictures i on i.person_id = p.id and i.kind = :kind and i.width = :width`,
}

export const findOwn = read('pictures.findOwn', {
  params: { ...shown.params, person: int8 },
  row: shown.row,
  text: `select ${shown.columns} from people p ${shown.image} where p.id = :person`,
})

/** The picture of somebody whom the person, or a child of theirs, is friends with or is asked by; of such a child too. No row for anybody else, whether or not there is somebody. */
export const findOfKnown = read('pictures.findOfKnown', {
  params: { ...shown.params, me: int8, handle: text, born: text },
  row: { ...shown.row, handle: text },
  text: `
    select ${shown.columns}, p.handle
      from (select p.id, p.handle from people p
             where p.handle_key = :handle and p.disabled_at is null and exists (
               select from (select :me::bigint as id union all
                            select g.child_id from guardians g join people c on c.id = g.child_id
                             where g.parent_id = :me and c.date_of_birth > to_date(:born, 'YYYY-MM-DD')) viewer
                cross join lateral sight(viewer.id, p.id, false) where sight.may_see)
            offset 0) p ${shown.image}`,
})

/**
 * The image of a user of the app, at the version that is current; no row where there is none, or the caller may not see it. Both take the same steps, so that time does not tell them
 * apart: where there is no such user, the caller's own row is looked at in their place, as somebody (0) who has to do with nobody.
 */
export const findOfUser = read('pictures.findOfUser', {
  params: { ...shown.params, app: int8, caller: int8, user: text, version: int4 },
  row: shown.row,
  text: `
    select ${shown.columns}
      from (select p.id, sight.may_see and u.person_id is not null and is_there(u, p)
                     and case :kind when 'picture' then p.picture_version else p.cover_version end = :version as may_see
              from (select) asked left join app_users u on u.user_id = :user and u.app_id = :app
              join people p on p.id = coalesce(u.person_id, :caller)
             cross join lateral sight(:caller, coalesce(u.person_id, 0), u.person_id is not null and is_findable(p))
            offset 0) p ${shown.image}
     where p.may_see`,
})

export const findLargest = read('pictures.findLargest', {
  params: { kind: text, person: int8 },
  row: { bytes: bytea },
  text: `select bytes from pictures where person_id = :person and kind = :kind order by width desc limit 1`,
})

/** Whoever changes an image holds the person's row before any other. */
export const lockPerson = write('pictures.lockPerson', {
  params: { person: int8 },
  row: { id: int8 },
  text: `select id from people where id = :person for no key update`,
})

export const deleteSizes = write('pictures.deleteSizes', {
  params: { kind: text, person: int8 },
  row: { width: int4 },
  text: `delete from pictures where person_id = :person and kind = :kind returning width`,
})

export const insertSize = write('pictures.insertSize', {
  params: { kind: text, person: int8, width: int4, etag: text, bytes: bytea },
  row: { width: int4 },
  text: `
    insert into pictures (person_id, kind, width, etag, bytes) values (:person, :kind, :width, :etag, :bytes)
    returning width`,
})
