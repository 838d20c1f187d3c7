import { foldedName, sortedBy } from '../../kernel/database/orders.ts'
import { c, nullable, read, report, write } from '../../kernel/database/statement.ts'
import { contains } from '../../kernel/database/words.ts'

/** Finds an organisation, with the person's rights to its files and its storage. */
export const findAccess = read('files.findAccess', {
  params: { person: c.int8, organisation: c.text },
  row: {
    id: c.int8,
    key: c.text,
    owns: c.bool,
    administers: c.bool,
    teaches: c.bool,
    used: nullable(c.int8),
    limit: nullable(c.int8),
  },
  text: `
    select o.id, o.key, r.owns, r.administers, s.used_bytes as used, s.limit_bytes as limit,
           a.creates or exists (select from class_staff t join classes k on k.id = t.class_id join courses u on u.id = k.course_id
                    where t.person_id = :person and t.role = 'instructor' and u.organisation_id = o.id) as teaches
      from organisations o left join file_storage s on s.organisation_id = o.id, lateral roles_in_organisation(:person, o.id) r,
      lateral creates_courses(:person, o.id) a
     where o.key = :organisation`,
})

export const findByKey = read('files.findByKey', {
  params: { key: c.text },
  row: { name: c.text, media_type: c.text, bytes: c.int8, sha256: c.text },
  text: `select name, media_type, bytes, sha256 from files where key = :key`,
})

/** Finds files of an organisation by their ids. */
export const findFiles = read('files.findFiles', {
  params: { organisation: c.text, keys: c.textArray },
  row: { key: c.text, name: c.text, media_type: c.text, bytes: c.int8 },
  text: `
    select f.key, f.name, f.media_type, f.bytes from files f join organisations o on o.id = f.organisation_id
     where o.key = :organisation and f.key = any(:keys)`,
})

/** Finds files of the organisation of a course, which cannot be deleted until the end of the transaction. */
export const lockFiles = write('files.lockFiles', {
  params: { course: c.int8, keys: c.textArray },
  row: { key: c.text, media_type: c.text },
  text: `
    select f.key, f.media_type from files f join courses k on k.organisation_id = f.organisation_id
     where k.id = :course and f.key = any(:keys) for key share of f`,
})

const fileRow = {
  key: c.text,
  organisation: c.text,
  name: c.text,
  media_type: c.text,
  bytes: c.int8,
  author: nullable(c.text),
  created_at: c.instant,
  is_author: c.bool,
}
const fileColumns = `
    select f.key, o.key as organisation, f.name, f.media_type, f.bytes, p.handle as author, f.created_at, coalesce(f.created_by = :person, false) as is_author`
const fileTables = `
      from files f join organisations o on o.id = f.organisation_id left join people p on p.id = f.created_by`

export const findFile = read('files.findFile', {
  params: { person: c.int8, key: c.text },
  row: { id: c.int8, organisation_id: c.int8, ...fileRow },
  text: `${fileColumns}, f.id, f.organisation_id ${fileTables} where f.key = :key`,
})

/** Finds the file of an upload that is repeated. */
export const findSame = read('files.findSame', {
  params: { organisation: c.int8, sha256: c.text, name: c.text },
  row: { key: c.text },
  text: `select key from files where organisation_id = :organisation and sha256 = :sha256 and name = :name`,
})

const FILE_ORDERS = {
  name: [foldedName('f.name'), 'f.id'],
  bytes: ['f.bytes', 'f.id'],
  created: ['f.created_at', 'f.id'],
}

export const listFiles = sortedBy(FILE_ORDERS, (order, suffix) =>
  report(`files.list${suffix}`, {
    params: {
      person: c.int8,
      organisation: c.int8,
      words: c.textArray,
      types: nullable(c.textArray),
      keys: nullable(c.textArray),
      limit: c.int8,
      offset: c.int8,
    },
    row: { ...fileRow, total: c.int8 },
    text: `${fileColumns}, count(*) over () as total ${fileTables}
     where f.organisation_id = :organisation and (:types is null or f.media_type like any(:types))
       and (:keys is null or f.key = any(:keys)) and ${contains('f.name')}
     order by ${order} limit :limit offset :offset`,
  }),
)

/** Protects contents from upkeep while their upload is under way. Waits if upkeep is just deleting one. */
export const useContents = write('files.useContents', {
  params: { rows: c.json, now: c.timestamptz },
  row: { sha256: c.text },
  text: `
    insert into file_contents (sha256, bytes, used_at)
    select r.sha256, r.bytes, :now from json_to_recordset(:rows) as r(sha256 text, bytes bigint) order by r.sha256
    on conflict (sha256) do update set used_at = greatest(file_contents.used_at, excluded.used_at) returning sha256`,
})

export const findStorage = read('files.findStorage', {
  params: { organisation: c.int8 },
  row: { used: c.int8, limit: nullable(c.int8) },
  text: `select used_bytes as used, limit_bytes as limit from file_storage where organisation_id = :organisation`,
})

const STORAGE_ORDERS = {
  name: [foldedName('o.name'), 'o.id'],
  used: ['coalesce(s.used_bytes, 0)', 'o.id'],
}

/** Lists organisations with their storage. Files and packages are counted for one page only. */
export const listStorage = sortedBy(STORAGE_ORDERS, (order, suffix) =>
  report(`files.listStorage${suffix}`, {
    params: { words: c.textArray, limit: c.int8, offset: c.int8 },
    row: {
      key: c.text,
      name: c.text,
      used: nullable(c.int8),
      limit: nullable(c.int8),
      files: c.int8,
      packages: c.int8,
      total: c.int8,
    },
    text: `
    select p.key, p.name, p.used, p.limit, p.total,
           (select count(*) from files f where f.organisation_id = p.id) as files,
           (select count(*) from packages k where k.organisation_id = p.id) as packages
      from (select o.id, o.key, o.name, s.used_bytes as used, s.limit_bytes as limit, count(*) over () as total,
                   row_number() over (order by ${order}) as place
              from organisations o left join file_storage s on s.organisation_id = o.id
             where ${contains('o.name')}
             order by place limit :limit offset :offset) p
     order by p.place`,
  }),
)

/** Ensures that the organisation has a row, and locks it, so that uploads take turns. */
export const lockStorage = write('files.lockStorage', {
  params: { organisation: c.int8 },
  row: { used: c.int8, limit: nullable(c.int8) },
  text: `
    insert into file_storage as s (organisation_id, used_bytes) values (:organisation, 0)
    on conflict (organisation_id) do update set used_bytes = s.used_bytes returning s.used_bytes as used, s.limit_bytes as limit`,
})

export const changeUsed = write('files.changeUsed', {
  params: { organisation: c.int8, bytes: c.int8 },
  row: { organisation_id: c.int8 },
  text: `
    update file_storage set used_bytes = used_bytes + :bytes where organisation_id = :organisation returning organisation_id`,
})

export const setLimit = write('files.setLimit', {
  params: { organisation: c.int8, limit: nullable(c.int8) },
  row: { organisation_id: c.int8 },
  text: `update file_storage set limit_bytes = :limit where organisation_id = :organisation returning organisation_id`,
})

export const insertFile = write('files.insert', {
  params: {
    key: c.text,
    organisation: c.int8,
    name: c.text,
    media_type: c.text,
    bytes: c.int8,
    sha256: c.text,
    person: c.int8,
    now: c.timestamptz,
  },
  row: { id: c.int8 },
  text: `
    insert into files (key, organisation_id, name, media_type, bytes, sha256, created_by, created_at)
    values (:key, :organisation, :name, :media_type, :bytes, :sha256, :person, :now) returning id`,
})

/** Locks a file. Waits for a course that is being published with it. */
export const lockFile = write('files.lockFile', {
  params: { file: c.int8 },
  row: { id: c.int8 },
  text: `select id from files where id = :file for update`,
})

/** Finds a published lesson that uses a file. */
export const findUse = read('files.findUse', {
  params: { key: c.text },
  row: { lesson: c.text, course: c.text },
  text: `
    select l.name as lesson, v.name as course from lesson_versions l join course_versions v on v.id = l.version_id
     where l.files <> '{}' and l.files @> array[:key] order by v.id desc limit 1`,
})

export const deleteFile = write('files.delete', {
  params: { file: c.int8 },
  row: { bytes: c.int8 },
  text: `delete from files where id = :file returning bytes`,
})

/**
 * Locks and deletes the row of a content that no file and no package has, and whose last upload was before `:before`.
 */
export const deleteUnused = write('files.deleteUnused', {
  params: { before: c.timestamptz },
  row: { sha256: c.text },
  text: `
    delete from file_contents c where c.sha256 = (
      select u.sha256 from file_contents u
       where u.used_at < :before and not exists (select from files f where f.sha256 = u.sha256)
         and not exists (select from packages p where p.sha256 = u.sha256)
         and not exists (select from package_files p where p.sha256 = u.sha256)
         and not exists (select from package_upload_parts p where p.sha256 = u.sha256)
       order by u.used_at limit 1 for update skip locked)
    returning c.sha256`,
})
