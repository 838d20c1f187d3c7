import { withinBytes } from '../../kernel/database/page-bytes.ts'
import { c, list, nullable, read, write } from '../../kernel/database/statement.ts'

const DOCUMENT = { content_type: c.text, contents: c.bytea, etag: c.text, updated: c.timestamptz }

export const findDocument = read('documents.find', {
  params: { key: c.uuid },
  row: DOCUMENT,
  text: `select content_type, contents, etag, updated from documents where document_key = :key`,
})

/** Locks a document until the commit. Its contents are read only if :withContents is set. */
export const holdDocument = write('documents.hold', {
  params: { key: c.uuid, withContents: c.bool },
  row: { etag: c.text, content_type: c.text, bytes: c.int4, contents: nullable(c.bytea) },
  text: `
    select etag, content_type, octet_length(contents) as bytes, case when :withContents then contents end as contents
      from documents where document_key = :key for update`,
})

/** Inserts a document. Returns no row if a concurrent request has inserted it first. */
export const insertDocument = write('documents.insert', {
  params: {
    key: c.uuid,
    context: c.uuid,
    kind: c.text,
    handle: nullable(c.text),
    activity: nullable(c.text),
    registration: nullable(c.uuid),
    id: c.text,
    contentType: c.text,
    contents: c.bytea,
    etag: c.text,
    now: c.timestamptz,
  },
  row: { document_key: c.uuid },
  text: `
    insert into documents (document_key, context_key, kind, handle, activity_id, registration, id, content_type, contents, etag, updated)
    values (:key, :context, :kind, :handle, :activity, :registration, :id, :contentType, :contents, :etag, :now)
    on conflict (document_key) do nothing returning document_key`,
})

export const replaceDocument = write('documents.replace', {
  params: { key: c.uuid, contentType: c.text, contents: c.bytea, etag: c.text, now: c.timestamptz },
  row: { document_key: c.uuid },
  text: `
    update documents set content_type = :contentType, contents = :contents, etag = :etag, updated = greatest(updated, :now)
     where document_key = :key returning document_key`,
})

export const deleteDocument = write('documents.delete', {
  params: { key: c.uuid },
  row: { document_key: c.uuid },
  text: `delete from documents where document_key = :key returning document_key`,
})

/** Deletes all documents of a context, optionally only those of one registration. */
export const deleteDocuments = write('documents.deleteSeveral', {
  params: { context: c.uuid, registration: nullable(c.uuid) },
  row: { document_key: c.uuid },
  text: `
    delete from documents where context_key = :context and (:registration is null or registration = :registration)
    returning document_key`,
})

/** Lists documents by time of writing. The same id may occur several times, with different registrations. */
export const listDocuments = list('documents.list', {
  params: { context: c.uuid, registration: nullable(c.uuid), since: nullable(c.timestamptz), limit: c.int8 },
  row: { id: c.text, updated: c.timestamptz, found: c.int8 },
  text: `
    select id, updated, found from ${withinBytes(
      `select id, updated from documents
        where context_key = :context and updated > coalesce(:since, '-infinity') and (:registration is null or registration = :registration)
        order by updated limit :limit`,
      { size: 'octet_length(r.id)', order: 'r.updated' },
    )} d order by updated`,
})

/** Locks the person, so that concurrent writes with tokens of the same person cannot exceed the person's limit. */
export const lockPerson = write('documents.lockPerson', {
  params: { person: c.int8 },
  row: { handle: c.text },
  text: `select handle_key as handle from people where id = :person for no key update`,
})

export const measure = write('documents.measure', {
  params: { handle: c.text },
  row: { count: c.int8, bytes: c.int8 },
  text: `select count(*), coalesce(sum(octet_length(contents)), 0)::int8 as bytes from documents where handle = :handle`,
})

/** Lists up to 8 documents per call, because each may be as large as a request body. */
export const exportOfPerson = list('documents.exportOfPerson', {
  params: { person: c.int8, after: c.uuid },
  row: {
    document_key: c.uuid,
    kind: c.text,
    activity_id: nullable(c.text),
    registration: nullable(c.uuid),
    id: c.text,
    content_type: c.text,
    contents: c.bytea,
    updated: c.timestamptz,
  },
  text: `
    select document_key, kind, activity_id, registration, id, content_type, contents, updated
      from ${withinBytes(
        `select * from documents where handle = (select handle_key from people where id = :person) and document_key > :after order by document_key limit 8`,
        { size: 'octet_length(r.contents)', order: 'r.document_key' },
      )} d order by document_key`,
})

export const deleteOfPerson = write('documents.deleteOfPerson', {
  params: { person: c.int8 },
  row: { document_key: c.uuid },
  text: `
    delete from documents where handle = (select handle_key from people where id = :person) returning document_key`,
})
