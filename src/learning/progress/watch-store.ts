import { c, nullable, read } from '../../kernel/database/statement.ts'

const IN_LOG = `(e.kind like 'attempt.%' or e.kind like 'objective.%')`
const newestOf = (id: string) =>
  `coalesce((select e.id from events e where (e.payload ->> 'class')::bigint = ${id} and ${IN_LOG} order by e.id desc limit 1), 0)`
const MAY_WATCH = 'r.teaches or r.observes or r.manages'

export const findWatched = read('progress.findWatched', {
  params: { person: c.int8, class: c.text },
  row: { class_id: c.int8, may_watch: c.bool, newest: c.int8 },
  text: `
    select c.id as class_id, ${MAY_WATCH} as may_watch, ${newestOf('c.id')} as newest
      from classes c, roles_in_class(:person, c) r where c.key = :class`,
})

/** Finds the id of each class's newest event; 0 if there is none. */
export const listNewest = read('progress.listNewest', {
  params: { classes: c.int8Array },
  row: { class_id: c.int8, newest: c.int8 },
  gather: false,
  text: `select c.id as class_id, ${newestOf('c.id')} as newest from classes c where c.id = any(:classes)`,
})

/** Finds those of the given people who may watch the class. */
export const listWatchers = read('progress.listWatchers', {
  params: { class: c.int8, people: c.int8Array },
  row: { person_id: c.int8, newest: c.int8 },
  text: `
    select p.id as person_id, n.newest
      from classes c cross join lateral (select ${newestOf('c.id')} as newest) n, unnest(:people) as p(id), roles_in_class(p.id, c) r
     where c.id = :class and (${MAY_WATCH})`,
})

/** Lists the events after :after, oldest first. `is_kept` says whether the event :after is still in the log. */
export const listClassChanges = read('progress.listClassChanges', {
  params: { class: c.int8, after: c.int8, last: c.int8 },
  row: {
    id: c.int8,
    kind: c.text,
    is_kept: c.bool,
    student: nullable(c.text),
    handle: nullable(c.text),
    first_name: nullable(c.text),
    last_name: nullable(c.text),
    lesson: nullable(c.text),
    objective: nullable(c.text),
    state: nullable(c.text),
    result: nullable(c.text),
    score: nullable(c.float8),
    at: c.instant,
  },
  gather: false,
  text: `
    select e.id, e.kind, :after = 0::bigint or exists (select from events k where k.id = :after) as is_kept, s.key as student,
           p.handle, p.first_name, p.last_name, l.key as lesson, b.key as objective,
           e.payload ->> 'state' as state, e.payload ->> 'result' as result, (e.payload ->> 'score')::float8 as score, e.at
      from events e
      left join enrolments s on s.id = (e.payload ->> 'enrolment')::bigint
      left join people p on p.id = s.person_id
      left join lessons l on l.id = (e.payload ->> 'lesson')::bigint
      left join objectives b on b.id = (e.payload ->> 'objective')::bigint
     where (e.payload ->> 'class')::bigint = :class and ${IN_LOG} and e.id > :after and e.id <= :last
     order by e.id limit 500`,
})

/**
 * Lists the students of a class, those with the most recent change first. Each has their open attempt, or else their
 * latest.
 */
export const listStates = read('progress.listStates', {
  params: { class: c.int8 },
  row: {
    student: c.text,
    handle: c.text,
    first_name: c.text,
    last_name: c.text,
    lesson: nullable(c.text),
    state: nullable(c.text),
    result: nullable(c.text),
    score: nullable(c.float8),
    at: nullable(c.instant),
  },
  gather: false,
  text: `
    select e.key as student, p.handle, p.first_name, p.last_name, l.key as lesson, s.state, s.result, s.score, s.changed_at as at
      from enrolments e join people p on p.id = e.person_id
      left join lateral (
        select s.* from standings s where s.enrolment_id = e.id and s.attempt_id is not null
         order by s.state = 'completed', s.changed_at desc limit 1) s on true
      left join lessons l on l.id = s.lesson_id
     where e.class_id = :class and e.status <> 'dropped'
     order by s.changed_at desc nulls last, e.id limit 1000`,
})
