import { c, list, nullable, read, write } from '../../../kernel/database/statement.ts'

export const listAttachments = read('statements.listAttachments', {
  params: { seqs: c.int8Array },
  row: { seq: c.int8, sha2: c.text, bytes: c.int8, is_moved: c.bool },
  gather: false,
  text: `
    select f.seq, f.sha2, coalesce(a.bytes, octet_length(a.content))::int8 as bytes, a.content is null as is_moved
      from statement_attachments f join attachments a on a.sha2 = f.sha2
     where f.seq = any(:seqs) order by f.seq, f.sha2`,
})

/** Reads the bytes of an attachment, or the name and the size of the object that contains them. */
export const readAttachment = list('statements.readAttachment', {
  params: { sha2: c.text },
  row: { content: nullable(c.bytea), object: nullable(c.text), bytes: nullable(c.int8) },
  text: `select content, object, bytes from attachments where sha2 = :sha2`,
})

/**
 * Lists attachments in the database whose hashes come after :after. For a day after the migration that allows others,
 * lists none, because processes of the previous release read attachments from the database only.
 */
export const listUnmoved = write('statements.listUnmoved', {
  params: { after: c.text, now: c.timestamptz, limit: c.int8 },
  row: { sha2: c.text },
  text: `
    select sha2 from attachments
     where content is not null and sha2 > :after
       and (select m.applied_at from migrations m where m.name = 'attachments_in_the_file_store') < :now - interval '1 day'
     order by sha2 limit :limit`,
})

/** Counts attachments in the database, up to 10,000. */
export const countUnmoved = read('statements.countUnmoved', {
  params: {},
  row: { count: c.int8 },
  text: `select count(*) from (select from attachments where content is not null limit 10000) a`,
})

export const insertUnused = write('statements.insertUnused', {
  params: { object: c.text, keptUntil: c.timestamptz },
  row: { name: c.text },
  text: `insert into unused_objects (name, kept_until) values (:object, :keptUntil) returning name`,
})

/**
 * Replaces the bytes of an attachment by the object that contains them, which is in use from then on. Returns no row if
 * the attachment is gone or has been moved by somebody else, or if upkeep has deleted the object because its upload took
 * too long.
 */
export const moveAttachment = write('statements.moveAttachment', {
  params: { sha2: c.text, object: c.text },
  row: { name: c.text },
  text: `
    with uploaded as materialized (
      select name from unused_objects where name = :object for update
    ), moved as (
      update attachments a set content = null, object = u.name, bytes = octet_length(a.content)
        from uploaded u where a.sha2 = :sha2 and a.content is not null
      returning a.object
    )
    delete from unused_objects u using moved m where u.name = m.object returning u.name`,
})

/** Locks and deletes the row of an object that nothing refers to. */
export const deleteUnused = write('statements.deleteUnused', {
  params: { now: c.timestamptz },
  row: { name: c.text },
  text: `
    delete from unused_objects o where o.name = (
      select u.name from unused_objects u where u.kept_until < :now order by u.kept_until limit 1 for update skip locked)
    returning o.name`,
})
