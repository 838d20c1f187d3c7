import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { until } from '../database/test-database.ts'
import { Feed, type FeedEvent, type FeedSource } from './feed.ts'
import type { EventSink } from './sink.ts'

const PAGE = 3

/** A source with two sequences in memory. Their numbers have gaps, like event ids. It counts the reads. */
class Sequences implements FeedSource<string> {
  readonly recheckMs?: number
  readonly silent = new Set<number>()
  readonly asked = { look: 0, read: 0 }
  readonly refused = new Set<string>()
  oldest = 0
  readonly #items = new Map<number, number[]>()

  constructor(recheckMs?: number) {
    if (recheckMs !== undefined) this.recheckMs = recheckMs
  }

  add(key: number, ...ids: number[]): void {
    this.#items.set(key, [...(this.#items.get(key) ?? []), ...ids])
  }

  async look(keys: readonly number[]): Promise<Map<number, number>> {
    this.asked.look++
    return new Map(keys.flatMap((key) => (this.#items.has(key) ? [[key, this.#last(key)]] : [])))
  }

  async readAccess(key: number) {
    const last = this.#last(key)
    const accessOf = (name: string) => (this.refused.has(name) ? { event: 'removed', data: '' } : 0)
    return { last, accessOf }
  }

  async read(key: number, after: number, last: number): Promise<FeedEvent[] | undefined> {
    this.asked.read++
    if (after < this.oldest) return undefined
    const unseen = this.#items.get(key)!.filter((id) => id > after && id <= last)
    return unseen.slice(0, PAGE).map((id) => ({ id, event: 'item', data: String(id), isSilent: this.silent.has(id) }))
  }

  async readWhole(key: number) {
    return () => ({ id: this.#last(key), event: 'reset', data: '' })
  }

  #last(key: number): number {
    return this.#items.get(key)?.at(-1) ?? 0
  }
}

/** Follows a sequence of the feed until the stream is closed, and collects what was sent. */
function follow(feed: Feed<string>, key: number, seen: number, follower = 'somebody', most = 100) {
  const told: string[] = []
  const closing: (() => void)[] = []
  const sink: EventSink = {
    send: ({ id, event }) => void told.push(id === undefined ? event : `${event} ${id}`),
    close: () => {
      for (const handler of closing) handler()
    },
    onClose: (handler) => void closing.push(handler),
  }
  const counts = [
    { key: follower, most, whose: 'A user' },
    { key: 'of all', most: most + 1, whose: 'Those of one house' },
  ]
  feed.follow({ key, follower, counts, seen, first: { event: 'ready', data: '' } })(sink)
  return { told, close: sink.close }
}

test('a follower catches up page by page, without delaying followers who are up to date', async (t) => {
  const source = new Sequences()
  source.add(1, ...Array.from({ length: 20 }, (_, i) => i * 10 + 10))
  source.add(2, 5)
  const feed = new Feed(source, 10)
  t.after(() => feed.close())
  const current = follow(feed, 1, 200)
  const behind = follow(feed, 1, 40)
  source.add(1, 217)
  await until('the news came', () => current.told.includes('item 217'))
  assert.ok(behind.told.length < 10)
  await until('it has caught up', () => behind.told.includes('item 217'))
  const missed = Array.from({ length: 16 }, (_, i) => `item ${i * 10 + 50}`)
  assert.deepEqual(behind.told, ['ready', ...missed, 'item 217'])
  assert.deepEqual(current.told, ['ready', 'item 217'])
})

test('one read per tick serves all followers, those at the same position share pages, and without followers nothing is read', async (t) => {
  const source = new Sequences()
  source.add(1, 10)
  const feed = new Feed(source, 100)
  t.after(() => feed.close())
  const followers = Array.from({ length: 50 }, () => follow(feed, 1, 10))
  source.add(1, 20)
  await until('all know', () => followers.every(({ told }) => told.includes('item 20')))
  assert.equal(source.asked.read, 1)
  for (const { close } of followers) close()
  assert.equal(feed.size, 0)
  await sleep(150)
  const looks = source.asked.look
  await sleep(300)
  assert.equal(source.asked.look, looks)
})

test('a follower beyond the kept history gets everything, and one who loses access is told so', async (t) => {
  const source = new Sequences()
  source.add(1, 10, 20, 30)
  source.oldest = 20
  const feed = new Feed(source, 10)
  t.after(() => feed.close())
  const [late, ahead] = [follow(feed, 1, 10, 'late'), follow(feed, 1, 99, 'ahead')]
  const near = follow(feed, 1, 20, 'near')
  await until('they were told', () => [late, ahead, near].every(({ told }) => told.length === 2))
  assert.deepEqual([late.told[1], ahead.told[1], near.told[1]], ['reset 30', 'reset 30', 'item 30'])
  source.refused.add('near')
  source.add(1, 40)
  await until('the stream ended', () => near.told.includes('removed'))
  await until('others go on', () => late.told.includes('item 40'))
  assert.deepEqual(near.told, ['ready', 'item 30', 'removed'])
  assert.equal(feed.size, 2)
  follow(feed, 1, 40, 'late', 2)
  assert.throws(() => follow(feed, 1, 40, 'late', 2), /A user can have at most 2 open streams/)
  assert.throws(() => follow(feed, 1, 40, 'another', 2), /Those of one house can have at most 3 open streams/)
  // The refused call above was not counted, so the same limit refuses this one.
  assert.throws(() => follow(feed, 1, 40, 'another', 2), /Those of one house can have at most 3 open streams/)
  ahead.close()
  const another = follow(feed, 1, 40, 'another', 2)
  another.close()
  follow(feed, 1, 40, 'another', 2)
})

test('a follower who loses access is told so even without news, if the source asks for that', async (t) => {
  const source = new Sequences(100)
  source.add(1, 10)
  const feed = new Feed(source, 10)
  t.after(() => feed.close())
  const [leaving, staying] = [follow(feed, 1, 10, 'leaving'), follow(feed, 1, 10, 'staying')]
  source.refused.add('leaving')
  await until('the stream ended', () => leaving.told.includes('removed'))
  assert.deepEqual(staying.told, ['ready'])
})

test('filtered entries are skipped, even at the end', async (t) => {
  const source = new Sequences()
  source.add(1, 10)
  const feed = new Feed(source, 10)
  t.after(() => feed.close())
  const { told } = follow(feed, 1, 10)
  source.silent.add(20)
  source.add(1, 20)
  await until('it was read', () => source.asked.read === 1)
  await sleep(300)
  assert.equal(source.asked.read, 1)
  source.add(1, 30)
  await until('the next came', () => told.includes('item 30'))
  assert.deepEqual(told, ['ready', 'item 30'])
})
