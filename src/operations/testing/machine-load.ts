import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { PATH } from '../../apps/buckets/testing.ts'
import type { Client } from './testing.ts'

/** One request. Its outcome is a status (`200`), a status with an error code (`503/5030`), or `no answer`. */
export interface Exchange {
  readonly outcome: string
  readonly startedMs: number
  readonly tookMs: number
}

/** Writers that continue after failures, and record which writes were acknowledged. */
export interface Load {
  readonly exchanges: readonly Exchange[]
  /** Creates a bucket, retrying until it exists, and directs all further writes to it. */
  turnTo(bucket: string): Promise<void>
  /** Waits for pending writes. Writes with an Idempotency-Key are retried until they succeed. */
  stop(): Promise<void>
  /** Fails if an acknowledged write is lost, or if a write took effect twice or was never sent. */
  check(): Promise<Tally>
}

interface Tally {
  readonly acknowledged: number
  /** Number of writes that took effect although the client got no response. */
  readonly unanswered: number
}

interface Write {
  readonly bucket: string
  outcome: string
}

/** Pause between two writes of one writer, which leaves processor time to the server. */
const PAUSE_MS = 2
const PAUSE_AFTER_FAILURE_MS = 15

const REASONS_TO_REPEAT = new Set(['no answer', '503/5030'])

/**
 * Starts writers. Half of them write each value under a new key of one bucket and never retry. Each of the others has
 * its own bucket and retries every write with an Idempotency-Key until it is acknowledged, so the bucket's version
 * counts how often writes took effect.
 */
export async function startLoad(
  t: TestContext,
  clients: readonly Client[],
  { name = 'load', writers = 4 } = {},
): Promise<Load> {
  const exchanges: Exchange[] = []
  const writes: Write[] = []
  const counters = Array.from({ length: writers }, (_, i) => ({ bucket: `${name} counter ${i}`, value: 0 }))
  let bucket = ''
  let isOver = false
  let isGivenUp = false
  t.after(() => {
    isOver = true
    isGivenUp = true
  })

  const exchange = async (call: () => ReturnType<Client['get']>) => {
    const startedMs = performance.now()
    const answer = await call().catch(() => undefined)
    const code = answer?.body?.error_code
    const outcome = answer ? `${answer.status}${code ? `/${code}` : ''}` : 'no answer'
    exchanges.push({ outcome, startedMs, tookMs: performance.now() - startedMs })
    await delay(answer?.status === 200 ? PAUSE_MS : PAUSE_AFTER_FAILURE_MS)
    return { answer, outcome }
  }
  const repeat = async (method: 'put' | 'post', body: object, key: string) => {
    for (let tries = Math.floor(Math.random() * clients.length); !isGivenUp; tries++) {
      const client = clients[tries % clients.length]!
      const { answer, outcome } = await exchange(() => client[method](PATH, body, { 'idempotency-key': key }))
      if (answer?.status === 200) return answer
      assert.ok(REASONS_TO_REPEAT.has(outcome), answer?.text)
    }
    return assert.fail('the test is over')
  }
  const turnTo = async (id: string) => {
    await repeat('put', { id }, id)
    bucket = id
  }
  const writeOnce = async (client: Client) => {
    while (!isOver) {
      const n = writes.length
      const write: Write = { bucket, outcome: 'under way' }
      writes.push(write)
      const { outcome } = await exchange(() => client.post(PATH, { id: write.bucket, key: `n${n}`, value: n }))
      write.outcome = outcome
    }
  }
  const count = async (counter: { bucket: string; value: number }) => {
    while (!isOver) {
      const value = ++counter.value
      const { body } = await repeat('post', { id: counter.bucket, key: 'value', value }, `${counter.bucket} ${value}`)
      assert.deepEqual({ version: body.version, data: body.data }, { version: value + 1, data: { value } })
    }
  }

  for (const counter of counters) await repeat('put', { id: counter.bucket }, counter.bucket)
  await turnTo(name)
  const work = Promise.all([
    ...counters.map(count),
    ...Array.from({ length: writers }, (_, i) => writeOnce(clients[i % clients.length]!)),
  ])
  // A failure is reported by `stop`; until then, it must not count as an unhandled rejection.
  work.catch(() => {})

  return {
    exchanges,
    turnTo,
    stop: async () => {
      isOver = true
      await work
    },
    check: async () => {
      for (const { bucket, value } of counters) {
        const { version, data } = (await clients[0]!.get(PATH, { id: bucket })).body
        assert.deepEqual({ version, data }, { version: value + 1, data: { value } }, bucket)
      }
      const kept = new Map<string, Record<string, number>>()
      for (const id of new Set(writes.map((write) => write.bucket)))
        kept.set(id, (await clients[0]!.get(PATH, { id })).body.data)
      const done = writes.filter((write, n) => {
        const value = kept.get(write.bucket)![`n${n}`]
        if (write.outcome === '200') assert.equal(value, n, `the acknowledged write ${n} is lost`)
        return value === n
      })
      const all = [...kept.values()].flatMap(Object.keys)
      assert.equal(all.length, done.length, 'the buckets hold a value that was never sent')
      const countDone = (outcome: string) => done.filter((write) => write.outcome === outcome).length
      return {
        acknowledged: countDone('200') + counters.reduce((sum, { value }) => sum + value, 0),
        unanswered: countDone('no answer'),
      }
    },
  }
}
