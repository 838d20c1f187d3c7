import { bytea, int4, int8, nullable, read, text, write } from '../../kernel/database/statement.ts'

const shown = {
  params: { kind: text, width: int4 },
  row: {
    // Null if the person has no image.
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

/**
 * The picture of a friend of the caller or of their child, of a person who has asked either, or of the child itself. No
 * row for anybody else, known or not.
 */
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
 * The current image of a user of the app; no row if there is no such user, or the caller may not see them. Both cases
 * take the same steps, so that the response time does not tell them apart: for an unknown user the caller's own row is
 * read instead, with the id 0, which has no relations.
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

/** Every change of an image locks the person's row first. */
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
