import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { call, PASSWORD, signInBrowser } from '../../apps/account/testing.ts'
import { UNLIMITED } from '../../apps/buckets/testing.ts'
import { openExport, readAll, unzip } from '../../identity/exports/testing.ts'
import { migrate } from '../../kernel/database/migrate.ts'
import { createTestDatabase, runSql } from '../../kernel/database/test-database.ts'
import { schemaOf } from '../../kernel/environment.ts'
import { withClient } from '../../operations/testing/databases.ts'
import { assertError, type Person, sharedApp } from '../../operations/testing/testing.ts'
import { makeTestKey } from '../credentials/testing.ts'
import { bases, senderKeyOf } from '../statements/model/names.ts'
import { keyOfActivity, keyOfSender } from '../statements/model/refs.ts'
import { PERSON_BYTES, PERSON_DOCUMENTS } from './documents.ts'
import * as store from './store.ts'
import { keySender, newParameters, type Parameters, RESOURCES, sender, VERSIONS, without } from './testing.ts'

const app = await sharedApp({ ...UNLIMITED, BODY_LIMIT_BYTES: '100000' })
const send = await keySender(app)
const NEW = { 'if-none-match': '*' }
const numbers = (count: number) => Array.from({ length: count }, (_, i) => i)
const { homePage } = app.environment().get(bases)
const accountOf = (name: string, more = {}) => JSON.stringify({ account: { homePage, name }, ...more })
const stateOf = (handle: string, more: Parameters = {}): Parameters => ({
  ...newParameters('state'),
  agent: accountOf(handle),
  ...more,
})

test('of two concurrent replacements of a document one wins, and the other is refused', async () => {
  for (const resource of RESOURCES)
    for (const version of VERSIONS) {
      const parameters = newParameters(resource)
      await send('POST', resource, parameters, { body: { by: -1 }, version })
      const etag = (await send('GET', resource, parameters, { version })).headers.get('etag')!
      const answers = await Promise.all(
        numbers(10).map((by) =>
          send('PUT', resource, parameters, { body: { by }, headers: { 'if-match': etag }, version }),
        ),
      )
      const winners = numbers(10).filter((i) => answers[i]!.status === 204)
      assert.equal(winners.length, 1)
      for (const answer of answers) if (answer.status !== 204) assertError(answer, 412, 4121)
      assert.deepEqual((await send('GET', resource, parameters, { version })).body, { by: winners[0] })
    }
})

test('of two concurrent creations of a document one wins', async () => {
  for (const resource of RESOURCES) {
    const parameters = newParameters(resource)
    const answers = await Promise.all(
      numbers(20).map((by) =>
        send(by % 2 === 0 ? 'PUT' : 'POST', resource, parameters, { body: { by }, headers: NEW }),
      ),
    )
    const winners = numbers(20).filter((i) => answers[i]!.status === 204)
    assert.equal(winners.length, 1)
    for (const answer of answers) if (answer.status !== 204) assertError(answer, 412, 4121)
    assert.deepEqual((await send('GET', resource, parameters)).body, { by: winners[0] })
  }
  const bare = newParameters('agent')
  const put = (by: number) => send('PUT', 'agent', bare, { body: { by }, version: '2.0.0' })
  const statuses = (await Promise.all(numbers(10).map(put))).map(({ status }) => status).sort()
  assert.deepEqual(statuses, [204, ...Array(9).fill(409)])
})

test('concurrent merges lose nothing, including the very first', async () => {
  for (const resource of RESOURCES) {
    const parameters = newParameters(resource)
    const answers = await Promise.all(
      numbers(30).map((by) => send('POST', resource, parameters, { body: { [`from ${by}`]: by } })),
    )
    assert.ok(answers.every(({ status }) => status === 204))
    const { body } = await send('GET', resource, parameters)
    assert.deepEqual(new Set(Object.values(body)), new Set(numbers(30)))
  }
})

test('concurrent merges, replacements and deletions are all answered, and none is half done', async () => {
  const parameters = newParameters('state')
  const answers = await Promise.all(
    numbers(60).map((i) => {
      if (i % 3 === 0) return send('DELETE', 'state', parameters)
      return send(i % 3 === 1 ? 'POST' : 'PUT', 'state', parameters, { body: { a: i, b: i } })
    }),
  )
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([204]))
  const { status, body } = await send('GET', 'state', parameters)
  if (status === 200) assert.equal(body.a, body.b)
  else assert.equal(status, 404)
})

test('a token gives access to the state of its user and nothing else', async () => {
  const avery = sender(await app.as('avery'), '2.0.0')
  const own = stateOf('@avery')
  assert.equal((await avery('PUT', 'state', own, { body: { a: 1 } })).status, 204)
  assert.deepEqual((await avery('GET', 'state', { ...own, agent: accountOf('@avery', { name: 'A' }) })).body, { a: 1 })
  assert.deepEqual((await avery('GET', 'state', without(own, 'stateId'))).body, [own.stateId])
  const others = [
    accountOf('@blake'),
    accountOf('avery'),
    newParameters('agent').agent,
    '{"mbox":"mailto:a@example.org"}',
  ]
  for (const agent of others)
    for (const method of ['PUT', 'POST', 'GET', 'DELETE'])
      for (const query of [
        { ...own, agent },
        { ...without(own, 'stateId'), agent },
      ]) {
        if (!('stateId' in query) && (method === 'PUT' || method === 'POST')) continue
        const sent = method === 'PUT' || method === 'POST' ? { body: {} } : {}
        assertError(await avery(method, 'state', query, sent), 403, 4032, /account of its user/)
      }
  for (const resource of ['activity', 'agent'] as const) {
    const query = resource === 'agent' ? { agent: own.agent, profileId: 'x' } : newParameters('activity')
    assertError(await avery('GET', resource, query), 403, 4032, /scope/)
    assertError(await avery('POST', resource, query, { body: {} }), 403, 4032)
  }
  assert.deepEqual((await send('GET', 'state', own)).body, { a: 1 })
  assertError(await sender(await app.as('blake'))('GET', 'state', own), 403, 4032)
  assert.equal((await avery('DELETE', 'state', own)).status, 204)
  assertError(await sender(app.nobody())('GET', 'state', own), 401, 4016)
})

/** Makes the senders of one person in two apps, and the name of a document of theirs. */
async function openTwoApps(person: Person) {
  const activityId = `https://example.org/activities/${randomUUID()}`
  const [first, second] = [sender(await app.as(person)), sender(await app.as(person, 'second'))]
  return { first, second, own: stateOf(`@${person}`, { activityId }) }
}

test('what an app wrote about a person does not exist for other apps of the person, and keys see all (D15)', async () => {
  const { first, second, own } = await openTwoApps('avery')
  const list = without(own, 'stateId')
  assert.equal((await first('PUT', 'state', own, { body: { by: 'first' } })).status, 204)
  assertError(await second('GET', 'state', own), 404, 4042)
  assert.deepEqual((await second('GET', 'state', list)).body, [])
  for (const query of [own, list]) assert.equal((await second('DELETE', 'state', query)).status, 204)
  assert.equal((await second('POST', 'state', own, { body: { by: 'second' } })).status, 204, 'not merged')
  const other = { ...own, stateId: 'another' }
  assert.equal((await second('PUT', 'state', other, { body: {} })).status, 204)
  assert.deepEqual((await first('GET', 'state', own)).body, { by: 'first' })
  assert.deepEqual((await second('GET', 'state', own)).body, { by: 'second' })
  assert.deepEqual((await first('GET', 'state', list)).body, [own.stateId])
  assert.deepEqual((await second('GET', 'state', list)).body, [own.stateId, other.stateId])
  assert.deepEqual(new Set((await send('GET', 'state', list)).body), new Set([own.stateId, other.stateId]))
  assert.equal((await second('DELETE', 'state', own)).status, 204)
  assert.deepEqual((await first('GET', 'state', own)).body, { by: 'first' })
  assert.equal((await first('DELETE', 'state', list)).status, 204)
  assert.deepEqual((await send('GET', 'state', list)).body, [other.stateId])
})

test('two apps that write the same name at once each keep their document (D15)', async () => {
  const { first, second, own } = await openTwoApps('blake')
  const writes = numbers(10).map((by) =>
    (by % 2 === 0 ? first : second)('POST', 'state', own, { body: { [`from ${by}`]: by } }),
  )
  assert.ok((await Promise.all(writes)).every(({ status }) => status === 204))
  assert.deepEqual(new Set(Object.values((await first('GET', 'state', own)).body)), new Set([0, 2, 4, 6, 8]))
  assert.deepEqual(new Set(Object.values((await second('GET', 'state', own)).body)), new Set([1, 3, 5, 7, 9]))
})

test('a key reads and replaces the document of no app, then the one that was written last, and deletes all (D15)', async () => {
  const { first, second, own } = await openTwoApps('drew')
  await first('PUT', 'state', own, { body: { by: 'first' } })
  app.advance(1000)
  await second('PUT', 'state', own, { body: { by: 'second' } })
  const found = await send('GET', 'state', own)
  assert.deepEqual(found.body, { by: 'second' })
  const headers = { 'if-match': found.headers.get('etag')! }
  assert.equal((await send('PUT', 'state', own, { body: { by: 'key' }, headers })).status, 204)
  assert.deepEqual((await second('GET', 'state', own)).body, { by: 'key' })
  assert.deepEqual((await first('GET', 'state', own)).body, { by: 'first' })
  const seen = (await send('GET', 'state', own)).headers.get('etag')!
  assert.equal((await send('DELETE', 'state', own, { headers: { 'if-match': seen } })).status, 204)
  assert.deepEqual((await send('GET', 'state', own)).body, { by: 'first' }, 'only what was read is deleted')
  await second('PUT', 'state', own, { body: { by: 'second' } })
  assert.equal((await send('DELETE', 'state', own)).status, 204)
  for (const one of [first, second, send]) assertError(await one('GET', 'state', own), 404, 4042)
})

test('every app of a person reads what a key wrote, and changes only a copy of its own (D15)', async () => {
  const { first, second, own } = await openTwoApps('ellis')
  assert.equal((await send('PUT', 'state', own, { body: { by: 'key', launch: 1 } })).status, 204)
  const found = await first('GET', 'state', own)
  assert.deepEqual(found.body, { by: 'key', launch: 1 })
  const headers = { 'if-match': found.headers.get('etag')! }
  assert.equal((await first('POST', 'state', own, { body: { by: 'first' }, headers })).status, 204)
  assertError(await first('POST', 'state', own, { body: { by: 'first' }, headers }), 412, 4121)
  assert.deepEqual((await first('GET', 'state', own)).body, { by: 'first', launch: 1 })
  assert.deepEqual((await second('GET', 'state', own)).body, { by: 'key', launch: 1 })
  assert.deepEqual((await send('GET', 'state', own)).body, { by: 'key', launch: 1 })
})

test('a key has access according to its scopes', async () => {
  const state = sender((await makeTestKey(app, { scopes: ['state'] })).client)
  const profile = sender((await makeTestKey(app, { scopes: ['profile'] })).client)
  const neither = sender((await makeTestKey(app, { scopes: ['statements/write', 'statements/read', 'define'] })).client)
  for (const [one, allowed] of [
    [state, ['state']],
    [profile, ['activity', 'agent']],
    [neither, []],
  ] as const)
    for (const resource of RESOURCES)
      for (const method of ['PUT', 'POST', 'GET', 'DELETE']) {
        const sent = method === 'PUT' || method === 'POST' ? { body: {}, headers: NEW } : {}
        const answer = await one(method, resource, newParameters(resource), sent)
        if ((allowed as readonly string[]).includes(resource)) assert.equal(answer.status, method === 'GET' ? 404 : 204)
        else assertError(answer, 403, 4032, /scope/)
      }
})

test("an administrator has full access on the platform's pages, and other sites cannot use it", async () => {
  await app.sql(`update people set administrator = true where handle_key = 'ellis'`)
  const ellis = await signInBrowser(app, 'ellis')
  const query = new URLSearchParams(newParameters('agent') as Record<string, string>)
  const path = `/xapi/2.0.0/agents/profile?${query}`
  assert.equal((await call(ellis, 'PUT', path, { a: 1 })).status, 204)
  assert.deepEqual((await call(ellis, 'GET', path)).body, { a: 1 })
  const foreign = { 'sec-fetch-site': 'cross-site' }
  assertError(await call(ellis, 'DELETE', path, undefined, foreign), 403, 4032)
  assert.equal((await call(ellis, 'GET', path)).status, 200)
  const drew = await signInBrowser(app, 'drew')
  assert.equal((await call(drew, 'GET', path)).status, 403)
})

test('a document is returned byte for byte, and never runs in a browser', async () => {
  const page = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
  const kinds: [type: string, contents: Buffer][] = [
    ['application/octet-stream', Buffer.from(numbers(256))],
    ['text/html; charset=utf-8', Buffer.from(`<script>alert(1)</script>${page}`)],
    ['image/svg+xml', Buffer.from(page)],
    ['text/xml', Buffer.from(page)],
    ['application/json', Buffer.from('{ "b": 1,\n "a": [2.50] }')],
    ['text/plain', Buffer.alloc(0)],
  ]
  for (const [type, raw] of kinds) {
    const parameters = newParameters('activity')
    const headers = { ...NEW, 'content-type': type }
    assert.equal((await send('PUT', 'activity', parameters, { raw, headers })).status, 204, type)
    const kept = await send('GET', 'activity', parameters)
    assert.equal(kept.headers.get('content-type'), type)
    assert.equal(kept.headers.get('x-content-type-options'), 'nosniff')
    assert.match(kept.headers.get('content-security-policy')!, /default-src 'none'.*; sandbox$/)
    assert.equal(kept.headers.get('cache-control'), 'no-store')
    const [row] = await app.sql(
      `select encode(contents, 'hex') as contents from documents where id = '${parameters.profileId}'`,
    )
    assert.equal(row!.contents, raw.toString('hex'))
    assert.equal(kept.headers.get('content-length'), String(raw.length))
    if (type !== 'application/octet-stream') assert.equal(kept.text, raw.toString())
  }
  const untyped = newParameters('activity')
  const without = await send('PUT', 'activity', untyped, { raw: 'x', headers: { ...NEW, 'content-type': '' } })
  assert.equal(without.status, 204)
  const read = await send('GET', 'activity', untyped)
  assert.equal(read.headers.get('content-type'), 'application/octet-stream')
  assertError(await send('PUT', 'activity', newParameters('activity'), { headers: NEW }), 400, 4001, /document/)
})

test('a document has the size limit of a body, merged or not', async () => {
  const parameters = newParameters('state')
  const over = await send('PUT', 'state', parameters, {
    raw: Buffer.alloc(100_001),
    headers: { 'content-type': 'a/b' },
  })
  assertError(over, 413, 4131, /100000/)
  const half = (name: string) => ({ body: { [name]: 'x'.repeat(60_000) } })
  assert.equal((await send('POST', 'state', parameters, half('a'))).status, 204)
  assertError(await send('POST', 'state', parameters, half('b')), 413, 4131, /merged/)
  assert.deepEqual(Object.keys((await send('GET', 'state', parameters)).body), ['a'])
  assert.equal((await send('POST', 'state', parameters, half('a'))).status, 204)
})

test('each person has a quota, which concurrent requests cannot exceed; keys have none (D6, D9)', async () => {
  const casey = sender(await app.as('casey'))
  const contents = (bytes: number) => ({ raw: Buffer.alloc(bytes), headers: { 'content-type': 'a/b' } })
  const fill = (count: number, bytes: number) =>
    app.sql(
      `insert into documents (document_key, context_key, kind, handle, id, content_type, contents, etag, updated)
       select gen_random_uuid(), gen_random_uuid(), 'state', 'casey', 'filled ' || n, 'a/b', convert_to(repeat('x', ${bytes}), 'UTF8'), '', now()
         from generate_series(1, ${count}) n`,
    )
  const count = async () => Number((await app.sql(`select count(*) from documents where handle = 'casey'`))[0]!.count)
  await fill(PERSON_DOCUMENTS - 3, 1)
  const answers = await Promise.all(numbers(10).map(() => casey('PUT', 'state', stateOf('@casey'), contents(1))))
  assert.equal(answers.filter(({ status }) => status === 204).length, 3)
  assertError(answers.find(({ status }) => status !== 204)!, 400, 4007, /1000 documents/)
  assert.equal(await count(), PERSON_DOCUMENTS)
  assert.equal((await send('PUT', 'state', stateOf('@casey'), contents(1))).status, 204)
  await app.sql(`delete from documents where handle = 'casey'`)
  const own = stateOf('@casey')
  assert.equal((await casey('PUT', 'state', own, contents(50_000))).status, 204)
  await fill(16, (PERSON_BYTES - 50_000) / 16)
  assertError(await casey('PUT', 'state', own, contents(50_001)), 400, 4007)
  assert.equal((await casey('PUT', 'state', own, contents(50_000))).status, 204)
  await fill(1, 1)
  assert.equal((await casey('PUT', 'state', own, contents(40_000))).status, 204, 'less is always possible')
  await app.sql(`delete from documents where handle = 'casey'`)
})

test('a list is limited, and says how to continue', async () => {
  const agent = JSON.stringify({ mbox: 'mailto:many@example.org' })
  await send('POST', 'agent', { agent, profileId: 'first' }, { body: {} })
  const add = (count: number, ago: number) =>
    app.sql(
      `insert into documents (document_key, context_key, kind, id, content_type, contents, etag, updated)
       select gen_random_uuid(), context_key, kind, 'more ' || n || ' ${ago}', content_type, contents, etag, updated - interval '${ago} hours'
         from documents, generate_series(1, ${count}) n where id = 'first'`,
    )
  await add(9_999, 1)
  assert.equal((await send('GET', 'agent', { agent })).body.length, 10_000)
  await add(1, 2)
  assertError(await send('GET', 'agent', { agent }), 400, 4006, /10000.*since/)
  const since = new Date(Date.now() - 90 * 60_000).toISOString()
  assert.equal((await send('GET', 'agent', { agent, since })).body.length, 10_000)
})

test('documents are found and listed by index', async () => {
  await app.sql(
    `insert into documents (document_key, context_key, kind, handle, id, content_type, contents, etag, updated)
     select gen_random_uuid(), md5((n % 40)::text)::uuid, 'state', 'plan ' || n % 40, n, 'a/b', '', '', now() from generate_series(1, 3000) n;
     analyze documents`,
  )
  await withClient(app.connection, async (client) => {
    await client.query(`set search_path to ${schemaOf('production')}; set enable_seqscan = off`)
    for (const { name, text } of Object.values(store)) {
      if (name === store.insertDocument.name) continue
      const { rows } = await client.query(`explain (generic_plan) ${text}`)
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
      assert.doesNotMatch(plan, /Seq Scan|Disabled: true/, `${name}\n${plan}`)
    }
  })
  await app.sql(`delete from documents where handle like 'plan %'`)
})

test("deleting an account deletes its documents, which the person's download contains", async () => {
  await app.sql(
    `insert into people (handle, handle_key, first_name, last_name, date_of_birth, created_at) values ('@Robin', 'robin', 'Robin', 'R', '1990-01-01', now())`,
  )
  const blake = stateOf('@blake')
  const registration = randomUUID()
  const activityId = 'https://example.org/activities/one'
  const mine: [resource: 'state' | 'agent', Parameters][] = [
    ['state', stateOf('@Robin', { activityId, stateId: 'kept', registration })],
    ['agent', { agent: accountOf('@robin'), profileId: 'liked' }],
  ]
  for (const [resource, parameters] of mine)
    assert.equal((await send('POST', resource, parameters, { body: { a: resource } })).status, 204)
  const bytes = { agent: accountOf('@Robin'), profileId: 'bytes' }
  await send('PUT', 'agent', bytes, { raw: Buffer.from([255, 0]), headers: { ...NEW, 'content-type': 'a/b' } })
  assert.equal((await send('POST', 'state', blake, { body: { a: 1 } })).status, 204)
  await app.givePassword('robin' as 'avery')
  const browser = await signInBrowser(app, 'robin' as 'avery')
  const files = unzip(await readAll(await openExport(browser)))
  const exported: { id: string; updated: string }[] = JSON.parse(files.get('documents.json')!.toString())
  assert.deepEqual(
    exported
      .map(({ updated, ...rest }) => ({ ...rest, isDated: Date.parse(updated) > 0 }))
      .sort((a, b) => (a.id < b.id ? -1 : 1)),
    [
      {
        kind: 'agent profile',
        activityId: null,
        registration: null,
        clientId: null,
        id: 'bytes',
        contentType: 'a/b',
        contentsInBase64: '/wA=',
      },
      {
        kind: 'state',
        activityId,
        registration,
        clientId: null,
        id: 'kept',
        contentType: 'application/json',
        contents: '{"a":"state"}',
      },
      {
        kind: 'agent profile',
        activityId: null,
        registration: null,
        clientId: null,
        id: 'liked',
        contentType: 'application/json',
        contents: '{"a":"agent"}',
      },
    ].map((one) => ({ ...one, isDated: true })),
  )
  const left = await call(browser, 'POST', '/account/v1/delete', { handle: '@robin', password: PASSWORD })
  assert.equal(left.status, 200, left.text)
  for (const [resource, parameters] of mine) assert.equal((await send('GET', resource, parameters)).status, 404)
  assert.equal((await send('GET', 'agent', bytes)).status, 404)
  assert.equal((await send('GET', 'state', blake)).status, 200)
})

test('an upgrade gives documents to the only app that can have written them; others are left to keys (D15)', async (t) => {
  const { connection, drop } = await createTestDatabase()
  t.after(drop)
  const own = new URL('../../../migrations/', import.meta.url)
  const dir = await mkdtemp(join(tmpdir(), 'documents-'))
  t.after(() => rm(dir, { recursive: true }))
  for (const name of await readdir(own))
    if (name < '0058') await writeFile(join(dir, name), await readFile(new URL(name, own)))
  const schema = 'gs_documents'
  await migrate(connection, schema, dir)
  const sql = (text: string) => runSql(connection, `set search_path = ${schema}; ${text}`)
  const people = ['none', 'one', 'two', 'sent', 'both']
  const activity = 'https://example.org/activities/one'
  await sql(`
    insert into people (handle, handle_key, created_at) select '@' || h, h, now() from unnest('{${people}}'::text[]) h;
    insert into apps (client_id, name, status, created_at) values ('first', '', 'approved', now()), ('second', '', 'approved', now());
    insert into app_users (user_id, app_id, person_id, consented_at)
    select p.handle || a.client_id, a.id, p.id, now() from people p, apps a
     where p.handle_key in ('two', 'sent', 'both') or p.handle_key = 'one' and a.client_id = 'second';
    insert into documents (document_key, context_key, kind, handle, activity_id, id, content_type, contents, etag, updated)
    select gen_random_uuid(), gen_random_uuid(), 'state', h, '${activity}', h, 'a/b', '', '', now() from unnest('{${people}}'::text[]) h`)
  const users = await sql(`select p.handle_key as handle, p.id as person, a.id as app, a.client_id as client
    from app_users u join people p on p.id = u.person_id join apps a on a.id = u.app_id`)
  const senders = users.filter(({ handle, client }) => handle === 'both' || (handle === 'sent' && client === 'first'))
  for (const [seq, { app: appId, person: personId }] of senders.entries()) {
    const sender = keyOfSender(senderKeyOf({ appId: Number(appId), personId: Number(personId) }))
    await sql(`insert into statement_refs (key, seq, role)
      values ('${keyOfActivity(activity)}', ${seq + 1}, 4), ('${sender}', ${seq + 1}, 15)`)
  }
  await migrate(connection, schema)
  assert.deepEqual(
    await sql(
      `select id, is_common, (select client_id from apps a where a.id = app_id) as app from documents order by id`,
    ),
    [
      { id: 'both', is_common: false, app: null },
      { id: 'none', is_common: true, app: null },
      { id: 'one', is_common: false, app: 'second' },
      { id: 'sent', is_common: false, app: 'first' },
      { id: 'two', is_common: false, app: null },
    ],
  )
})
