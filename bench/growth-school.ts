import { DOCUMENT } from './servers.ts'

/**
 * A platform of `people` people. Each block of 25 people is a class of one instructor and 24 students. 20 classes take
 * one course of 20 lessons, and 40 classes belong to one organisation.
 */

export const CLASS = 25
const CLASSES_OF_COURSE = 20
const LESSONS_OF_COURSE = 20
const CLASSES_OF_ORGANISATION = 40
const FRIENDS = 3
export const MONTHS = 24
/** Id of the person with number 0. The person of the other benchmarks is in front. */
const FIRST_PERSON = 2

export const lessonsOf = (people: number): number => (people / CLASS / CLASSES_OF_COURSE) * LESSONS_OF_COURSE
export const personIdOf = (n: number): number => FIRST_PERSON + n
/** Returns the number of the instructor of a person's class. */
export const instructorNumberOf = (n: number): number => n - (n % CLASS)
export const classNumberOf = (n: number): number => 1 + Math.floor(n / CLASS)
export const courseNumberOf = (n: number): number => 1 + Math.floor((classNumberOf(n) - 1) / CLASSES_OF_COURSE)
export const organisationNumberOf = (n: number): number =>
  1 + Math.floor((classNumberOf(n) - 1) / CLASSES_OF_ORGANISATION)
export const lessonNumberOf = (course: number, position: number): number => (course - 1) * LESSONS_OF_COURSE + position
/** SQL: the id of the enrolment of student number `n`. */
export const enrolmentSql = (n: string): string => `(${n} - ${n} / ${CLASS})`
/** SQL: the number of the course that person number `n` takes. */
export const courseSql = (n: string): string => `(1 + ${n} / ${CLASS * CLASSES_OF_COURSE})`
/** SQL: a value from 0 to below 1 that looks random and is the same in every run. */
export const noise = (n: string, salt: number): string =>
  `((hashint8extended(${n}, ${salt}) & 1073741823)::float8 / 1073741824)`

/** Returns the SQL that creates everything about people except the people themselves and their statements. */
export function schoolSql(people: number): string[] {
  const classes = people / CLASS
  const courses = classes / CLASSES_OF_COURSE
  const everybody = `generate_series(0, ${people - 1}) n`
  const person = `n + ${FIRST_PERSON}`
  const past = `now() - ${noise('n', 1)} * interval '${MONTHS} months'`
  return [
    `insert into organisations (key, name, created_at) select 'org-' || n, 'Organisation ' || n, now() from generate_series(1, ${Math.ceil(classes / CLASSES_OF_ORGANISATION)}) n`,
    `insert into organisation_members (organisation_id, person_id, role)
     select 1 + n / ${CLASS * CLASSES_OF_ORGANISATION}, ${person}, case when n % ${CLASS} = 0 then 'instructor' else 'member' end from ${everybody}`,
    `insert into courses (key, organisation_id, created_at)
     select 'course-' || n, 1 + (n - 1) * ${CLASSES_OF_COURSE} / ${CLASSES_OF_ORGANISATION}, now() from generate_series(1, ${courses}) n`,
    `insert into course_versions (course_id, number, name, description, is_public, document, published_at)
     select id, 1, 'Course ' || id, '', false, '{}', now() from courses order by id`,
    'update courses set version_id = id',
    `insert into lessons (key, course_id) select 'lesson-' || n, 1 + (n - 1) / ${LESSONS_OF_COURSE} from generate_series(1, ${lessonsOf(people)}) n`,
    `insert into lesson_versions (version_id, lesson_id, position, name, description, is_assessment, instructor_graded, is_public,
       app_id, launch_parameters, passes_code, threshold, prerequisites, earlier)
     select course_id, id, 1 + (id - 1) % ${LESSONS_OF_COURSE}, 'Lesson ' || id, '', false, false, false, 1, '{}', false, 80, '{}', '{}' from lessons`,
    `insert into classes (key, course_id, version_id, name, is_sequential, created_at)
     select 'class-' || n, c, c, 'Class ' || n, false, now() from generate_series(1, ${classes}) n, lateral (select 1 + (n - 1) / ${CLASSES_OF_COURSE} as c) k`,
    `insert into class_staff (class_id, person_id, role) select 1 + n / ${CLASS}, ${person}, 'instructor' from generate_series(0, ${people - 1}, ${CLASS}) n`,
    `insert into enrolments (key, class_id, person_id, status, enrolled_at, changed_at)
     select 'student-' || n, 1 + n / ${CLASS}, ${person}, 'active', at, at from ${everybody}, lateral (select ${past} as at) t where n % ${CLASS} > 0 order by n`,
    // Each student has taken the first 1 to 9 lessons of the course, and half of them are in the last one.
    `insert into attempts (key, enrolment_id, lesson_id, state, pass, score, started_at, completed_at, progress_intervals, idle_intervals, active_ms, active_since, changed_at, result)
     select 'attempt-' || n || '-' || k, ${enrolmentSql('n')}, (${courseSql('n')} - 1) * ${LESSONS_OF_COURSE} + k, case when is_open then 'in progress' else 'completed' end, not is_open,
            case when not is_open then 90 end, at, case when not is_open then at + interval '1 hour' end,
            case when is_open then '[{"start":"2026-01-01T10:00:00.000Z","end":null}]'::json
                 else '[{"start":"2026-01-01T10:00:00.000Z","end":"2026-01-01T11:00:00.000Z"}]' end, '[]', 3600000,
            case when is_open then at end, at + interval '1 hour', case when is_open then 'IN PROGRESS' else 'PASS' end
       from ${everybody} cross join lateral (select 1 + (${noise('n', 2)} * 9)::int % 9 as last) l cross join lateral generate_series(1, last) k
      cross join lateral (select k = last and n % 2 = 0 as is_open, now() - ${noise('n * 10 + k', 3)} * interval '${MONTHS} months' as at) t
      where n % ${CLASS} > 0`,
    `insert into standings (enrolment_id, lesson_id, attempt_id, attempts, state, result, score, best_score, is_passed, active_ms, active_since, started_at, completed_at, changed_at)
     select enrolment_id, lesson_id, id, 1, state, result, score, score, result = 'PASS', active_ms, active_since, started_at, completed_at, changed_at from attempts`,
    `insert into notes (key, text, lesson_id, class_id, enrolment_id, course_id, person_id, author_id, created_at)
     select 'note-' || n, 'Flew the circuit with one hint.', (${courseSql('n')} - 1) * ${LESSONS_OF_COURSE} + 1, 1 + n / ${CLASS}, ${enrolmentSql('n')}, ${courseSql('n')}, ${person}, ${person} - n % ${CLASS}, ${past}
       from ${everybody} where n % ${CLASS} > 0 and n % 2 = 0`,
    `insert into user_storage (user_id, blocks_used) select 'cast-' || ${person}, 1 from ${everybody} order by n`,
    `insert into buckets (app_id, id, users, public, data, version, blocks, created_at, payer_no)
     select 1, 'bucket-' || n, array['cast-' || ${person}], false, '${JSON.stringify(DOCUMENT)}', 1, 1, ${past}, s.payer_no
       from ${everybody} join user_storage s on s.user_id = 'cast-' || ${person}`,
    `insert into bucket_members (user_id, bucket_id, bucket_no, since_version) select users[1], id, bucket_no, 1 from buckets`,
    `update app_storage set blocks_used = ${people}, blocks_limit = ${4 * people + 100_000}`,
    `insert into sessions (id, app_id, person_id, user_id, door, device, refreshed_at, created_at, expires_at)
     select gen_random_uuid(), 1, ${person}, 'cast-' || ${person}, 'code', 'phone', now(), now(), now() + interval '30 days' from ${everybody}`,
    `insert into access_tokens (token_hash, session_id, created_at, expires_at)
     select sha256(s.id::text::bytea), s.id, now(), now() + interval '1 day' from sessions s where s.person_id % 10 = 0`,
    `insert into friendships (asker_id, asked_id, requested_at, accepted_at)
     select ${person}, ${FIRST_PERSON} + (n + 7 * k) % ${people}, at, at from ${everybody} cross join generate_series(1, ${FRIENDS}) k, lateral (select ${past} as at) t`,
    `insert into audit_entries (at, action, person_id, app_id, address, request_id, detail)
     select ${past}, 'sign-in.password', ${person}, 1, '192.0.2.1', 'bench', '{}' from ${everybody}`,
    `insert into notification_inboxes (person_id, position) select ${person}, 1 from ${everybody}`,
    `insert into notifications (person_id, position, key, kind, title, text, link, created_at, is_shown)
     select ${person}, 1, 'grade-' || n, 'graded', 'Graded', 'Your lesson was graded.', '/dashboard', ${past}, true from ${everybody}`,
  ]
}
