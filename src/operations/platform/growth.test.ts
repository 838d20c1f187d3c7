import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { listStatements, type Statement } from '../../kernel/database/statement.ts'
import { schemaOf } from '../../kernel/environment.ts'
import { openSchool } from '../../learning/courses/testing.ts'
import { keyOfVerb } from '../../records/statements/model/refs.ts'
import { withClient } from '../testing/databases.ts'
import { sharedApp } from '../testing/testing.ts'

const app = await sharedApp()
await openSchool(app)
const [{ id: person }] = (await app.sql(`select id::int as id from people where handle = '@casey'`)) as [{ id: number }]

const RANGE = { after: 0, upTo: Number.MAX_SAFE_INTEGER }
const NO_IDS = { lesson: null, class: null, student: null, course: null, user: null }
const PAGE = { limit: 50, offset: 0 }
const VERB = 'https://example.org/verbs/common'

/** Reads whose cost must not depend on how much the platform stores about others, or about other months. */
const READS: Readonly<Record<string, object>> = {
  'notes.list': { person, app: null, ...NO_IDS, limit: 50 },
  'notes.listPage': { person, app: null, ...NO_IDS, ...PAGE },
  'courses.findByName': { person, words: ['course'], limit: 5 },
  'courses.listManaged': { person, organisation: null, ...PAGE },
  'classes.listManaged': { person, organisation: null, course: null, ...PAGE },
  'statements.countNewest': { keys: [keyOfVerb(VERB)], ...RANGE },
  'statements.countOldest': { keys: [keyOfVerb(VERB)], ...RANGE },
  'statements.listNewest': { ...RANGE, limit: 20 },
}

/** Adds what other people have: organisations, courses, classes, notes and statements, most of their keys rare. */
const fill = (from: number, to: number): string => `
  insert into organisations (key, name, created_at) select 'growth-' || n, 'Org', now() from generate_series(${from}, ${to}) n where n % 20 = 0;
  insert into courses (key, organisation_id, created_at) select 'course-' || o.key, o.id, now()
    from organisations o where o.key like 'growth-%' and not exists (select from courses c where c.organisation_id = o.id);
  insert into course_versions (course_id, number, name, description, is_public, document, published_at)
  select c.id, 1, 'Course', '', false, '{}', now() from courses c where c.version_id is null and c.key like 'course-growth-%';
  update courses c set version_id = v.id from course_versions v where v.course_id = c.id and c.version_id is null;
  insert into classes (key, course_id, version_id, name, is_sequential, created_at) select 'class-' || c.key, c.id, c.version_id, 'Class', false, now()
    from courses c where c.key like 'course-growth-%' and not exists (select from classes k where k.course_id = c.id);
  insert into people (handle, handle_key, created_at) select '@growth-' || n, 'growth-' || n, now() from generate_series(${from}, ${to}) n where n % 20 = 0;
  insert into notes (key, text, author_id, created_at) select p.handle_key || ' ' || n, 'x', p.id, now()
    from people p, generate_series(1, 20) n where p.handle like '@growth-%' and not exists (select from notes t where t.author_id = p.id);
  insert into statements (seq, statement_id, payload)
  select m.seq, gen_random_uuid(), '{}' from generate_series(${from}, ${to}) n, lateral (${SEQ}) m;
  insert into statement_refs (key, seq, role)
  select k.key, m.seq, k.role from generate_series(${from}, ${to}) n, lateral (${SEQ}) m,
         lateral (values ('${keyOfVerb(VERB)}'::uuid, 3), (gen_random_uuid(), 4), (gen_random_uuid(), 2)) k(key, role)`
/** SQL: the number of statement n. They are spread over the last twelve months. */
const SEQ = `select (extract(epoch from now() - make_interval(months => n % 12)) * 1000000)::int8 - n as seq`

const readStatements = (): readonly [Statement, object][] =>
  Object.entries(READS).map(([name, params]) => [listStatements().find((one) => one.name === name)!, params])

/** Counts the blocks that each of the reads looks at, with the settings of its lane (src/kernel/database/database.ts). */
async function countBlocks(): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>()
  await withClient(app.connection, async (client) => {
    for (const [statement, params] of readStatements()) {
      const isShort = statement.lane === 'read' || statement.lane === 'list'
      const off = isShort ? 'off' : 'on'
      await client.query(
        `set search_path to ${schemaOf('production')}; set jit = off; set plan_cache_mode = ${isShort ? 'force_generic_plan' : 'auto'};
         set enable_seqscan = ${off}; set enable_hashjoin = ${off}; set enable_mergejoin = ${off};
         set max_parallel_workers_per_gather = ${isShort ? 0 : 2}; prepare asked as ${statement.text}`,
      )
      const values = statement.encodeParams(params)
      const literals = values.map((value) => (value === null ? 'null' : pg.escapeLiteral(String(value))))
      const { rows } = await client.query(`explain (analyze, buffers, format json) execute asked(${literals.join()})`)
      const [{ Plan: plan }] = rows[0]['QUERY PLAN']
      counts.set(statement.name, plan['Shared Hit Blocks'] + plan['Shared Read Blocks'])
      await client.query('deallocate asked')
    }
  })
  return counts
}

test('what others have stored does not make a read slower', async () => {
  await app.sql(`select make_statement_months(now() - make_interval(months => n)) from generate_series(12, 1, -1) n`)
  const grow = async (from: number, to: number) => {
    await app.sql(fill(from, to))
    await app.sql(
      'analyze organisations, courses, course_versions, classes, notes, people, organisation_members, statements, statement_refs',
    )
    return countBlocks()
  }
  const few = await grow(1, 2000)
  const many = await grow(2001, 20_000)
  assert.equal(few.size, Object.keys(READS).length)
  // An index may have become a level deeper.
  const grown = [...many].filter(([name, blocks]) => blocks > few.get(name)! * 1.5 + 20)
  assert.deepEqual(
    grown.map(([name, blocks]) => `${name}: ${few.get(name)} blocks, then ${blocks}`),
    [],
  )
})
