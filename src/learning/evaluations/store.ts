import { markWithinBytes, shortened } from '../../kernel/database/page-bytes.ts'
import { c, list, nullable, read, report, write } from '../../kernel/database/statement.ts'

const evaluationRow = {
  evaluation: c.text,
  version: c.int4,
  class: c.text,
  student: c.text,
  handle: c.text,
  name: c.text,
  lesson: c.text,
  lesson_name: c.text,
  attempt: c.text,
  criteria: c.json,
  score: nullable(c.float8),
  pass: c.bool,
  remarks: c.text,
  started_at: c.instant,
  completed_at: nullable(c.instant),
  recorder: nullable(c.text),
  recorded_at: c.instant,
  changed_at: c.instant,
  acknowledged_at: nullable(c.instant),
  comment: c.text,
  counts: c.bool,
  is_own: c.bool,
}

const nameOf = (person: string) =>
  `coalesce(nullif(trim(${person}.first_name || ' ' || ${person}.last_name), ''), ${person}.handle)`

const JOINS = `evaluations v join enrolments e on e.id = v.enrolment_id join classes c on c.id = e.class_id
      join people p on p.id = e.person_id join lessons l on l.id = v.lesson_id join attempts t on t.id = v.attempt_id
      left join people w on w.id = v.recorded_by
      left join lesson_versions n on n.version_id = c.version_id and n.lesson_id = v.lesson_id`
/** The texts are read in the outer query, because they can be long. */
const COLUMNS = `v.key as evaluation, v.version, c.key as class, e.key as student, p.handle, ${nameOf('p')} as name,
           l.key as lesson, coalesce(n.name, l.key) as lesson_name, t.key as attempt, t.score, t.pass, t.started_at, t.completed_at,
           ${nameOf('w')} as recorder, v.recorded_at, v.changed_at, v.acknowledged_at, v.comment, t.reset_at is null as counts,
           e.person_id = :person as is_own`

/** Finds an evaluation that the person may read: as the student, or as staff or manager of the class. */
export const findEvaluation = read('evaluations.find', {
  params: { person: c.int8, evaluation: c.text },
  row: { ...evaluationRow, id: c.int8, lesson_id: c.int8 },
  gather: false,
  text: `
    select ${COLUMNS}, v.criteria, v.remarks, v.id, v.lesson_id
      from ${JOINS} cross join lateral roles_in_class(:person, c) r
     where v.key = :evaluation and (e.person_id = :person or r.teaches or r.observes or r.manages)`,
})

/** Finds a class and the caller's roles in it. */
export const findReader = read('evaluations.findReader', {
  params: { person: c.int8, class: c.text },
  row: { id: c.int8, teaches: c.bool, observes: c.bool, manages: c.bool },
  text: `
    select c.id, r.teaches, r.observes, r.manages from classes c, roles_in_class(:person, c) r where c.key = :class`,
})

/**
 * Lists evaluations, newest first: those of a class, or only those of the person. Rows after the first PAGE_BYTES have
 * no criteria and short remarks.
 */
export const listEvaluations = list('evaluations.list', {
  params: {
    person: c.int8,
    class: nullable(c.int8),
    isOwnOnly: c.bool,
    lesson: nullable(c.text),
    student: nullable(c.text),
    acknowledged: nullable(c.bool),
    limit: c.int8,
    offset: c.int8,
  },
  row: { ...evaluationRow, total: c.int8 },
  text: `
    select ${COLUMNS}, case when v.is_whole then v.criteria else '[]' end as criteria, ${shortened('v', 'remarks')}, v.total
      from ${markWithinBytes(
        `select v.*, count(*) over () as total from enrolments e join evaluations v on v.enrolment_id = e.id join lessons l on l.id = v.lesson_id
          where e.id in (select o.id from enrolments o where :class is not null and o.class_id = :class and (not :isOwnOnly or o.person_id = :person)
                         union all select o.id from enrolments o where :class is null and o.person_id = :person)
            and (:lesson is null or l.key = :lesson) and (:student is null or e.key = :student)
            and (:acknowledged is null or :acknowledged = (v.acknowledged_at is not null))
          order by v.recorded_at desc, v.id desc limit :limit offset :offset`,
        {
          size: 'octet_length(r.remarks) + octet_length(r.comment) + octet_length(r.criteria::text)',
          order: 'r.recorded_at desc, r.id desc',
        },
      )} ${JOINS.replace('evaluations v', 'v')}
     order by v.recorded_at desc, v.id desc`,
})

/** Makes requests with the same id wait for each other until the end of the transaction. */
export const lockKey = write('evaluations.lockKey', {
  params: { evaluation: c.text },
  row: { locked: c.text },
  text: `
    select pg_advisory_xact_lock(hashtextextended('groundschool.evaluation.' || current_schema() || '.' || :evaluation, 0))::text as locked`,
})

export const findByKey = write('evaluations.findByKey', {
  params: { evaluation: c.text },
  row: { enrolment_id: c.int8, lesson_id: c.int8 },
  text: `select enrolment_id, lesson_id from evaluations where key = :evaluation`,
})

/** Finds the content of a lesson in the version that the class uses. */
export const findContent = read('evaluations.findContent', {
  params: { class: c.int8, lesson: c.int8 },
  row: { content: nullable(c.json) },
  gather: false,
  text: `
    select v.content from classes c join lesson_versions v on v.version_id = c.version_id and v.lesson_id = :lesson where c.id = :class`,
})

export const insertEvaluation = write('evaluations.insert', {
  params: {
    evaluation: c.text,
    attempt: c.int8,
    enrolment: c.int8,
    lesson: c.int8,
    criteria: c.json,
    remarks: c.text,
    person: c.int8,
    now: c.timestamptz,
  },
  row: { id: c.int8 },
  text: `
    insert into evaluations (key, attempt_id, enrolment_id, lesson_id, criteria, remarks, recorded_by, recorded_at, changed_at, share_no)
    values (:evaluation, :attempt, :enrolment, :lesson, :criteria, :remarks, :person, :now, :now, share_of(:person, null, null)) returning id`,
})

/** Locks an evaluation until the end of the transaction, so that changes to it take turns. */
export const lockEvaluation = write('evaluations.lock', {
  params: { id: c.int8 },
  row: { attempt_id: c.int8, criteria: c.json, remarks: c.text, score: nullable(c.float8), pass: c.bool },
  text: `
    select v.attempt_id, v.criteria, v.remarks, t.score, t.pass
      from evaluations v join attempts t on t.id = v.attempt_id where v.id = :id for update of v`,
})

/** Changes an evaluation. The student has to acknowledge it again. */
export const changeEvaluation = write('evaluations.change', {
  params: { id: c.int8, criteria: c.json, remarks: c.text, now: c.timestamptz },
  row: { id: c.int8 },
  text: `
    update evaluations set version = version + 1, criteria = :criteria, remarks = :remarks, changed_at = greatest(changed_at, :now), acknowledged_at = null,
           comment = ''
     where id = :id returning id`,
})

/** Acknowledges the version that the student has read. Returns no row if it was changed or acknowledged since. */
export const acknowledge = write('evaluations.acknowledge', {
  params: { id: c.int8, version: c.int4, comment: c.text, now: c.timestamptz },
  row: { id: c.int8 },
  text: `
    update evaluations set acknowledged_at = :now, comment = :comment
     where id = :id and version = :version and acknowledged_at is null returning id`,
})

/** Exports the evaluations about the person, and those that the person has recorded. */
export const exportEvaluations = report('evaluations.export', {
  params: { person: c.int8 },
  row: evaluationRow,
  text: `
    select ${COLUMNS}, v.criteria, v.remarks from ${JOINS}
     where v.id in (select o.id from evaluations o where o.recorded_by = :person
                    union select o.id from enrolments s join evaluations o on o.enrolment_id = s.id where s.person_id = :person)
     order by v.id`,
})

/** Adds the evaluation of an imported attempt, which has the same key. */
export const insertImported = write('evaluations.insertImported', {
  params: {
    evaluation: c.text,
    criteria: c.json,
    remarks: c.text,
    person: c.int8,
    recorded: c.timestamptz,
    acknowledged: nullable(c.timestamptz),
    comment: c.text,
  },
  row: { id: c.int8 },
  text: `
    insert into evaluations (key, attempt_id, enrolment_id, lesson_id, criteria, remarks, recorded_by, recorded_at, changed_at, acknowledged_at,
      comment, share_no)
    select t.key, t.id, t.enrolment_id, t.lesson_id, :criteria, :remarks, :person, :recorded, :recorded, :acknowledged, :comment,
           share_of(:person, null, null)
      from attempts t where t.key = :evaluation
    on conflict do nothing returning id`,
})
