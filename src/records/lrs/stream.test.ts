import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { signInBrowser } from '../../apps/account/testing.ts'
import { openStream, type Stream, UNLIMITED } from '../../apps/buckets/testing.ts'
import { until } from '../../kernel/database/test-database.ts'
import { Client, sharedApp } from '../../operations/testing/testing.ts'
import { changeCredential, revokeCredential } from '../credentials/managing.ts'
import { basicOf, makeTestKey } from '../credentials/testing.ts'
import { statementStream } from './stream.ts'
import { activity, agent, make, PATH, type StatementWithId, save, VERBS, voiding } from './testing.ts'

const shared = sharedApp(UNLIMITED)
const second = shared.then((app) => app.startSecond())
const elsewhere = second.then(({ environments }) => environments.find(({ name }) => name === 'production')!)
const key = shared.then((app) => makeTestKey(app))

const follow = async (query: Record<string, string> = {}, headers: Record<string, string> = {}, address?: string) => {
  const { client, basic } = await key
  // `openStream` would send the token of the client; authenticate with the key instead.
  const stream = await openStream(
    new Client(address ?? client.address),
    query,
    { authorization: basic, ...headers },
    `${PATH}/stream`,
  )
  const ready = await stream.next()
  assert.equal(ready.event, 'ready')
  return { ...stream, seen: ready.id! }
}

/** Reads `many` events, all of which must be statements. */
async function take(stream: Pick<Stream, 'next'>, many: number): Promise<{ id: string; statement: StatementWithId }[]> {
  const taken = []
  for (let i = 0; i < many; i++) {
    const { id, event, data } = await stream.next(10_000)
    assert.equal(event, 'statement')
    taken.push({ id: id!, statement: data })
  }
  return taken
}
const idsOf = (taken: { statement: StatementWithId }[]) => taken.map(({ statement }) => statement.id)

test('streams each accepted statement completely, filtered like the statements resource', async () => {
  const app = await shared
  const object = activity()
  const [all, chosen] = [await follow(), await follow({ activity: object.id, verb: `${VERBS}/flew` })]
  const other = make()
  const landed = make({ object, verb: { id: `${VERBS}/landed` } })
  const one = make({ object })
  await save(app.environment(), [other, landed])
  await save(await elsewhere, [one])
  const [, , last] = await take(all, 3)
  const [told] = await take(chosen, 1)
  assert.deepEqual(told, last)
  const { stored, timestamp, ...rest } = told!.statement
  assert.deepEqual([rest, timestamp], [one, stored])
  assert.equal(Number(told!.id), new Date(`${stored!.slice(0, 23)}Z`).getTime() * 1000 + Number(stored!.slice(23, 26)))
  await Promise.all([all.close(), chosen.close()])
})

test('statements of 20 writers on two processes arrive once and in order, however often a listener reconnects to the other process', async () => {
  const app = await shared
  const object = activity()
  const addresses = [app.address, (await second).addresses.production]
  const steady = await follow({ activity: object.id })
  const made: StatementWithId[] = []
  let isWriting = true
  const write = async (i: number) => {
    const environment = i % 2 ? await elsewhere : app.environment()
    for (let n = 0; n < 10; n++) {
      // Store statements in between that do not match this stream's filter.
      const mine = make({ object })
      made.push(mine)
      await save(environment, n % 3 ? [make(), mine] : [mine])
    }
  }
  /** Reads some events, disconnects abruptly, and resumes on the other process. */
  const listen = async () => {
    const seen: { id: string; statement: StatementWithId }[] = []
    let last = steady.seen
    for (let turn = 0; isWriting || seen.length < made.length; turn++) {
      const stream = await follow({ activity: object.id }, { 'last-event-id': last }, addresses[turn % 2])
      assert.equal(stream.seen, last)
      const most = Math.min(7, isWriting ? 7 : made.length - seen.length)
      for (let i = 0; i < most; i++) {
        const event = await Promise.race([stream.next(10_000), sleep(300)]).catch(() => undefined)
        if (!event) break
        seen.push({ id: event.id!, statement: event.data })
        last = event.id!
      }
      await stream.close()
    }
    return seen
  }
  const listening = listen()
  await Promise.all(Array.from({ length: 20 }, (_, i) => write(i)))
  isWriting = false
  const [whole, broken] = [await take(steady, made.length), await listening]
  assert.deepEqual(new Set(idsOf(whole)), new Set(made.map(({ id }) => id)))
  const numbers = whole.map(({ id }) => Number(id))
  assert.deepEqual(
    numbers,
    [...new Set(numbers)].sort((a, b) => a - b),
  )
  assert.deepEqual(idsOf(broken), idsOf(whole))
  await steady.close()
})

test('starts after `since`, catches up page by page, and sends voided statements before those that void them', async () => {
  const app = await shared
  const object = activity()
  const since = new Date(Date.now() - 1).toISOString()
  const made = Array.from({ length: 1200 }, () => make({ object, result: { response: 'x'.repeat(400) } }))
  await save(app.environment(), made.slice(0, 600))
  await save(app.environment(), made.slice(600))
  const end = voiding(made[7]!)
  await save(app.environment(), [end])
  const stream = await follow({ since, activity: object.id })
  assert.deepEqual(
    idsOf(await take(stream, 1201)),
    [...made, end].map(({ id }) => id),
  )
  await stream.close()
  // A new stream without `since` gets only statements that are stored after it was opened.
  const fresh = await follow({ activity: object.id })
  const next = make({ object })
  await save(app.environment(), [next])
  assert.deepEqual(idsOf(await take(fresh, 1)), [next.id])
  await fresh.close()
})

test('an unknown event id restarts the stream, and says so', async () => {
  const app = await shared
  const stream = await follow({}, { 'last-event-id': '9007199254740991' })
  const { event, id } = await stream.next()
  assert.equal(event, 'reset')
  const one = make()
  await save(app.environment(), [one])
  const [told] = await take(stream, 1)
  assert.ok(Number(told!.id) > Number(id))
  await stream.close()
})

test("ends with the key, the administrator's session, or the scope", async () => {
  const app = await shared
  const open = (headers: Record<string, string>) => openStream(new Client(app.address), {}, headers, `${PATH}/stream`)
  const short = await makeTestKey(app)
  const byKey = await open({ authorization: basicOf(short.key, short.secret) })
  await byKey.next()
  await revokeCredential(app.environment().db, { at: new Date(), requestId: 'test', address: 'test' }, short)
  await byKey.ended()
  const narrowed = await makeTestKey(app)
  const byScope = await open({ authorization: basicOf(narrowed.key, narrowed.secret) })
  await byScope.next()
  const operator = { at: new Date(), requestId: 'test', address: 'test' }
  const { db } = app.environment()
  await changeCredential(db, operator, { key: narrowed.key, scopes: ['statements/write'] }, app.environment())
  await byScope.ended()
  await app.sql(`update people set administrator = true where handle = '@ellis'`)
  const ellis = await signInBrowser(app, 'ellis')
  const cookie = [...ellis.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const byPage = await open({ cookie })
  await byPage.next()
  await save(app.environment(), [make()])
  assert.equal((await byPage.next()).event, 'statement')
  await app.sql(`update people set administrator = false where handle = '@ellis'`)
  await byPage.ended()
  const avery = await app.as('avery')
  const [{ id: person } = {}] = await app.sql(`select id from people where handle = '@avery'`)
  const [{ id: first } = {}] = await app.sql(`select id from apps where name = 'first'`)
  // Pass the token as a query parameter: a browser cannot send an Authorization header with an event stream.
  const mine = await openStream(new Client(app.address), { authorization: avery.token! }, {}, `${PATH}/stream`)
  await mine.next()
  const own = make()
  await save(app.environment(), [make({ actor: agent('somebody') })])
  await save(app.environment(), [own], { senderKey: `app ${first} person ${person}` })
  assert.deepEqual(idsOf(await take(mine, 1)), [own.id])
  await mine.close()
  await until('nobody is left', () => app.environment().get(statementStream).size === 0)
})
