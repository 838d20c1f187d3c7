import { withinBytes } from '../../kernel/database/page-bytes.ts'
import { c, list, nullable, read, report, write } from '../../kernel/database/statement.ts'

/** Finds the quiz of a lesson in the version that a class uses, and when that version was published. */
export const findQuiz = write('quizzes.findQuiz', {
  params: { class: c.int8, lesson: c.int8 },
  row: { content: nullable(c.json), published_at: c.timestamptz, organisation_id: c.int8 },
  text: `
    select v.content, o.published_at, k.organisation_id
      from classes c join courses k on k.id = c.course_id join course_versions o on o.id = c.version_id
      join lesson_versions v on v.version_id = c.version_id and v.lesson_id = :lesson
     where c.id = :class`,
})

const candidateRow = { id: c.int8, key: c.text, kind: c.text, revision: c.int4, points: c.float8, parts: c.int4 }
/**
 * Selects questions in the revision that was the newest when the course was published, so that later changes of the
 * bank do not change a published course.
 */
const candidates = (where: string) => `
    select q.id, q.key, q.kind, r.number as revision, r.points, r.parts
      from questions q cross join lateral (
        select v.number, v.points, v.parts, v.tags from question_revisions v
         where v.question_id = q.id and v.created_at <= :published order by v.number desc limit 1) r
     where q.organisation_id = :organisation and ${where}`

export const listNamed = write('quizzes.listNamed', {
  params: { organisation: c.int8, published: c.timestamptz, keys: c.textArray },
  row: candidateRow,
  text: candidates('q.key = any(:keys)'),
})

/** Draws questions with a tag at random. There are up to :limit of them, some of which may be drawn already. */
export const listPool = write('quizzes.listPool', {
  params: { organisation: c.int8, published: c.timestamptz, tag: c.text, limit: c.int8 },
  row: candidateRow,
  text: `
    ${candidates(`q.id in (select t.question_id from question_revisions t where t.tags @> array[:tag]) and :tag = any(r.tags)
       and (q.archived_at is null or q.archived_at > :published)`)}
     order by random() limit :limit`,
})

export const insertQuiz = write('quizzes.insertQuiz', {
  params: {
    attempt: c.int8,
    class: c.int8,
    lesson: c.int8,
    feedback: c.text,
    started: c.timestamptz,
    deadline: nullable(c.timestamptz),
    rows: c.json,
  },
  row: { position: c.int4 },
  text: `
    with quiz as (
      insert into quiz_attempts (attempt_id, class_id, lesson_id, feedback, started_at, deadline_at)
      values (:attempt, :class, :lesson, :feedback, :started, :deadline) returning attempt_id
    )
    insert into quiz_answers (attempt_id, position, question_id, revision, shown, max_points)
    select q.attempt_id, r.position, r.question, r.revision, r.shown, r.points
      from quiz q, json_to_recordset(:rows) as r(position int, question bigint, revision int, shown json, points float8)
    returning position`,
})

const attemptRow = {
  attempt_id: c.int8,
  attempt: c.text,
  lesson: c.text,
  class: c.text,
  student: c.text,
  status: c.text,
  is_own: c.bool,
  has_ended: c.bool,
  person_id: c.int8,
  enrolment_id: c.int8,
  lesson_id: c.int8,
  class_id: c.int8,
  course_id: c.int8,
  feedback: c.text,
  started_at: c.timestamptz,
  deadline_at: nullable(c.timestamptz),
  submitted_at: nullable(c.timestamptz),
  pass: c.bool,
  score: nullable(c.float8),
  awaits_grade: c.bool,
}
/**
 * The time at which an open attempt ends: its time limit, or when the lesson closes for the student. It is read each
 * time, so that an extension counts at once. A lesson that an instructor has unlocked by hand does not close.
 */
const ENDS = `left join lesson_versions v on v.version_id = c.version_id and v.lesson_id = t.lesson_id
      left join lateral (select greatest(k.closes_at, q.started_at) as at from lock_of(e.id, '{}', c, v, null) k where k.closes_at is not null and k.by_hand is distinct from false) s
        on v.lesson_id is not null and q.submitted_at is null`

const attemptText = `
    select q.attempt_id, t.key as attempt, l.key as lesson, c.key as class, e.key as student, e.status, e.person_id = :person as is_own,
           c.ended_at is not null as has_ended, e.person_id, e.id as enrolment_id, t.lesson_id, c.id as class_id, c.course_id,
           q.feedback, q.started_at, least(q.deadline_at, s.at) as deadline_at, q.submitted_at, t.pass, t.score, t.awaits_grade
      from attempts t join quiz_attempts q on q.attempt_id = t.id join enrolments e on e.id = t.enrolment_id
      join classes c on c.id = e.class_id join lessons l on l.id = t.lesson_id
      ${ENDS}
     where t.key = :attempt`

export const findAttempt = read('quizzes.findAttempt', {
  params: { person: c.int8, attempt: c.text },
  row: attemptRow,
  text: attemptText,
})

/** Locks a quiz, so that answers and submissions of one attempt come one after the other. */
export const lockQuiz = write('quizzes.lockQuiz', {
  params: { attempt: c.text },
  row: { attempt_id: c.int8 },
  text: `
    select q.attempt_id from quiz_attempts q join attempts t on t.id = q.attempt_id where t.key = :attempt for update of q`,
})

export const countAnswers = read('quizzes.countAnswers', {
  params: { attempt: c.int8 },
  row: { total: c.int8, answered: c.int8 },
  text: `
    select count(*) as total, count(*) filter (where response is not null) as answered from quiz_answers where attempt_id = :attempt`,
})

const answerRow = {
  position: c.int4,
  question_id: c.int8,
  question: c.text,
  content: c.json,
  shown: c.json,
  response: nullable(c.json),
  saved_at: nullable(c.instant),
  is_final: c.bool,
  is_correct: nullable(c.bool),
  points: nullable(c.float8),
  max_points: c.float8,
  remark: nullable(c.text),
  graded_at: nullable(c.instant),
}
const answerColumns = `a.position, a.question_id, q.key as question, r.content, a.shown, a.response, a.saved_at, a.is_final, a.is_correct, a.points,
           a.max_points, a.remark, a.graded_at`
const answerJoins = `join questions q on q.id = a.question_id join question_revisions r on r.question_id = a.question_id and r.number = a.revision`

/** Lists the questions of an attempt with their answers, from :from on, as many as fit on a page. */
export const listAnswers = list('quizzes.listAnswers', {
  params: { attempt: c.int8, from: c.int4 },
  row: answerRow,
  text: `
    select ${answerColumns}
      from ${withinBytes('select * from quiz_answers where attempt_id = :attempt and position >= :from', {
        // Reading the size of the question would read the question, so its largest size counts.
        size: `16384 + octet_length(coalesce(r.response::text, '')) + octet_length(coalesce(r.remark, ''))`,
        order: 'r.position',
      })} a ${answerJoins}
     order by a.position`,
})

export const findAnswer = read('quizzes.findAnswer', {
  params: { attempt: c.int8, question: c.text },
  row: answerRow,
  text: `
    select ${answerColumns} from questions k join quiz_answers a on a.question_id = k.id and a.attempt_id = :attempt ${answerJoins}
     where k.key = :question`,
})

export const saveAnswer = write('quizzes.saveAnswer', {
  params: {
    attempt: c.int8,
    position: c.int4,
    response: nullable(c.json),
    isFinal: c.bool,
    points: nullable(c.float8),
    isCorrect: nullable(c.bool),
    now: c.timestamptz,
  },
  row: { saved_at: nullable(c.instant) },
  text: `
    update quiz_answers set response = :response, saved_at = :now, is_final = :isFinal, points = :points, is_correct = :isCorrect
     where attempt_id = :attempt and position = :position returning saved_at`,
})

/** Stores the points of answers: [{position, points, isCorrect}]. */
export const gradeAnswers = write('quizzes.gradeAnswers', {
  params: { attempt: c.int8, rows: c.json },
  row: { position: c.int4 },
  text: `
    update quiz_answers a set points = r.points, is_correct = r."isCorrect"
      from json_to_recordset(:rows) as r(position int, points float8, "isCorrect" boolean)
     where a.attempt_id = :attempt and a.position = r.position returning a.position`,
})

export const setSubmitted = write('quizzes.setSubmitted', {
  params: { attempt: c.int8, at: c.timestamptz },
  row: { attempt_id: c.int8 },
  text: `update quiz_attempts set submitted_at = :at where attempt_id = :attempt returning attempt_id`,
})

export const gradeAnswer = write('quizzes.gradeAnswer', {
  params: {
    attempt: c.int8,
    position: c.int4,
    points: c.float8,
    isCorrect: c.bool,
    remark: c.text,
    person: c.int8,
    now: c.timestamptz,
  },
  row: { position: c.int4 },
  text: `
    update quiz_answers set points = :points, is_correct = :isCorrect, remark = :remark, graded_by = :person, graded_at = :now
     where attempt_id = :attempt and position = :position returning position`,
})

/** Lists open attempts whose time has been over since :before, or whose lesson has been closed since then. */
export const listExpired = read('quizzes.listExpired', {
  params: { before: c.timestamptz, after: c.int8, limit: c.int8 },
  row: { attempt_id: c.int8, attempt: c.text },
  text: `
    select q.attempt_id, t.key as attempt from quiz_attempts q join attempts t on t.id = q.attempt_id
     where q.submitted_at is null and q.deadline_at < :before and q.attempt_id > :after
    union
    select q.attempt_id, t.key from quiz_attempts q join attempts t on t.id = q.attempt_id join enrolments e on e.id = t.enrolment_id
      join classes c on c.id = e.class_id ${ENDS}
     where q.submitted_at is null and q.attempt_id > :after and s.at < :before
       and e.class_id in (select d.class_id from lesson_dates d where d.closes_at < :before)
     order by attempt_id limit :limit`,
})

/**
 * Sums up the answers to each question of a lesson in a class, over all submitted attempts that were not reset. The
 * chosen options and the frequent answers are those of the newest revision that was answered.
 */
export const listResults = report('quizzes.listResults', {
  params: { class: c.int8, lesson: c.text, limit: c.int8, offset: c.int8 },
  row: {
    question: c.text,
    revision: c.int4,
    content: c.json,
    shown: c.int8,
    answered: c.int8,
    correct: c.int8,
    mean: nullable(c.float8),
    to_grade: c.int8,
    responses: c.json,
    total: c.int8,
  },
  text: `
    with answers as (
      select a.* from quiz_attempts q join attempts t on t.id = q.attempt_id join quiz_answers a on a.attempt_id = q.attempt_id
       where q.class_id = :class and q.lesson_id = (select l.id from lessons l where l.key = :lesson)
         and q.submitted_at is not null and t.reset_at is null
    ), sums as (
      select a.question_id, max(a.revision) as revision, min(a.position) as position, count(*) as shown, count(a.response) as answered,
             count(*) filter (where a.is_correct) as correct, avg(a.points) as mean, count(*) filter (where a.points is null) as to_grade,
             count(*) over () as total
        from answers a group by a.question_id order by min(a.position), a.question_id limit :limit offset :offset
    )
    select k.key as question, s.revision, r.content, s.shown, s.answered, s.correct, s.mean, s.to_grade, s.total,
           (select coalesce(json_agg(json_build_object('response', d.response, 'count', d.count) order by d.count desc), '[]')
              from (select p.response, count(*) as count
                      from answers a, lateral (
                        select left(e.value::text, 200) as response
                          from json_array_elements(case when json_typeof(a.response) = 'array' then a.response else json_build_array(a.response) end) e) p
                     where a.question_id = s.question_id and a.revision = s.revision and a.response is not null
                       and k.kind in ('single', 'multiple', 'numeric', 'text')
                     group by p.response order by count(*) desc, p.response limit 20) d) as responses
      from sums s join questions k on k.id = s.question_id join question_revisions r on r.question_id = s.question_id and r.number = s.revision
     order by s.position, s.question_id`,
})

export const exportAnswers = report('quizzes.exportAnswers', {
  params: { person: c.int8 },
  row: {
    class: c.text,
    lesson: c.text,
    attempt: c.text,
    feedback: c.text,
    is_submitted: c.bool,
    ...answerRow,
  },
  text: `
    select c.key as class, l.key as lesson, t.key as attempt, z.feedback, z.submitted_at is not null as is_submitted, ${answerColumns}
      from enrolments e join classes c on c.id = e.class_id join attempts t on t.enrolment_id = e.id join quiz_attempts z on z.attempt_id = t.id
      join lessons l on l.id = t.lesson_id join quiz_answers a on a.attempt_id = z.attempt_id ${answerJoins}
     where e.person_id = :person order by t.id, a.position`,
})
