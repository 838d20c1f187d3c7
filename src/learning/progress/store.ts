import type { ColumnType } from '../../kernel/database/columns.ts'
import { estimateRows } from '../../kernel/database/estimates.ts'
import { markWithinBytes } from '../../kernel/database/page-bytes.ts'
import { c, list, nullable, read, report, write } from '../../kernel/database/statement.ts'

type Optional<C> = { [K in keyof C]: C[K] extends ColumnType<infer T> ? ColumnType<T | null> : never }

/** Makes all columns nullable, for a row of an outer join. */
const optional = <C extends object>(columns: C): Optional<C> =>
  Object.fromEntries(Object.entries(columns).map(([name, type]) => [name, nullable(type)])) as Optional<C>

export const attemptRow = {
  attempt_id: c.int8,
  attempt: c.text,
  version: c.int4,
  state: c.text,
  pass: c.bool,
  score: nullable(c.float8),
  answers: nullable(c.json),
  started_at: c.timestamptz,
  completed_at: nullable(c.timestamptz),
  progress_intervals: c.json,
  idle_intervals: c.json,
  active_ms: c.int8,
  active_since: nullable(c.timestamptz),
  changed_at: c.timestamptz,
  graded_at: nullable(c.timestamptz),
  graded_by: nullable(c.int8),
}
const intervals = (column: string, condition: string) =>
  `case when ${condition} then t.${column} else '[]' end as ${column}`

/**
 * Selects an attempt. Answers and intervals can be long; a statement that does not need them passes a condition that is
 * false.
 */
export const attemptColumns = (withAnswers = 'true', withIntervals = 'true') => `
           t.id as attempt_id, t.key as attempt, t.version, t.state, t.pass, t.score, case when ${withAnswers} then t.answers end as answers,
           t.started_at, t.completed_at, ${intervals('progress_intervals', withIntervals)}, ${intervals('idle_intervals', withIntervals)}, t.active_ms, t.active_since, t.changed_at, t.graded_at, t.graded_by`

/**
 * How an attempt was reported. The app's name is for that app and for the platform's own pages; the person's name is
 * for apps that they use.
 */
export const reportRow = {
  reported_via: nullable(c.text),
  reported_app: nullable(c.text),
  by_id: nullable(c.text),
  by_name: nullable(c.text),
  reported_at: nullable(c.instant),
  is_late: c.bool,
  is_early: c.bool,
  due_at: nullable(c.instant),
  is_overdue: c.bool,
}
const reportColumns = `t.reported_via, case when :app is null or :app = t.reported_app_id then ra.name end as reported_app, u.user_id as by_id,
           case when :app is null or u.user_id is not null then coalesce(nullif(trim(w.first_name || ' ' || w.last_name), ''), w.handle) end as by_name,
           t.reported_at, t.is_late, t.started_at < e.enrolled_at as is_early, d.due_at, coalesce(t.completed_at > d.due_at, false) as is_overdue`
const reportJoins = `
      left join people w on w.id = t.reported_by left join app_users u on u.app_id = :app and u.person_id = t.reported_by
      left join apps ra on ra.id = t.reported_app_id
      left join lateral (
        select o.due_at from classes k join lesson_versions v on v.version_id = k.version_id and v.lesson_id = t.lesson_id,
               dates_of(e.id, k.id, v.lesson_id, v.parent_id) o where k.id = e.class_id) d on true`

/**
 * Finds the student, lesson and class of a request, the caller's roles and the latest attempt. Columns are null for
 * records that do not exist; `authorizeLesson` decides which of them to reveal to the caller.
 */
export const findLessonContext = read('progress.findLessonContext', {
  params: {
    person: c.int8,
    lesson: c.text,
    class: nullable(c.text),
    student: nullable(c.text),
    withLock: c.bool,
    withAnswers: c.bool,
    at: c.timestamptz,
  },
  row: {
    lesson_id: nullable(c.int8),
    in_course: c.bool,
    kind: nullable(c.text),
    app_id: nullable(c.int8),
    threshold: nullable(c.float8),
    max_attempts: nullable(c.int4),
    instructor_graded: nullable(c.bool),
    enrolment_id: nullable(c.int8),
    student: nullable(c.text),
    status: nullable(c.text),
    is_own: c.bool,
    class_id: nullable(c.int8),
    course_id: nullable(c.int8),
    person_id: nullable(c.int8),
    is_asked_class: c.bool,
    has_ended: c.bool,
    teaches: c.bool,
    observes: c.bool,
    manages: c.bool,
    locked: nullable(c.bool),
    attempts: nullable(c.int4),
    extra_attempts: nullable(c.int4),
    ...optional(attemptRow),
  },
  text: `
    select a.lesson_id, v.lesson_id is not null as in_course, v.kind, v.app_id, v.threshold, v.max_attempts, v.instructor_graded,
           e.id as enrolment_id, e.key as student, e.status, coalesce(e.person_id = :person, false) as is_own,
           c.id as class_id, c.course_id, e.person_id, :class is null or coalesce(c.key = :class, false) as is_asked_class,
           c.ended_at is not null as has_ended, coalesce(r.teaches, false) as teaches, coalesce(r.observes, false) as observes,
           coalesce(r.manages, false) as manages, k.locked, s.attempts, s.extra_attempts,${attemptColumns(':withAnswers')}
      from (select (select l.id from lessons l where l.key = :lesson) as lesson_id,
                   (select c.id from classes c where c.key = :class) as class_id) a
      left join enrolments e on e.id = case
        when :student is not null then (select o.id from enrolments o where o.key = :student)
        when :class is not null then (select o.id from enrolments o where o.class_id = a.class_id and o.person_id = :person)
        else newest_enrolment(:person, a.lesson_id) end
      left join classes c on c.id = coalesce(e.class_id, a.class_id)
      left join lateral roles_in_class(:person, c) r on c.id is not null
      left join lesson_versions v on v.version_id = c.version_id and v.lesson_id = a.lesson_id
      left join lateral lock_of(e.id, passed_lessons(e.id), c, v, case when e.person_id = :person then :at end) k on :withLock and e.id is not null and v.lesson_id is not null
      left join standings s on s.enrolment_id = e.id and s.lesson_id = a.lesson_id
      left join attempts t on t.id = s.attempt_id`,
})

/** Finds an attempt at a quiz, and what its result depends on. The caller's permission is checked by the quizzes. */
export const findQuizAttempt = write('progress.findQuizAttempt', {
  params: { attempt: c.int8 },
  row: {
    ...attemptRow,
    enrolment_id: c.int8,
    student: c.text,
    status: c.text,
    lesson_id: c.int8,
    class_id: c.int8,
    person_id: c.int8,
    threshold: nullable(c.float8),
    instructor_graded: nullable(c.bool),
  },
  text: `
    select${attemptColumns('false')}, t.enrolment_id, e.key as student, e.status, t.lesson_id, e.class_id, e.person_id, v.threshold, v.instructor_graded
      from attempts t join enrolments e on e.id = t.enrolment_id join classes c on c.id = e.class_id
      left join lesson_versions v on v.version_id = c.version_id and v.lesson_id = t.lesson_id
     where t.id = :attempt`,
})

/** Replaces the answers of an attempt, after some of them were graded. */
export const setAnswers = write('progress.setAnswers', {
  params: { attempt: c.int8, answers: c.json },
  row: { id: c.int8 },
  text: `update attempts set answers = :answers where id = :attempt returning id`,
})

/**
 * Checks whether the caller may know that a lesson exists: the lesson is public, the caller takes or teaches it, or the
 * calling app delivers it.
 */
export const findLessonVisibility = read('progress.findLessonVisibility', {
  params: { person: c.int8, app: nullable(c.int8), lesson: c.text },
  row: { is_known: c.bool, is_taught: c.bool },
  text: `
    select coalesce(w.is_inside, false) or exists (
             select from courses k join lesson_versions v on v.version_id = k.version_id and v.lesson_id = l.id
              where k.id = l.course_id and (v.is_public or v.app_id = :app)) as is_known,
           exists (select from class_staff s join classes c on c.id = s.class_id where s.person_id = :person and c.course_id = l.course_id) as is_taught
      from lessons l left join lateral course_view(:person, l.course_id, null) w on true where l.key = :lesson`,
})

const changed = {
  person: c.int8,
  app: nullable(c.int8),
  state: c.text,
  pass: c.bool,
  score: nullable(c.float8),
  answers: nullable(c.json),
  completed: nullable(c.timestamptz),
  progress: c.json,
  idle: c.json,
  activeMs: c.int8,
  activeSince: nullable(c.timestamptz),
  result: c.text,
  awaitsGrade: c.bool,
  gradedAt: nullable(c.timestamptz),
  gradedBy: nullable(c.int8),
  /** The grade before and after an instructor's change, as {"before", "after"}; null for changes by the student. */
  change: nullable(c.json),
  /** Through what it was reported; null if the change reports nothing. */
  via: nullable(c.text),
  kind: c.text,
  now: c.timestamptz,
}

const { score: _score, ...manyChanged } = changed

const audited = `
      insert into grade_changes (enrolment_id, lesson_id, attempt_id, kind, before, after, reason, changed_by, changed_at)
      select a.enrolment_id, a.lesson_id, a.id, 'grade', :change -> 'before', :change -> 'after', '', :person, :now from attempt a where :change is not null`

/**
 * The due date of a completed attempt, and whether it is late at this moment, for its event. Empty for other events and
 * lessons without a due date.
 */
const dueOfCompleted = `coalesce((select jsonb_build_object('due', to_char(d.due_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'late', :completed > d.due_at)
        from lesson_versions v, dates_of(e.id, c.id, v.lesson_id, v.parent_id) d
       where :kind = 'attempt.completed' and v.version_id = c.version_id and v.lesson_id = a.lesson_id and d.due_at is not null), '{}')`

/** Emits the event of a changed attempt, with the values of the row after the change. */
export const emitAttemptEvent = (more = `'{}'::jsonb`) => `
    select emit_event(:kind, 'student:' || a.enrolment_id, jsonb_build_object('attempt', a.id, 'enrolment', a.enrolment_id, 'lesson', a.lesson_id,
      'class', e.class_id, 'course', c.course_id, 'person', e.person_id, 'app', :app, 'by', :person, 'state', a.state,
      'result', a.result, 'pass', a.pass, 'score', a.score, 'activeMs', a.active_ms) || ${more}, :now) as event
      from attempt a join enrolments e on e.id = a.enrolment_id join classes c on c.id = e.class_id`

/**
 * Stores new attempts, one for each row of `allowed` with its key, lesson and score. If a new attempt started before
 * the latest one, the standing still refers to the latest.
 */
const storeAttempts = (allowed: string) => `
    with allowed as materialized (${allowed}
    ), attempt as (
      insert into attempts (key, enrolment_id, lesson_id, state, pass, score, answers, started_at, completed_at, progress_intervals, idle_intervals,
        active_ms, active_since, changed_at, result, awaits_grade, graded_at, graded_by,
        reported_via, reported_by, reported_app_id, reported_at, is_late, share_no)
      select w.key, :enrolment, w.lesson_id, :state, :pass, w.score, :answers, :started, :completed, :progress, :idle,
             :activeMs, :activeSince, coalesce(:completed, :started), :result, :awaitsGrade, :gradedAt, :gradedBy,
             :via, :person, :app, :now, :isLate, share_of(:person, :app, null)
        from allowed w
      on conflict (enrolment_id, lesson_id) where state <> 'completed' do nothing
      returning id, version, enrolment_id, lesson_id, state, pass, score, result, active_ms, answers
    ), standing as (
      insert into standings as s (enrolment_id, lesson_id, attempt_id, attempts, state, result, score, best_score, is_passed, awaits_grade,
        active_ms, active_since, started_at, completed_at, changed_at)
      select enrolment_id, lesson_id, id, 1, state, result, score, score, result = 'PASS', :awaitsGrade, active_ms, :activeSince, :started, :completed, :now
        from attempt
      on conflict (enrolment_id, lesson_id) do update set
        (attempt_id, state, result, score, awaits_grade, active_since, started_at, completed_at) = (
          select x.attempt_id, x.state, x.result, x.score, x.awaits_grade, x.active_since, x.started_at, x.completed_at
            from (values (excluded.attempt_id, excluded.state, excluded.result, excluded.score, excluded.awaits_grade, excluded.active_since,
                          excluded.started_at, excluded.completed_at, 1),
                         (s.attempt_id, s.state, s.result, s.score, s.awaits_grade, s.active_since, s.started_at, s.completed_at, 2))
                 as x(attempt_id, state, result, score, awaits_grade, active_since, started_at, completed_at, n)
           where x.attempt_id is not null order by x.state = 'completed', x.started_at desc, x.n limit 1),
        attempts = s.attempts + 1, best_score = greatest(s.best_score, excluded.best_score), is_passed = s.is_passed or excluded.is_passed,
        active_ms = s.active_ms + excluded.active_ms, changed_at = excluded.changed_at
    ), audited as (${audited}), emitted as (${emitAttemptEvent(dueOfCompleted)})`

/**
 * Stores a new attempt, which may be open or already completed. Returns no row if another attempt is open, or if the
 * student may no longer begin one: the status or the number of attempts has changed since it was checked, the class has
 * ended, or the lesson is locked. The student must be locked.
 */
export const insertAttempt = write('progress.insertAttempt', {
  params: {
    key: c.text,
    enrolment: c.int8,
    lesson: c.int8,
    status: c.text,
    attempts: c.int4,
    started: c.timestamptz,
    isLate: c.bool,
    ...changed,
  },
  row: { attempt_id: c.int8, version: c.int4, answers: nullable(c.json) },
  text: `${storeAttempts(`
      select :key as key, :lesson as lesson_id, :score as score from enrolments e join classes c on c.id = e.class_id
        join lesson_versions v on v.version_id = c.version_id and v.lesson_id = :lesson
        cross join lateral lock_of(e.id, passed_lessons(e.id), c, v, case when e.person_id = :person then :started end) k
        left join standings s on s.enrolment_id = e.id and s.lesson_id = :lesson
       where e.id = :enrolment and e.status = :status and c.ended_at is null and not k.locked and coalesce(s.attempts, 0) = :attempts`)}
    select a.id as attempt_id, a.version, a.answers from attempt a, emitted`,
})

/**
 * Lists those of some lessons that a student passes by their content alone, has nothing recorded of, and finds open
 * once all of them are passed.
 */
export const listOpenTogether = list('progress.listOpenTogether', {
  params: { enrolment: c.int8, lessons: c.int8Array, at: c.timestamptz },
  row: { lesson_id: c.int8 },
  text: `
    select v.lesson_id
      from (select e.id, e.class_id, passed_lessons(e.id) || :lessons as passed from enrolments e where e.id = :enrolment and e.status = 'active' offset 0) e
      join classes c on c.id = e.class_id join lesson_versions v on v.version_id = c.version_id and v.lesson_id = any(:lessons)
      cross join lateral lock_of(e.id, e.passed, c, v, :at) k
     where c.ended_at is null and not k.locked and v.threshold is null and not v.instructor_graded
       and not exists (select from standings s where s.enrolment_id = e.id and s.lesson_id = v.lesson_id)`,
})

/** Stores a new attempt at each of the lessons, which were checked. The student must be locked. */
export const insertManyAttempts = write('progress.insertManyAttempts', {
  params: {
    enrolment: c.int8,
    started: c.timestamptz,
    isLate: c.bool,
    rows: c.json,
    ...manyChanged,
  },
  row: { event: c.int8 },
  text: `${storeAttempts(`
      select r.key, r.lesson_id, r.score from json_to_recordset(:rows) as r(key text, lesson_id bigint, score double precision)`)}
    select event from emitted`,
})

/**
 * Updates an attempt. Returns no row if the attempt was changed since it was read. The score of an open attempt may
 * still decrease, so it does not count as the best score. Without :answers, those of the row stay, and without :via,
 * the last report stays.
 */
export const updateAttempt = write('progress.updateAttempt', {
  params: { attempt: c.int8, version: c.int4, ...changed },
  row: { attempt_id: c.int8, version: c.int4, answers: nullable(c.json) },
  text: `
    with before as (
      select active_ms from attempts where id = :attempt
    ), attempt as (
      update attempts set version = version + 1, state = :state, pass = :pass, score = :score, answers = coalesce(:answers, answers), completed_at = :completed,
             progress_intervals = :progress, idle_intervals = :idle, active_ms = :activeMs, active_since = :activeSince, changed_at = :now, result = :result,
             awaits_grade = :awaitsGrade, graded_at = :gradedAt, graded_by = :gradedBy,
             reported_via = coalesce(:via, reported_via), reported_by = case when :via is null then reported_by else :person end,
             reported_app_id = case when :via is null then reported_app_id else :app end,
             reported_at = case when :via is null then reported_at else :now end
       where id = :attempt and version = :version
      returning id, version, enrolment_id, lesson_id, state, pass, score, result, active_ms, answers
    ), standing as (
      update standings s set state = a.state, result = a.result, score = a.score,
             best_score = case when a.state = 'completed' then greatest(s.best_score, a.score) else s.best_score end,
             is_passed = s.is_passed or a.result = 'PASS', awaits_grade = :awaitsGrade,
             active_ms = s.active_ms + a.active_ms - b.active_ms, active_since = :activeSince, completed_at = :completed, changed_at = :now
        from attempt a, before b where s.enrolment_id = a.enrolment_id and s.lesson_id = a.lesson_id and s.attempt_id = a.id
    ), audited as (${audited}), emitted as (${emitAttemptEvent(dueOfCompleted)})
    select a.id as attempt_id, a.version, a.answers from attempt a, emitted`,
})

/** Locks a student, to serialise the creation of attempts, so that they cannot overlap. */
export const lockStudent = write('progress.lockStudent', {
  params: { enrolment: c.int8 },
  row: { id: c.int8 },
  text: `select id from enrolments where id = :enrolment for no key update`,
})

/** Tells whether a time overlaps an attempt, and how many attempts there are. */
export const overlaps = write('progress.overlaps', {
  params: { enrolment: c.int8, lesson: c.int8, from: c.timestamptz, to: c.timestamptz },
  row: { attempts: c.int4, overlaps: c.bool },
  text: `
    select coalesce((select s.attempts from standings s where s.enrolment_id = :enrolment and s.lesson_id = :lesson), 0) as attempts, exists (select from attempts t where t.enrolment_id = :enrolment and t.lesson_id = :lesson
      and (t.started_at < :to and coalesce(t.completed_at, 'infinity') > :from or t.started_at = :from)) as overlaps`,
})

/**
 * Lists attempts, newest first; or finds one of them, with its answers. Attempts after the first PAGE_BYTES have no
 * intervals.
 */
export const listAttempts = list('progress.listAttempts', {
  params: {
    enrolment: c.int8,
    lesson: c.int8,
    attempt: nullable(c.text),
    app: nullable(c.int8),
    limit: c.int8,
    offset: c.int8,
  },
  row: { ...attemptRow, ...reportRow, total: c.int8 },
  text: `
    select ${attemptColumns(':attempt is not null', 't.is_whole')}, ${reportColumns}, t.total
      from ${markWithinBytes(
        `select t.*, count(*) over () as total from attempts t
          where t.enrolment_id = :enrolment and t.lesson_id = :lesson and (:attempt is null or t.key = :attempt)
          order by t.started_at desc, t.id desc limit :limit offset :offset`,
        {
          size: 'octet_length(r.progress_intervals::text) + octet_length(r.idle_intervals::text)',
          order: 'r.started_at desc, r.id desc',
        },
      )} t
      join enrolments e on e.id = t.enrolment_id${reportJoins}
     order by t.started_at desc, t.id desc`,
})

export const findAnswers = read('progress.findAnswers', {
  params: { attempt: c.int8 },
  row: { answers: nullable(c.json) },
  gather: false,
  text: `select answers from attempts where id = :attempt`,
})

/** Whether an objective's score no longer counts, because its attempt was reset. */
export const isVoid = (score: string) =>
  `exists (select from attempts r where r.id = ${score}.attempt_id and r.reset_at is not null)`

/** Lists the objectives that a lesson teaches in the class of a student. */
export const listObjectives = read('progress.listObjectives', {
  params: { enrolment: c.int8, lesson: c.int8 },
  row: { objective: c.text },
  text: `
    select b.key as objective from enrolments e join classes c on c.id = e.class_id join objective_versions o on o.version_id = c.version_id
      join objectives b on b.id = o.objective_id where e.id = :enrolment and :lesson = any(o.lessons) order by b.id`,
})

/**
 * Stores the score of an objective. Returns no row if the lesson does not belong to the objective in the class's course
 * version. `is_stored` is false if a student tries to overwrite an instructor's score.
 */
export const setObjectiveScore = write('progress.setObjectiveScore', {
  params: {
    enrolment: c.int8,
    lesson: c.int8,
    objective: c.text,
    attempt: c.int8,
    score: c.float8,
    person: c.int8,
    isOwn: c.bool,
    app: nullable(c.int8),
    now: c.timestamptz,
  },
  row: { is_stored: c.bool },
  text: `
    with target as (
      select b.id as objective_id, c.id as class_id, c.course_id, e.person_id
        from enrolments e join classes c on c.id = e.class_id join objective_versions o on o.version_id = c.version_id
        join objectives b on b.id = o.objective_id
       where e.id = :enrolment and b.key = :objective and :lesson = any(o.lessons)
    ), score as (
      insert into objective_scores as s (enrolment_id, lesson_id, objective_id, attempt_id, score, reported_by, reported_at)
      select :enrolment, :lesson, objective_id, :attempt, :score, :person, :now from target
      on conflict (enrolment_id, lesson_id, objective_id) do update set
        attempt_id = excluded.attempt_id, score = excluded.score, reported_by = excluded.reported_by, reported_at = excluded.reported_at
       where not :isOwn or s.reported_by = :person or ${isVoid('s')}
      returning s.objective_id
    ), audited as (
      insert into grade_changes (enrolment_id, lesson_id, attempt_id, kind, before, after, reason, changed_by, changed_at)
      select :enrolment, :lesson, :attempt, 'objective', json_build_object('objectiveId', :objective, 'score', h.score),
             json_build_object('objectiveId', :objective, 'score', :score), '', :person, :now
        from score s left join objective_scores h on h.enrolment_id = :enrolment and h.lesson_id = :lesson and h.objective_id = s.objective_id and not ${isVoid('h')}
       where not :isOwn and h.score is distinct from :score
    ), emitted as (
      select emit_event('objective.scored', 'student:' || :enrolment, jsonb_build_object('attempt', :attempt, 'enrolment', :enrolment, 'lesson', :lesson,
        'class', t.class_id, 'course', t.course_id, 'person', t.person_id, 'app', :app, 'by', :person, 'objective', t.objective_id, 'score', :score), :now) as event
        from target t join score s on s.objective_id = t.objective_id
    )
    select exists (select from emitted) as is_stored from target`,
})

/**
 * Finds the app and the URL that open a lesson of a class, for one of its students or for an instructor who is not
 * enrolled.
 */
export const findLaunch = read('progress.findLaunch', {
  params: { enrolment: nullable(c.int8), person: c.int8, class: nullable(c.text), lesson: c.text },
  row: {
    class: c.text,
    course: c.text,
    student: nullable(c.text),
    client_id: nullable(c.text),
    launch_uri: nullable(c.text),
    launch_parameters: c.textArray,
    passes_code: c.bool,
  },
  text: `
    select c.key as class, k.key as course, e.key as student, a.client_id, coalesce(v.launch_uri, a.launch_uri) as launch_uri,
           v.launch_parameters, v.passes_code
      from classes c join courses k on k.id = c.course_id join lessons l on l.key = :lesson
      join lesson_versions v on v.version_id = c.version_id and v.lesson_id = l.id
      left join apps a on a.id = v.app_id
      left join enrolments e on e.id = :enrolment
     where case when :enrolment is not null then c.id = e.class_id
           else c.key = :class and exists (select from roles_in_class(:person, c) r where r.teaches)
             and not exists (select from enrolments o where o.class_id = c.id and o.person_id = :person) end`,
})

const ofStudent = (table: string) =>
  `${table} t join enrolments e on e.id = t.enrolment_id join classes c on c.id = e.class_id join lessons l on l.id = t.lesson_id`
const studentRow = { class: c.text, student: c.text, lesson: c.text }
const studentColumns = `c.key as class, e.key as student, l.key as lesson`

export const exportAttempts = report('progress.exportAttempts', {
  params: { person: c.int8, app: nullable(c.int8) },
  row: { ...studentRow, ...attemptRow, ...reportRow, result: c.text },
  text: `
    select ${studentColumns},${attemptColumns()}, ${reportColumns}, t.result
      from ${ofStudent('attempts')}${reportJoins}
     where e.person_id = :person order by t.id`,
})

export const exportScores = report('progress.exportScores', {
  params: { person: c.int8 },
  row: { ...studentRow, objective: c.text, score: c.float8, reported_at: c.instant },
  text: `
    select ${studentColumns}, b.key as objective, t.score, t.reported_at
      from ${ofStudent('objective_scores')} join objectives b on b.id = t.objective_id
     where e.person_id = :person order by t.reported_at`,
})

export const exportGradeChanges = report('progress.exportGradeChanges', {
  params: { person: c.int8 },
  row: { ...studentRow, kind: c.text, before: c.json, after: c.json, reason: c.text, changed_at: c.instant },
  text: `
    select ${studentColumns}, t.kind, t.before, t.after, t.reason, t.changed_at
      from ${ofStudent('grade_changes')} where e.person_id = :person order by t.id`,
})

export const estimateAttempts = estimateRows('progress.estimate', 'attempts')
