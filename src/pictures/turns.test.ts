import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { fail } from '../errors.ts'
import { ImageQueue } from './queue.ts'

const TOO_MANY = { message: /^Too many images are being worked on/, kind: 'notReady' }

const settle = () => new Promise((resolve) => setImmediate(resolve))

/** A queue whose clock the test moves, and images that take as long as the test wants. */
function begin(t: TestContext) {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const queue = new ImageQueue()
  const send = (household: string) => {
    const { promise, resolve, reject } = Promise.withResolvers<string>()
    const seen = { hasBegun: false }
    const answer = queue.inTurn({ household, network: household, hasLeft: () => false }, () => {
      seen.hasBegun = true
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

test('an image that is refused gives its turn to the next', async (t) => {
  const { queue, send } = begin(t)
  const [first, second, third] = [send('a'), send('b'), send('c')]
  first.break(fail('validationFailed'))
  await assert.rejects(first.answer, { kind: 'validationFailed' })
  assert.deepEqual([second.seen.hasBegun, third.seen.hasBegun], [true, false])
  second.break(new Error('not foreseen'))
  await assert.rejects(second.answer, /not foreseen/)
  third.end('made')
  assert.equal(await third.answer, 'made')
  const later = send('a')
  later.end('made')
  assert.equal(await later.answer, 'made')
  assert.equal(queue.countWaiting(), 0)
})

test('whoever is sent away leaves the others in their places', async (t) => {
  const { queue, send } = begin(t)
  const [first, ...waiting] = [send('a'), send('b'), send('c'), send('b')]
  queue.refuseAll('b')
  for (const one of [waiting[0]!, waiting[2]!]) {
    await assert.rejects(one.answer, TOO_MANY)
    assert.equal(one.seen.hasBegun, false)
  }
  assert.equal(queue.countWaiting(), 1)
  first!.end('made')
  await first!.answer
  waiting[1]!.end('made')
  assert.equal(await waiting[1]!.answer, 'made')
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
