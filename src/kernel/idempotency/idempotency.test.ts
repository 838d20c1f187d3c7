import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operations } from '../../app.ts'
import { signInBrowser } from '../../apps/account/testing.ts'
import { join } from '../../apps/anonymous/testing.ts'
import { ok, registerApp, through, UNLIMITED, UNSHARED } from '../../apps/buckets/testing.ts'
import { removePerson } from '../../identity/people/removal.ts'
import { tidy } from '../../operations/platform/upkeep.ts'
import { rawRequest, sendRaw } from '../../operations/testing/socket.ts'
import { type Answer, assertError, Client, testApp } from '../../operations/testing/testing.ts'
import { upkeepAt } from '../caller.ts'
import { until } from '../database/test-database.ts'
import { forgetting } from '../forget.ts'
import { isRepeatable } from '../http/operation.ts'

const PATH = '/app/v1/bucket'
const DAY_MS = 24 * 3_600_000

/**
 * Picks the parts of a response that must be equal when a request is repeated; leaves out headers that differ every
 * time.
 */
const seen = ({ status, text, headers }: Answer) => ({
  status,
  text,
  etag: headers.get('etag'),
  type: headers.get('content-type'),
})
const keyed = (key: string, more: Record<string, string> = {}) => ({ 'idempotency-key': key, ...more })

test('requests with an Idempotency-Key', async (t) => {
  const app = await testApp(t, {}, { withSandbox: true })
  const avery = await app.as('avery')
  const blake = await app.as('blake')
  const versionOf = async (id: string): Promise<number> => (await avery.get(PATH, { id })).body.version
  const countKeys = async () => Number((await app.sql('select count(*) as n from idempotency_keys'))[0]?.n)

  await t.test('a repeated write has one effect and the same response, byte for byte, on every operation', async () => {
    const calls: [what: string, call: () => Promise<Answer>][] = [
      ['create', () => avery.put(PATH, { id: 'one', data: { a: 1 } }, keyed('create'))],
      ['set', () => avery.post(PATH, { id: 'one', key: 'b', value: 'ünï' }, keyed('set'))],
      ['add', () => avery.post(`${PATH}/user`, { id: 'one', userId: blake.userId }, keyed('add'))],
      ['remove', () => avery.post(`${PATH}/user/remove`, { id: 'one', userId: blake.userId }, keyed('remove'))],
    ]
    let version = 0
    for (const [what, call] of calls) {
      const first = await call()
      assert.equal(first.status, 200, first.text)
      assert.equal(first.headers.get('etag'), `"${++version}"`)
      for (let i = 0; i < 3; i++) assert.deepEqual(seen(await call()), seen(first), what)
      assert.equal(await versionOf('one'), version, what)
    }
    // Repeating the first request returns its first response, even after later writes.
    assert.deepEqual((await calls[0]![1]()).body.version, 1)
    const remove = () => avery.delete(PATH, { id: 'one' }, keyed('delete'))
    const gone = await remove()
    assert.deepEqual([gone.status, gone.body], [200, { success: true }])
    assert.deepEqual(seen(await remove()), seen(gone))
    assertError(await avery.delete(PATH, { id: 'one' }), 404, 4042)
  })

  await t.test('20 concurrent requests have one effect, and all get its response', async () => {
    await avery.put(PATH, { id: 'crowd', data: { list: [] } })
    for (let round = 0; round < 3; round++) {
      const before = await versionOf('crowd')
      const body = { id: 'crowd', key: `list.${round}`, value: round }
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => avery.post(PATH, body, keyed(`crowd${round}`))),
      )
      for (const answer of answers) assert.deepEqual(seen(answer), seen(answers[0]!))
      assert.equal(answers[0]!.status, 200, answers[0]!.text)
      assert.equal(await versionOf('crowd'), before + 1)
    }
    const created = await Promise.all(Array.from({ length: 20 }, () => avery.put(PATH, { id: 'new' }, keyed('new'))))
    assert.deepEqual([...new Set(created.map(({ status }) => status))], [200])
  })

  await t.test('20 concurrent requests to two processes have one effect', async () => {
    const second = await app.startSecond()
    const elsewhere = new Client(second.addresses.production, avery.token)
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => (i % 2 ? avery : elsewhere).put(PATH, { id: 'both' }, keyed('both'))),
    )
    for (const answer of answers) assert.deepEqual(seen(answer), seen(answers[0]!))
    assert.equal(answers[0]!.status, 200)
  })

  await t.test('reusing a key for another request is a conflict, and has no effect', async () => {
    await avery.put(PATH, { id: 'conflict', data: {} }, keyed('taken'))
    const others = [
      avery.put(PATH, { id: 'conflict2', data: {} }, keyed('taken')),
      avery.put(PATH, { id: 'conflict', data: { x: 1 } }, keyed('taken')),
      avery.put(PATH, { id: 'conflict', data: {}, public: true }, keyed('taken')),
      avery.post(PATH, { id: 'conflict', key: '', value: {} }, keyed('taken')),
      avery.delete(PATH, { id: 'conflict' }, keyed('taken')),
    ]
    for (const answer of await Promise.all(others)) assertError(answer, 409, 4091, /used for another request/)
    assert.equal(
      await versionOf('conflict'),
      1 + Number((await app.sql('select version_floor from app_storage order by app_id limit 1'))[0]?.version_floor),
    )
    assertError(await avery.get(PATH, { id: 'conflict2' }), 404, 4042)
  })

  await t.test('If-Match is part of the request', async () => {
    const made = await avery.put(PATH, { id: 'matched' })
    const { version } = made.body
    const write = (ifMatch?: string) =>
      avery.post(PATH, { id: 'matched', key: 'a', value: 1 }, keyed('matched', ifMatch ? { 'if-match': ifMatch } : {}))
    const first = await write(`"${version}"`)
    assert.equal(first.status, 200, first.text)
    // `version` is outdated by now, but the first request did write: the client only missed the response.
    assert.deepEqual(seen(await write(`"${version}"`)), seen(first))
    assertError(await write(`"${version + 1}"`), 409, 4091, /used for another request/)
    assertError(await write(), 409, 4091, /used for another request/)
  })

  await t.test('keys of other users, or of the same person in another app, are separate', async () => {
    const inSecond = await app.as('avery', 'second')
    for (const client of [avery, blake])
      assert.equal((await client.put(PATH, { id: `of ${client.userId}` }, keyed('shared'))).status, 200)
    const elsewhere = await inSecond.put(PATH, { id: 'in the second app' }, keyed('shared'))
    assert.equal(elsewhere.status, 200)
    const sandbox = await app.as('avery', 'first', 'sandbox')
    assert.equal((await sandbox.put(PATH, { id: 'in the sandbox' }, keyed('shared'))).status, 200)
    const again = await app.as('avery')
    assertError(await again.put(PATH, { id: 'another' }, keyed('shared')), 409, 4091)
  })

  await t.test('a refusal is stored too, and repeated even if the request would succeed by now', async () => {
    const write = (key: string) => avery.post(PATH, { id: 'later', key: 'a', value: 1 }, keyed(key))
    assertError(await write('early'), 404, 4042)
    await avery.put(PATH, { id: 'later' })
    assertError(await write('early'), 404, 4042, /no bucket with this id/)
    assertError(await avery.put(PATH, { id: 'crowd' }, keyed('early')), 409, 4091, /used for another request/)
    assert.equal((await write('later')).status, 200)
  })

  await t.test('input that is refused before the operation begins stores nothing', async () => {
    const before = await countKeys()
    assertError(await avery.put(PATH, { id: 5 }, keyed('unread')), 400, 4005)
    assert.equal(await countKeys(), before)
    assert.equal((await avery.put(PATH, { id: 'read' }, keyed('unread'))).status, 200)
  })

  await t.test('concurrent refused requests all get one outcome', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => avery.put(PATH, { id: 'crowd' }, keyed('refused at once'))),
    )
    for (const answer of answers) assertError(answer, 409, 4091, /with this id already exists/)
  })

  await t.test('the storage for one caller is limited: the oldest responses are deleted first', async () => {
    const finley = await app.as('finley')
    await finley.put(PATH, { id: 'large', data: 'x'.repeat(1_000_000) })
    const writes = Array.from(
      { length: 24 },
      (_, i) => () => finley.post(PATH, { id: 'large', key: '', value: 'y'.repeat(999_000 + i) }, keyed(`large ${i}`)),
    )
    for (const write of writes) assert.equal((await write()).status, 200)
    const [kept] = await app.sql(
      `select count(*)::int as n, sum(octet_length(answer))::int as bytes from idempotency_keys where caller = '${finley.userId}'`,
    )
    assert.ok(Number(kept?.bytes) <= 16 * 1024 * 1024, `${kept?.bytes} bytes are kept`)
    assert.ok(Number(kept?.n) >= 15)
    const { version } = (await finley.get(PATH, { id: 'large', key: '' })).body
    assert.equal((await writes.at(-1)!()).body.version, version, 'the latest is still there')
  })

  await t.test('a key that is sent twice is refused', async () => {
    const answer = await sendRaw(
      app.address,
      rawRequest(
        'PUT',
        PATH,
        [
          `authorization: Bearer ${avery.token}`,
          'content-type: application/json',
          'idempotency-key: a',
          'idempotency-key: b',
        ],
        '{"id":"twice"}',
      ),
    )
    assert.match(answer, /^HTTP\/1\.1 400 .*sent twice/s)
  })

  await t.test('a server error stores neither key nor effect', async () => {
    await app.sql('alter table idempotency_keys add constraint broken check (answer is null) not valid')
    assertError(await avery.put(PATH, { id: 'half' }, keyed('half')), 500, 5000)
    assertError(await avery.get(PATH, { id: 'half' }), 404, 4042)
    await app.sql('alter table idempotency_keys drop constraint broken')
    assert.equal((await avery.put(PATH, { id: 'half' }, keyed('half'))).status, 200)
  })

  await t.test('a key has 1 to 255 characters', async () => {
    assert.equal((await avery.put(PATH, { id: 'longest' }, keyed('x'.repeat(255)))).status, 200)
    assertError(await avery.put(PATH, { id: 'too long' }, keyed('x'.repeat(256))), 400, 4003, /1 to 255 characters/)
    assertError(await avery.put(PATH, { id: 'empty' }, keyed('')), 400, 4003, /1 to 255 characters/)
    assert.equal((await avery.put(PATH, { id: 'odd' }, keyed(`'"\\ %00 é`))).status, 200)
    for (const id of ['too long', 'empty']) assertError(await avery.get(PATH, { id }), 404, 4042)
  })

  await t.test('reads ignore the key', async () => {
    const before = await countKeys()
    for (const id of ['crowd', 'new']) assert.equal((await avery.get(PATH, { id }, keyed('read'))).body.id, id)
    assert.equal(await countKeys(), before)
  })

  await t.test('keys are kept for a day', async () => {
    const write = () => avery.put(PATH, { id: 'daily' }, keyed('daily'))
    assert.equal((await write()).status, 200)
    app.advance(DAY_MS - 60_000)
    await tidy(app.environment())
    const late = await app.as('avery')
    assert.equal((await late.put(PATH, { id: 'daily' }, keyed('daily'))).status, 200)
    app.advance(2 * 60_000)
    await tidy(app.environment())
    await until('the keys are gone', async () => (await countKeys()) === 0)
    assertError(await late.put(PATH, { id: 'daily' }, keyed('daily')), 409, 4091, /with this id already exists/)
  })
})

test('people in their own browsers can repeat writes too, but requests with a password store nothing', async (t) => {
  const app = await testApp(t)
  const drew = await signInBrowser(app, 'drew')
  const send = (path: string, body: object) =>
    drew.send(path, {
      method: 'PUT',
      headers: { 'content-type': 'application/json', 'idempotency-key': 'same' },
      body: JSON.stringify(body),
    })
  const first = await send('/account/v1/skills', { skills: ['one'] })
  assert.equal(first.status, 200)
  assert.equal((await send('/account/v1/skills', { skills: ['one'] })).text, first.text)
  assert.equal((await send('/account/v1/skills', { skills: ['two'] })).status, 409)
  const kept = await app.sql('select caller from idempotency_keys')
  assert.deepEqual(
    kept.map(({ caller }) => String(caller).startsWith('person ')),
    [true],
  )
  const withPassword = operations.filter(({ input }) => 'password' in input.properties)
  assert.ok(withPassword.length > 3)
  for (const operation of withPassword) assert.equal(isRepeatable(operation), false, operation.name)
})

test('guesses of handles count with or without a key', async (t) => {
  const app = await testApp(t)
  const drew = await signInBrowser(app, 'drew')
  const guess = (i: number) =>
    drew.send('/account/v1/friends/request', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': `guess-${i}` },
      body: JSON.stringify({ handle: `nobody-${i}` }),
    })
  const statuses: number[] = []
  for (let i = 0; i < 70; i++) statuses.push((await guess(i)).status)
  assert.deepEqual(new Set(statuses), new Set([404, 429]))
})

test('D9: anonymous users share a small quota by network and app, however many they are, and others keep theirs', async (t) => {
  const app = await testApp(t, { ...UNLIMITED, ...UNSHARED, TRUST_PROXY: '127.0.0.1' })
  const name = await registerApp(app, 'kept', 1_000_000)
  const MIB = 1024 * 1024
  const data = 'x'.repeat(500_000)
  const bytesOf = async (condition: string) =>
    Number(
      (await app.sql(`select sum(octet_length(answer))::int as n from idempotency_keys where ${condition}`))[0]?.n ?? 0,
    )
  const fill = async (client: Client, address: string, writes: number) => {
    const sent = { 'x-forwarded-for': address }
    const { userId } = client
    ok(await client.put(PATH, { id: userId, data: { data } }, keyed('first', sent)))
    const write = (i: number) => client.post(PATH, { id: userId, key: 'n', value: i }, keyed(`write ${i}`, sent))
    for (let i = 0; i < writes; i++) ok(await write(i))
    return {
      last: () => write(writes - 1),
      version: async () => ok(await client.get(PATH, { id: userId })).body.version,
    }
  }
  const joinHere = async () => (await join(app, { clientId: 'gs-kept' })).client

  const avery = await app.as('avery', name)
  await fill(avery, '192.0.2.1', 10)
  const ofAvery = await bytesOf(`caller = '${avery.userId}'`)
  assert.ok(ofAvery > 11 * 500_000)
  const quiet = await fill(await joinHere(), '198.51.100.7', 1)

  // Twelve users of one network, in parallel and through two processes, write six times the network's quota.
  const second = await app.startSecond()
  const crowd = await Promise.all(Array.from({ length: 12 }, joinHere))
  await Promise.all(
    crowd.map((client, i) => fill(i % 2 ? client : through(client, second.addresses.production), '192.0.2.1', 4)),
  )
  const ofNetwork = await bytesOf(`network = '192.0.2.1'`)
  assert.ok(ofNetwork > 3 * MIB && ofNetwork <= 4 * MIB, `${ofNetwork} bytes are kept for one network`)
  // The user of another network has lost no response, and the responses for a new user of the same network are stored.
  for (const one of [quiet, await fill(await joinHere(), '192.0.2.1', 4)]) {
    const before = await one.version()
    assert.equal(ok(await one.last()).body.version, before)
    assert.equal(await one.version(), before, 'a repeated write had an effect')
  }

  // Ten more networks together fill the quota of the app.
  for (let i = 0; i < 10; i++) await fill(await joinHere(), `203.0.113.${i}`, 4)
  const ofAnonymous = await bytesOf('anonymous_app is not null')
  assert.ok(ofAnonymous > 15 * MIB && ofAnonymous <= 16 * MIB, `${ofAnonymous} bytes are kept for one app`)
  assert.equal(await bytesOf(`caller = '${avery.userId}'`), ofAvery)
  assert.equal(await bytesOf('anonymous_app is null'), ofAvery)
})

test('keys of an app user are deleted with the person', async (t) => {
  const app = await testApp(t)
  const avery = await app.as('avery')
  assertError(await avery.post('/edu/v1/class/join', { joinCode: 'NO-SUCH-CODE' }, keyed('join')), 404, 4042)
  const callers = async () => (await app.sql('select caller from idempotency_keys')).map(({ caller }) => caller)
  assert.deepEqual(await callers(), [avery.userId])
  const environment = app.environment()
  const [row] = await app.sql(`select person_id::int as id from app_users where user_id = '${avery.userId}'`)
  const personId = Number(row?.id)
  await removePerson(environment.db, upkeepAt(new Date()), {
    personId,
    reason: 'x',
    forget: environment.get(forgetting),
  })
  assert.deepEqual(await callers(), [])
})
