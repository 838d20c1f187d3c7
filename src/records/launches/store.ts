import { withinBytes } from '../../kernel/database/page-bytes.ts'
import { c, list, nullable, read, report, write } from '../../kernel/database/statement.ts'

const UNIT = {
  package_id: c.int8,
  package: c.text,
  kind: c.text,
  position: c.int4,
  item: c.json,
}

/** Finds the item of a package that a lesson of a class shows. */
export const findItem = read('launches.findItem', {
  params: { class: c.int8, lesson: c.int8 },
  row: { ...UNIT, version_id: c.int8 },
  text: `
    select k.id as package_id, k.key as package, i.kind, i.position, i.item, v.version_id
      from classes c join lesson_versions v on v.version_id = c.version_id and v.lesson_id = :lesson
      join packages k on k.id = v.package_id join package_items i on i.package_id = k.id and i.position = v.package_item
     where c.id = :class`,
})

/** Finds an item of a package, for a preview. */
export const findPackageItem = read('launches.findPackageItem', {
  params: { package: c.text, position: c.int4 },
  row: UNIT,
  text: `
    select k.id as package_id, k.key as package, i.kind, i.position, i.item
      from packages k join package_items i on i.package_id = k.id and i.position = :position where k.key = :package`,
})

/** Lists units that an item or a block around it requires, and that the student has not satisfied yet. */
export const listMissing = list('launches.listMissing', {
  params: {
    package: c.int8,
    position: c.int4,
    registration: nullable(c.int8),
    enrolment: nullable(c.int8),
    version: c.int8,
  },
  row: { title: c.json, lesson: nullable(c.text) },
  text: `
    with recursive up as (
      select i.parent, i.item->'requires' as requires from package_items i where i.package_id = :package and i.position = :position
      union all
      select i.parent, i.item->'requires' from up u join package_items i on i.package_id = :package and i.position = u.parent
    ), required as (select distinct n.publisher from up, json_array_elements_text(up.requires) as n(publisher))
    select q.item->'title' as title, l.key as lesson
      from package_items q
      left join registration_items t on t.registration_id = :registration and t.position = q.position
      left join lessons l on l.id = (select v.lesson_id from lesson_versions v
        where v.version_id = :version and v.package_id = :package and v.package_item = q.position order by v.position limit 1)
      left join standings s on s.enrolment_id = :enrolment and s.lesson_id = l.id
     where q.package_id = :package and q.kind = 'unit' and exists (select from required) and q.item->>'id' in (select publisher from required)
       and t.satisfied_at is null and not coalesce(s.is_passed, false)
     order by q.position limit 100`,
})

const STATE = {
  is_completed: c.bool,
  is_passed: c.bool,
  is_failed: c.bool,
  is_waived: c.bool,
  is_satisfied: c.bool,
  waive_reason: nullable(c.text),
  progress: nullable(c.float8),
  score: nullable(c.float8),
}
const state = `t.completed_at is not null as is_completed, t.passed_at is not null as is_passed, t.failed_at is not null as is_failed,
           t.waived_at is not null as is_waived, t.satisfied_at is not null as is_satisfied, t.waive_reason,
           t.progress::float8 as progress, t.score::float8 as score`

/** Finds the state of an item for a student. All columns say that nothing happened if there is no registration yet. */
export const findState = read('launches.findState', {
  params: { enrolment: c.int8, package: c.int8, position: c.int4 },
  row: { registration_id: nullable(c.int8), ...STATE },
  text: `
    select r.id as registration_id, ${state}
      from (select :enrolment as enrolment_id) e
      left join registrations r on r.enrolment_id = e.enrolment_id and r.package_id = :package
      left join registration_items t on t.registration_id = r.id and t.position = :position`,
})

const SESSION = {
  session: c.uuid,
  mode: c.text,
  created_at: c.instant,
  last_at: c.instant,
  ended_at: nullable(c.instant),
  ended_by: nullable(c.text),
  seconds: nullable(c.float8),
}
const session = 'h.code as session, h.mode, h.created_at, h.last_at, h.ended_at, h.ended_by, h.seconds'

export const listSessionsOfItem = read('launches.listSessionsOfItem', {
  params: { registration: c.int8, position: c.int4 },
  row: SESSION,
  text: `
    select ${session} from launches h
     where h.registration_id = :registration and (h.position = :position or exists (
       select from scorm_states s where s.registration_id = :registration and s.position = :position and s.launch_id = h.id))
     order by h.id desc limit 20`,
})

/** Lists the sessions of a class, open ones first. */
export const listSessions = report('launches.listSessions', {
  params: { class: c.int8, lesson: nullable(c.text), limit: c.int8, offset: c.int8 },
  row: {
    ...SESSION,
    student: c.text,
    handle: c.text,
    name: c.text,
    lesson: nullable(c.text),
    lesson_name: nullable(c.text),
    ...STATE,
    total: c.int8,
  },
  text: `
    select ${session}, e.key as student, p.handle, coalesce(nullif(trim(p.first_name || ' ' || p.last_name), ''), p.handle) as name,
           l.key as lesson, v.name as lesson_name, ${state}, count(*) over () as total
      from enrolments e join classes c on c.id = e.class_id join registrations r on r.enrolment_id = e.id
      join launches h on h.registration_id = r.id join people p on p.id = e.person_id
      left join lateral (select v.lesson_id, v.name from lesson_versions v
        where v.version_id = c.version_id and v.package_id = r.package_id and v.package_item = h.position order by v.position limit 1) v on true
      left join lessons l on l.id = v.lesson_id
      left join registration_items t on t.registration_id = r.id and t.position = h.position
     where e.class_id = :class and (:lesson is null or l.key = :lesson or exists (
       select from scorm_states s join lesson_versions w on w.version_id = c.version_id and w.package_id = r.package_id and w.package_item = s.position
         join lessons m on m.id = w.lesson_id where s.registration_id = r.id and s.launch_id = h.id and m.key = :lesson))
     order by h.ended_at is not null, h.id desc limit :limit offset :offset`,
})

/** Finds whose session it is, to decide who may end it. A player may show an item that is no lesson of the class. */
export const findSession = read('launches.findSession', {
  params: { session: c.uuid },
  row: {
    launch_id: c.int8,
    registration_id: c.int8,
    is_ended: c.bool,
    student: nullable(c.text),
    class: nullable(c.text),
    lesson: nullable(c.text),
  },
  text: `
    select h.id as launch_id, h.registration_id, h.ended_at is not null as is_ended, e.key as student, c.key as class,
           (select l.key from lesson_versions v join lessons l on l.id = v.lesson_id
             where v.version_id = c.version_id and v.package_id = r.package_id order by v.package_item = h.position desc, v.position limit 1) as lesson
      from launches h join registrations r on r.id = h.registration_id left join enrolments e on e.id = r.enrolment_id
      left join classes c on c.id = e.class_id where h.code = :session`,
})

/** Finds the person of an enrolment, whose registration an instructor changes. */
export const findStudent = read('launches.findStudent', {
  params: { enrolment: c.int8 },
  row: { person_id: c.int8 },
  text: `select person_id from enrolments where id = :enrolment`,
})

const EXPORTED = { id: c.int8, package: c.text, position: c.int4, registration: c.uuid, ...SESSION, ...STATE }

/** Lists the launches of a person for the data download. */
export const exportOfPerson = list('launches.exportOfPerson', {
  params: { person: c.int8, after: c.int8 },
  row: EXPORTED,
  text: `
    select ${Object.keys(EXPORTED).join(', ')} from ${withinBytes(
      `select h.id, k.title as package, h.position, r.code as registration, ${session}, ${state}
         from registrations r join launches h on h.registration_id = r.id join packages k on k.id = r.package_id
         left join registration_items t on t.registration_id = r.id and t.position = h.position
        where r.person_id = :person and h.id > :after order by h.id limit 1000`,
      { size: 'octet_length(r.package) + coalesce(octet_length(r.waive_reason), 0) + 200', order: 'r.id' },
    )} d order by id`,
})

export const isWaived = write('launches.isWaived', {
  params: { registration: c.int8, position: c.int4 },
  row: { is_waived: c.bool, is_satisfied: c.bool },
  text: `
    select waived_at is not null as is_waived, satisfied_at is not null as is_satisfied
      from registration_items where registration_id = :registration and position = :position`,
})
