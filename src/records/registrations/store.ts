import { c, list, nullable, read, write } from '../../kernel/database/statement.ts'

/** The lesson of a class that shows a unit or a block: the first one, if several do. */
const FIRST_LESSON = (version: string, packageId: string, position: string) => `
  (select v.lesson_id from lesson_versions v
    where v.version_id = ${version} and v.package_id = ${packageId} and v.package_item = ${position} order by v.position limit 1)`

/** Tells whether a class has lessons of a package. A student who moves to another class may leave the package behind. */
const isTaught = (version: string, packageId: string, position = 'v.package_item') => `
  exists (select from lesson_versions v where v.version_id = ${version} and v.package_id = ${packageId} and v.package_item = ${position})`

/** The rule that satisfies a unit. SCORM has none, so a unit must be completed or passed. */
const MOVE_ON = `case k.kind when 'cmi5' then coalesce(i.item->>'moveOn', 'NotApplicable') else 'CompletedOrPassed' end`

/** A launch with everything that the gate and the platform's own statements need. */
const LAUNCH = {
  launch_id: c.int8,
  session: c.uuid,
  position: c.int4,
  mode: c.text,
  created_at: c.timestamptz,
  fetched_at: nullable(c.timestamptz),
  preferences_at: nullable(c.timestamptz),
  initialized_at: nullable(c.timestamptz),
  completed_at: nullable(c.timestamptz),
  passed_at: nullable(c.timestamptz),
  failed_at: nullable(c.timestamptz),
  last_at: c.timestamptz,
  ended_at: nullable(c.timestamptz),
  ended_by: nullable(c.text),
  seconds: nullable(c.float8),
  registration_id: c.int8,
  registration: c.uuid,
  is_course_satisfied: c.bool,
  package_id: c.int8,
  package: c.text,
  standard: c.text,
  person_id: c.int8,
  handle: c.text,
  enrolment_id: nullable(c.int8),
  student: nullable(c.text),
  class_id: nullable(c.int8),
  class: nullable(c.text),
  course_id: nullable(c.int8),
  lesson_id: nullable(c.int8),
  lesson: nullable(c.text),
  attempt_id: nullable(c.int8),
  publisher: c.text,
  mastery_score: nullable(c.float8),
  move_on: c.text,
  title: c.json,
  is_unit_completed: c.bool,
  is_unit_passed: c.bool,
  is_unit_satisfied: c.bool,
  has_passing_score: c.bool,
  is_active: c.bool,
}
const launchColumns = `
    select h.id as launch_id, h.code as session, i.position, h.mode, h.created_at, h.fetched_at, h.preferences_at, h.initialized_at, h.completed_at,
           h.passed_at, h.failed_at, h.last_at, h.ended_at, h.ended_by, h.seconds, r.id as registration_id, r.code as registration,
           r.satisfied_at is not null as is_course_satisfied, r.package_id, k.key as package, k.kind as standard, r.person_id, p.handle, r.enrolment_id, e.key as student,
           c.id as class_id, c.key as class, c.course_id, l.id as lesson_id, l.key as lesson, s.attempt_id,
           i.item->>'id' as publisher, (i.item->>'masteryScore')::float8 as mastery_score, ${MOVE_ON} as move_on,
           i.item->'title' as title, t.completed_at is not null as is_unit_completed, t.passed_at is not null as is_unit_passed,
           t.satisfied_at is not null as is_unit_satisfied,
           i.item->>'masteryscore' is not null
             or coalesce(i.item#>>'{sequencing,primaryObjective,satisfiedByMeasure}', '') = 'true' as has_passing_score,
           e.id is null or e.status = 'active' and c.ended_at is null and ${isTaught('c.version_id', 'r.package_id')} as is_active`
const launchTablesAt = (position: string) => `
      from registrations r join launches h on h.registration_id = r.id join packages k on k.id = r.package_id join people p on p.id = r.person_id
      join package_items i on i.package_id = r.package_id and i.position = ${position}
      left join registration_items t on t.registration_id = r.id and t.position = i.position
      left join enrolments e on e.id = r.enrolment_id left join classes c on c.id = e.class_id
      left join lessons l on l.id = ${FIRST_LESSON('c.version_id', 'r.package_id', 'i.position')}
      left join standings s on s.enrolment_id = e.id and s.lesson_id = l.id`
const launchTables = launchTablesAt('h.position')

/** Finds the launch whose credential has this hash. */
export const findLaunch = read('registrations.findLaunch', {
  params: { hash: c.bytea },
  row: LAUNCH,
  text: `${launchColumns}${launchTables} where h.token_hash = :hash`,
})

/** Locks the registration of a launch until the commit, so that its sessions change one after the other. */
export const lockRegistration = write('registrations.lock', {
  params: { registration: c.int8 },
  row: { id: c.int8 },
  text: `select id from registrations where id = :registration for no key update`,
})

export const readLaunch = write('registrations.readLaunch', {
  params: { launch: c.int8 },
  row: LAUNCH,
  text: `${launchColumns}${launchTables} where h.id = :launch`,
})

/** Reads a launch as if it were of another item of the package, to which a player has gone on. */
export const readLaunchAt = write('registrations.readLaunchAt', {
  params: { launch: c.int8, position: c.int4 },
  row: LAUNCH,
  text: `${launchColumns}${launchTablesAt(':position')} where h.id = :launch`,
})

/** Lists the sessions of a registration that have not ended. There is rarely more than one. */
export const listOpen = write('registrations.listOpen', {
  params: { registration: c.int8 },
  row: LAUNCH,
  text: `${launchColumns}${launchTables} where r.id = :registration and h.ended_at is null order by h.id`,
})

/** Moves a session to another item, to which its player has gone on. */
export const moveLaunch = write('registrations.moveLaunch', {
  params: { launch: c.int8, position: c.int4 },
  row: { id: c.int8 },
  text: `update launches set position = :position where id = :launch returning id`,
})

/** Lists sessions without a request since a time, oldest first. */
export const listSilent = read('registrations.listSilent', {
  params: { before: c.timestamptz, limit: c.int8 },
  row: { launch_id: c.int8, registration_id: c.int8 },
  text: `
    select id as launch_id, registration_id from launches where ended_at is null and last_at < :before order by last_at limit :limit`,
})

export const touchLaunch = write('registrations.touchLaunch', {
  params: { launch: c.int8, now: c.timestamptz },
  row: { id: c.int8 },
  text: `
    update launches set last_at = :now where id = :launch and ended_at is null and last_at < :now - interval '1 minute' returning id`,
})

export const noteLaunch = write('registrations.noteLaunch', {
  params: {
    launch: c.int8,
    now: c.timestamptz,
    initialized: c.bool,
    completed: c.bool,
    passed: c.bool,
    failed: c.bool,
    endedBy: nullable(c.text),
    seconds: nullable(c.float8),
  },
  row: { id: c.int8 },
  text: `
    update launches set last_at = greatest(last_at, :now),
           initialized_at = coalesce(initialized_at, case when :initialized then :now end),
           completed_at = coalesce(completed_at, case when :completed then :now end),
           passed_at = coalesce(passed_at, case when :passed then :now end),
           failed_at = coalesce(failed_at, case when :failed then :now end),
           ended_at = coalesce(ended_at, case when :endedBy is not null then :now end), ended_by = coalesce(ended_by, :endedBy),
           seconds = coalesce(:seconds, seconds)
     where id = :launch returning id`,
})

/** Saves what the open item of SCORM says now. It is judged when the item ends. */
export const noteStatus = write('registrations.noteStatus', {
  params: { launch: c.int8, now: c.timestamptz, completed: c.bool, failed: c.bool },
  row: { id: c.int8 },
  text: `
    update launches set completed_at = case when :completed then :now end, failed_at = case when :failed then :now end
     where id = :launch returning id`,
})

export const notePreferences = write('registrations.notePreferences', {
  params: { launch: c.int8, now: c.timestamptz },
  row: { id: c.int8 },
  text: `
    update launches set preferences_at = :now, last_at = greatest(last_at, :now) where id = :launch and preferences_at is null returning id`,
})

/** Saves what content has reported about a unit. Times that are set already stay. */
export const noteItem = write('registrations.noteItem', {
  params: {
    registration: c.int8,
    position: c.int4,
    now: c.timestamptz,
    completed: c.bool,
    passed: c.bool,
    failed: c.bool,
    score: nullable(c.float8),
    progress: nullable(c.float8),
  },
  row: { position: c.int4 },
  text: `
    insert into registration_items as t (registration_id, position, completed_at, passed_at, failed_at, score, progress)
    values (:registration, :position, case when :completed then :now end, case when :passed then :now end, case when :failed then :now end,
            :score, :progress)
    on conflict (registration_id, position) do update set
      completed_at = coalesce(t.completed_at, excluded.completed_at), passed_at = coalesce(t.passed_at, excluded.passed_at),
      failed_at = coalesce(t.failed_at, excluded.failed_at), score = case when :passed or :failed then excluded.score else coalesce(excluded.score, t.score) end,
      progress = coalesce(excluded.progress, t.progress)
    returning position`,
})

/** Saves which items are satisfied and which units are waived. */
export const noteConsequences = write('registrations.noteConsequences', {
  params: {
    registration: c.int8,
    now: c.timestamptz,
    satisfied: c.int8Array,
    waived: c.int8Array,
    reason: nullable(c.text),
    course: c.bool,
  },
  row: { id: c.int8 },
  text: `
    with items as (
      insert into registration_items as t (registration_id, position, satisfied_at, waived_at, waive_reason)
      select :registration, n.position, case when n.position = any(:satisfied) then :now end, case when n.position = any(:waived) then :now end,
             case when n.position = any(:waived) then :reason end
        from (select distinct position from unnest(:satisfied || :waived) as u(position)) n
      on conflict (registration_id, position) do update set
        satisfied_at = coalesce(t.satisfied_at, excluded.satisfied_at), waived_at = coalesce(t.waived_at, excluded.waived_at),
        waive_reason = coalesce(t.waive_reason, excluded.waive_reason)
    )
    update registrations set satisfied_at = coalesce(satisfied_at, case when :course then :now end) where id = :registration returning id`,
})

/** Lists the state of all items of a registered package, in the order of the document. */
export const listItems = list('registrations.listItems', {
  params: { registration: c.int8 },
  row: {
    position: c.int4,
    parent: nullable(c.int4),
    kind: c.text,
    publisher: c.text,
    move_on: c.text,
    collateral: nullable(c.json),
    is_completed: c.bool,
    is_passed: c.bool,
    is_waived: c.bool,
    is_satisfied: c.bool,
    is_left_out: c.bool,
  },
  text: `
    select i.position, i.parent, i.kind, i.item->>'id' as publisher, ${MOVE_ON} as move_on,
           nullif(i.item->>'collateralCredit', '[]')::json as collateral,
           t.completed_at is not null as is_completed, t.passed_at is not null as is_passed, t.waived_at is not null as is_waived,
           t.satisfied_at is not null as is_satisfied,
           i.kind = 'unit' and ${isTaught('c.version_id', 'r.package_id')} and not ${isTaught('c.version_id', 'r.package_id', 'i.position')} as is_left_out
      from registrations r join packages k on k.id = r.package_id join package_items i on i.package_id = r.package_id
      left join registration_items t on t.registration_id = r.id and t.position = i.position
      left join enrolments e on e.id = r.enrolment_id left join classes c on c.id = e.class_id
     where r.id = :registration order by i.position`,
})

/** Lists what statements about some items of a registered package name. */
export const listNames = list('registrations.listNames', {
  params: { registration: c.int8, positions: c.int8Array },
  row: { position: c.int4, publisher: c.text, title: c.json, lesson_id: nullable(c.int8), lesson: nullable(c.text) },
  text: `
    select i.position, i.item->>'id' as publisher, i.item->'title' as title, l.id as lesson_id, l.key as lesson
      from registrations r join package_items i on i.package_id = r.package_id and i.position = any(:positions::int8[])
      left join enrolments e on e.id = r.enrolment_id left join classes c on c.id = e.class_id
      left join lessons l on l.id = ${FIRST_LESSON('c.version_id', 'r.package_id', 'i.position')}
     where r.id = :registration order by i.position`,
})

/** Finds what statements about a registration name. */
export const findRegistration = write('registrations.find', {
  params: { registration: c.int8 },
  row: {
    id: c.int8,
    code: c.uuid,
    is_satisfied: c.bool,
    package_id: c.int8,
    package: c.text,
    structure_id: c.text,
    title: c.text,
    person_id: c.int8,
    handle: c.text,
    enrolment_id: nullable(c.int8),
    class_id: nullable(c.int8),
    course_id: nullable(c.int8),
  },
  text: `
    select r.id, r.code, r.satisfied_at is not null as is_satisfied, r.package_id, k.key as package,
           coalesce(k.structure->>'id', '') as structure_id, k.title,
           r.person_id, p.handle, r.enrolment_id, e.class_id, c.course_id
      from registrations r join packages k on k.id = r.package_id join people p on p.id = r.person_id
      left join enrolments e on e.id = r.enrolment_id left join classes c on c.id = e.class_id
     where r.id = :registration`,
})

/**
 * Lists lessons of the class that show a satisfied item and that the student has not passed, parents last, so that they
 * follow the lessons in them. What the student has passed is read once, because of `offset 0`. `is_open` says whether
 * the lesson can be passed now: an attempt is open, or one can begin.
 */
export const listPassable = list('registrations.listPassable', {
  params: { registration: c.int8, now: c.timestamptz },
  row: {
    enrolment_id: c.int8,
    lesson_id: c.int8,
    lesson: c.text,
    class: c.text,
    score: nullable(c.float8),
    is_new: c.bool,
    is_waived: c.bool,
    is_open: c.bool,
  },
  text: `
    select r.enrolment_id, l.id as lesson_id, l.key as lesson, c.key as class, t.score::float8 as score, s.lesson_id is null as is_new,
           t.waived_at is not null as is_waived,
           not k.locked or coalesce(s.state in ('in progress', 'paused', 'idle'), false) as is_open
      from (select r.id, r.package_id, e.id as enrolment_id, e.class_id, passed_lessons(e.id) as passed
              from registrations r join enrolments e on e.id = r.enrolment_id where r.id = :registration offset 0) r
      join registration_items t on t.registration_id = r.id and t.satisfied_at is not null join classes c on c.id = r.class_id
      join lesson_versions v on v.version_id = c.version_id and v.package_id = r.package_id and v.package_item = t.position
      join lessons l on l.id = v.lesson_id
      left join standings s on s.enrolment_id = r.enrolment_id and s.lesson_id = l.id
      cross join lateral lock_of(r.enrolment_id, r.passed, c, v, :now) k
     where not coalesce(s.is_passed, false)
     order by v.parent_id is null and exists (select from lesson_versions o where o.version_id = v.version_id and o.parent_id = v.lesson_id),
              v.position`,
})

/** Finds the registration of a student or of somebody who previews. */
export const findOf = write('registrations.findOf', {
  params: { package: c.int8, enrolment: nullable(c.int8), person: c.int8 },
  row: { id: c.int8 },
  text: `
    select id from registrations where package_id = :package
       and (enrolment_id = :enrolment or :enrolment is null and enrolment_id is null and person_id = :person)`,
})

/** Inserts a registration. Returns no row if a concurrent request has inserted it first. */
export const insertRegistration = write('registrations.insert', {
  params: { code: c.uuid, package: c.int8, enrolment: nullable(c.int8), person: c.int8, now: c.timestamptz },
  row: { id: c.int8 },
  text: `
    insert into registrations (code, package_id, enrolment_id, person_id, created_at)
    values (:code, :package, :enrolment, :person, :now) on conflict do nothing returning id`,
})

export const insertLaunch = write('registrations.insertLaunch', {
  params: {
    code: c.uuid,
    registration: c.int8,
    position: c.int4,
    mode: c.text,
    fetchHash: c.bytea,
    now: c.timestamptz,
  },
  row: { id: c.int8 },
  text: `
    insert into launches (code, registration_id, position, mode, fetch_hash, created_at, last_at)
    values (:code, :registration, :position, :mode, :fetchHash, :now, :now) returning id`,
})

/** Exchanges the token of a fetch URL for a credential, once. */
export const takeFetch = write('registrations.takeFetch', {
  params: { fetchHash: c.bytea, tokenHash: c.bytea, now: c.timestamptz },
  row: { id: c.int8 },
  text: `
    update launches set token_hash = :tokenHash, fetched_at = :now, last_at = :now
     where fetch_hash = :fetchHash and fetched_at is null and ended_at is null returning id`,
})

export const findFetch = read('registrations.findFetch', {
  params: { fetchHash: c.bytea },
  row: { is_fetched: c.bool, is_ended: c.bool },
  text: `select fetched_at is not null as is_fetched, ended_at is not null as is_ended from launches where fetch_hash = :fetchHash`,
})

/** Finds the registrations of students for the packages of lessons. */
export const listOfLessons = read('registrations.listOfLessons', {
  params: { enrolments: c.int8Array, lessons: c.int8Array },
  row: { registration: c.int8, position: c.int4 },
  text: `
    select r.id as registration, i.position
      from (select distinct w.enrolment, w.lesson from unnest(:enrolments, :lessons) as w(enrolment, lesson)) w
      join enrolments e on e.id = w.enrolment join classes c on c.id = e.class_id
      join lesson_versions v on v.version_id = c.version_id and v.lesson_id = w.lesson
      join registrations r on r.enrolment_id = e.id and r.package_id = v.package_id
      join package_items i on i.package_id = v.package_id and i.position = v.package_item order by r.id, i.position`,
})

/**
 * Gives a registration a new code, and forgets what was reported about an item and the blocks around it. Statements
 * under the old code stay.
 */
export const restart = write('registrations.restart', {
  params: { registration: c.int8, position: c.int4, code: c.uuid },
  row: { id: c.int8 },
  text: `
    with recursive up as (
      select i.package_id, i.position, i.parent from registrations r join package_items i on i.package_id = r.package_id and i.position = :position
       where r.id = :registration
      union all select i.package_id, i.position, i.parent from up u join package_items i on i.package_id = u.package_id and i.position = u.parent
    ), forgotten as (delete from registration_items t using up where t.registration_id = :registration and t.position = up.position)
    update registrations set code = :code, satisfied_at = null where id = :registration returning id`,
})
