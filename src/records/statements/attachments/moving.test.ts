import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { type TestContext, test } from 'node:test'
import { call, signInBrowser, UNLIMITED } from '../../../apps/account/testing.ts'
import { until } from '../../../kernel/database/test-database.ts'
import { KEYS, startBucket } from '../../../kernel/files/testing.ts'
import { upload } from '../../../learning/content/testing.ts'
import { removeUnused } from '../../../learning/content/upload.ts'
import { openSchool } from '../../../learning/courses/testing.ts'
import { databaseUrl, installServer } from '../../../operations/testing/machine.ts'
import { assertError, Client, SECRET_KEY, type TestApp, testApp } from '../../../operations/testing/testing.ts'
import { attachmentOf, makeSpeaker, makeStatement, partOf, Speaker, sha2, withParts } from '../../xapi/testing.ts'
import { removeOlder } from '../retention/retention.ts'
import { moveAttachments, unusedObjectsUpkeep } from './moving.ts'

type Store = Awaited<ReturnType<typeof startBucket>>

const HOUR_MS = 3_600_000
const DAMAGED = /attachment is missing or damaged in the file store/
const AWAY = /file store does not respond/

/** Starts a platform that may move attachments, because its migration is older than a day, and leaves it to the test. */
async function start(t: TestContext) {
  const store = await startBucket(t)
  const app = await testApp(t, { ...UNLIMITED, ...KEYS, S3_URL: store.url })
  const postponed = `update jobs set run_at = run_at + interval '10 years'
    where kind = 'attachments.move' and not is_leased and run_at > now() returning id`
  await until('the job of the platform has run', async () => (await app.sql(postponed)).length === 1, 20_000)
  await app.sql(`update migrations set applied_at = applied_at - interval '25 hours' where name like 'attachments%'`)
  return { app, store, environment: app.environment(), key: await makeSpeaker(app) }
}

/** Stores a statement with these attachments, and returns its id. */
async function send(key: Speaker, ...contents: (Buffer | string)[]): Promise<string> {
  const sent = makeStatement({ attachments: contents.map((one) => attachmentOf(one)) })
  const answer = await key.post(undefined, withParts(sent, ...contents.map((one) => partOf(one))))
  assert.equal(answer.status, 200, answer.text)
  return sent.id
}

/** Answers all requests to the store with this status, as a store does that is down or refuses the keys. */
const refuse = (_method: string, response: ServerResponse) => response.writeHead(403).end()

/** Holds the requests with a method, from the first one on, until `release` is called. */
function hold(store: Store, method: string) {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>()
  store.hook.before = async (seen) => {
    if (seen !== method) return false
    arrive()
    await released
    return false
  }
  return { arrived, release }
}

const readBack = async (key: Speaker, statementId: string): Promise<Buffer[]> =>
  (await key.parts({ statementId, attachments: 'true' })).parts.map(({ content }) => content)

const get = (key: Speaker, statementId: string) => key.get({ statementId, attachments: 'true' })

/** Returns where the bytes of attachments are, by size. */
const placesIn = (app: TestApp) =>
  app.sql(
    `select coalesce(bytes, octet_length(content))::int as bytes, content is null as moved from attachments order by 1`,
  )
const listUnused = async (app: TestApp) => (await app.sql('select name from unused_objects')).map(({ name }) => name)
const toPath = (name: unknown) => `/bucket/production/attachments/${name}`
/** Returns the paths of the objects that attachments have. */
const pathsOf = async (app: TestApp) =>
  (await app.sql('select object from attachments where object is not null')).map(({ object }) => toPath(object)).sort()

/** Removes all statements that were stored until now. */
function removeAll(app: TestApp) {
  const { db, clock } = app.environment()
  const at = clock()
  return removeOlder(db, { at, requestId: 'test', address: 'test' }, { before: at })
}

/** Deletes unused objects, also those that an upload may still want. */
async function tidyLater(app: TestApp, environment = app.environment()): Promise<void> {
  await app.sql(`update unused_objects set kept_until = kept_until - interval '1 hour'`)
  await unusedObjectsUpkeep.run(environment)
}

test('attachments move to the file store, under a prefix of their own, and are read back byte for byte', async (t) => {
  const { app, store, environment, key } = await start(t)
  const contents = ['', 'a log', randomBytes(3_000_000), Buffer.from('\r\n--a\0')]
  const id = await send(key, ...contents)
  const other = await send(key, 'a log')
  const before = await readBack(key, id)
  assert.deepEqual(new Set(before.map((one) => sha2(one))), new Set(contents.map((one) => sha2(one))))
  assert.equal(store.log.length, 0, 'a request does not wait for the store')

  while (await moveAttachments(environment));
  assert.deepEqual(
    await placesIn(app),
    [0, 5, 6, 3_000_000].map((bytes) => ({ bytes, moved: true })),
  )
  assert.equal(store.objects.size, 4)
  for (const path of store.objects.keys()) assert.match(path, /^\/bucket\/production\/attachments\/[\w-]{22}$/)
  assert.deepEqual(await listUnused(app), [])
  assert.deepEqual(await readBack(key, id), before)
  assert.deepEqual(await readBack(key, other), [Buffer.from('a log')])

  store.log.length = 0
  const third = await send(key, 'a log')
  assert.equal(await moveAttachments(environment), false, 'bytes that are in the store are not stored again')
  assert.deepEqual(store.log, [])
  assert.deepEqual(await readBack(key, third), [Buffer.from('a log')])
})

test('without S3_URL, attachments stay in the database', async (t) => {
  const app = await testApp(t, UNLIMITED)
  await app.sql(`update migrations set applied_at = applied_at - interval '25 hours' where name like 'attachments%'`)
  const key = await makeSpeaker(app)
  const id = await send(key, 'a log')
  assert.equal(await moveAttachments(app.environment()), false)
  await unusedObjectsUpkeep.run(app.environment())
  assert.deepEqual(await placesIn(app), [{ bytes: 5, moved: false }])
  assert.deepEqual(await readBack(key, id), [Buffer.from('a log')])
})

test('nothing moves in the first day after the upgrade, while processes of the previous release may run', async (t) => {
  const { app, store, environment, key } = await start(t)
  await app.sql(`update migrations set applied_at = now() where name like 'attachments%'`)
  await send(key, 'a log')
  app.advance(23 * HOUR_MS)
  assert.equal(await moveAttachments(environment), false)
  assert.deepEqual(store.log, [])
  app.advance(2 * HOUR_MS)
  assert.equal(await moveAttachments(environment), true)
  assert.deepEqual(await placesIn(app), [{ bytes: 5, moved: true }])
})

test('the attachment insert of the previous release still works', async (t) => {
  const { app } = await start(t)
  for (let i = 0; i < 2; i++)
    await app.sql(`insert into attachments (sha2, content) values ('${sha2('old')}', 'old') on conflict do nothing`)
  assert.deepEqual(await placesIn(app), [{ bytes: 3, moved: false }])
})

test('a process that is killed while it moves loses nothing, and its objects are deleted', async (t) => {
  const { app, store, key } = await start(t)
  const id = await send(key, 'a log')
  await app.platform.stop()
  const settings = { ...KEYS, S3_URL: store.url, DATABASE_URL: databaseUrl(app.connection), SECRET_KEY, DEMO: 'off' }
  const server = await installServer(t, settings)
  // Killed before its upload is stored, and between the upload and the update: a GET follows the upload.
  for (const method of ['PUT', 'GET']) {
    const { arrived, release } = hold(store, method)
    await app.sql(`delete from jobs where kind = 'attachments.move'`)
    await server.start()
    await arrived
    await server.kill()
    store.hook.before = undefined
    release()
    assert.deepEqual(await placesIn(app), [{ bytes: 5, moved: false }])
  }
  assert.equal((await listUnused(app)).length, 2)
  await app.sql(`delete from jobs where kind = 'attachments.move'`)
  const { addresses, environments } = await app.startSecond()
  await until('it is moved', async () => (await placesIn(app))[0]!.moved === true, 20_000)
  const reader = new Speaker(new Client(addresses.production, key.client.token))
  assert.deepEqual(await readBack(reader, id), [Buffer.from('a log')])
  await tidyLater(app, environments[0])
  assert.deepEqual([...store.objects.keys()], await pathsOf(app))
})

test('two processes that move at once leave one object for each attachment', async (t) => {
  const { app, store, environment, key } = await start(t)
  const second = (await app.startSecond()).environments[0]!
  const moveTogether = () => Promise.all([environment, second].map((one) => moveAttachments(one)))
  const one = await send(key, 'a log')
  const { release } = hold(store, 'PUT')
  const moving = moveTogether()
  await until('both upload the same attachment', async () => store.log.length === 2)
  release()
  await moving
  const contents = Array.from({ length: 12 }, (_, i) => `log ${i}`)
  const many = await send(key, ...contents)
  while ((await moveTogether()).includes(true));
  assert.ok((await placesIn(app)).every(({ moved }) => moved))
  assert.equal(store.objects.size, 13 + (await listUnused(app)).length, 'every object is in use or listed as unused')
  await tidyLater(app)
  assert.deepEqual([...store.objects.keys()].sort(), await pathsOf(app))
  assert.deepEqual(await readBack(key, one), [Buffer.from('a log')])
  assert.deepEqual(new Set((await readBack(key, many)).map(String)), new Set(contents))
})

test('while the store is down, bytes stay in the database, metrics say so, and moving goes on afterwards', async (t) => {
  const { app, store, environment, key } = await start(t)
  const id = await send(key, 'a log')
  const figure = async (name: string) =>
    Number(new RegExp(`^groundschool_${name}\\{.*\\} (\\d+)`, 'm').exec((await app.nobody().get('/metrics')).text)?.[1])
  store.hook.before = refuse
  await assert.rejects(moveAttachments(environment), AWAY)
  assert.deepEqual(await readBack(key, id), [Buffer.from('a log')])
  assert.deepEqual([await figure('attachments_waiting'), await figure('file_store_failures_total')], [1, 1])
  // A store that returns other bytes than it got.
  store.hook.before = (method, response) => method === 'GET' && response.writeHead(200).end('a lag')
  await assert.rejects(moveAttachments(environment), /returned other bytes/)
  assert.deepEqual(await readBack(key, id), [Buffer.from('a log')])
  store.hook.before = undefined
  await moveAttachments(environment)
  assert.equal(await figure('attachments_waiting'), 0)
  assert.deepEqual(await readBack(key, id), [Buffer.from('a log')])
})

test('if the store is down or has lost or damaged an attachment, reading it gives 503, and other reads go on', async (t) => {
  const { store, environment, key } = await start(t)
  const id = await send(key, 'a log', 'another')
  await moveAttachments(environment)
  const inDatabase = await send(key, 'new')
  const kept = new Map(store.objects)
  const cut = (_: string, response: ServerResponse) =>
    response.writeHead(200, { 'content-length': 5 }).write('a', () => response.destroy())
  for (const [before, must] of [
    [refuse, AWAY],
    [cut, AWAY],
    [(_: string, response: ServerResponse) => response.writeHead(200).end('a lag'), DAMAGED],
    [(_: string, response: ServerResponse) => response.writeHead(200).end('a'), DAMAGED],
    [() => void store.objects.clear(), DAMAGED],
  ] as const) {
    store.hook.before = before
    assertError(await get(key, id), 503, 5030, must)
    assert.equal((await key.get({ statementId: id })).status, 200)
    assert.deepEqual(await readBack(key, inDatabase), [Buffer.from('new')])
  }
  store.hook.before = undefined
  for (const [path, bytes] of kept) store.objects.set(path, bytes)
  assert.equal((await readBack(key, id)).length, 2)
})

test('few pages are in memory while their attachments are read from the store', async (t) => {
  const { store, environment, key } = await start(t)
  const id = await send(key, 'a log')
  await moveAttachments(environment)
  store.log.length = 0
  const { arrived, release } = hold(store, 'GET')
  const reads = Array.from({ length: 6 }, () => readBack(key, id))
  await arrived
  // A caller reads two pages at once. The others have read their statements and wait when another request is served.
  await send(key, 'new')
  assert.ok(store.log.length <= 2, store.log.join())
  release()
  for (const contents of await Promise.all(reads)) assert.deepEqual(contents, [Buffer.from('a log')])
})

test('the object is deleted with the last statement; an upload with the same bytes stays', async (t) => {
  const { app, store, environment, key } = await start(t)
  await openSchool(app)
  const finley = await signInBrowser(app, 'finley')
  const { fileId } = (await upload(finley, 'a.txt', 'a log')).body
  const uploaded = `/bucket/production/${sha2('a log')}`
  await send(key, 'a log')
  await moveAttachments(environment)
  assert.equal(store.objects.size, 2)
  assert.deepEqual((await removeAll(app)).attachments, 1)
  store.hook.before = refuse
  await assert.rejects(unusedObjectsUpkeep.run(environment), AWAY)
  assert.equal((await listUnused(app)).length, 1, 'a failed deletion is tried again')
  store.hook.before = undefined
  await unusedObjectsUpkeep.run(environment)
  assert.deepEqual([[...store.objects.keys()], await listUnused(app)], [[uploaded], []])

  const id = await send(key, 'a log')
  await moveAttachments(environment)
  assert.equal((await call(finley, 'POST', '/edu/v1/file/remove', { fileId })).status, 200)
  app.advance(2 * HOUR_MS)
  await removeUnused(environment)
  assert.equal(store.objects.has(uploaded), false)
  assert.deepEqual(await readBack(key, id), [Buffer.from('a log')])
})

test('bytes that are sent again while their object is being deleted are stored at once, and stay', async (t) => {
  const { app, store, environment, key } = await start(t)
  await send(key, 'a log')
  await moveAttachments(environment)
  await removeAll(app)
  const { arrived, release } = hold(store, 'DELETE')
  const deleting = unusedObjectsUpkeep.run(environment)
  await arrived
  const id = await send(key, 'a log')
  assert.deepEqual(await readBack(key, id), [Buffer.from('a log')])
  await moveAttachments(environment)
  release()
  await deleting
  assert.deepEqual([...store.objects.keys()], await pathsOf(app))
  assert.deepEqual(await readBack(key, id), [Buffer.from('a log')])
})

test('an attachment that is deleted and sent again while it is read is returned', async (t) => {
  const { app, store, environment, key } = await start(t)
  const id = await send(key, 'a log')
  await moveAttachments(environment)
  const { arrived, release } = hold(store, 'GET')
  const reading = readBack(key, id)
  await arrived
  await removeAll(app)
  await unusedObjectsUpkeep.run(environment)
  await send(key, 'a log')
  release()
  assert.deepEqual(await reading, [Buffer.from('a log')])
})

test('an attachment whose upload took so long that its object is being deleted stays in the database', async (t) => {
  const { app, store, environment, key } = await start(t)
  const id = await send(key, 'a log')
  const upload = hold(store, 'GET')
  const moving = moveAttachments(environment)
  await upload.arrived
  const deletion = hold(store, 'DELETE')
  const deleting = tidyLater(app)
  await deletion.arrived
  upload.release()
  const isWaiting = async () => (await app.sql(`select from pg_locks where not granted`)).length > 0
  await until('the move waits for the deletion', isWaiting)
  deletion.release()
  await Promise.all([moving, deleting])
  assert.deepEqual(await placesIn(app), [{ bytes: 5, moved: false }])
  assert.equal(store.objects.size, 0)
  assert.deepEqual(await readBack(key, id), [Buffer.from('a log')])
})
