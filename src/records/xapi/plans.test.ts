import assert from 'node:assert/strict'
import { createHash, randomUUID } from 'node:crypto'
import { test } from 'node:test'
import type pg from 'pg'
import type { Database, Db, Tx } from '../../kernel/database/database.ts'
import { type Encoded, listStatements, type Statement } from '../../kernel/database/statement.ts'
import { schemaOf } from '../../kernel/environment.ts'
import { withClient } from '../../operations/testing/databases.ts'
import type { Client } from '../../operations/testing/testing.ts'
import { makeTestKey } from '../credentials/testing.ts'
import { actor, make, school, shared, V2 } from '../statements/capture/testing.ts'

/** Prefixes of the names of the record store's SQL statements. */
const ROOMS = /^(?:statements|documents|credentials|lrs)\./
/** Tables that grow with use. The clock tables have one row each, and the verb library is edited by administrators. */
const TABLES =
  '(?:statements|statement_refs|statement_ids|statement_links|statement_attachments|activities|attachments|documents|credentials|credential_secrets)(?:_\\d{4}_\\d\\d|_rest)?'
const SCANNED = new RegExp(`Seq Scan on ${TABLES} .*`)
/** Matches a scan of a whole index: it has no index condition, which would limit the range. */
const WALKED = new RegExp(`Index (?:Only )?Scan (?:Backward )?using \\w+ on ${TABLES} .*(?:\\n(?! *Index Cond)|$)`)
/**
 * SQL statements that read a whole table on purpose: lists of credentials, which are few, and the count of statements
 * that a retention period would remove.
 */
const WHOLE = ['credentials.list', 'credentials.listUnused', 'statements.countOlder']

const HEADERS = { 'x-experience-api-version': '2.0.0' }
const ACTIVITY = 'https://example.org/activities/'
const VERB = 'https://example.org/verbs/'
const adaOf = (n: number) => ({ mbox: `mailto:ada-${n}@example.org` })
const registrations = [randomUUID(), randomUUID()]
const ids = Array.from({ length: 60 }, () => randomUUID())

const statementOf = (n: number) => ({
  id: ids[n],
  actor: adaOf(n % 7),
  verb: { id: `${VERB}${n % 3}` },
  object:
    n % 10 === 9
      ? { objectType: 'StatementRef', id: ids[n - 1] }
      : { id: `${ACTIVITY}${n % 11}`, definition: { name: { en: `Activity ${n % 11}` } } },
  context: {
    registration: registrations[n % 2],
    instructor: adaOf(100),
    contextActivities: { parent: [{ id: `${ACTIVITY}parent` }], grouping: [{ id: `${ACTIVITY}course-${n % 3}` }] },
  },
})

/** An SQL statement that an operation ran, with its parameters. */
interface RecordedQuery {
  readonly statement: Statement
  readonly params: unknown
}

/** Records the SQL statements that operations run, so that this test need not list them. */
function listenTo<D extends Db>(db: D, asked: RecordedQuery[]): D {
  const { all, first, transaction } = db
  const { as } = db as Partial<Database>
  const { finish } = db as Partial<Tx>
  const note = (statement: unknown, params: unknown) => {
    if (ROOMS.test((statement as Statement).name)) asked.push({ statement: statement as Statement, params })
  }
  return Object.assign(db, {
    all: (...[statement, params]: Parameters<Db['all']>) => {
      note(statement, params)
      return all(statement, params)
    },
    first: (...[statement, params]: Parameters<Db['first']>) => {
      note(statement, params)
      return first(statement, params)
    },
    ...(finish && {
      finish: (...[statement, params]: Parameters<Tx['finish']>) => {
        note(statement, params)
        return finish(statement, params)
      },
    }),
    transaction: (work: (tx: Tx) => Promise<unknown>) =>
      transaction((tx) => work(tx !== db ? listenTo(tx, asked) : tx)),
    ...(as && { as: (caller: string) => listenTo(as(caller), asked) }),
  })
}

/** Inserts a few thousand rows into each table, in realistic proportions. */
const FILL = `
  insert into statements (seq, statement_id, payload, sender)
  select s.seq + c * 100, gen_random_uuid(), s.payload, s.sender from statements s, generate_series(1, 80) c where not s.is_voided;
  insert into statement_ids (statement_id, seq, fingerprint) select statement_id, seq, statement_id from statements s
   where not exists (select from statement_ids i where i.seq = s.seq);
  insert into statement_refs (key, seq, role)
  select case when r.key in (select key from statement_refs group by key having count(*) < 10) then md5(r.key::text || c)::uuid else r.key end, r.seq + c * 100, r.role
    from statement_refs r, generate_series(1, 80) c on conflict do nothing;
  insert into statement_links (seq, person_id, enrolment_id, lesson_id) select s.seq, p.id, e.id, l.id
    from statements s, lateral (select id from people order by id offset s.seq % 4 limit 1) p,
         lateral (select case when s.seq % 10 = 0 then id end as id from enrolments order by id limit 1) e,
         lateral (select id from lessons order by id offset s.seq % 2 limit 1) l on conflict do nothing;
  insert into activities (key, iri, definition) select gen_random_uuid(), 'https://example.org/' || n, '{}' from generate_series(1, 4000) n;
  insert into attachments (sha2, content) select encode(sha256(n::text::bytea), 'hex'), 'x' from generate_series(1, 4000) n;
  insert into statement_attachments (seq, sha2) select n, encode(sha256(n::text::bytea), 'hex') from generate_series(1, 4000) n;
  insert into documents (document_key, context_key, kind, handle, id, content_type, contents, etag, updated)
  select gen_random_uuid(), md5((n % 400)::text)::uuid, 'state', 'plan ' || n % 400, n, 'a/b', '', '', now() from generate_series(1, 4000) n;
  insert into credentials (key, name, scopes, created_at) select 'key ' || n, 'Key', '{all}', now() from generate_series(1, 4000) n;
  insert into credential_secrets (credential_id, secret_hash, created_at) select id, '', now() from credentials where key like 'key %'`

/** Selects the partitions that contain rows. Only these are analysed, as autovacuum would do. */
const FILLED = `
  select distinct tableoid::regclass::text as part from statements union select distinct tableoid::regclass::text from statement_ids
  union select distinct tableoid::regclass::text from statement_refs`
const ANALYZE = `
  do $$ declare part text; begin
    for part in ${FILLED}
      union select unnest(array['statement_links', 'statement_attachments', 'activities', 'attachments', 'documents', 'credentials', 'credential_secrets'])
    loop execute 'analyze ' || part; end loop;
  end $$`

test('no query plan of the record store scans a whole table, whatever the filters', async () => {
  await school
  const app = await shared
  const { client } = await makeTestKey(app)
  const own = (await makeTestKey(app, { scopes: ['statements/write', 'statements/read/mine'] })).client
  const path = '/xapi/statements'
  const good = async (what: Promise<{ status: number; text: string }>) => {
    const { status, text } = await what
    assert.ok(status < 300, text)
  }
  await good(
    client.post(
      path,
      Array.from({ length: 50 }, (_, n) => statementOf(n)),
      HEADERS,
    ),
  )
  await app.sql(FILL)
  await app.sql(ANALYZE)
  const filled = new Set((await app.sql(FILLED)).map(({ part }) => String(part).split('.').at(-1)!))

  const asked: RecordedQuery[] = []
  listenTo(app.environment().db, asked)
  await writeAndRead(client, own, good)
  await useDocuments(client, good)
  await captureAndLook(await app.as('avery'), await app.as('casey'), good)

  const statements = listStatements().filter(
    ({ name }) => ROOMS.test(name) && !WHOLE.some((whole) => `${name}.`.startsWith(`${whole}.`)),
  )
  const plans: string[] = []
  const check = (name: string, plan: string) => {
    if (SCANNED.test(plan) || WALKED.test(plan)) plans.push(`${name}\n${plan}`)
  }
  await withClient(app.connection, async (one) => {
    for (const statement of statements) {
      await enterLane(one, statement)
      // Check the generic plan: PostgreSQL may switch to it after five runs, and the read lane uses it from the first
      // run.
      check(`${statement.name}, any values`, await explain(one, `(generic_plan) ${statement.text}`))
      if (statement.gathered)
        check(`${statement.name}, gathered`, await explain(one, `(generic_plan) ${statement.gathered.text}`))
    }
    for (const { statement, params } of asked) {
      if (statement.lane === 'read' || statement.lane === 'list') continue
      await enterLane(one, statement)
      const plan = await explain(one, statement.text, statement.encodeParams(params))
      // This plan is only for these parameter values. It may scan a whole partition that is empty, so such scans are
      // ignored.
      const read = plan.replaceAll(/Seq Scan on statement\w*_(?:\d{4}_\d\d|rest) /g, (scan) =>
        filled.has(scan.trim().split(' ').at(-1)!) ? scan : '',
      )
      check(`${statement.name}, ${JSON.stringify(params).slice(0, 200)}`, read)
    }
  })
  assert.deepEqual(plans, [])
  const names = new Set(asked.map(({ statement }) => statement.name))
  for (const name of ['statements.insert', 'statements.queryNewest', 'statements.countNewest', 'documents.list'])
    assert.ok(names.has(name), `${name} was not asked`)
})

/** Gives a connection the planner settings of the statement's lane (src/kernel/database/database.ts). */
async function enterLane(client: pg.Client, { lane }: Statement): Promise<void> {
  const value = lane === 'read' || lane === 'list' ? 'off' : 'on'
  await client.query(
    `set search_path to ${schemaOf('production')}; set jit = off;
     set enable_seqscan = ${value}; set enable_hashjoin = ${value}; set enable_mergejoin = ${value}`,
  )
}

async function explain(client: pg.Client, text: string, values: Encoded[] = []): Promise<string> {
  const { rows } = await client.query(`explain ${text}`, values)
  return rows.map((row) => row['QUERY PLAN']).join('\n')
}

type AssertSuccess = (what: Promise<{ status: number; text: string }>) => Promise<void>

/**
 * Sends requests with every filter, alone and combined and in both orders, and with every operation that stores
 * statements.
 */
async function writeAndRead(client: Client, own: Client, good: AssertSuccess): Promise<void> {
  const path = '/xapi/statements'
  const filters: Record<string, unknown>[] = [
    { agent: JSON.stringify(adaOf(1)) },
    { agent: JSON.stringify(adaOf(100)), related_agents: true },
    { verb: `${VERB}1` },
    { activity: `${ACTIVITY}1` },
    { activity: `${ACTIVITY}parent`, related_activities: true },
    { registration: registrations[0] },
    { since: '2026-01-01T00:00:00Z', until: '2099-01-01T00:00:00Z' },
  ]
  const combined = filters.flatMap((one, n) => filters.slice(n).map((other) => ({ ...one, ...other })))
  const everything = Object.assign({}, ...filters)
  for (const query of [{}, ...combined, everything])
    for (const ascending of [true, false])
      await good(client.get(path, { ...query, ascending, limit: 10, attachments: ascending }, HEADERS))
  await good(own.get(path, everything, HEADERS))
  await good(client.get(path, { format: 'canonical', limit: 5 }, HEADERS))
  await good(client.get(path, { statementId: ids[1] }, HEADERS))
  await good(client.get('/xapi/activities', { activityId: `${ACTIVITY}1` }, HEADERS))
  await good(client.get('/xapi/agents', { agent: JSON.stringify(adaOf(1)) }, HEADERS))

  await good(
    client.post(
      path,
      Array.from({ length: 60 }, (_, n) => statementOf(n)),
      HEADERS,
    ),
  )
  const voiding = (id: string | undefined) => ({
    ...{ id: randomUUID(), actor: adaOf(1), verb: { id: 'http://adlnet.gov/expapi/verbs/voided' } },
    object: { objectType: 'StatementRef', id },
  })
  await good(client.post(path, [voiding(ids[3]), voiding(ids[4])], HEADERS))
  const mine = { ...statementOf(1), id: randomUUID() }
  await good(own.post(path, mine, HEADERS))
  await good(own.post(path, voiding(mine.id), HEADERS))
  const bytes = 'a log'
  const sha2 = createHash('sha256').update(bytes).digest('hex')
  const attachment = { usageType: `${ACTIVITY}log`, display: { en: 'Log' }, contentType: 'text/plain', length: 5, sha2 }
  const parts = [
    'Content-Type: application/json\r\n',
    JSON.stringify({ ...statementOf(2), id: randomUUID(), attachments: [attachment] }),
    `\r\n--x\r\nContent-Type: text/plain\r\nContent-Transfer-Encoding: binary\r\nX-Experience-API-Hash: ${sha2}\r\n`,
    bytes,
  ]
  const raw = `--x\r\n${parts[0]}\r\n${parts[1]}${parts[2]}\r\n${parts[3]}\r\n--x--\r\n`
  const headers = { ...HEADERS, 'content-type': 'multipart/mixed; boundary=x' }
  await good(client.send('POST', path, { raw, headers }))
  await good(client.get(path, { attachments: true, limit: 10 }, HEADERS))
}

async function useDocuments(client: Client, good: AssertSuccess): Promise<void> {
  const agent = JSON.stringify(adaOf(1))
  const activityId = `${ACTIVITY}1`
  const places: [string, Record<string, string>, string][] = [
    ['/xapi/activities/state', { activityId, agent }, 'stateId'],
    ['/xapi/activities/profile', { activityId }, 'profileId'],
    ['/xapi/agents/profile', { agent }, 'profileId'],
  ]
  for (const [path, context, name] of places) {
    const query = { ...context, [name]: 'one' }
    const send = (method: string, more: object = {}, asked: Record<string, string> = query) =>
      good(client.send(method, path, { query: asked, headers: HEADERS, ...more }))
    await send('POST', { body: { a: 1 } })
    await send('POST', { body: { b: 2 } })
    await send('GET')
    await send('GET', {}, { ...context, since: '2026-01-01T00:00:00Z' })
    await send('DELETE')
  }
  await good(client.send('DELETE', places[0]![0], { query: places[0]![1], headers: HEADERS }))
}

/** Sends statements as apps do, and requests the pages that show them. */
async function captureAndLook(avery: Client, casey: Client, good: AssertSuccess): Promise<void> {
  await good(avery.post(V2, make()))
  await good(avery.post('/xapi/statements', { ...statementOf(1), id: randomUUID(), actor: actor('@avery') }, HEADERS))
  const student = { classId: 'alpha', studentId: 'avery-alpha' }
  await good(casey.get('/edu/v1/class/timeline', student))
  await good(casey.get('/edu/v1/class/result', student))
}
