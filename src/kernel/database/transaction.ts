import type pg from 'pg'
import { classifyError, hasCode } from './connection.ts'
import { fetchBatches } from './cursor.ts'
import type { Tx } from './db.ts'
import { isConnectionLost, type Patience } from './patience.ts'
import { type Ends, Query } from './query.ts'
import type { Encoded, Report, RowReader, Statement } from './statement.ts'

/** How often the outermost work is repeated after a serialization failure or a deadlock. */
const RETRIES = 3

export async function run<R>(
  client: pg.PoolClient,
  statement: Statement<never, R>,
  values: Encoded[],
  ends: Ends = {},
): Promise<R[]> {
  const query = await new Promise<Query>((resolve, reject) => {
    const sent: Query = new Query(
      statement,
      values,
      (error) => (error ? reject(classifyError(error)) : resolve(sent)),
      ends,
    )
    client.query(sent)
  })
  return query.found.map(query.readerFrom(statement.makeRowReader) as RowReader<R>)
}

/**
 * Prepares BEGIN and COMMIT, so that a query can send them along with its own statement. `pg` can only prepare a
 * statement by running it.
 */
export async function prepareEnds(client: pg.ClientBase): Promise<void> {
  await Promise.all(['begin', 'commit'].map((end) => client.query({ name: end, text: end })))
}

export async function runTransaction<T>(
  takeClient: () => Promise<pg.PoolClient>,
  work: (tx: Tx) => Promise<T>,
  tellHere: (message: string) => void,
  onProblem: (error: Error) => void,
  patience: Patience,
): Promise<T> {
  for (let triesLeft = RETRIES; ; triesLeft--) {
    const client = await takeClient()
    const attempt = beginTransaction(client, tellHere)
    try {
      const result = await work(attempt.tx)
      await attempt.commit()
      client.release()
      for (const hook of attempt.hooks) runHook(hook, onProblem)
      return result
    } catch (error) {
      const isLost = !(await attempt.rollBack()) || isConnectionLost(error)
      client.release(isLost)
      const mayRepeat = isLost ? patience.isOn && attempt.isLostBeforeCommit() : attempt.isRetryable()
      if (!mayRepeat || triesLeft === 0) throw error
    }
    // A random delay, so that transactions that conflicted do not conflict again.
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 20))
  }
}

function beginTransaction(client: pg.PoolClient, tellHere: (message: string) => void) {
  const hooks: (() => void)[] = []
  let state: 'new' | 'begun' | 'over' | 'committed' = 'new'
  let isRetryable = false
  let isLostBeforeCommit = false

  const note = (error: unknown): never => {
    if (hasCode(error, '40001', '40P01')) isRetryable = true
    throw error
  }
  /**
   * Returns true for the first statement of the transaction, which must send BEGIN along. Throws if the transaction is
   * over.
   */
  const enter = (name: string): boolean => {
    if (state === 'over' || state === 'committed') throw new Error(`Statement '${name}' came after its transaction`)
    const isFirst = state === 'new'
    state = 'begun'
    return isFirst
  }
  const all = async <P, R>(statement: Statement<P, R>, params: P): Promise<R[]> =>
    run(client, statement, statement.encodeParams(params), { begins: enter(statement.name) }).catch((error) => {
      isLostBeforeCommit ||= isConnectionLost(error)
      return note(error)
    })
  const finish = async <P, R>(statement: Statement<P, R>, params: P): Promise<R[]> => {
    const values = statement.encodeParams(params)
    const begins = enter(statement.name)
    state = 'over'
    const rows = await run(client, statement, values, { begins, commits: true }).catch(note)
    state = 'committed'
    return rows
  }

  async function* stream<P, R>(statement: Report<P, R>, params: P): AsyncGenerator<R, void, undefined> {
    const ask = async (query: pg.QueryArrayConfig) => {
      enter(statement.name)
      return client.query<(string | null)[]>(query).catch((error) => note(classifyError(error)))
    }
    if (enter(statement.name)) await ask({ text: 'begin', rowMode: 'array' })
    for await (const batch of fetchBatches(ask, statement, params)) yield* batch
  }
  const tx: Tx = {
    isTransaction: true,
    lagMs: 0,
    get owner() {
      return tx
    },
    all,
    first: async (statement, params) => (await all(statement, params))[0],
    stream,
    finish,
    transaction: (work) => work({ ...tx, finish: all }),
    afterCommit: (work) => void hooks.push(work),
    tellHere,
  }
  return {
    tx,
    hooks,
    isRetryable: () => isRetryable,
    isLostBeforeCommit: () => isLostBeforeCommit,
    commit: async (): Promise<void> => {
      const isDone = state === 'new' || state === 'committed'
      state = 'over'
      if (isDone) return
      const { command } = await client.query('commit').catch((error) => note(classifyError(error)))
      // The server responds to COMMIT with ROLLBACK if an earlier statement failed and the work continued regardless.
      if (command !== 'COMMIT') throw new Error('A statement of this transaction had failed, so it was rolled back')
    },
    rollBack: async (): Promise<boolean> => {
      const isDone = state === 'new' || state === 'committed'
      state = 'over'
      return isDone || rollBack(client)
    },
  }
}

/** Rolls back. Resolves to true if the connection is still usable. */
export const rollBack = (client: pg.PoolClient): Promise<boolean> =>
  client.query('rollback').then(
    () => true,
    () => false,
  )

export function runHook(hook: () => void, onProblem: (error: Error) => void): void {
  try {
    hook()
  } catch (error) {
    onProblem(error as Error)
  }
}
