import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Budget, Holding, type Party } from './budget.ts'

const PACE = 64 * 1024

/** A budget of 1000 at a time of its own, and who had to give way there, in order. */
function openBudget() {
  const budget = new Budget(1_000)
  const gone: string[] = []
  let nowMs = 0
  const partyOf = (name: string): Party => ({ name, isGuest: name.startsWith('guest') })
  const begin = (name: string) => new Holding(budget, partyOf(name), () => nowMs)
  const arrive = (name: string, amount: number): Holding => {
    const holding = begin(name)
    holding.startMoving(() => {
      gone.push(`${name} ${amount}`)
      holding.stopMoving()
      holding.giveBack()
    })
    holding.setTo(amount)
    return holding
  }
  return { budget, begin, arrive, gone, now: () => nowMs, pass: (ms: number) => (nowMs += ms) }
}

test('while there is room, nobody gives way', () => {
  const { arrive, begin, gone, pass } = openBudget()
  arrive('avery', 400)
  arrive('blake', 400)
  pass(60_000)
  assert.ok(begin('casey').canGrow())
  assert.deepEqual(gone, [])
})

test('without room, the slowest of whoever holds the most gives way, and only once it had its time', () => {
  const { arrive, begin, gone, pass } = openBudget()
  arrive('avery', 100)
  pass(1)
  arrive('blake', 300)
  arrive('ellis', 200)
  pass(1)
  const steady = arrive('drew', 400)
  pass(4_998)
  assert.ok(!begin('casey').canGrow(), 'nobody had more than five seconds')
  pass(1)
  const casey = begin('casey')
  assert.ok(casey.canGrow())
  assert.deepEqual(gone.splice(0), ['avery 100'], 'blake holds more, but had five seconds and no more')
  casey.setTo(100)
  pass(10)
  steady.hasMoved(PACE)
  for (const [name, amount] of [
    ['finley', 300],
    ['someone', 200],
  ] as const) {
    const newcomer = begin(name)
    assert.ok(newcomer.canGrow())
    newcomer.setTo(amount)
  }
  assert.deepEqual(gone, ['blake 300', 'ellis 200'], 'and never the one that goes on coming')
  assert.ok(!begin('another').canGrow())
})

test('who has much gives some of it up to who has less, however fast it moves, until they have as much', () => {
  const { arrive, begin, gone } = openBudget()
  for (const name of ['avery', 'child']) for (let i = 0; i < 5; i++) arrive(name, 100).hasMoved(PACE)
  const takeOneMore = (name: string) => {
    if (begin(name).canGrow()) arrive(name, 100)
    return gone.splice(0).map((one) => one.split(' ')[0])
  }
  assert.deepEqual(takeOneMore('guest'), [], 'but not to who is not signed in')
  const given = ['blake', 'casey', 'blake', 'casey', 'blake', 'casey'].flatMap(takeOneMore)
  assert.deepEqual(given, ['avery', 'child', 'avery', 'child', 'avery', 'child'].slice(0, given.length))
  assert.equal(given.length, 4, 'now they have 300 and 200')
  for (const name of ['avery', 'child', 'blake', 'casey']) assert.deepEqual(takeOneMore(name), [], name)
  assert.deepEqual(takeOneMore('drew').length, 1, 'who has nothing gets one from who has two')
})

test('who has one, and it moves fast, keeps it', () => {
  const { arrive, begin, gone } = openBudget()
  arrive('avery', 499)
  arrive('blake', 499)
  arrive('drew', 2)
  assert.ok(!begin('casey').canGrow())
  const drew = begin('drew')
  assert.ok(!drew.canGrow())
  assert.deepEqual(gone, [])
})

test('where it is seen late that something moved, it may be so much later', () => {
  const { budget, begin, pass, now } = openBudget()
  const gone: string[] = []
  const read = (name: string) => {
    const holding = new Holding(budget, { name, isGuest: false }, now, 25_000)
    holding.startMoving(() => {
      gone.push(name)
      holding.giveBack()
    })
    holding.setTo(500)
    return holding
  }
  const [steady, stopped] = [read('avery'), read('blake')]
  for (let i = 0; i < 5; i++) {
    for (const one of i < 2 ? [steady, stopped] : [steady]) one.hasMoved(22 * PACE)
    pass(14_000)
    const casey = begin('casey')
    // Nobody is slow yet after 28 seconds, 14 after the last that was seen.
    assert.equal(casey.canGrow(), i > 1, String(i))
  }
  assert.deepEqual(gone, ['blake'])
})

test('who sends much at first must not wait with the rest', () => {
  const { arrive, begin, gone, pass } = openBudget()
  const holding = arrive('avery', 499)
  arrive('blake', 499)
  const last = arrive('drew', 2)
  last.stopMoving()
  holding.hasMoved(1_000 * PACE)
  pass(4_000)
  holding.hasMoved(1)
  assert.ok(!begin('casey').canGrow())
  pass(1_001)
  assert.ok(begin('casey').canGrow())
  assert.deepEqual(gone.splice(0), ['blake 499'])
  arrive('blake', 499)
  pass(4_000)
  holding.hasMoved(1)
  pass(1)
  assert.ok(begin('casey').canGrow())
  assert.deepEqual(gone, ['avery 499'], 'one byte now and then is no pace')
})

test('what has come and is worked on is not taken away', () => {
  const { arrive, begin, gone, pass } = openBudget()
  for (const name of ['avery', 'blake']) arrive(name, 500).stopMoving()
  pass(60_000)
  assert.ok(!begin('casey').canGrow())
  assert.deepEqual(gone, [])
})

test('nobody gives way to whom that would not help', () => {
  const { budget, arrive, begin, gone, pass } = openBudget()
  arrive('avery', 300)
  const giveBack = budget.take({ name: 'guest 1', isGuest: true }, 124)
  arrive('guest 2', 126)
  const giveBackOwn = budget.take({ name: 'blake', isGuest: false }, 500)
  pass(60_000)
  assert.ok(!begin('blake').canGrow(), 'it is the own share that is used up')
  assert.deepEqual(gone, [])
  assert.ok(begin('guest 3').canGrow())
  assert.deepEqual(gone, ['guest 2 126'])
  giveBack()
  giveBackOwn()
  arrive('casey', 500)
  pass(60_000)
  assert.ok(begin('casey').canGrow())
  assert.deepEqual(gone, ['guest 2 126', 'casey 500'], 'of the own ones the slow give way too')
})

test('nobody gives way to who is slow as well', () => {
  const { arrive, gone, pass } = openBudget()
  const holding = arrive('avery', 200)
  arrive('blake', 1_000)
  pass(6_000)
  assert.ok(!holding.canGrow())
  holding.hasMoved(PACE)
  assert.ok(holding.canGrow())
  assert.deepEqual(gone, ['blake 1000'])
})
