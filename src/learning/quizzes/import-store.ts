import { c, nullable, read, write } from '../../kernel/database/statement.ts'

/** Finds the quiz of a lesson in the version that a class uses, and its passing score. */
export const findRules = read('quizzes.findRules', {
  params: { class: c.int8, lesson: c.text },
  row: { content: nullable(c.json), threshold: nullable(c.float8) },
  gather: false,
  text: `
    select v.content, v.threshold from classes c join lesson_versions v on v.version_id = c.version_id
      join lessons l on l.id = v.lesson_id and l.key = :lesson where c.id = :class`,
})

/** Adds the quiz of an imported attempt, with its answers. */
export const insertSubmitted = write('quizzes.insertSubmitted', {
  params: { attempt: c.text, feedback: c.text, submitted: c.timestamptz, rows: c.json },
  row: { position: c.int4 },
  text: `
    with quiz as (
      insert into quiz_attempts (attempt_id, class_id, lesson_id, feedback, started_at, submitted_at)
      select t.id, e.class_id, t.lesson_id, :feedback, t.started_at, :submitted
        from attempts t join enrolments e on e.id = t.enrolment_id where t.key = :attempt
      on conflict (attempt_id) do nothing returning attempt_id
    )
    insert into quiz_answers (attempt_id, position, question_id, revision, shown, response, saved_at, is_correct, points, max_points, remark,
      graded_by, graded_at)
    select q.attempt_id, r.position, r."questionId", r.revision, r.shown, r.response, :submitted, r."isCorrect", r.points, r."maxPoints", r.remark,
           r.grader, case when r."isGraded" then :submitted end
      from quiz q, json_to_recordset(:rows) as r(position int, "questionId" bigint, revision int, shown json, response json, "isCorrect" boolean,
             points float8, "maxPoints" float8, remark text, grader bigint, "isGraded" boolean)
    returning position`,
})
