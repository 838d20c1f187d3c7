import { keyOfActivity, keyOfAgent, keyOfSender, ROLES, SENDER } from '../src/records/statements/model/refs.ts'
import { HOME, OBJECTS } from './growth-iris.ts'
import { CLASS, courseSql, enrolmentSql, lessonsOf, noise, personIdOf } from './growth-school.ts'

/**
 * Statements of 1.2 kB about the people and lessons of growth-school.ts. Two of five are about a lesson of the actor's
 * class and have links, like those that the platform records itself. Some people, lessons and verbs are common, most
 * are rare.
 */

const VERBS = 20
const OF_REGISTRATION = 20
/** Exponents of the distributions: the larger, the more often the first ones occur. */
const PEOPLE_POWER = 1.5
const LESSONS_POWER = 2
/** A prime. Multiplying by it spreads the common people and lessons over all classes and courses. */
const SPREAD = 7919
/** Number of statements that one transaction stores. */
const CHUNK = 50_000

export const personOfRank = (rank: number, people: number): number => {
  const n = (rank * SPREAD) % people
  return n % CLASS === 0 ? n + 1 : n
}
export const lessonOfRank = (rank: number, people: number): number => 1 + ((rank * SPREAD) % lessonsOf(people))
export const verbIri = (n: number): string => `${HOME}/verbs/verb-${n}`
export const lessonIri = (n: number): string => `${OBJECTS}/lesson/lesson-${n}`
export const courseIri = (n: number): string => `${OBJECTS}/course/course-${n}`
export const registrationOf = (n: number): string =>
  `00000000-0000-4000-8000-${Math.floor(n / OF_REGISTRATION)
    .toString()
    .padStart(12, '0')}`

const json = (sql: string): string => `to_json(${sql})::text`
const AUTHORITY = { objectType: 'Agent' as const, account: { homePage: HOME, name: 'groundschool' } }
const CATEGORY = 'https://w3id.org/xapi/cmi5/context/categories/cmi5'

/** SQL: what `deriveKey` computes. */
const key = (text: string): string => `encode(substring(sha256(convert_to(${text}, 'UTF8')) for 16), 'hex')::uuid`

/** SQL that prepares the texts and keys of agents, lessons and verbs, and the definitions of lessons. */
export function prepareSql(people: number): string[] {
  return [
    `create unlogged table bench.agents as
     select id - ${personIdOf(0)} as n, ${key(`'agent account ${HOME} ' || handle`)} as key,
            ${key(`'sender app 1 person ' || id`)} as sender,
            '{"objectType":"Agent","name":' || ${json("first_name || ' ' || last_name")} || ',"account":{"homePage":"${HOME}","name":' || ${json('handle')} || '}}' as text
       from people where id >= ${personIdOf(0)} and id < ${personIdOf(people)}`,
    'create unique index on bench.agents (n)',
    `create unlogged table bench.lessons as
     select n, ${key(`'activity ${lessonIri(0).slice(0, -1)}' || n`)} as key,
            '{"objectType":"Activity","id":"${lessonIri(0).slice(0, -1)}' || n || '","definition":{"name":{"en-US":"Lesson ' || n || '"},"type":"http://adlnet.gov/expapi/activities/lesson"}}' as text
       from generate_series(1, ${lessonsOf(people)}) n`,
    'create unique index on bench.lessons (n)',
    `create unlogged table bench.courses as
     select n, ${key(`'activity ${courseIri(0).slice(0, -1)}' || n`)} as key, ${key(`'activity ${courseIri(0).slice(0, -1)}' || n || '/class'`)} as class
       from generate_series(1, ${lessonsOf(people) / 20}) n`,
    'create unique index on bench.courses (n)',
    `create unlogged table bench.verbs as
     select n, ${key(`'verb ${verbIri(0).slice(0, -1)}' || n`)} as key,
            '{"id":"${verbIri(0).slice(0, -1)}' || n || '","display":{"en-US":"verb ' || n || '"}}' as text from generate_series(0, ${VERBS - 1}) n`,
    `insert into activities (key, iri, definition)
     select key, text::json ->> 'id', (text::json -> 'definition')::text from bench.lessons on conflict do nothing`,
    'analyze bench.agents, bench.lessons, bench.courses, bench.verbs',
  ]
}

/** SQL: a rank from 0 to `count`, of which the first ones are the most common. */
const rank = (n: string, salt: number, count: number, power: number): string =>
  `least(floor(${count} * power(${noise(n, salt)}, ${power}))::bigint, ${count - 1})`

/** Chosen values of a statement, before they are written as text. `n` is its number, `actor` the number of a person. */
const choose = (first: number, past: number, month: Month, { people, from, step }: StatementsPlan): string => `
  create temp table made on commit drop as
  select d.*, 1 + (d.lesson - 1) / 20 as course from (
  select c.*, c.actor - c.actor % ${CLASS} as teacher, ${courseSql('c.actor')} as actor_course,
         case when c.is_own then (${courseSql('c.actor')} - 1) * 20 + 1 + (${noise('c.n', 14)} * 20)::int % 20
              else 1 + (${rank('c.n', 13, lessonsOf(people), LESSONS_POWER)} * ${SPREAD}) % ${lessonsOf(people)} end as lesson
    from (select n, least(${from} + n * ${step}::bigint + (${noise('n', 15)} * ${Math.floor(step / 2)})::bigint, ${month.past - 1}) as seq, gen_random_uuid() as id, n % 5 < 2 as is_own,
                 p + case when p % ${CLASS} = 0 then 1 else 0 end as actor, ${rank('n', 12, VERBS, 2)} as verb,
                 ('00000000-0000-4000-8000-' || lpad((n / ${OF_REGISTRATION})::text, 12, '0'))::uuid as registration,
                 (${noise('n', 16)} * 100)::int as points, (${noise('n', 17)} * 3000)::int as seconds
            from generate_series(${first}::bigint, ${past - 1}) n
           cross join lateral (select (${rank('n', 11, people, PEOPLE_POWER)} * ${SPREAD}) % ${people} as p) w) c) d`

const courseText = `"objectType":"Activity","id":"${courseIri(0).slice(0, -1)}`

/** Joins the prepared texts and keys. */
const JOINED = `made m join bench.agents a on a.n = m.actor join bench.agents t on t.n = m.teacher
  join bench.lessons l on l.n = m.lesson join bench.verbs v on v.n = m.verb
  join bench.courses o on o.n = m.course join bench.courses g on g.n = m.actor_course`

const TEXT = `'{"timestamp":"' || to_char(to_timestamp(m.seq / 1000000.0) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '","id":"' || m.id
  || '","version":"2.0.0","actor":' || a.text || ',"verb":' || v.text || ',"object":' || l.text
  || ',"result":{"score":{"scaled":' || round(m.points / 100.0, 2) || ',"raw":' || m.points || ',"min":0,"max":100},"success":' || (m.points >= 30)::text
  || ',"completion":true,"duration":"PT' || m.seconds || 'S"},"context":{"registration":"' || m.registration || '","instructor":' || t.text
  || ',"contextActivities":{"parent":[{${courseText}' || m.course || '"}],"grouping":[{${courseText}' || m.actor_course
  || '/class"}],"category":[{"objectType":"Activity","id":"${CATEGORY}"}]},"language":"en-US"},"authority":${JSON.stringify(AUTHORITY)}}'`

const SENDER_KEY = `case when m.is_own then a.sender else '${keyOfSender('credential 1')}' end`

const insertAll = (month: Month): string[] => [
  `insert into statements (seq, statement_id, payload, app_id, credential_id, sender)
   select m.seq, m.id, ${TEXT}, case when m.is_own then 1 end, null, ${SENDER_KEY} from ${JOINED} order by m.seq`,
  `insert into statement_ids (statement_id, seq, fingerprint) select id, seq, md5(id::text)::uuid from made`,
  `insert into statement_refs_${month.name} (key, seq, role)
   select r.key, m.seq, r.role from ${JOINED} cross join lateral (values
     (a.key, ${ROLES.actor}), (l.key, ${ROLES.object}), (v.key, ${ROLES.verb}), (${key(`'registration ' || m.registration`)}, ${ROLES.registration}),
     ('${keyOfAgent(AUTHORITY)}', ${ROLES.authority}), (t.key, ${ROLES.instructor}), (o.key, ${ROLES.parent}), (g.class, ${ROLES.grouping}),
     ('${keyOfActivity(CATEGORY)}', ${ROLES.category}), (${SENDER_KEY}, ${SENDER})) r(key, role)`,
  `insert into statement_facts (seq, verb, activity, agent, scaled, seconds, success)
   select m.seq, v.key, l.key, a.key, m.points / 100.0, m.seconds, m.points >= 30 from ${JOINED} order by m.seq`,
  `insert into statement_links (seq, person_id, sender_id, is_own, lesson_id, course_id, class_id, enrolment_id)
   select m.seq, m.actor + ${personIdOf(0)}, m.actor + ${personIdOf(0)}, true, m.lesson, m.actor_course, 1 + m.actor / ${CLASS}, ${enrolmentSql('m.actor')}
     from made m where m.is_own order by m.seq`,
]

export interface StatementsPlan {
  readonly people: number
  readonly statements: number
  /** The `seq` of the first statement, and the distance between two, in microseconds. */
  readonly from: number
  readonly step: number
}

export interface Month {
  /** For example `2026_01`. */
  readonly name: string
  /** The first `seq` of the month, and the first one of the next month. */
  readonly from: number
  readonly past: number
}

/**
 * SQL: takes a month's partition of keys out of its table, without indexes. Building an index takes a tenth of the time
 * that inserting into it does.
 */
const detachRefs = ({ name }: Month): string => `
  do $$ declare one text; begin
    alter table statement_refs detach partition statement_refs_${name};
    alter table statement_refs_${name} drop constraint statement_refs_${name}_pkey;
    for one in select indexrelid::regclass::text from pg_index where indrelid = 'statement_refs_${name}'::regclass loop
      execute 'drop index ' || one;
    end loop;
  end $$`

/** SQL: puts it back. Its primary key gets the density that it has after inserting into it. */
const attachRefs = ({ name, from, past }: Month): string[] => [
  `alter table statement_refs_${name} add constraint statement_refs_${name}_pkey primary key (key, seq, role) with (fillfactor = 65)`,
  `alter index statement_refs_${name}_pkey reset (fillfactor)`,
  `alter table statement_refs attach partition statement_refs_${name} for values from (${from}) to (${past})`,
]

/** Returns the SQL that stores the statements, in parts. */
export function* statementsSql(
  plan: StatementsPlan,
  months: readonly Month[],
): Generator<{ readonly done: number; readonly sql: string[] }> {
  for (const month of months) {
    const numberAt = (seq: number) => Math.min(plan.statements, Math.max(0, Math.ceil((seq - plan.from) / plan.step)))
    const [start, end] = [numberAt(month.from), numberAt(month.past)]
    if (start === end) continue
    yield { done: start, sql: [detachRefs(month)] }
    for (let first = start; first < end; first += CHUNK) {
      const done = Math.min(first + CHUNK, end)
      yield { done, sql: ['begin', choose(first, done, month, plan), 'analyze made', ...insertAll(month), 'commit'] }
    }
    yield { done: end, sql: attachRefs(month) }
  }
}

export const finishSql = [
  `update statement_clock set last = (select max(seq) from statements), home_page = '${HOME}'`,
  'update statement_facts_clock set fed = (select last from statement_clock)',
]
