import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Gatherer } from './gather.ts'

/** Opens a gatherer that only records the items that are written together. */
function open(fails: (items: readonly number[]) => boolean = () => false) {
  const written: number[][] = []
  let inside = 0
  const gatherer = new Gatherer<number, number>({
    most: 10,
    weigh: (n) => n,
    write: async (items) => {
      assert.equal(++inside, 1, 'two at once')
      await sleep(2)
      inside--
      if (fails(items)) throw new Error(`failed: ${items}`)
      written.push([...items])
      return items.map((n) => (n === 7 ? new Error('seven') : n * 2))
    },
  })
  return { written, add: (n: number) => gatherer.add(n) }
}

test('items that arrive together are written together, up to a weight; heavier ones are written alone', async () => {
  const { written, add } = open()
  assert.deepEqual(await Promise.all([3, 4, 5, 20, 1, 1].map(add)), [6, 8, 10, 40, 2, 2])
  assert.deepEqual(written, [[3, 4], [5], [20], [1, 1]])
  assert.equal(await add(2), 4)
})

test('each item keeps its own outcome', async () => {
  const { written, add } = open()
  const outcomes = await Promise.allSettled([1, 7, 2].map(add))
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  )
  assert.deepEqual(written, [[1, 7, 2]])
})

test('an item that breaks a write is refused alone, and the others are written', async () => {
  const { written, add } = open((items) => items.includes(4))
  const outcomes = await Promise.allSettled([1, 4, 2].map(add))
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  )
  assert.deepEqual(written, [[1], [2]])
})

test('writes run one after the other, however many items arrive meanwhile', async () => {
  const { written, add } = open()
  const all: Promise<number>[] = []
  for (let n = 0; n < 100; n++) {
    all.push(add(1))
    if (n % 10 === 0) await sleep(1)
  }
  assert.equal((await Promise.all(all)).length, 100)
  assert.equal(written.flat().length, 100)
  assert.ok(written.length < 60, `${written.length} writes`)
})
