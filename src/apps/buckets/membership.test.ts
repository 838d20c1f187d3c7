import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endSession } from '../../kernel/sessions/sessions.ts'
import { type Answer, assertError, Client, testApp } from '../../operations/testing/testing.ts'
import { assertStorageAddsUp, openStream, PATH, UNLIMITED } from './testing.ts'

/** The operations on the bucket `id`. If an operation is allowed, its response is checked too. */
const OPERATIONS: Record<
  string,
  (client: Client, id: string, others: { creator: string; new: string }) => Promise<Answer>
> = {
  read: (client, id) => client.get(PATH, { id }),
  'read a key': (client, id) => client.get(PATH, { id, key: 'secret' }),
  create: (client, id) => client.put(PATH, { id, data: { stolen: true }, public: true }),
  set: (client, id) => client.post(PATH, { id, key: 'secret', value: 'overwritten' }),
  delete: (client, id) => client.delete(PATH, { id }),
  'add a user': (client, id, others) => client.post(`${PATH}/user`, { id, userId: client.userId || others.new }),
  'remove a user': (client, id, others) => client.post(`${PATH}/user/remove`, { id, userId: others.creator }),
  list: (client) => client.get(`${PATH}/list`),
  events: watch,
}
type Name = 'read' | 'read a key' | 'create' | 'set' | 'delete' | 'add a user' | 'remove a user' | 'list' | 'events'

/** Opens the change stream and returns its first event as the body. */
async function watch(client: Client, id: string): Promise<Answer> {
  const stream = await openStream(client, { id })
  const { response } = stream
  if (response.status !== 200) {
    const text = await response.text()
    return { status: response.status, body: JSON.parse(text), text, headers: response.headers }
  }
  const { event, data } = await stream.next()
  await stream.close()
  return { status: 200, body: { event, ...data }, text: '', headers: response.headers }
}

const OK = 200
const FORBIDDEN = 4032
const NOT_FOUND = 4042
const TAKEN = 4091
const NO_TOKEN = 4016
const DEAD_TOKEN = 4034

const all = (outcome: number): Record<Name, number> => ({
  read: outcome,
  'read a key': outcome,
  create: outcome,
  set: outcome,
  delete: outcome,
  'add a user': outcome,
  'remove a user': outcome,
  list: outcome,
  events: outcome,
})
const MEMBER = { ...all(OK), create: TAKEN }
const OUTSIDER = { ...all(FORBIDDEN), create: TAKEN, list: OK }
const ELSEWHERE = { ...all(NOT_FOUND), create: OK, list: OK }

/** The access matrix of contract §4: the outcome of each operation, by caller. */
const MATRIX: Record<string, { private: Record<Name, number>; public: Record<Name, number> }> = {
  'the creator': { private: MEMBER, public: MEMBER },
  'an added member': { private: MEMBER, public: MEMBER },
  'somebody who is no member': { private: OUTSIDER, public: { ...OUTSIDER, read: OK, 'read a key': OK } },
  'a removed member': { private: OUTSIDER, public: { ...OUTSIDER, read: OK, 'read a key': OK } },
  'the creator in another app': { private: ELSEWHERE, public: ELSEWHERE },
  'the creator in the sandbox': { private: ELSEWHERE, public: ELSEWHERE },
  "the creator with the sandbox's token": { private: all(DEAD_TOKEN), public: all(DEAD_TOKEN) },
  'somebody without a token': { private: all(NO_TOKEN), public: all(NO_TOKEN) },
  'a member whose session has ended': { private: all(DEAD_TOKEN), public: all(DEAD_TOKEN) },
}
const STATUS: Record<number, number> = { 4032: 403, 4042: 404, 4091: 409, 4016: 401, 4034: 403 }

test('D1: every operation, by everybody, on private and public buckets', async (t) => {
  const app = await testApp(t, UNLIMITED, { withSandbox: true })
  const creator = await app.as('avery')
  const member = await app.as('blake')
  const removed = await app.as('drew')
  const ended = await app.as('ellis')
  const newcomer = await app.as('finley')
  const sandbox = await app.as('avery', 'first', 'sandbox')
  const callers: Record<string, Client> = {
    'the creator': creator,
    'an added member': member,
    'somebody who is no member': await app.as('casey'),
    'a removed member': removed,
    'the creator in another app': await app.as('avery', 'second'),
    'the creator in the sandbox': sandbox,
    "the creator with the sandbox's token": new Client(creator.address, sandbox.token, creator.userId),
    'somebody without a token': app.nobody(),
    'a member whose session has ended': ended,
  }
  const [session] = await app.sql(`select id from sessions where user_id = '${ended.userId}'`)
  const who = { at: new Date(), requestId: 'test', address: '127.0.0.1' }
  await endSession(app.environment().db, who, { sessionId: String(session?.id), reason: 'test' })

  const look = (id: string) =>
    app.sql(`select b.*, b.data::text as data, (select count(*) from bucket_changes c where c.bucket_no = b.bucket_no) as changes
               from buckets b join apps a on a.id = app_id where a.name = 'first' and b.id = '${id}'`)

  for (const [caller, expected] of Object.entries(MATRIX)) {
    const client = callers[caller]!
    await t.test(caller, async () => {
      for (const visibility of ['private', 'public'] as const) {
        for (const [operation, outcome] of Object.entries(expected[visibility])) {
          const id = `${caller} ${visibility} ${operation}`.replaceAll("'", '')
          const users = [member.userId, removed.userId, ended.userId]
          const isPublic = visibility === 'public'
          const made = await creator.put(PATH, { id, users, public: isPublic, data: { secret: 'x', other: 1 } })
          assert.equal(made.status, 200, made.text)
          await creator.post(`${PATH}/user/remove`, { id, userId: removed.userId })
          const before = await look(id)
          const others = { creator: creator.userId, new: newcomer.userId }
          const answer = await OPERATIONS[operation]!(client, id, others)
          const after = await look(id)
          const label = `${operation} of a ${visibility} bucket: ${answer.text}`

          if (outcome !== OK) assertError(answer, STATUS[outcome]!, outcome)
          else assert.equal(answer.status, 200, label)
          const changes = outcome === OK && ['set', 'delete', 'add a user', 'remove a user'].includes(operation)
          // Adding somebody who is already a member changes nothing.
          if (changes && operation !== 'add a user') assert.notDeepEqual(after, before, label)
          else assert.deepEqual(after, before, label)

          if (outcome === NOT_FOUND) {
            const unknown = await OPERATIONS[operation]!(client, `${id} that never was`, others)
            assert.deepEqual([answer.status, answer.body], [unknown.status, unknown.body], label)
          }
          if (operation === 'list' && outcome === OK)
            assert.equal(answer.body.includes(id), expected[visibility].set === OK, label)
          if (operation === 'read a key' && outcome === OK) assert.deepEqual(answer.body.data, { secret: 'x' }, label)
          if (operation === 'events' && outcome === OK)
            assert.deepEqual(answer.body, { event: 'ready', id, version: made.body.version + 1 }, label)
          if (outcome !== OK) assert.ok(!answer.text.includes('secret') && !answer.text.includes(creator.userId), label)
        }
      }
    })
  }
  for (const environment of ['production', 'sandbox'] as const) await assertStorageAddsUp(app, environment)
})

test('D2: fields that are not the caller’s to set are never stored or honoured', async (t) => {
  const app = await testApp(t)
  const avery = await app.as('avery')
  const blake = await app.as('blake')
  const smuggled = {
    owner: blake.userId,
    appId: 2,
    app_id: 2,
    version: 99,
    createdDate: '2001-01-01T00:00:00.000Z',
    created_at: '2001-01-01T00:00:00.000Z',
    blocks: 0,
    bucket_no: 1,
    bucketNo: 1,
    isPublic: true,
    is_member: true,
    personId: 1,
    sessionId: 'x',
    pass: true,
    trainer: true,
    completed: true,
    __proto__: { public: true },
    '__proto__.public': true,
  }
  const raw = (fields: object) =>
    JSON.stringify({ ...smuggled, ...fields }).replace('{', '{"__proto__": {"public": true, "users": ["x"]}, ')
  const send = (client: Client, method: string, path: string, fields: object) =>
    client.send(method, path, { raw: raw(fields), query: { version: 7, appId: 2, userId: blake.userId, public: true } })

  const made = await send(avery, 'PUT', PATH, { id: 'own', data: { a: 1 }, userId: blake.userId })
  assert.equal(made.status, 200, made.text)
  const record = {
    id: 'own',
    users: [avery.userId],
    public: false,
    data: { a: 1 },
    createdDate: made.body.createdDate,
    version: 1,
  }
  assert.deepEqual(made.body, record)
  assert.ok(Date.now() - Date.parse(made.body.createdDate) < 60_000)
  const [row] = await app.sql(`select app_id::int, blocks, version::int from buckets where id = 'own'`)
  const [first] = await app.sql(`select id::int from apps where name = 'first'`)
  assert.deepEqual(row, { app_id: first?.id, blocks: 1, version: 1 })

  const users = [blake.userId]
  const written = await send(avery, 'POST', PATH, { id: 'own', key: 'a', value: 2, users, public: true, data: 'x' })
  assert.deepEqual(written.body, { ...record, data: { a: 2 }, version: 2 })
  const asOther = { id: 'own', key: 'a', value: 3, userId: avery.userId, users: [avery.userId, blake.userId] }
  assertError(await send(blake, 'POST', PATH, asOther), 403, 4032)
  assertError(await send(blake, 'DELETE', PATH, asOther), 403, 4032)
  const added = await send(avery, 'POST', `${PATH}/user`, {
    id: 'own',
    userId: blake.userId,
    users: [],
    data: 'x',
    public: true,
  })
  assert.deepEqual(added.body, { ...record, users: [avery.userId, blake.userId], data: { a: 2 }, version: 3 })
  const [kept] = await app.sql(`select count(*)::int as n from buckets`)
  assert.deepEqual(kept, { n: 1 })
  await assertStorageAddsUp(app)
})
