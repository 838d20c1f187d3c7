import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fail } from '../errors.ts'
import { Gate, type GateLimits } from './gate.ts'

/** Creates a gate and work that ends on command, and records the order in which the work starts. */
function openGate(limits: GateLimits) {
  const gate = new Gate(limits)
  const begun: string[] = []
  const ends: (() => void)[] = []
  const work = (key: string, name = key) =>
    gate.run(key, () => {
      begun.push(name)
      return new Promise<void>((end) => ends.push(end))
    })
  const endOne = async () => {
    ends.shift()!()
    await new Promise(setImmediate)
  }
  return { gate, begun, work, endOne }
}

test('a limited number work at once, and waiting work starts as others leave', async () => {
  const { gate, begun, work, endOne } = openGate({ atOnce: 2 })
  const all = ['a', 'b', 'c'].map((key) => work(key))
  await new Promise(setImmediate)
  assert.deepEqual(
    { begun, working: gate.working, waiting: gate.waiting },
    { begun: ['a', 'b'], working: 2, waiting: 1 },
  )
  await endOne()
  assert.deepEqual(begun, ['a', 'b', 'c'])
  await endOne()
  await endOne()
  await Promise.all(all)
  assert.deepEqual([gate.working, gate.waiting], [0, 0])
})

test('a crowd under one key waits for itself: others get their turns in between', async () => {
  const { begun, work, endOne } = openGate({ atOnce: 1 })
  const all = [work('crowd', '1'), work('crowd', '2'), work('crowd', '3'), work('one', 'one'), work('two', 'two')]
  for (let i = 0; i < all.length; i++) {
    await new Promise(setImmediate)
    await endOne()
  }
  await Promise.all(all)
  assert.deepEqual(begun, ['1', 'one', 'two', '2', '3'])
})

test('with one turn per key, its work never overlaps and keeps its order', async () => {
  const { begun, work, endOne } = openGate({ atOnce: 10, perKey: 1 })
  const all = [work('a', 'a1'), work('a', 'a2'), work('b', 'b1')]
  await new Promise(setImmediate)
  assert.deepEqual(begun, ['a1', 'b1'])
  await endOne()
  assert.deepEqual(begun, ['a1', 'b1', 'a2'])
  await endOne()
  await endOne()
  await Promise.all(all)
})

test('a full queue refuses at once, and so does a wait that takes too long', async () => {
  const refusal = () => fail('notReady', 'busy', 5)
  const { gate, work, endOne } = openGate({ atOnce: 1, waiting: 2, waitingPerKey: 1, waitMs: 20, refusal })
  const first = work('a')
  const waits = assert.rejects(work('a'), /busy/)
  await assert.rejects(work('a'), /busy/)
  const other = assert.rejects(work('b'), /busy/)
  await assert.rejects(work('c'), /busy/)
  await Promise.all([waits, other])
  assert.equal(gate.waiting, 0)
  await endOne()
  await first
})

test('leaving twice returns one turn', async () => {
  const gate = new Gate({ atOnce: 1 })
  const leave = await gate.enter('a')
  const second = gate.enter('b')
  leave()
  leave()
  await second
  assert.equal(gate.working, 1)
  assert.equal(gate.tryEnter('c'), undefined)
})

test('waiting work can be cancelled', async () => {
  const gate = new Gate({ atOnce: 1 })
  await gate.enter('a')
  const [b, c] = [gate.enter('b'), gate.enter('c')]
  gate.refuseWaiting('b')
  await assert.rejects(b)
  gate.refuseWaiting()
  await assert.rejects(c)
})
