import { c, list, nullable, read, report, write } from '../../kernel/database/statement.ts'
import { contains } from '../../kernel/database/words.ts'

const packageRow = {
  key: c.text,
  organisation: c.text,
  kind: c.text,
  title: c.text,
  name: c.text,
  bytes: c.int8,
  stored_bytes: c.int8,
  files: c.int4,
  units: c.int4,
  blocks: c.int4,
  author: nullable(c.text),
  created_at: c.instant,
  is_author: c.bool,
}
const packageColumns = `
    select k.key, o.key as organisation, k.kind, k.title, k.name, k.bytes, k.stored_bytes, k.files, k.units, k.blocks, p.handle as author,
           k.created_at, coalesce(k.created_by = :person, false) as is_author`
const packageTables = `
      from packages k join organisations o on o.id = k.organisation_id left join people p on p.id = k.created_by`

export const findPackage = read('packages.find', {
  params: { person: nullable(c.int8), key: c.text },
  row: { id: c.int8, ...packageRow },
  text: `${packageColumns}, k.id ${packageTables} where k.key = :key`,
})

/** What the package says about its course: up to 1 MiB. */
export const findStructure = list('packages.findStructure', {
  params: { package: c.int8 },
  row: { structure: c.json },
  text: `select structure from packages where id = :package`,
})

/** Finds the package of an upload that is repeated. */
export const findSame = read('packages.findSame', {
  params: { organisation: c.int8, sha256: c.text },
  row: { key: c.text },
  text: `select key from packages where organisation_id = :organisation and sha256 = :sha256`,
})

export const listPackages = report('packages.list', {
  params: { person: c.int8, organisation: c.int8, words: c.textArray, limit: c.int8, offset: c.int8 },
  row: { ...packageRow, total: c.int8 },
  text: `${packageColumns}, count(*) over () as total ${packageTables}
     where k.organisation_id = :organisation and ${contains('k.title')}
     order by k.created_at desc, k.id desc limit :limit offset :offset`,
})

/** Lists items of a package. Each has at most 20,000 bytes, and a page 100 of them. */
export const listItems = list('packages.listItems', {
  params: { package: c.int8, limit: c.int8, offset: c.int8 },
  row: { position: c.int4, parent: nullable(c.int4), kind: c.text, item: c.json },
  text: `
    select position, parent, kind, item from package_items
     where package_id = :package order by position limit :limit offset :offset`,
})

/** Finds a file of a package by its path. */
export const findFile = read('packages.findFile', {
  params: { key: c.text, path: c.text },
  row: { sha256: c.text, bytes: c.int8, media_type: c.text },
  text: `
    select f.sha256, f.bytes, f.media_type from package_files f join packages k on k.id = f.package_id
     where k.key = :key and f.path = :path`,
})

export const findOriginal = read('packages.findOriginal', {
  params: { key: c.text },
  row: { name: c.text, sha256: c.text, bytes: c.int8 },
  text: `select name, sha256, bytes from packages where key = :key`,
})

export const insertPackage = write('packages.insert', {
  params: {
    key: c.text,
    organisation: c.int8,
    kind: c.text,
    title: c.text,
    name: c.text,
    sha256: c.text,
    bytes: c.int8,
    stored_bytes: c.int8,
    files: c.int4,
    units: c.int4,
    blocks: c.int4,
    structure: c.json,
    person: nullable(c.int8),
    now: c.timestamptz,
  },
  row: { id: c.int8 },
  text: `
    insert into packages (key, organisation_id, kind, title, name, sha256, bytes, stored_bytes, files, units, blocks, structure, created_by, created_at)
    values (:key, :organisation, :kind, :title, :name, :sha256, :bytes, :stored_bytes, :files, :units, :blocks, :structure, :person, :now) returning id`,
})

export const insertFiles = write('packages.insertFiles', {
  params: { package: c.int8, rows: c.json },
  row: { package_id: c.int8 },
  text: `
    insert into package_files (package_id, path, sha256, bytes, media_type)
    select :package, r.path, r.sha256, r.bytes, r.media_type
      from json_to_recordset(:rows) as r(path text, sha256 text, bytes bigint, media_type text)
    returning package_id`,
})

export const insertItems = write('packages.insertItems', {
  params: { package: c.int8, rows: c.json },
  row: { package_id: c.int8 },
  text: `
    insert into package_items (package_id, position, parent, kind, item)
    select :package, r.position, r.parent, r.kind, r.item
      from json_to_recordset(:rows) as r(position integer, parent integer, kind text, item json)
    returning package_id`,
})

export const deletePackage = write('packages.delete', {
  params: { package: c.int8 },
  row: { organisation: c.int8, stored_bytes: c.int8 },
  text: `delete from packages where id = :package returning organisation_id as organisation, stored_bytes`,
})
