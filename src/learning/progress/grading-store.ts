import { foldedName, sortedBy } from '../../kernel/database/orders.ts'
import { withinBytes } from '../../kernel/database/page-bytes.ts'
import { c, list, nullable, report, write } from '../../kernel/database/statement.ts'
import { attemptColumns, attemptRow, emitAttemptEvent, isVoid } from './store.ts'

const studentLesson = { enrolment: c.int8, lesson: c.int8 }

/**
 * Locks the standing, to serialise grading and resets. Every change to an attempt also updates this row, so the lock
 * blocks those changes too.
 */
export const lockStanding = write('progress.lockStanding', {
  params: studentLesson,
  row: { attempt_id: nullable(c.int8), state: c.text },
  text: `select attempt_id, state from standings where enrolment_id = :enrolment and lesson_id = :lesson for update`,
})

/** Finds the named attempt, or else the latest completed attempt that was not reset. */
export const findAttempt = write('progress.findAttempt', {
  params: { ...studentLesson, attempt: nullable(c.text) },
  row: { ...attemptRow, result: c.text, awaits_grade: c.bool, is_reset: c.bool },
  text: `
    select ${attemptColumns()}, t.result, t.awaits_grade, t.reset_at is not null as is_reset
      from attempts t
     where t.enrolment_id = :enrolment and t.lesson_id = :lesson
       and case when :attempt is null then t.state = 'completed' and t.reset_at is null else t.key = :attempt end
     order by t.started_at desc, t.id desc limit 1`,
})

const changed = { ...studentLesson, reason: c.text, person: c.int8, now: c.timestamptz }
const change = (kind: string, { before, after, from, attempt = 'null' }: Record<string, string>) => `
      insert into grade_changes (enrolment_id, lesson_id, attempt_id, kind, before, after, reason, changed_by, changed_at)
      select :enrolment, :lesson, ${attempt}, '${kind}', ${before}, ${after}, :reason, :person, :now from ${from}`

/**
 * Updates the attempt and the standing, records the change and its reason, and emits the event. The caller must already
 * have locked the standing.
 */
export const gradeAttempt = write('progress.gradeAttempt', {
  params: {
    ...changed,
    attempt: c.text,
    pass: c.bool,
    score: nullable(c.float8),
    result: c.text,
    before: c.json,
    after: c.json,
    kind: c.text,
    app: nullable(c.int8),
  },
  row: { is_passed: c.bool },
  text: `
    with attempt as (
      update attempts set version = version + 1, pass = :pass, score = :score, result = :result, awaits_grade = false,
             graded_at = :now, graded_by = :person, changed_at = greatest(changed_at, :now),
             reported_via = 'instructor', reported_by = :person, reported_app_id = :app, reported_at = :now
       where key = :attempt and enrolment_id = :enrolment and lesson_id = :lesson and state = 'completed' and reset_at is null
      returning id, enrolment_id, lesson_id, state, pass, score, result, active_ms
    ), others as (
      select max(o.score) as best_score, coalesce(bool_or(o.result = 'PASS'), false) as is_passed
        from attempts o where o.enrolment_id = :enrolment and o.lesson_id = :lesson and o.key <> :attempt and o.state = 'completed' and o.reset_at is null
    ), standing as (
      update standings s set best_score = greatest(o.best_score, a.score), is_passed = o.is_passed or a.result = 'PASS', changed_at = :now,
             result = case when s.attempt_id = a.id then a.result else s.result end,
             score = case when s.attempt_id = a.id then a.score else s.score end,
             awaits_grade = s.awaits_grade and s.attempt_id <> a.id
        from attempt a, others o where s.enrolment_id = :enrolment and s.lesson_id = :lesson
      returning s.is_passed
    ), change as (${change('grade', { before: ':before', after: ':after', from: 'attempt', attempt: 'attempt.id' })}
    ), emitted as (${emitAttemptEvent()})
    select s.is_passed from standing s, emitted`,
})

/** Emits an event about a lesson as a whole, not about a single attempt. */
const emitLessonEvent = (kind: string, from: string) => `
    select emit_event('${kind}', 'student:' || e.id, jsonb_build_object('enrolment', e.id, 'lesson', :lesson, 'class', e.class_id,
      'course', c.course_id, 'person', e.person_id, 'by', :person), :now) as event
      from ${from}, enrolments e join classes c on c.id = e.class_id where e.id = :enrolment`

/** Grants extra attempts. Returns no row if the student would have more than :most of them. */
export const addAttempts = write('progress.addAttempts', {
  params: { ...changed, count: c.int4, most: c.int4 },
  row: { attempts: c.int4, extra_attempts: c.int4 },
  text: `
    with standing as (
      insert into standings as s (enrolment_id, lesson_id, extra_attempts, state, result, changed_at)
      values (:enrolment, :lesson, :count, 'none', 'NOT STARTED', :now)
      on conflict (enrolment_id, lesson_id) do update set extra_attempts = s.extra_attempts + excluded.extra_attempts, changed_at = excluded.changed_at
       where s.extra_attempts + excluded.extra_attempts <= :most
      returning s.attempts, s.extra_attempts
    ), change as (${change('extra attempt', {
      before: `json_build_object('extraAttempts', extra_attempts - :count)`,
      after: `json_build_object('extraAttempts', extra_attempts)`,
      from: 'standing',
    })}
    ), emitted as (${emitLessonEvent('attempt.granted', 'standing')})
    select s.attempts, s.extra_attempts from standing s, emitted`,
})

/** Resets all attempts, so that they no longer count. The caller must already have locked the standing. */
export const resetAttempts = write('progress.resetAttempts', {
  params: changed,
  row: { event: c.int8 },
  text: `
    with before as (
      select s.attempts, s.extra_attempts, s.result, s.score, s.best_score,
             (select coalesce(json_agg(json_build_object('objectiveId', b.key, 'score', o.score) order by b.key), '[]')
                from objective_scores o join objectives b on b.id = o.objective_id
               where o.enrolment_id = s.enrolment_id and o.lesson_id = s.lesson_id and not ${isVoid('o')}) as objectives
        from standings s where s.enrolment_id = :enrolment and s.lesson_id = :lesson
    ), attempt as (
      update attempts set version = version + 1, reset_at = :now, awaits_grade = false, changed_at = greatest(changed_at, :now)
       where enrolment_id = :enrolment and lesson_id = :lesson and reset_at is null
    ), standing as (
      update standings set attempt_id = null, attempts = 0, extra_attempts = 0, state = 'none', result = 'NOT STARTED', score = null, best_score = null,
             is_passed = false, awaits_grade = false, active_ms = 0, active_since = null, started_at = null, completed_at = null, changed_at = :now
       where enrolment_id = :enrolment and lesson_id = :lesson
    ), change as (${change('reset', {
      before: `json_build_object('attempts', attempts, 'extraAttempts', extra_attempts, 'result', result, 'score', score, 'bestScore', best_score, 'objectives', objectives)`,
      after: `json_build_object('attempts', 0, 'extraAttempts', 0, 'result', 'NOT STARTED', 'score', null, 'bestScore', null, 'objectives', '[]'::json)`,
      from: 'before',
    })}
    ), emitted as (${emitLessonEvent('attempt.reset', 'before')})
    select event from emitted`,
})

export const listChanges = list('progress.listChanges', {
  params: { ...studentLesson, app: nullable(c.int8) },
  row: {
    kind: c.text,
    attempt: nullable(c.text),
    before: c.json,
    after: c.json,
    reason: c.text,
    by_id: nullable(c.text),
    by_name: nullable(c.text),
    changed_at: c.instant,
  },
  text: `
    select g.kind, t.key as attempt, g.before, g.after, g.reason, u.user_id as by_id,
           case when :app is null or u.user_id is not null then coalesce(nullif(trim(p.first_name || ' ' || p.last_name), ''), p.handle) end as by_name,
           g.changed_at
      from ${withinBytes(
        'select * from grade_changes where enrolment_id = :enrolment and lesson_id = :lesson order by id desc limit 1000',
        {
          size: 'octet_length(r.reason) + octet_length(r.before::text) + octet_length(r.after::text)',
          order: 'r.id desc',
        },
      )} g left join attempts t on t.id = g.attempt_id left join people p on p.id = g.changed_by
      left join app_users u on u.app_id = :app and u.person_id = g.changed_by
     order by g.id desc`,
})

const AWAITING_ORDERS = {
  completed: ['t.completed_at', 't.id'],
  student: [foldedName('p.last_name'), foldedName('p.first_name'), 'p.handle_key', 't.completed_at', 't.id'],
  lesson: [foldedName('v.name'), 't.completed_at', 't.id'],
}

const AWAITING = `classes c join enrolments e on e.class_id = c.id join attempts t on t.enrolment_id = e.id and t.awaits_grade
      join lesson_versions v on v.version_id = c.version_id and v.lesson_id = t.lesson_id join people p on p.id = e.person_id`

/**
 * Lists attempts that await a grade: those of one class, or of all classes that the person teaches. The person's own
 * attempts are left out. Names are read for the attempts of the page, and not for all that are counted.
 */
export const listAwaiting = sortedBy(AWAITING_ORDERS, (order, suffix) =>
  report(`progress.listAwaiting${suffix}`, {
    params: { person: c.int8, class: nullable(c.int8), limit: c.int8, offset: c.int8 },
    row: {
      class: c.text,
      class_name: c.text,
      student: c.text,
      handle: c.text,
      name: c.text,
      lesson: c.text,
      lesson_name: c.text,
      kind: c.text,
      attempt: c.text,
      completed_at: nullable(c.instant),
      due_at: nullable(c.instant),
      is_late: c.bool,
      total: c.int8,
    },
    text: `
    select c.key as class, c.name as class_name, e.key as student, p.handle, coalesce(nullif(trim(p.first_name || ' ' || p.last_name), ''), p.handle) as name,
           l.key as lesson, v.name as lesson_name, v.kind, t.key as attempt, t.completed_at, d.due_at,
           coalesce(t.completed_at > d.due_at, false) as is_late, w.total
      from (select t.id, count(*) over () as total from ${AWAITING}
             where e.status <> 'dropped' and e.person_id <> :person
               and c.id in (select s.class_id from class_staff s where :class is null and s.person_id = :person and s.role = 'instructor' union all select :class)
             order by ${order} limit :limit offset :offset) w
      join (${AWAITING}) on t.id = w.id join lessons l on l.id = t.lesson_id,
      lateral dates_of(e.id, c.id, v.lesson_id, v.parent_id) d
     order by ${order}`,
  }),
)
