import { markWithinBytes, shortened, withinBytes } from '../../kernel/database/page-bytes.ts'
import { c, list, nullable, read, write } from '../../kernel/database/statement.ts'

const lessonRow = {
  lesson: c.text,
  course: c.text,
  parent: nullable(c.text),
  name: c.text,
  description: c.text,
  profile_pic: nullable(c.text),
  cover_photo: nullable(c.text),
  media: nullable(c.text),
  is_assessment: c.bool,
  expected_minutes: nullable(c.float8),
  instructor_graded: c.bool,
  is_public: c.bool,
  launch_parameters: c.textArray,
  locked: c.bool,
}

/**
 * Selects the lessons of a course that the person may see, and whether each is locked. People outside the course see
 * only public lessons.
 */
const visibleLessons = (more: string) => `
    select l.key as lesson, k.key as course, p.key as parent, v.name, v.description, v.profile_pic, v.cover_photo, v.media,
           v.is_assessment, v.expected_minutes, v.instructor_graded, v.is_public, v.launch_parameters, coalesce(h.locked, false) as locked
      from (select w.*, passed_lessons(w.enrolment_id) as passed from course_view(:person, k.id, c.id) w offset 0) w
      join lesson_versions v on v.version_id = w.version_id
      join lessons l on l.id = v.lesson_id
      left join lessons p on p.id = v.parent_id
      left join lesson_versions pv on pv.version_id = v.version_id and pv.lesson_id = v.parent_id
      left join classes wc on wc.id = w.class_id
      left join lateral lock_of(w.enrolment_id, w.passed, wc, v, :now) h on w.enrolment_id is not null
     where (w.is_inside or v.is_public) ${more}
     order by coalesce(pv.position, v.position), v.parent_id is not null, v.position`

/** Size of a lesson for `markWithinBytes`, in rows that are numbered by `row`. */
const lessonSize = {
  size: "octet_length(r.description) + octet_length(coalesce(r.media, '')) + pg_column_size(r.launch_parameters)",
  order: 'r.row',
}
const shortenedLesson = Object.keys(lessonRow)
  .map((column) => (column === 'description' ? shortened('l', column) : `l.${column}`))
  .join(', ')

/** Finds a lesson and its child lessons, whose long descriptions are shortened after the first PAGE_BYTES. */
export const findLesson = list('courses.findLesson', {
  params: { person: c.int8, lesson: c.text, class: nullable(c.text), now: c.timestamptz },
  row: lessonRow,
  text: `
    select ${shortenedLesson} from ${markWithinBytes(
      `select s.*, row_number() over () as row from lessons a join courses k on k.id = a.course_id left join classes c on c.key = :class,
       lateral (${visibleLessons('and a.id in (v.lesson_id, v.parent_id)')}) s
        where a.key = :lesson and (:class is null or c.course_id = k.id)`,
      lessonSize,
    )} l order by l.row`,
})

/** Finds the content of a lesson for people who take or teach it, and managers. */
export const findDetails = read('courses.findDetails', {
  params: { person: c.int8, lesson: c.text, class: nullable(c.text), now: c.timestamptz },
  row: {
    course: c.text,
    organisation: c.text,
    name: c.text,
    description: c.text,
    kind: c.text,
    threshold: nullable(c.float8),
    content: nullable(c.json),
    locked: c.bool,
    suspended: c.bool,
  },
  text: `
    select k.key as course, o.key as organisation, v.name, v.description, v.kind, v.threshold, v.content, coalesce(h.locked_by <> 'closing', false) as locked,
      coalesce(e.status = 'suspended', false) as suspended
      from lessons a join courses k on k.id = a.course_id join organisations o on o.id = k.organisation_id
      left join classes c on c.key = :class,
      lateral course_view(:person, k.id, c.id) w
      join lesson_versions v on v.version_id = w.version_id
      left join classes wc on wc.id = w.class_id
      left join enrolments e on e.id = w.enrolment_id
      left join lateral lock_of(w.enrolment_id, passed_lessons(w.enrolment_id), wc, v, :now) h on w.enrolment_id is not null
     where a.key = :lesson and v.lesson_id = a.id and w.is_inside and (:class is null or c.course_id = k.id)`,
})

/**
 * Lists a page of the lessons of a course. Child lessons are on the page of their parent and do not count towards its
 * size.
 */
export const listLessons = list('courses.listLessons', {
  params: { person: c.int8, course: c.text, now: c.timestamptz, limit: c.int8, offset: c.int8 },
  row: { ...lessonRow, total: c.int8 },
  text: `
    with seen as (
      select s.*, dense_rank() over (order by n) as place
        from (select s.*, sum(case when s.parent is null then 1 else 0 end) over (order by s.row) as n
                from (select s.*, row_number() over () as row
                        from courses k left join classes c on false, lateral (${visibleLessons('')}) s where k.key = :course) s) s
    )
    select ${shortenedLesson}, (select count(*) from seen where parent is null) as total
      from ${markWithinBytes('select * from seen where place > :offset and place <= :offset + :limit', lessonSize)} l order by l.row`,
})

/**
 * Selects the lessons that an app delivers in the caller's classes, or in one class. A child lesson is listed without
 * its parent if another app delivers the parent.
 */
const appLessons = `
    select s.*, row_number() over (order by k.id, s.place) as row, count(*) over () as total from (
      select distinct c.course_id from classes c
       where c.id in (select e.class_id from enrolments e where e.person_id = :person and e.status <> 'dropped'
                      union select s.class_id from class_staff s where s.person_id = :person)
         and (:class is null or c.key = :class)
    ) mine join courses k on k.id = mine.course_id left join classes c on c.key = :class,
    lateral (select v.*, row_number() over () as place from (${visibleLessons('and v.app_id = :app')}) v) s`

/** Lists as many of them as fit onto a page of PAGE_BYTES. */
export const listAppLessons = list('courses.listAppLessons', {
  params: { person: c.int8, app: c.int8, class: nullable(c.text), now: c.timestamptz, limit: c.int8 },
  row: lessonRow,
  text: `
    select ${Object.keys(lessonRow).join(', ')}
      from ${withinBytes(`select * from (${appLessons}) a order by a.row limit :limit`, lessonSize)} l order by l.row`,
})

export const listAppLessonsPage = list('courses.listAppLessonsPage', {
  params: { person: c.int8, app: c.int8, class: nullable(c.text), now: c.timestamptz, limit: c.int8, offset: c.int8 },
  row: { ...lessonRow, total: c.int8 },
  text: `
    select ${shortenedLesson}, l.total
      from ${markWithinBytes(`select * from (${appLessons}) a order by a.row limit :limit offset :offset`, lessonSize)} l order by l.row`,
})

/** Checks whether the person has a role in a class. */
export const findRole = read('courses.findRole', {
  params: { person: c.int8, class: c.text },
  row: { is_inside: c.bool },
  text: `
    select w.is_inside from classes c, course_view(:person, c.course_id, c.id) w where c.key = :class`,
})

const courseRow = {
  course: c.text,
  name: c.text,
  description: c.text,
  profile_pic: nullable(c.text),
  cover_photo: nullable(c.text),
  is_public: c.bool,
  organisation: c.text,
  version: c.int4,
}
const courseColumns = `k.key as course, v.name, v.description, v.profile_pic, v.cover_photo, v.is_public, o.key as organisation, v.number as version`

export const findCourse = read('courses.find', {
  params: { person: c.int8, course: c.text },
  row: { ...courseRow, version_id: c.int8, enrolment_id: nullable(c.int8) },
  text: `
    select ${courseColumns}, v.id as version_id, w.enrolment_id
      from courses k, course_view(:person, k.id, null) w, course_versions v, organisations o
     where k.key = :course and v.id = w.version_id and (w.is_inside or v.is_public) and o.id = k.organisation_id`,
})

/** Lists the courses of the caller's classes and organisations, and public courses, sorted by name. */
export const listCourses = list('courses.list', {
  params: { person: c.int8, limit: c.int8, offset: c.int8 },
  row: { ...courseRow, total: c.int8 },
  text: `
    with mine as (
      select c.course_id as id from enrolments e join classes c on c.id = e.class_id where e.person_id = :person and e.status <> 'dropped'
      union select c.course_id from class_staff s join classes c on c.id = s.class_id where s.person_id = :person
      union select k.id from organisation_members m join courses k on k.organisation_id = m.organisation_id
             where m.person_id = :person and m.role = 'owner'
      union select v.course_id from course_versions v join courses k on k.version_id = v.id where v.is_public
    )
    select k.course, k.name, ${shortened('k', 'description')}, k.profile_pic, k.cover_photo, k.is_public, k.organisation, k.version, k.total
      from ${markWithinBytes(
        `select ${courseColumns}, count(*) over () as total
           from mine m join courses k on k.id = m.id, course_view(:person, k.id, null) w, course_versions v, organisations o
          where v.id = w.version_id and (w.is_inside or v.is_public) and o.id = k.organisation_id
          order by v.name, k.key limit :limit offset :offset`,
        { size: 'octet_length(r.description)', order: 'r.name, r.course' },
      )} k order by k.name, k.course`,
})

/** Lists the objectives of a course version, with the scores of a student. Without a student, all scores are null. */
export const listObjectives = list('courses.listObjectives', {
  params: { version: c.int8, enrolment: nullable(c.int8) },
  row: { objective: c.text, name: c.text, description: c.text, lessons: c.textArray, scores: c.json },
  text: `
    select b.key as objective, o.name, ${shortened('o', 'description')},
           array(select l.key from lessons l where l.id = any(o.lessons) order by l.id) as lessons,
           (select coalesce(json_agg(json_build_object('lessonId', l.key, 'score', coalesce(s.reported, s.score)) order by l.id), '[]')
              from scores_for_objective(:enrolment, o.row) s join lessons l on l.id = s.lesson_id) as scores
      from ${markWithinBytes('select v.*, v as row from objective_versions v where v.version_id = :version', {
        size: 'octet_length(r.description)',
        order: 'r.position',
      })} o join objectives b on b.id = o.objective_id order by o.position`,
})

export const findCourses = read('courses.findMany', {
  params: { keys: c.textArray },
  row: { id: c.int8, key: c.text, organisation: c.text, document: nullable(c.json), version: nullable(c.int4) },
  text: `
    select k.id, k.key, o.key as organisation, v.document, v.number as version
      from courses k join organisations o on o.id = k.organisation_id left join course_versions v on v.id = k.version_id
     where k.key = any(:keys)`,
})

/** Finds the courses to which the lessons and objectives with these ids belong. */
export const findOwners = read('courses.findOwners', {
  params: { keys: c.textArray },
  row: { kind: c.text, key: c.text, course: c.text },
  text: `
    select 'lesson' as kind, l.key, k.key as course from lessons l join courses k on k.id = l.course_id where l.key = any(:keys)
    union all
    select 'objective', b.key, k.key from objectives b join courses k on k.id = b.course_id where b.key = any(:keys)`,
})

export const insertCourse = write('courses.insert', {
  params: { key: c.text, organisation: c.int8, now: c.timestamptz },
  row: { id: c.int8 },
  text: `insert into courses (key, organisation_id, created_at) values (:key, :organisation, :now) returning id`,
})

export const setOrganisation = write('courses.setOrganisation', {
  params: { course: c.int8, organisation: c.int8 },
  row: { id: c.int8 },
  text: `update courses set organisation_id = :organisation where id = :course returning id`,
})

/**
 * Inserts the next version of a course. Locks the course, so that versions published concurrently get different
 * numbers.
 */
export const insertVersion = write('courses.insertVersion', {
  params: {
    course: c.int8,
    name: c.text,
    description: c.text,
    profilePic: nullable(c.text),
    coverPhoto: nullable(c.text),
    public: c.bool,
    document: c.json,
    now: c.timestamptz,
  },
  row: { id: c.int8, number: c.int4 },
  text: `
    with course as (select id, version_id from courses where id = :course for update)
    insert into course_versions (course_id, number, name, description, profile_pic, cover_photo, is_public, document, published_at)
    select c.id, coalesce((select max(v.number) from course_versions v where v.course_id = c.id), 0) + 1,
           :name, :description, :profilePic, :coverPhoto, :public, :document, :now
      from course c returning id, number`,
})

export const setVersion = write('courses.setVersion', {
  params: { course: c.int8, version: c.int8 },
  row: { id: c.int8 },
  text: `update courses set version_id = :version, draft = null, draft_at = null where id = :course returning id`,
})

export const insertLessons = write('courses.insertLessons', {
  params: { course: c.int8, keys: c.textArray },
  row: { id: c.int8, key: c.text },
  text: `
    insert into lessons (key, course_id) select key, :course from unnest(:keys) with ordinality as t(key, n)
     where not exists (select from lessons l where l.key = t.key) order by n on conflict (key) do nothing returning id, key`,
})

export const insertObjectives = write('courses.insertObjectives', {
  params: { course: c.int8, keys: c.textArray },
  row: { id: c.int8, key: c.text },
  text: `
    insert into objectives (key, course_id) select key, :course from unnest(:keys) with ordinality as t(key, n)
     where not exists (select from objectives b where b.key = t.key) order by n on conflict (key) do nothing returning id, key`,
})

export const findIds = write('courses.findIds', {
  params: { course: c.int8 },
  row: { kind: c.text, id: c.int8, key: c.text },
  text: `
    select 'lesson' as kind, id, key from lessons where course_id = :course
    union all select 'objective', id, key from objectives where course_id = :course`,
})

/**
 * Inserts the lessons of a version. The earlier lessons of each are derived from their positions here, because sending
 * them would take megabytes for a long course.
 */
export const insertLessonVersions = write('courses.insertLessonVersions', {
  params: { version: c.int8, rows: c.json },
  row: { lesson_id: c.int8 },
  text: `
    with r as materialized (
      select * from json_to_recordset(:rows) as r(lesson_id bigint, position int, parent_id bigint, name text, description text, profile_pic text,
             cover_photo text, media text, is_assessment boolean, expected_minutes float8, instructor_graded boolean, is_public boolean,
             client_id text, launch_uri text, launch_parameters text[], passes_code boolean, threshold float8, max_attempts int,
             prerequisites bigint[], kind text, content text, files text[], package text, package_item int)
    ), lists as materialized (
      select parent_id, array_agg(lesson_id order by position) as ids from r group by parent_id
    )
    insert into lesson_versions (version_id, lesson_id, position, parent_id, name, description, profile_pic, cover_photo, media,
      is_assessment, expected_minutes, instructor_graded, is_public, app_id, launch_uri, launch_parameters, passes_code, threshold,
      max_attempts, prerequisites, earlier, kind, content, files, package_id, package_item)
    select :version, r.lesson_id, r.position, r.parent_id, r.name, r.description, r.profile_pic, r.cover_photo, r.media,
           r.is_assessment, r.expected_minutes, r.instructor_graded, r.is_public, a.id, r.launch_uri, r.launch_parameters, r.passes_code, r.threshold,
           r.max_attempts, r.prerequisites, top.ids[1 : coalesce(p.position, r.position) - 1] || coalesce(steps.ids[1 : r.position - 1], '{}'),
           r.kind, r.content::json, r.files, k.id, r.package_item
      from r join lists top on top.parent_id is null
      left join r p on p.lesson_id = r.parent_id left join lists steps on steps.parent_id = r.parent_id
      left join apps a on a.client_id = r.client_id left join packages k on k.key = r.package
    returning lesson_id`,
})

export const insertObjectiveVersions = write('courses.insertObjectiveVersions', {
  params: { version: c.int8, rows: c.json },
  row: { objective_id: c.int8 },
  text: `
    insert into objective_versions (version_id, objective_id, position, name, description, lessons)
    select :version, r.objective_id, r.position, r.name, r.description, r.lessons
      from json_to_recordset(:rows) as r(objective_id bigint, position int, name text, description text, lessons bigint[])
    returning objective_id`,
})

export const lockCourses = write('courses.lock', {
  params: { keys: c.textArray },
  row: { ids: c.int8Array },
  text: `select array(select id from courses where key = any(:keys) order by id for update) as ids`,
})

/** Deletes those of the given courses that have no classes. */
export const deleteCourses = write('courses.delete', {
  params: { keys: c.textArray },
  row: { key: c.text },
  text: `
    delete from courses k where k.key = any(:keys) and not exists (select from classes c where c.course_id = k.id)
    returning k.key`,
})
