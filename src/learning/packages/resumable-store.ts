import { c, list, nullable, read, write } from '../../kernel/database/statement.ts'

const uploadRow = {
  id: c.int8,
  key: c.text,
  organisation: c.text,
  name: c.text,
  bytes: c.int8,
  received_bytes: c.int8,
  reserved_bytes: c.int8,
  expires_at: c.instant,
  package: nullable(c.text),
  refusal: nullable(c.json),
}
const uploadColumns = `
    select u.id, u.key, o.key as organisation, u.name, u.bytes, u.received_bytes, u.reserved_bytes, u.expires_at, k.key as package, u.refusal
      from package_uploads u join organisations o on o.id = u.organisation_id left join packages k on k.id = u.package_id`

/** Finds an upload of a person that has not expired; those of operators have no person. */
export const findUpload = read('packageUploads.find', {
  params: { key: c.text, person: nullable(c.int8), now: c.timestamptz },
  row: uploadRow,
  text: `${uploadColumns}
     where u.key = :key and u.created_by is not distinct from :person and u.expires_at > :now`,
})

/** Finds the newest upload of an operator that has not ended. */
export const findUnfinished = read('packageUploads.findUnfinished', {
  params: { organisation: c.int8, name: c.text, bytes: c.int8, now: c.timestamptz },
  row: uploadRow,
  text: `${uploadColumns}
     where u.organisation_id = :organisation and u.name = :name and u.bytes = :bytes and u.created_by is null
       and u.package_id is null and u.refusal is null and u.expires_at > :now
     order by u.id desc limit 1`,
})

/** Counts the uploads of a person that have not ended. */
export const countUnfinished = read('packageUploads.countUnfinished', {
  params: { person: c.int8, now: c.timestamptz },
  row: { count: c.int8 },
  text: `
    select count(*) as count from package_uploads
     where created_by = :person and package_id is null and refusal is null and expires_at > :now`,
})

export const insertUpload = write('packageUploads.insert', {
  params: {
    key: c.text,
    organisation: c.int8,
    name: c.text,
    bytes: c.int8,
    person: nullable(c.int8),
    now: c.timestamptz,
    expires: c.timestamptz,
  },
  row: { id: c.int8 },
  text: `
    insert into package_uploads (key, organisation_id, name, bytes, reserved_bytes, created_by, created_at, expires_at)
    values (:key, :organisation, :name, :bytes, :bytes, :person, :now, :expires) returning id`,
})

/** Lists the parts of an upload: at most 4,096, of 1 MiB or more each. */
export const listParts = list('packageUploads.listParts', {
  params: { upload: c.int8 },
  row: { start: c.int8, bytes: c.int8, sha256: c.text },
  text: `select start, bytes, sha256 from package_upload_parts where upload_id = :upload order by start`,
})

/** Locks an upload, so that parts that arrive together take turns. */
export const lockUpload = write('packageUploads.lock', {
  params: { upload: c.int8 },
  row: { received_bytes: c.int8, is_open: c.bool },
  text: `
    select received_bytes, package_id is null and refusal is null as is_open from package_uploads where id = :upload for update`,
})

export const findPart = read('packageUploads.findPart', {
  params: { upload: c.int8, start: c.int8, bytes: c.int8, sha256: c.text },
  row: { start: c.int8 },
  text: `
    select start from package_upload_parts
     where upload_id = :upload and start = :start and bytes = :bytes and sha256 = :sha256`,
})

/** Adds a part behind those that have arrived. */
export const insertPart = write('packageUploads.insertPart', {
  params: { upload: c.int8, start: c.int8, bytes: c.int8, sha256: c.text, expires: c.timestamptz },
  row: { upload_id: c.int8 },
  text: `
    with part as (
      insert into package_upload_parts (upload_id, start, bytes, sha256) values (:upload, :start, :bytes, :sha256))
    update package_uploads set received_bytes = received_bytes + :bytes, expires_at = :expires
     where id = :upload returning id as upload_id`,
})

/** Ends the reservation of an upload. Returns its bytes. */
export const endReservation = write('packageUploads.endReservation', {
  params: { upload: c.int8 },
  row: { bytes: c.int8 },
  text: `
    with reserved as (select id, reserved_bytes from package_uploads where id = :upload for update)
    update package_uploads u set reserved_bytes = 0 from reserved r where u.id = r.id returning r.reserved_bytes as bytes`,
})

/** Notes what became of an upload. */
export const endUpload = write('packageUploads.end', {
  params: { upload: c.int8, package: nullable(c.text), refusal: nullable(c.json) },
  row: { id: c.int8 },
  text: `
    update package_uploads set package_id = (select id from packages where key = :package), refusal = :refusal
     where id = :upload returning id`,
})

export const deleteParts = write('packageUploads.deleteParts', {
  params: { upload: c.int8 },
  row: { start: c.int8 },
  text: `delete from package_upload_parts where upload_id = :upload returning start`,
})

export const findExpired = read('packageUploads.findExpired', {
  params: { now: c.timestamptz },
  row: { id: c.int8, organisation: c.int8 },
  text: `
    select id, organisation_id as organisation from package_uploads where expires_at <= :now order by expires_at limit 1`,
})

export const deleteExpired = write('packageUploads.deleteExpired', {
  params: { upload: c.int8, now: c.timestamptz },
  row: { bytes: c.int8 },
  text: `delete from package_uploads where id = :upload and expires_at <= :now returning reserved_bytes as bytes`,
})

export const deleteUpload = write('packageUploads.delete', {
  params: { upload: c.int8 },
  row: { bytes: c.int8 },
  text: `delete from package_uploads where id = :upload returning reserved_bytes as bytes`,
})
