import { groupsWithinBytes, markWithinBytes, shortened, withinBytes } from '../../kernel/database/page-bytes.ts'
import { c, list, nullable, read, write } from '../../kernel/database/statement.ts'

const noteRow = {
  id: c.int8,
  note: c.text,
  text: c.text,
  lesson: nullable(c.text),
  class: nullable(c.text),
  student: nullable(c.text),
  course: nullable(c.text),
  person_id: nullable(c.int8),
  author_id: c.int8,
  user_id: nullable(c.text),
  author_user_id: nullable(c.text),
  author_name: nullable(c.text),
  created_at: c.instant,
  may_remove: c.bool,
}

/** Selects the author's name, but in an app only if the author uses that app too. */
const authorName = `(select coalesce(nullif(trim(p.first_name || ' ' || p.last_name), ''), p.handle) from people p
             where p.id = n.author_id and (:app is null or au.user_id is not null)) as author_name`

/**
 * Selects notes that the person may read: as the author, as an instructor of the class, or as the person whom the note
 * is about. All queries for notes share this condition. User ids are those of the calling app.
 */
const visibleNotes = (where: string, notes = 'notes') => `
    select n.id, n.key as note, n.text, l.key as lesson, c.key as class, e.key as student, k.key as course, n.person_id, n.author_id,
           u.user_id, au.user_id as author_user_id, n.created_at, n.author_id = :person or s.class_id is not null as may_remove,
           ${authorName}
      from ${notes} n
      left join lessons l on l.id = n.lesson_id left join classes c on c.id = n.class_id
      left join enrolments e on e.id = n.enrolment_id left join courses k on k.id = n.course_id
      left join class_staff s on s.class_id = n.class_id and s.person_id = :person and s.role = 'instructor'
      left join app_users u on u.app_id = :app and u.person_id = n.person_id
      left join app_users au on au.app_id = :app and au.person_id = n.author_id
     where (n.author_id = :person or n.person_id = :person or s.class_id is not null) and ${where}`

export const findNote = read('notes.find', {
  params: { person: c.int8, app: nullable(c.int8), note: c.text },
  row: noteRow,
  text: visibleNotes('n.key = :note'),
})

const READABLE_IDS = `
      select n.id from notes n where n.author_id = :person
      union select n.id from notes n where n.person_id = :person
      union select n.id from class_staff s join notes n on n.class_id = s.class_id where s.person_id = :person and s.role = 'instructor'`

const filters = {
  person: c.int8,
  app: nullable(c.int8),
  lesson: nullable(c.text),
  class: nullable(c.text),
  student: nullable(c.text),
  course: nullable(c.text),
  user: nullable(c.text),
}
/**
 * Selects the notes that match all given ids, newest first. An id that does not exist matches nothing. `offset 0` makes
 * PostgreSQL find the readable notes first. Otherwise it would look up the ids of all notes.
 */
const matchingNotes = `${visibleNotes(
  `(:lesson is null or l.key = :lesson) and (:class is null or c.key = :class)
       and (:student is null or e.key = :student) and (:course is null or k.key = :course)
       and (:user is null or u.user_id = :user)`,
  `(select i.* from notes i where i.id in (${READABLE_IDS}) offset 0)`,
)}
     order by n.created_at desc, n.id desc`

const textSize = { size: 'octet_length(r.text)', order: 'r.created_at desc, r.id desc' }

/** Lists as many of the newest notes as fit onto a page of PAGE_BYTES. */
export const listNotes = list('notes.list', {
  params: { ...filters, limit: c.int8 },
  row: noteRow,
  text: `
    select ${Object.keys(noteRow).join(', ')} from ${withinBytes(`${matchingNotes} limit :limit`, textSize)} n
     order by n.created_at desc, n.id desc`,
})

export const listPage = list('notes.listPage', {
  params: { ...filters, limit: c.int8, offset: c.int8 },
  row: { ...noteRow, total: c.int8 },
  text: `
    select n.id, n.note, ${shortened('n', 'text')}, n.lesson, n.class, n.student, n.course, n.person_id, n.author_id,
           n.user_id, n.author_user_id, n.author_name, n.created_at, n.may_remove, n.total
      from ${markWithinBytes(
        `select n.*, count(*) over () as total from (${matchingNotes}) n
          order by n.created_at desc, n.id desc limit :limit offset :offset`,
        textSize,
      )} n order by n.created_at desc, n.id desc`,
})

/**
 * Lists the notes about a student, newest first. May exceed :limit, so that notes of the same time stay together. Their
 * text is left out if they are too large together.
 */
export const listNotesOfStudent = list('notes.listOfStudent', {
  params: { person: c.int8, app: nullable(c.int8), enrolment: c.int8, before: c.timestamptz, limit: c.int8 },
  row: { ...noteRow, found: c.int8 },
  text: `
    select n.id, n.note, case when n.is_whole then n.text else '' end as text, n.lesson, n.class, n.student, n.course, n.person_id, n.author_id,
           n.user_id, n.author_user_id, n.author_name, n.created_at, n.may_remove, n.found
      from ${groupsWithinBytes(
        `${visibleNotes('n.enrolment_id = :enrolment and n.created_at < :before')}
     order by n.created_at desc fetch first (:limit) rows with ties`,
        { ...textSize, group: 'r.created_at' },
      )} n order by n.created_at desc, n.id desc`,
})

/**
 * Finds the records to which the ids of a new note refer, whether the caller may see each of them, and the caller's
 * status in the class. Former students may still see their class.
 */
export const findTargets = read('notes.findTargets', {
  params: {
    person: c.int8,
    app: nullable(c.int8),
    lesson: nullable(c.text),
    class: nullable(c.text),
    student: nullable(c.text),
    course: nullable(c.text),
    user: nullable(c.text),
  },
  row: {
    lesson_id: nullable(c.int8),
    lesson_course_id: nullable(c.int8),
    class_id: nullable(c.int8),
    class_course_id: nullable(c.int8),
    enrolment_id: nullable(c.int8),
    student_class_id: nullable(c.int8),
    student_course_id: nullable(c.int8),
    student_person_id: nullable(c.int8),
    course_id: nullable(c.int8),
    user_person_id: nullable(c.int8),
    sees_lesson: c.bool,
    sees_course: c.bool,
    sees_class: c.bool,
    sees_student: c.bool,
    may_name_user: c.bool,
    is_lesson_of_class: c.bool,
    has_ended: c.bool,
    status: nullable(c.text),
  },
  text: `
    select x.lesson_id, l.course_id as lesson_course_id, x.class_id, c.course_id as class_course_id,
           e.id as enrolment_id, e.class_id as student_class_id, ec.course_id as student_course_id, e.person_id as student_person_id,
           k.id as course_id, u.person_id as user_person_id,
           coalesce((select w.is_inside or exists (select from lesson_versions v where v.version_id = w.version_id and v.lesson_id = l.id and v.is_public)
             from course_view(:person, l.course_id, null) w), false) as sees_lesson,
           coalesce((select w.is_inside or exists (select from lesson_versions v where v.version_id = w.version_id and v.is_public)
             from course_view(:person, k.id, null) w), false) as sees_course,
           coalesce((select w.is_inside from course_view(:person, c.course_id, c.id) w), false)
             or exists (select from enrolments o where o.class_id = c.id and o.person_id = :person) as sees_class,
           coalesce(e.id is not null and (e.person_id = :person or r.teaches), false) as sees_student,
           coalesce(u.person_id = :person or exists (
             select from class_staff s join enrolments o on o.class_id = s.class_id
              where s.person_id = :person and s.role = 'instructor' and o.person_id = u.person_id), false) as may_name_user,
           exists (select from lesson_versions v where v.version_id = g.version_id and v.lesson_id = l.id) as is_lesson_of_class,
           g.ended_at is not null as has_ended,
           (select o.status from enrolments o
             where o.class_id = g.id and o.person_id = :person and not (r.teaches or r.observes or r.manages)) as status
      from (select (select id from lessons where key = :lesson) as lesson_id, (select id from classes where key = :class) as class_id,
                   (select id from enrolments where key = :student) as enrolment_id, (select id from courses where key = :course) as course_id) x
      left join lessons l on l.id = x.lesson_id left join classes c on c.id = x.class_id
      left join enrolments e on e.id = x.enrolment_id left join classes ec on ec.id = e.class_id
      left join courses k on k.id = x.course_id
      left join classes g on g.id = coalesce(e.class_id, c.id)
      left join lateral roles_in_class(:person, g) r on g.id is not null
      left join app_users u on u.app_id = :app and u.user_id = :user`,
})

export const insertNote = write('notes.insert', {
  params: {
    key: c.text,
    text: c.text,
    lesson: nullable(c.int8),
    class: nullable(c.int8),
    enrolment: nullable(c.int8),
    course: nullable(c.int8),
    about: nullable(c.int8),
    author: c.int8,
    app: nullable(c.int8),
    now: c.timestamptz,
  },
  row: { id: c.int8 },
  text: `
    insert into notes (key, text, lesson_id, class_id, enrolment_id, course_id, person_id, author_id, created_at, share_no)
    values (:key, :text, :lesson, :class, :enrolment, :course, :about, :author, :now, share_of(:author, :app, null)) returning id`,
})

/** Lists notes with the person whom each is about. A long text is cut. */
export const listWritten = list('notes.listWritten', {
  params: { notes: c.int8Array },
  row: {
    id: c.int8,
    person_id: nullable(c.int8),
    text: c.text,
    author: c.text,
    class_id: nullable(c.int8),
    class: nullable(c.text),
    lesson: nullable(c.text),
    created_at: c.timestamptz,
  },
  text: `
    select n.id, n.person_id, left(n.text, 2000) as text, coalesce(nullif(trim(w.first_name || ' ' || w.last_name), ''), w.handle) as author,
           n.class_id, c.key as class, l.key as lesson, n.created_at
      from notes n join people w on w.id = n.author_id left join classes c on c.id = n.class_id left join lessons l on l.id = n.lesson_id
     where n.id = any(:notes) and n.person_id is not null order by n.id`,
})

export const findNotes = read('notes.findMany', {
  params: { keys: c.textArray },
  row: { key: c.text, class: nullable(c.text) },
  text: `select n.key, c.key as class from notes n left join classes c on c.id = n.class_id where n.key = any(:keys)`,
})

export const insertNotes = write('notes.insertMany', {
  params: { rows: c.json },
  row: { id: c.int8 },
  text: `
    insert into notes (key, text, lesson_id, class_id, enrolment_id, course_id, person_id, author_id, created_at)
    select r.key, r.text, l.id, c.id, e.id, c.course_id, r.person_id, r.author_id, r.created
      from json_to_recordset(:rows) as r(key text, text text, lesson text, class_id bigint, person_id bigint, author_id bigint, created timestamptz)
      join classes c on c.id = r.class_id left join lessons l on l.key = r.lesson
      left join enrolments e on e.class_id = r.class_id and e.person_id = r.person_id
     order by r.created
    on conflict (key) do nothing returning id`,
})

export const deleteNote = write('notes.delete', {
  params: { note: c.text },
  row: { id: c.int8 },
  text: `delete from notes where key = :note returning id`,
})

export const exportNotes = list('notes.export', {
  params: { person: c.int8, after: c.int8 },
  row: {
    id: c.int8,
    note: c.text,
    text: c.text,
    lesson: nullable(c.text),
    class: nullable(c.text),
    student: nullable(c.text),
    is_author: c.bool,
    created_at: c.instant,
  },
  text: `
    select id, note, text, lesson, class, student, is_author, created_at from ${withinBytes(
      `select n.id, n.key as note, n.text, l.key as lesson, c.key as class, e.key as student, n.author_id = :person as is_author, n.created_at
      from notes n left join lessons l on l.id = n.lesson_id left join classes c on c.id = n.class_id left join enrolments e on e.id = n.enrolment_id
     where n.id in (select o.id from notes o where o.author_id = :person union select o.id from notes o where o.person_id = :person) and n.id > :after
     order by n.id limit 500`,
      { size: 'octet_length(r.text)', order: 'r.id' },
    )} n order by n.id`,
})
