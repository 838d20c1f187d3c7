import { foldedName, sortedBy } from '../../kernel/database/orders.ts'
import { c, nullable, read, report, write } from '../../kernel/database/statement.ts'
import { contains } from '../../kernel/database/words.ts'

/**
 * Locks a class while students are added, so that it cannot end meanwhile and nobody is added twice. The lock does not
 * block inserts into other tables that only refer to the class.
 */
export const lockClass = write('classes.lockOne', {
  params: { class: c.text },
  row: { id: c.int8 },
  text: `select id from classes where key = :class for no key update`,
})

/** Finds a class and the roles of a person in it. If :person is null, all roles are false. */
export const findClass = read('classes.find', {
  params: { person: nullable(c.int8), class: c.text },
  row: {
    id: c.int8,
    class: c.text,
    name: c.text,
    course_id: c.int8,
    version_id: c.int8,
    organisation_id: c.int8,
    organisation: c.text,
    has_ended: c.bool,
    teaches: c.bool,
    observes: c.bool,
    manages: c.bool,
  },
  text: `
    select c.id, c.key as class, c.name, c.course_id, c.version_id, o.id as organisation_id, o.key as organisation,
           c.ended_at is not null as has_ended, r.teaches, r.observes, r.manages
      from classes c join courses k on k.id = c.course_id join organisations o on o.id = k.organisation_id, lateral roles_in_class(:person, c) r
     where c.key = :class`,
})

/** Lists the other classes of the same course that have not ended, with the roles of a person in them. */
export const listOpenClasses = read('classes.listOpen', {
  params: { person: c.int8, class: c.int8 },
  row: { key: c.text, name: c.text, teaches: c.bool, observes: c.bool, manages: c.bool },
  gather: false,
  text: `
    select c.key, c.name, r.teaches, r.observes, r.manages
      from classes o join classes c on c.course_id = o.course_id, lateral roles_in_class(:person, c) r
     where o.id = :class and c.id <> o.id and c.ended_at is null order by c.name, c.id limit 1000`,
})

/** Finds the class with a join code. A class that has ended cannot be joined, so it is not found. */
export const findByCode = read('classes.findByCode', {
  params: { code: c.text },
  row: { class: c.text },
  text: `select key as class from classes where join_code = :code and ended_at is null`,
})

/**
 * Finds people by handle and locks them, so that they cannot be deleted until the transaction ends. Anonymous people
 * are not found. `is_able` is false for a disabled account.
 */
export const lockPeople = write('classes.lockPeople', {
  params: { handles: c.textArray },
  row: { id: c.int8, handle: c.text, is_able: c.bool },
  text: `
    select p.id, p.handle_key as handle, p.disabled_at is null as is_able from people p where p.handle_key = any(:handles) and not p.anonymous
     order by p.id for key share`,
})

/** Finds the handles of members of the organisation, and of students of the class, by e-mail address. */
export const findHandles = read('classes.findHandles', {
  params: { class: c.int8, organisation: c.int8, addresses: c.textArray },
  row: { address: c.text, handle: c.text },
  gather: false,
  text: `
    select distinct on (lower(p.email)) lower(p.email) as address, p.handle_key as handle from people p
     where lower(p.email) collate "C" = any(:addresses) and not p.anonymous and p.email is not null
       and (p.email_confirmed_at is not null or p.unclaimed)
       and (exists (select from organisation_members m where m.organisation_id = :organisation and m.person_id = p.id)
            or exists (select from enrolments e where e.class_id = :class and e.person_id = p.id))
     order by lower(p.email), p.email_confirmed_at is null, p.id`,
})

/** Finds the members of the organisation of a class among people. */
export const findMembersAmong = read('classes.findMembersAmong', {
  params: { class: c.int8, people: c.int8Array },
  row: { person_id: c.int8 },
  gather: false,
  text: `
    select m.person_id from classes c join courses k on k.id = c.course_id join organisation_members m on m.organisation_id = k.organisation_id
     where c.id = :class and m.person_id = any(:people)`,
})

/**
 * Finds those of the given people who are staff of the class. They cannot be enrolled, because nobody may be a student
 * and staff of the same class.
 */
export const findStaffAmong = read('classes.findStaffAmong', {
  params: { class: c.int8, people: c.int8Array },
  row: { person_id: c.int8 },
  gather: false,
  text: `select person_id from class_staff where class_id = :class and person_id = any(:people)`,
})

export const lockClassOf = write('classes.lockClassOf', {
  params: { student: c.text },
  row: { id: c.int8 },
  text: `
    select c.id from classes c join enrolments e on e.class_id = c.id where e.key = :student for no key update of c`,
})

/** Locks a student, to serialise changes to them. */
export const lockStudent = write('classes.lockStudent', {
  params: { student: c.text },
  row: { id: c.int8 },
  text: `select id from enrolments where key = :student for no key update`,
})

export const lockStudents = write('classes.lockStudents', {
  params: { class: c.int8, people: c.int8Array },
  row: { id: c.int8, student: c.text, person_id: c.int8, status: c.text, has_left: c.bool },
  text: `
    select id, key as student, person_id, status, has_left from enrolments
     where class_id = :class and person_id = any(:people) order by id for no key update`,
})

/** Ends the person's place in all classes of an organisation. Those who were active can rejoin with a code. */
export const leaveClasses = write('classes.leaveAll', {
  params: { person: c.int8, organisation: c.int8, now: c.timestamptz },
  row: { class: c.text, class_id: c.int8 },
  text: `
    update enrolments e set status = 'dropped', has_left = e.status = 'active', changed_at = :now
      from classes c join courses k on k.id = c.course_id
     where e.class_id = c.id and k.organisation_id = :organisation and e.person_id = :person and e.status <> 'dropped'
    returning c.key as class, c.id as class_id`,
})

const studentRow = {
  id: c.int8,
  student: c.text,
  class: c.text,
  handle: c.text,
  first_name: c.text,
  last_name: c.text,
  status: c.text,
  enrolled_at: c.instant,
  user_id: nullable(c.text),
}
/** The columns of a student. `user_id` is the student's user id in the calling app. */
const studentColumns = `e.id, e.key as student, c.key as class, p.handle, p.first_name, p.last_name, e.status, e.enrolled_at, u.user_id`
const joinPeople = `join people p on p.id = e.person_id left join app_users u on u.app_id = :app and u.person_id = p.id and is_there(u, p)`

/** Finds a student and the caller's roles in the class. */
export const findStudent = read('classes.findStudent', {
  params: { person: c.int8, app: nullable(c.int8), student: c.text },
  row: {
    ...studentRow,
    class_id: c.int8,
    course_id: c.int8,
    person_id: c.int8,
    has_left: c.bool,
    teaches: c.bool,
    observes: c.bool,
    manages: c.bool,
  },
  text: `
    select ${studentColumns}, c.id as class_id, c.course_id, e.person_id, e.has_left, r.teaches, r.observes, r.manages
      from enrolments e join classes c on c.id = e.class_id ${joinPeople}, lateral roles_in_class(:person, c) r
     where e.key = :student`,
})

/**
 * Matches students by name or handle. If there are no search words, the people table is not read. `offset 0` makes
 * PostgreSQL check the students of the class, and not everybody.
 */
const matchesSearch = `(cardinality(:words::text[]) = 0 or exists (select from people p where p.id = person_id and ${contains(`p.first_name || ' ' || p.last_name || ' ' || p.handle`)} offset 0))`

const ROSTER_ORDERS = {
  enrolled: ['e.id'],
  name: [foldedName('p.last_name'), foldedName('p.first_name'), 'p.handle_key'],
  status: ['e.status', 'e.id'],
}

/** Lists students. Only the order of enrolment has an index; any other sorts the whole class, so it is a report. */
export const listStudents = sortedBy(ROSTER_ORDERS, (order, suffix) =>
  (suffix.endsWith('enrolled') ? read : report)(`classes.listStudents${suffix}`, {
    params: {
      class: c.int8,
      status: nullable(c.text),
      student: nullable(c.text),
      words: c.textArray,
      app: nullable(c.int8),
      limit: c.int8,
      offset: c.int8,
    },
    row: studentRow,
    gather: false,
    text: `
    select ${studentColumns}
      from (select e.* from enrolments e join people p on p.id = e.person_id
             where e.class_id = :class and (:status is null or e.status = :status) and (:student is null or e.key = :student)
               and ${matchesSearch}
             order by ${order} limit :limit offset :offset) e
      join classes c on c.id = e.class_id ${joinPeople}
     order by ${order}`,
  }),
)

export const countStudents = read('classes.countStudents', {
  params: { class: c.int8, status: nullable(c.text), student: nullable(c.text), words: c.textArray },
  row: { students: c.int8 },
  gather: false,
  text: `
    select count(*) as students from enrolments
     where class_id = :class and (:status is null or status = :status) and (:student is null or key = :student) and ${matchesSearch}`,
})

/** Lists the classes in which the person is or was a student, and those in which the person is staff. */
export const exportClasses = report('classes.exportClasses', {
  params: { person: c.int8 },
  row: {
    class: c.text,
    name: c.text,
    course: c.text,
    role: c.text,
    student: nullable(c.text),
    status: nullable(c.text),
    enrolled_at: nullable(c.instant),
  },
  text: `
    select c.key as class, c.name, k.key as course, m.role, m.student, m.status, m.enrolled_at
      from (select e.class_id, 'student' as role, e.key as student, e.status, e.enrolled_at from enrolments e where e.person_id = :person
            union all
            select s.class_id, s.role, null, null, null from class_staff s where s.person_id = :person) m
      join classes c on c.id = m.class_id join courses k on k.id = c.course_id
     order by c.key, m.role`,
})

export const setStatuses = write('classes.setStatuses', {
  params: { rows: c.json, now: c.timestamptz },
  row: { id: c.int8 },
  text: `
    update enrolments e set status = r.status, has_left = r.has_left, changed_at = :now
      from json_to_recordset(:rows) as r(id bigint, status text, has_left boolean) where e.id = r.id returning e.id`,
})

/**
 * Moves a student to another class. Records refer to the enrolment, so they need no change. Lesson locks that were set
 * for the student are moved too.
 */
export const moveStudent = write('classes.moveStudent', {
  params: { student: c.int8, class: c.int8, now: c.timestamptz },
  row: { id: c.int8 },
  text: `
    with locks as (update lesson_locks set class_id = :class where enrolment_id = :student)
    update enrolments set class_id = :class, changed_at = :now where id = :student returning id`,
})

export const findLesson = read('classes.findLesson', {
  params: { version: c.int8, lesson: c.text },
  row: { lesson_id: c.int8 },
  text: `
    select v.lesson_id from lessons l join lesson_versions v on v.lesson_id = l.id and v.version_id = :version
     where l.key = :lesson`,
})

/** Lists the locks that staff have set, for the class and for single students. */
export const listLocks = read('classes.listLocks', {
  params: { class: c.int8 },
  row: { lesson: c.text, student: nullable(c.text), is_locked: c.bool },
  gather: false,
  text: `
    select l.key as lesson, e.key as student, k.is_locked
      from lesson_locks k join lessons l on l.id = k.lesson_id left join enrolments e on e.id = k.enrolment_id
     where k.class_id = :class
     order by k.lesson_id, k.enrolment_id nulls first`,
})

export const setLock = write('classes.setLock', {
  params: {
    class: c.int8,
    lesson: c.int8,
    student: nullable(c.int8),
    locked: c.bool,
    person: c.int8,
    now: c.timestamptz,
  },
  row: { lesson_id: c.int8 },
  text: `
    insert into lesson_locks (class_id, lesson_id, enrolment_id, is_locked, set_by, set_at)
    values (:class, :lesson, :student, :locked, :person, :now)
    on conflict (class_id, lesson_id, enrolment_id) do update set
      is_locked = excluded.is_locked, set_by = excluded.set_by, set_at = excluded.set_at
    returning lesson_id`,
})

export const deleteLock = write('classes.deleteLock', {
  params: { class: c.int8, lesson: c.int8, student: nullable(c.int8) },
  row: { lesson_id: c.int8 },
  text: `
    delete from lesson_locks where class_id = :class and lesson_id = :lesson and enrolment_id is not distinct from :student
    returning lesson_id`,
})
