import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { UNLIMITED } from '../../apps/buckets/testing.ts'
import { Client, sharedApp } from '../../operations/testing/testing.ts'
import { makeTestKey } from '../credentials/testing.ts'

const SHARE_KIB = 100
const shared = sharedApp({ ...UNLIMITED, RECORDS_APP_BYTES: String(1024 * 1024 * 1024) })
const second = shared.then((app) => app.startSecond())
const HEADERS = { 'x-experience-api-version': '2.0.0' }
const PATH = '/xapi/statements'

/** Makes a key, with a client of each process. */
async function openKey() {
  const { client, basic, credentialId } = await makeTestKey(await shared)
  return { clients: [client, new Client((await second).addresses.production, basic)] as const, credentialId }
}

const make = (object: object) => ({
  id: randomUUID(),
  actor: { mbox: 'mailto:ada@example.org' },
  verb: { id: 'https://example.org/verbs/flew' },
  object,
})
const newActivity = () => ({ id: `https://example.org/sorties/${randomUUID()}` })

interface Seen {
  readonly id: string
  readonly stored: string
}

test('while two processes write, a reader who pages through the statements misses none, and sees them in order', async () => {
  const { clients } = await openKey()
  const object = newActivity()
  const sent: string[] = []
  const reads: { since: string; through: string; found: Seen[] }[] = []
  let isWriting = true
  const write = async (i: number) => {
    for (let n = 0; n < 25; n++) {
      // On a busy machine, wait for the reader after some writes, so that it reads often enough.
      while (reads.length * 4 < n) await sleep(5)
      // The writers pause, so that the reader keeps up and reads what has just been stored.
      await sleep(Math.random() * 40)
      const made = Array.from({ length: n % 8 === 0 ? 5 : 1 }, () => make(object))
      const { status, text } = await clients[i % 2]!.post(PATH, made, HEADERS)
      assert.equal(status, 200, text)
      sent.push(...made.map(({ id }) => id))
    }
  }
  /** Reads all pages after `since`. The first response says up to when nothing is missing. */
  const readFrom = async (since: string, turn: number) => {
    const found: Seen[] = []
    let through = ''
    const query = new URLSearchParams({ activity: object.id, ascending: 'true', limit: '7', since })
    for (let path = `${PATH}?${query}`; path !== ''; turn++) {
      const { status, headers, text } = await clients[turn % 2]!.get(path, {}, HEADERS)
      assert.equal(status, 200, text)
      through ||= headers.get('x-experience-api-consistent-through')!
      const page = JSON.parse(text) as { statements: Seen[]; more: string }
      found.push(...page.statements)
      path = page.more
    }
    return { since, through, found }
  }
  const read = async () => {
    let last = '2020-01-01T00:00:00Z'
    for (let turn = 0; isWriting; turn++) {
      const one = await readFrom(last, turn)
      reads.push(one)
      last = one.found.at(-1)?.stored ?? last
    }
    reads.push(await readFrom(last, 0))
  }
  const reading = read()
  await Promise.all(Array.from({ length: 8 }, (_, i) => write(i)))
  isWriting = false
  await reading

  const seen = reads.flatMap(({ found }) => found)
  const order = seen.map(({ stored }) => stored)
  assert.deepEqual(order, [...new Set(order)].sort(), 'each `stored` is later than the one before')
  assert.deepEqual(seen.map(({ id }) => id).toSorted(), sent.toSorted())
  for (const { since, through, found } of reads)
    assert.deepEqual(
      seen.filter(({ stored }) => stored > since && stored <= through && !found.some((one) => one.stored === stored)),
      [],
      'a response has everything up to its X-Experience-API-Consistent-Through',
    )
  assert.ok(reads.length > 5, `${reads.length} reads while there were writers`)
})

test('definitions that two processes send at once are merged', async () => {
  const { clients } = await openKey()
  for (let round = 0; round < 10; round++) {
    const { id } = newActivity()
    const languages = Array.from({ length: 8 }, (_, i) => `en-x-${round}-${i}`)
    await Promise.all(
      languages.map(async (language, i) => {
        const sent = make({ id, definition: { name: { [language]: language } } })
        assert.equal((await clients[i % 2]!.post(PATH, sent, HEADERS)).status, 200)
      }),
    )
    const { text } = await clients[0].get(`/xapi/activities?activityId=${encodeURIComponent(id)}`, {}, HEADERS)
    assert.deepEqual(Object.keys(JSON.parse(text).definition.name).toSorted(), languages.toSorted())
  }
})

test('two processes that store for one key never exceed its share together', async () => {
  const app = await shared
  const { clients, credentialId } = await openKey()
  assert.equal((await clients[0].post(PATH, make(newActivity()), HEADERS)).status, 200)
  const limit = 1024 * 1024 * 1024
  await app.sql(`update shares set bytes = ${limit - SHARE_KIB * 1024} where credential_id = ${credentialId}`)
  const large = { 'https://example.org/x': 'x'.repeat(3000) }
  const outcomes = await Promise.all(
    Array.from({ length: 60 }, async (_, i) => {
      const sent = { ...make(newActivity()), result: { extensions: large } }
      return (await clients[i % 2]!.post(PATH, sent, HEADERS)).status
    }),
  )
  const [share] = await app.sql(`select bytes from shares where credential_id = ${credentialId}`)
  assert.ok(Number(share!.bytes) <= limit, `${share!.bytes} of ${limit}`)
  assert.ok(Number(share!.bytes) > limit - 8 * 1024, 'the share is used up')
  assert.deepEqual(new Set(outcomes), new Set([200, 400]))
})
