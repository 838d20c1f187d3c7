import { withinBytes } from '../../kernel/database/page-bytes.ts'
import { c, list, nullable, read, write } from '../../kernel/database/statement.ts'

/**
 * The documents that a caller sees under one name: an app its own ones and those that keys wrote for every app; a key
 * (:app is null) all.
 */
const SEEN = `(:app is null or app_id = :app or is_common)`
/**
 * Puts the document first that the caller reads and writes: an app its own one; a key the one of no app, then the one
 * that was written last.
 */
const FIRST = `app_id is distinct from :app, updated desc, app_id`

const DOCUMENT = { content_type: c.text, contents: c.bytea, etag: c.text, updated: c.timestamptz }

export const findDocument = read('documents.find', {
  params: { key: c.uuid, app: nullable(c.int8) },
  row: DOCUMENT,
  text: `
    select content_type, contents, etag, updated from documents where document_key = :key and ${SEEN} order by ${FIRST} limit 1`,
})

/**
 * Locks a document until the commit, with all others of its name that the caller sees. Its contents are read only if
 * :withContents is set.
 */
export const holdDocument = write('documents.hold', {
  params: { key: c.uuid, app: nullable(c.int8), withContents: c.bool },
  row: { app_id: nullable(c.int8), etag: c.text, content_type: c.text, bytes: c.int4, contents: nullable(c.bytea) },
  text: `
    with held as (select * from documents where document_key = :key and ${SEEN} for update)
    select app_id, etag, content_type, octet_length(contents) as bytes, case when :withContents then contents end as contents
      from held order by ${FIRST} limit 1`,
})

/** Inserts a document. Returns no row if a concurrent request has inserted it first. */
export const insertDocument = write('documents.insert', {
  params: {
    key: c.uuid,
    app: nullable(c.int8),
    person: nullable(c.int8),
    credential: nullable(c.int8),
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
    insert into documents (document_key, app_id, is_common, context_key, kind, handle, activity_id, registration, id, content_type, contents, etag,
      updated, share_no)
    values (:key, :app, :app is null, :context, :kind, :handle, :activity, :registration, :id, :contentType, :contents, :etag,
      :now, share_of(:person, :app, :credential))
    on conflict (document_key, app_id) do nothing returning document_key`,
})

export const replaceDocument = write('documents.replace', {
  params: {
    key: c.uuid,
    app: nullable(c.int8),
    contentType: c.text,
    contents: c.bytea,
    etag: c.text,
    isCommon: c.bool,
    now: c.timestamptz,
  },
  row: { document_key: c.uuid },
  text: `
    update documents set content_type = :contentType, contents = :contents, etag = :etag, updated = greatest(updated, :now),
           is_common = is_common or :isCommon
     where document_key = :key and app_id is not distinct from :app returning document_key`,
})

/**
 * Deletes all documents of one name that the caller sees, so that none of them is left to be read. With an :etag, those
 * with other contents are left.
 */
export const deleteDocument = write('documents.delete', {
  params: { key: c.uuid, app: nullable(c.int8), etag: nullable(c.text) },
  row: { document_key: c.uuid },
  text: `
    delete from documents where document_key = :key and ${SEEN} and (:etag is null or etag = :etag) returning document_key`,
})

/** Deletes all documents of a context, optionally only those of one registration. */
export const deleteDocuments = write('documents.deleteSeveral', {
  params: { context: c.uuid, app: nullable(c.int8), registration: nullable(c.uuid) },
  row: { document_key: c.uuid },
  text: `
    delete from documents where context_key = :context and ${SEEN} and (:registration is null or registration = :registration)
    returning document_key`,
})

/** Lists documents by time of writing. The same id may occur several times, with different registrations or apps. */
export const listDocuments = list('documents.list', {
  params: {
    context: c.uuid,
    app: nullable(c.int8),
    registration: nullable(c.uuid),
    since: nullable(c.timestamptz),
    limit: c.int8,
  },
  row: { id: c.text, updated: c.timestamptz, found: c.int8 },
  text: `
    select id, updated, found from ${withinBytes(
      `select id, updated from documents
        where context_key = :context and ${SEEN} and updated > coalesce(:since, '-infinity') and (:registration is null or registration = :registration)
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
  params: { person: c.int8, after: c.uuid, afterApp: c.int8 },
  row: {
    document_key: c.uuid,
    app_no: c.int8,
    client_id: nullable(c.text),
    kind: c.text,
    activity_id: nullable(c.text),
    registration: nullable(c.uuid),
    id: c.text,
    content_type: c.text,
    contents: c.bytea,
    updated: c.timestamptz,
  },
  text: `
    select document_key, coalesce(app_id, 0) as app_no, (select a.client_id from apps a where a.id = app_id) as client_id,
           kind, activity_id, registration, id, content_type, contents, updated
      from ${withinBytes(
        `select * from documents where handle = (select handle_key from people where id = :person) and (document_key, coalesce(app_id, 0)) > (:after, :afterApp)
     order by document_key, coalesce(app_id, 0) limit 8`,
        { size: 'octet_length(r.contents)', order: 'r.document_key' },
      )} d order by document_key`,
})

export const deleteOfPerson = write('documents.deleteOfPerson', {
  params: { person: c.int8 },
  row: { document_key: c.uuid },
  text: `
    delete from documents where handle = (select handle_key from people where id = :person) returning document_key`,
})
