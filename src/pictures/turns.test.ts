import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { fail } from '../errors.ts'
import { ImageQueue } from './queue.ts'

const TOO_MANY = { message: /^Too many images are being worked on/, kind: 'notReady' }
const TOO_SLOW = { message: /^The image takes too long to read/, kind: 'validationFailed' }

const settle = () => new Promise((resolve) => setImmediate(resolve))

/** A queue whose clock the test moves, and images that take as long as the test wants. */
function begin(t: TestContext) {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const queue = new ImageQueue('production')
  const send = (household: string, to = queue) => {
    const { promise, resolve, reject } = Promise.withResolvers<string>()
    const seen: { signal?: AbortSignal } = {}
    const answer = to.inTurn({ household, network: household, hasLeft: () => false }, (signal) => {
      seen.signal = signal
      return promise
    })
    answer.catch(() => undefined)
    return { answer, end: resolve, break: reject, seen }
  }
  const pass = async (ms: number) => {
    t.mock.timers.tick(ms)
    await settle()
  }
  return { queue, send, pass }
}

test('an image that does not end costs others fifteen seconds, and its household its turns until it does', async (t) => {
  const { queue, send, pass } = begin(t)
  const [slow, another, next] = [send('a'), send('a'), send('b')]
  await pass(14_999)
  assert.deepEqual([slow.seen.signal?.aborted, next.seen.signal], [false, undefined])
  await pass(1)
  await assert.rejects(slow.answer, TOO_SLOW)
  assert.ok(slow.seen.signal?.aborted)
  await assert.rejects(another.answer, TOO_MANY)
  await assert.rejects(send('a').answer, TOO_MANY)
  assert.equal(next.seen.signal?.aborted, false)
  next.end('made')
  assert.equal(await next.answer, 'made')
  slow.break(fail('validationFailed'))
  await settle()
  const again = send('a')
  again.end('made')
  assert.equal(await again.answer, 'made')
  // Whoever was in time is not disturbed by the clock.
  await pass(60_000)
  assert.equal(queue.countWaiting(), 0)
})

test('where two images do not end, everybody in every environment is told to come again, until one is back', async (t) => {
  const { send, pass } = begin(t)
  const sandbox = new ImageQueue('sandbox')
  const [first, second] = [send('a'), send('b')]
  await pass(15_000)
  await assert.rejects(first.answer, TOO_SLOW)
  const waiting = [send('c'), send('d', sandbox)]
  await pass(15_000)
  await assert.rejects(second.answer, TOO_SLOW)
  for (const one of [...waiting, send('e'), send('a', sandbox)]) {
    await assert.rejects(one.answer, TOO_MANY)
    assert.equal(one.seen.signal, undefined)
  }
  first.end('too late')
  await settle()
  const served = [send('c'), send('a'), send('d', sandbox)]
  for (const one of served) one.end('made')
  for (const one of served) assert.equal(await one.answer, 'made')
  await assert.rejects(send('b').answer, TOO_MANY)
  second.end('too late')
  await settle()
})

test('who waits is answered after thirty seconds, whatever the images before do', async (t) => {
  const { queue, send, pass } = begin(t)
  const before = [send('a'), send('b'), send('c')]
  const waiting = send('d')
  await pass(10_000)
  const late = send('e')
  before[0]!.end('made')
  await pass(10_000)
  before[1]!.end('made')
  await pass(9_999)
  assert.equal(queue.countWaiting(), 2)
  await pass(1)
  await assert.rejects(waiting.answer, TOO_MANY)
  assert.equal(queue.countWaiting(), 1)
  for (const one of [before[2]!, late]) one.end('made')
  assert.equal(await late.answer, 'made')
})
