import { after, afterEach } from 'node:test'
import { PlatformError } from '../errors.ts'
import { type Database, type DatabaseOptions, type Db, openDatabase } from './database.ts'
import { c, read, write } from './statement.ts'
import { createTestDatabase, layWire, runSql, type Wire } from './test-database.ts'

const SCHEMA = 'data "base"'
export const QUOTED = '"data ""base"""'

export const isNotReady = (error: unknown): error is PlatformError =>
  error instanceof PlatformError && error.kind === 'notReady'
export const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/**
 * Creates a database with a table of accounts for one test file, and drops it at the end of the file. Everything that a
 * test opens is closed after the test. Test files run concurrently on one server, so each uses its own
 * `applicationName`. The statements are declared inside the function, because statements declared when a file is loaded
 * are checked against the product's tables.
 */
export async function createAccounts(applicationName: string) {
  const readBalance = read('database.balance', {
    params: { id: c.int8 },
    row: { amount: c.int8 },
    text: 'select amount from accounts where id = :id',
  })
  const addAmount = write('database.add', {
    params: { id: c.int8, by: c.int8 },
    row: { amount: c.int8 },
    text: 'update accounts set amount = amount + :by where id = :id returning amount',
  })
  const insertAccount = write('database.insert', {
    params: { id: c.int8 },
    row: {},
    text: 'insert into accounts (id, amount) values (:id, 0)',
  })
  const sleepWriting = write('database.sleep', {
    params: { seconds: c.float8 },
    row: { slept: c.text },
    text: 'select pg_sleep(:seconds)::text as slept',
  })
  const sleepReading = read('database.sleep-reading', {
    params: { seconds: c.float8 },
    row: { slept: c.text },
    text: 'select pg_sleep(:seconds)::text as slept',
  })

  const { connection, drop } = await createTestDatabase()
  const opened: Database[] = []
  const wires: Wire[] = []

  const open = async (options: Partial<DatabaseOptions> = {}): Promise<Database> => {
    const db = await openDatabase({
      connection,
      schema: SCHEMA,
      poolSize: 4,
      readConnections: 1,
      statementTimeoutMs: 5_000,
      applicationName,
      onProblem: () => {},
      ...options,
    })
    opened.push(db)
    return db
  }
  const openOverWire = async (options: Partial<DatabaseOptions> = {}): Promise<{ db: Database; wire: Wire }> => {
    const wire = await layWire(connection)
    wires.push(wire)
    return { wire, db: await open({ ...options, connection: wire.connection }) }
  }
  const balance = async (db: Db, id: number) => (await db.first(readBalance, { id }))?.amount

  await runSql(
    connection,
    `create schema ${QUOTED}; create table ${QUOTED}.accounts (id int8 primary key, amount int8 not null)`,
  )
  afterEach(async () => {
    for (const wire of wires) wire.mend()
    await Promise.all(opened.splice(0).map((db) => db.close()))
    for (const wire of wires.splice(0)) wire.close()
  })
  after(drop)

  let lastId = 0
  const newAccount = async (): Promise<number> => {
    lastId++
    await runSql(connection, `insert into ${QUOTED}.accounts values (${lastId}, 0)`)
    return lastId
  }

  return {
    connection,
    opened,
    open,
    openOverWire,
    newAccount,
    balance,
    readBalance,
    addAmount,
    insertAccount,
    sleepWriting,
    sleepReading,
  }
}
