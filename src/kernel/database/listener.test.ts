import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Database, openDatabase } from './database.ts'
import { type Message, notify } from './listener.ts'
import { createTestDatabase, layWire, runSql, until, type Wire } from './test-database.ts'

const { connection, drop } = await createTestDatabase()
const problems: string[] = []
let wire: Wire
let here: Database
let there: Database
let elsewhere: Database

const open = (schema: string, over = connection) =>
  openDatabase({
    connection: over,
    schema,
    poolSize: 2,
    readConnections: 1,
    statementTimeoutMs: 5_000,
    onProblem: (error) => problems.push(error.message),
  })

before(async () => {
  await runSql(connection, 'create schema one; create schema two')
  wire = await layWire(connection)
  here = await open('one')
  there = await open('one', wire.connection)
  elsewhere = await open('two')
})
after(async () => {
  await Promise.all([here.close(), there.close(), elsewhere.close()])
  wire.close()
  await drop()
})

const hear = (db: Database, topic: string): Message[] => {
  const heard: Message[] = []
  db.onMessage(topic, (message) => heard.push(message))
  return heard
}

test('a notification reaches every process of the environment, and no other environment', async () => {
  const [own, other, foreign, offTopic] = [
    hear(here, 'token'),
    hear(there, 'token'),
    hear(elsewhere, 'token'),
    hear(there, 'app'),
  ]
  await notify(here, 'token', { id: 7, name: "it's" })
  assert.ok(own.length >= 1, 'this process has heard it already')
  await until('both heard it', () => own.length === 2 && other.length === 1)
  await notify(elsewhere, 'token', { id: 8 })
  await until('the other environment heard its own', () => foreign.length === 2)
  const message = { id: 7, name: "it's", topic: 'token' }
  assert.deepEqual(
    [own, other, foreign, offTopic],
    [
      [message, message],
      [message],
      [
        { id: 8, topic: 'token' },
        { id: 8, topic: 'token' },
      ],
      [],
    ],
  )
})

test("a transaction's notifications are sent after its commit, and never after a rollback", async () => {
  const heard = hear(there, 'commit')
  await here.transaction(async (tx) => {
    await notify(tx, 'commit', { n: 1 })
    await new Promise((resolve) => setTimeout(resolve, 100))
    assert.deepEqual(heard, [])
  })
  await until('the commit was heard', () => heard.length === 1)
  await assert.rejects(
    here.transaction(async (tx) => {
      await notify(tx, 'commit', { n: 2 })
      throw new Error('rolled back')
    }),
  )
  await notify(here, 'commit', { n: 3 })
  await until('the next commit was heard', () => heard.length === 2)
  assert.deepEqual(
    heard.map(({ n }) => n),
    [1, 3],
  )
})

test('a foreign payload and a failing handler are reported, and other handlers keep working', async () => {
  problems.length = 0
  there.onMessage('broken', () => {
    throw new Error('handler')
  })
  const heard = hear(there, 'broken')
  await runSql(connection, "select pg_notify('one', 'not json'), pg_notify('one', 'null')")
  await notify(here, 'broken')
  await until('the second handler heard it', () => heard.length === 1)
  assert.ok(problems.includes('handler'))
  assert.ok(problems.some((problem) => problem.includes('JSON')))
})

test('subscribers are told at once when notifications may be missed, and when they arrive again', async () => {
  const states: boolean[] = []
  there.onListening((isListening) => states.push(isListening))
  assert.deepEqual(states, [true])
  wire.cut()
  await until('the loss was noticed', () => states.length === 2, 500)
  wire.mend()
  await until('it listens again', () => states.length === 3)
  assert.deepEqual(states, [true, false, true])
  const heard = hear(there, 'again')
  await notify(here, 'again')
  await until('it hears again', () => heard.length === 1)
})

test('the heartbeat detects a connection that died silently', async () => {
  const states: boolean[] = []
  there.onListening((isListening) => states.push(isListening))
  wire.stall()
  await until('the heartbeat failed', () => states.at(-1) === false, 8_000)
  wire.mend()
  await until('it listens again', () => states.at(-1) === true, 8_000)
})
