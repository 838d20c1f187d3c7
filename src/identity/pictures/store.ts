import { c, nullable, read, write } from '../../kernel/database/statement.ts'

const shown = {
  params: { kind: c.text, width: c.int4 },
  row: {
    // Null if the person has no image.
    etag: nullable(c.text),
    bytes: nullable(c.bytea),
  },
  columns: `i.etag, i.bytes`,
  image: `left join pictures i on i.person_id = p.id and i.kind = :kind and i.width = :width`,
}

export const findOwn = read('pictures.findOwn', {
  params: { ...shown.params, person: c.int8 },
  row: shown.row,
  text: `select ${shown.columns} from people p ${shown.image} where p.id = :person`,
})

/**
 * Reads the picture of the person with this handle, if `:me` or a child of `:me` is a friend of theirs or has received
 * a friend request from them, or if they are that child. Returns no row for anybody else, whether or not they exist.
 */
export const findOfKnown = read('pictures.findOfKnown', {
  params: { ...shown.params, me: c.int8, handle: c.text, born: c.text },
  row: { ...shown.row, handle: c.text },
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
 * Reads the current image of a user of the app. Returns no row if there is no such user or the caller may not see them.
 * Both cases run the same steps, so that the response time does not distinguish them: for an unknown user, the caller's
 * own row is read instead, with the relations of the id 0, which has none.
 */
export const findOfUser = read('pictures.findOfUser', {
  params: { ...shown.params, app: c.int8, caller: c.int8, user: c.text, version: c.int4 },
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
  params: { kind: c.text, person: c.int8 },
  row: { bytes: c.bytea },
  text: `select bytes from pictures where person_id = :person and kind = :kind order by width desc limit 1`,
})

/** Locks the person's row, as every change of an image must do first. */
export const lockPerson = write('pictures.lockPerson', {
  params: { person: c.int8 },
  row: { id: c.int8 },
  text: `select id from people where id = :person for no key update`,
})

export const deleteSizes = write('pictures.deleteSizes', {
  params: { kind: c.text, person: c.int8 },
  row: { width: c.int4 },
  text: `delete from pictures where person_id = :person and kind = :kind returning width`,
})

export const insertSize = write('pictures.insertSize', {
  params: { kind: c.text, person: c.int8, width: c.int4, etag: c.text, bytes: c.bytea },
  row: { width: c.int4 },
  text: `
    insert into pictures (person_id, kind, width, etag, bytes) values (:person, :kind, :width, :etag, :bytes)
    returning width`,
})
