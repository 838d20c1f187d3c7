import { c, list, nullable, read, write } from '../../kernel/database/statement.ts'
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

/** The most courses that are named with a package. */
const MOST_COURSES = 5

/**
 * Finds the courses of which a version or the draft uses a package. A course that was never published is counted, and
 * named only to people who edit it.
 */
const courses = `
      lateral (
        select count(*) as total,
               coalesce(json_agg(json_build_object('courseId', u.key, 'name', u.name) order by u.place) filter (where u.is_shown and u.place <= ${MOST_COURSES}), '[]') as named
          from (select c.key, n.name, s.is_shown, row_number() over (partition by s.is_shown order by n.name, c.key) as place
                  from courses c left join course_versions v on v.id = c.version_id, lateral roles_in_course(:person, c) r,
                  lateral (select coalesce(v.name, c.draft->>'name', '') as name) n, lateral (select v.id is not null or r.edits as is_shown) s
                 where c.id in (select x.course_id from course_versions x
                                 where x.id in (select l.version_id from lesson_versions l where l.package_id = k.id)
                                union select d.id from courses d where d.draft is not null and packages_in(d.draft) @> array[k.key])) u) u`
const courseRow = { courses: c.json, course_count: c.int8 }
const courseColumns = 'u.named as courses, u.total as course_count'

export const findPackage = read('packages.find', {
  params: { person: nullable(c.int8), key: c.text },
  row: { id: c.int8, ...packageRow },
  text: `${packageColumns}, k.id ${packageTables} where k.key = :key`,
})

/** Finds the courses that use a package. */
export const findCourses = read('packages.findCourses', {
  params: { person: nullable(c.int8), package: c.int8 },
  row: courseRow,
  text: `select ${courseColumns} from packages k, ${courses} where k.id = :package`,
})

/** Locks a package, so that no course that is saved or published at the same time can use it. */
export const lockPackage = write('packages.lock', {
  params: { package: c.int8 },
  row: { id: c.int8 },
  text: `select id from packages where id = :package for update`,
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

export const listPackages = list('packages.list', {
  params: { person: c.int8, organisation: c.int8, words: c.textArray, limit: c.int8, offset: c.int8 },
  row: { ...packageRow, ...courseRow, total: c.int8 },
  text: `
    select ${Object.keys(packageRow)
      .map((column) => `k.${column}`)
      .join(', ')}, ${courseColumns}, k.total
      from (${packageColumns}, k.id, count(*) over () as total ${packageTables}
     where k.organisation_id = :organisation and ${contains('k.title')}
     order by k.created_at desc, k.id desc limit :limit offset :offset) k,
      ${courses} order by k.created_at desc, k.id desc`,
})

/** Lists items of a package. Each has at most 20,000 bytes, and a page 100 of them. */
export const listItems = list('packages.listItems', {
  params: { package: c.int8, limit: c.int8, offset: c.int8 },
  row: { position: c.int4, parent: nullable(c.int4), kind: c.text, item: c.json },
  text: `
    select position, parent, kind, item from package_items
     where package_id = :package order by position limit :limit offset :offset`,
})

const wanted = {
  params: { organisation: c.text, wanted: c.json },
  row: { key: c.text, position: c.int4, kind: nullable(c.text) },
}
const wantedItems = (lock: string) => `
    with wanted as (select w.key, w.position from json_to_recordset(:wanted) as w(key text, position integer)),
    found as (
      select k.id, k.key from packages k
       where k.organisation_id = (select o.id from organisations o where o.key = :organisation) and k.key in (select key from wanted)
       order by k.id ${lock}
    )
    select w.key, w.position, i.kind
      from found k join wanted w on w.key = k.key left join package_items i on i.package_id = k.id and i.position = w.position`

/** Finds items of packages of an organisation; the kind is null if the package does not have the item. */
export const findItems = list('packages.findItems', { ...wanted, text: wantedItems('') })

/** Finds the same, and keeps the packages from being deleted until the end of the transaction. */
export const lockItems = write('packages.lockItems', { ...wanted, text: wantedItems('for key share') })

export const findOfOrganisation = read('packages.findOfOrganisation', {
  params: { organisation: c.text, key: c.text },
  row: { id: c.int8, title: c.text, units: c.int4 },
  text: `
    select k.id, k.title, k.units from packages k join organisations o on o.id = k.organisation_id where o.key = :organisation and k.key = :key`,
})

/** Lists items with their texts, which lessons take over. A block within a block becomes no lesson, so it has none. */
export const listOutline = list('packages.listOutline', {
  params: { package: c.int8, after: c.int4, limit: c.int8 },
  row: {
    position: c.int4,
    parent: nullable(c.int4),
    kind: c.text,
    id: c.text,
    title: nullable(c.json),
    description: nullable(c.json),
    objectives: c.json,
  },
  text: `
    select i.position, i.parent, i.kind, i.item->>'id' as id, case when t.is_shown then i.item->'title' end as title,
           case when t.is_shown then i.item->'description' end as description, coalesce(i.item->'objectives', '[]') as objectives
      from package_items i, lateral (select i.kind = 'unit' or i.parent is null as is_shown) t
     where i.package_id = :package and i.position > :after order by i.position limit :limit`,
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
