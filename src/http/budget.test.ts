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
    holding.startArriving(() => {
      gone.push(`${name} ${amount}`)
      holding.stopArriving()
      holding.giveBack()
    })
    holding.setTo(amount)
    return holding
  }
  return { budget, begin, arrive, gone, pass: (ms: number) => (nowMs += ms) }
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
  steady.hasArrived(PACE)
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

test('who brings several at once gives one of them up to who has none, however fast they come', () => {
  const { arrive, begin, gone } = openBudget()
  for (const name of ['avery', 'child']) for (let i = 0; i < 5; i++) arrive(name, 100 + i).hasArrived(PACE)
  arrive('drew', 2)
  const blake = begin('blake')
  assert.ok(blake.canGrow())
  blake.setTo(100)
  assert.equal(gone.length, 1)
  assert.ok(/^(avery|child) /.test(gone[0]!))
  const casey = begin('casey')
  assert.ok(casey.canGrow())
  casey.setTo(100)
  assert.equal(gone.length, 2)
  arrive('drew', 200)
  assert.ok(!begin('casey').canGrow(), 'who has something already waits until there is room')
  assert.ok(!begin('guest').canGrow(), 'and so does who is not signed in')
  assert.equal(gone.length, 2)
})

test('who sends much at first must not wait with the rest', () => {
  const { arrive, begin, gone, pass } = openBudget()
  const holding = arrive('avery', 499)
  arrive('blake', 499)
  const last = arrive('drew', 2)
  last.stopArriving()
  holding.hasArrived(1_000 * PACE)
  pass(4_000)
  holding.hasArrived(1)
  assert.ok(!begin('casey').canGrow())
  pass(1_001)
  assert.ok(begin('casey').canGrow())
  assert.deepEqual(gone.splice(0), ['blake 499'])
  arrive('blake', 499)
  pass(4_000)
  holding.hasArrived(1)
  pass(1)
  assert.ok(begin('casey').canGrow())
  assert.deepEqual(gone, ['avery 499'], 'one byte now and then is no pace')
})

test('what has come and is worked on is not taken away', () => {
  const { arrive, begin, gone, pass } = openBudget()
  for (const name of ['avery', 'blake']) arrive(name, 500).stopArriving()
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
  holding.hasArrived(PACE)
  assert.ok(holding.canGrow())
  assert.deepEqual(gone, ['blake 1000'])
})
