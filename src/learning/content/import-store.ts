import { c, nullable, read, write } from '../../kernel/database/statement.ts'

export const findImported = read('files.findImported', {
  params: { keys: c.textArray },
  row: { id: c.int8, key: c.text, organisation: c.text, name: c.text, sha256: c.text },
  text: `
    select f.id, f.key, o.key as organisation, f.name, f.sha256 from files f join organisations o on o.id = f.organisation_id
     where f.key = any(:keys)`,
})

/** Finds files with the same organisation, content and name as those of the import. */
export const findTaken = read('files.findTaken', {
  params: { rows: c.json },
  row: { key: c.text, organisation: c.text, sha256: c.text, name: c.text },
  gather: false,
  text: `
    select f.key, o.key as organisation, f.sha256, f.name
      from json_to_recordset(:rows) as r(organisation text, sha256 text, name text) join organisations o on o.key = r.organisation
      join files f on f.organisation_id = o.id and f.sha256 = r.sha256 and f.name = r.name`,
})

export const listUsed = read('files.listUsed', {
  params: { organisations: c.textArray },
  row: { key: c.text, used: c.int8, limit: nullable(c.int8) },
  text: `
    select o.key, s.used_bytes as used, s.limit_bytes as limit from organisations o join file_storage s on s.organisation_id = o.id
     where o.key = any(:organisations)`,
})

/** Adds a file, and counts it towards the storage of its organisation. */
export const insertImported = write('files.insertImported', {
  params: {
    key: c.text,
    organisation: c.int8,
    name: c.text,
    media_type: c.text,
    bytes: c.int8,
    sha256: c.text,
    person: nullable(c.int8),
    now: c.timestamptz,
  },
  row: { id: c.int8 },
  text: `
    with storage as (
      insert into file_storage as s (organisation_id, used_bytes) values (:organisation, :bytes)
      on conflict (organisation_id) do update set used_bytes = s.used_bytes + excluded.used_bytes
    )
    insert into files (key, organisation_id, name, media_type, bytes, sha256, created_by, created_at)
    values (:key, :organisation, :name, :media_type, :bytes, :sha256, :person, :now) returning id`,
})
