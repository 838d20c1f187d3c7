import { markWithinBytes, shortened } from '../../kernel/database/page-bytes.ts'
import { c, list, nullable, read, report, write } from '../../kernel/database/statement.ts'
import { contains } from '../../kernel/database/words.ts'

/** Lists the classes in which the person is a student or staff, newest first. Classes that have ended come last. */
export const listClasses = list('classes.list', {
  params: { person: c.int8, limit: c.int8, offset: c.int8 },
  row: {
    class: c.text,
    name: c.text,
    join_code: nullable(c.text),
    student: nullable(c.text),
    role: c.text,
    is_sequential: c.bool,
    has_ended: c.bool,
    course: c.text,
    course_name: c.text,
    description: c.text,
    profile_pic: nullable(c.text),
    cover_photo: nullable(c.text),
    is_public: c.bool,
    organisation: c.text,
    version: c.int4,
    total: c.int8,
  },
  text: `
    with mine as (
      select e.class_id, e.key as student, 'student' as role, e.enrolled_at as since from enrolments e
       where e.person_id = :person and e.status <> 'dropped'
      union all
      select s.class_id, null, s.role, c.created_at from class_staff s join classes c on c.id = s.class_id where s.person_id = :person
    )
    select c.class, c.name, c.join_code, c.student, c.role, c.is_sequential, c.has_ended, c.course, c.course_name, ${shortened('c', 'description')},
           c.profile_pic, c.cover_photo, c.is_public, c.organisation, c.version, c.total
      from ${markWithinBytes(
        `select row_number() over (order by c.ended_at is not null, m.since desc, c.id desc) as row, c.key as class, c.name, case when m.role = 'instructor' then c.join_code end as join_code, m.student, m.role, c.is_sequential, c.ended_at is not null as has_ended,
           k.key as course, v.name as course_name, v.description, v.profile_pic, v.cover_photo, v.is_public,
           o.key as organisation, v.number as version, count(*) over () as total
      from mine m join classes c on c.id = m.class_id join courses k on k.id = c.course_id
      join course_versions v on v.id = c.version_id join organisations o on o.id = k.organisation_id
     order by row limit :limit offset :offset`,
        { size: 'octet_length(r.description)', order: 'r.row' },
      )} c order by c.row`,
})

/** The classes in which the person is a student or staff. */
const ownClasses = `
  select class_id from enrolments where person_id = :person and status <> 'dropped'
  union select class_id from class_staff where person_id = :person`

/** Finds the classes with matching names in which the person is a student or staff. */
export const findByName = report('classes.findByName', {
  params: { person: c.int8, words: c.textArray, limit: c.int8 },
  row: { id: c.text, name: c.text, about: c.text },
  text: `
    select c.key as id, c.name, v.name as about from classes c join course_versions v on v.id = c.version_id
     where c.id in (${ownClasses})
       and ${contains(`c.name || ' ' || v.name || ' ' || c.key`)}
     order by c.ended_at is not null, c.name, c.id limit :limit`,
})

/** Finds lessons with matching names in the classes in which the person is a student or staff. */
export const findLessonsByName = report('classes.findLessonsByName', {
  params: { person: c.int8, words: c.textArray, limit: c.int8 },
  row: { id: c.text, within: c.text, name: c.text, about: c.text },
  text: `
    select l.key as id, c.key as within, v.name, c.name as about
      from classes c join lesson_versions v on v.version_id = c.version_id join lessons l on l.id = v.lesson_id
     where c.id in (${ownClasses})
       and ${contains(`v.name || ' ' || l.key`)}
     order by c.ended_at is not null, c.name, c.id, v.position limit :limit`,
})

/** Finds students with matching names in classes of which the person is staff. */
export const findStudentsByName = report('classes.findStudentsByName', {
  params: { person: c.int8, words: c.textArray, limit: c.int8 },
  row: { id: c.text, within: c.text, name: c.text, about: c.text },
  text: `
    select e.key as id, c.key as within, trim(p.first_name || ' ' || p.last_name) as name, p.handle || ' · ' || c.name as about
      from class_staff s join classes c on c.id = s.class_id join enrolments e on e.class_id = c.id and e.status <> 'dropped'
      join people p on p.id = e.person_id
     where s.person_id = :person and ${contains(`p.first_name || ' ' || p.last_name || ' ' || p.handle`)}
     order by c.ended_at is not null, lower(p.last_name), lower(p.first_name), e.id limit :limit`,
})

export const findClasses = read('classes.findMany', {
  params: { keys: c.textArray },
  row: {
    id: c.int8,
    key: c.text,
    course: c.text,
    name: c.text,
    is_sequential: c.bool,
    join_code: nullable(c.text),
    has_ended: c.bool,
  },
  text: `
    select c.id, c.key, k.key as course, c.name, c.is_sequential, c.join_code, c.ended_at is not null as has_ended
      from classes c join courses k on k.id = c.course_id where c.key = any(:keys)`,
})

export const lockClasses = write('classes.lock', {
  params: { keys: c.textArray },
  row: { ids: c.int8Array },
  text: `select array(select id from classes where key = any(:keys) order by id for update) as ids`,
})

/** Inserts classes. They use the newest version of their course. */
export const insertClasses = write('classes.insert', {
  params: { rows: c.json, now: c.timestamptz },
  row: { id: c.int8, key: c.text },
  text: `
    insert into classes (key, course_id, version_id, name, is_sequential, join_code, ended_at, created_at)
    select r.key, k.id, k.version_id, r.name, r.is_sequential, r.join_code, case when r.has_ended then :now end, :now
      from json_to_recordset(:rows) as r(key text, course_id bigint, name text, is_sequential boolean, join_code text, has_ended boolean)
      join courses k on k.id = r.course_id
    returning id, key`,
})

export const updateClasses = write('classes.update', {
  params: { rows: c.json, now: c.timestamptz },
  row: { id: c.int8 },
  text: `
    update classes c set name = r.name, is_sequential = r.is_sequential, join_code = r.join_code,
           ended_at = case when r.has_ended then coalesce(c.ended_at, :now) end
      from json_to_recordset(:rows) as r(id bigint, name text, is_sequential boolean, join_code text, has_ended boolean)
     where c.id = r.id returning c.id`,
})

export const findJoinCodes = read('classes.findJoinCodes', {
  params: { codes: c.textArray },
  row: { code: nullable(c.text), class: c.text },
  text: `select join_code as code, key as class from classes where join_code = any(:codes)`,
})

export const findStaff = read('classes.findStaff', {
  params: { classes: c.int8Array },
  row: { class_id: c.int8, handle: c.text, role: c.text },
  text: `
    select s.class_id, p.handle_key as handle, s.role from class_staff s join people p on p.id = s.person_id
     where s.class_id = any(:classes)`,
})

/** Replaces the staff with a given role in these classes. */
export const replaceStaff = write('classes.replaceStaff', {
  params: { classes: c.int8Array, role: c.text, rows: c.json },
  row: { person_id: c.int8 },
  text: `
    with wanted as (
      select * from json_to_recordset(:rows) as r(class_id bigint, person_id bigint)
    ), gone as (
      delete from class_staff s where s.class_id = any(:classes) and s.role = :role and not exists
        (select from wanted w where w.class_id = s.class_id and w.person_id = s.person_id)
    )
    insert into class_staff as s (class_id, person_id, role) select class_id, person_id, :role from wanted
    on conflict (class_id, person_id) do update set role = excluded.role returning s.person_id`,
})

export const findStudents = read('classes.findStudents', {
  params: { classes: c.int8Array },
  row: { id: c.int8, class_id: c.int8, key: c.text, handle: c.text, status: c.text },
  text: `
    select e.id, e.class_id, e.key, p.handle_key as handle, e.status from enrolments e join people p on p.id = e.person_id
     where e.class_id = any(:classes)`,
})

export const findStudentOwners = read('classes.findStudentOwners', {
  params: { keys: c.textArray },
  row: { key: c.text, class: c.text, handle: c.text },
  text: `
    select e.key, c.key as class, p.handle_key as handle
      from enrolments e join classes c on c.id = e.class_id join people p on p.id = e.person_id where e.key = any(:keys)`,
})

/** Enrols people in classes. A former student gets the same enrolment as before. */
export const insertEnrolments = write('classes.insertEnrolments', {
  params: { rows: c.json, now: c.timestamptz },
  row: { id: c.int8, person_id: c.int8 },
  text: `
    insert into enrolments as e (key, class_id, person_id, status, enrolled_at, changed_at)
    select r.key, r.class_id, r.person_id, 'active', :now, :now
      from rows from (json_to_recordset(:rows) as (key text, class_id bigint, person_id bigint)) with ordinality as r(key, class_id, person_id, n)
     order by r.n
    on conflict (class_id, person_id) do update set status = 'active', has_left = false, changed_at = :now where e.status = 'dropped'
    returning e.id, e.person_id`,
})

/** Deletes those of the given classes that have no students other than :people. */
export const deleteClasses = write('classes.delete', {
  params: { keys: c.textArray, people: c.int8Array },
  row: { key: c.text },
  text: `
    delete from classes c where c.key = any(:keys)
       and not exists (select from enrolments e where e.class_id = c.id and e.person_id <> all(:people))
    returning c.key`,
})

export const dropJoinCodes = write('classes.dropJoinCodes', {
  params: { keys: c.textArray },
  row: { key: c.text },
  text: `update classes set join_code = null where key = any(:keys) returning key`,
})
