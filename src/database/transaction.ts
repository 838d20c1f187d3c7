import type pg from 'pg'
import { hasCode, understandError } from './connection.ts'
import type { Db } from './db.ts'
import { Query } from './query.ts'
import type { RowReader, Statement } from './statement.ts'

/** How often the outermost work is repeated after a collision. */
const RETRIES = 3

export async function run<P, R>(
  client: pg.PoolClient,
  statement: Statement<P, R>,
  params: P,
  isFirstOfTransaction = false,
): Promise<R[]> {
  const values = statement.encodeParams(params)
  const query = await new Promise<Query>((resolve, reject) => {
    const sent: Query = new Query(
      statement,
      values,
      (error) => (error ? reject(understandError(error)) : resolve(sent)),
      isFirstOfTransaction,
    )
    client.query(sent)
  })
  return query.found.map(query.readerFrom(statement.makeRowReader) as RowReader<R>)
}

/** BEGIN as a prepared statement, which a query can send with its own; running it is the only way to prepare it. */
export async function prepareBegin(client: pg.ClientBase): Promise<void> {
  await Promise.all([client.query({ name: 'begin', text: 'begin' }), client.query('rollback')])
}

export async function runTransaction<T>(
  takeClient: () => Promise<pg.PoolClient>,
  work: (tx: Db) => Promise<T>,
  tellHere: (message: string) => void,
  onProblem: (error: Error) => void,
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
      const isLost = !(await attempt.rollBack())
      client.release(isLost)
      if (isLost || !attempt.isRetryable() || triesLeft === 0) throw error
    }
    // Those that collided should not meet again at once.
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 20))
  }
}

function beginTransaction(client: pg.PoolClient, tellHere: (message: string) => void) {
  const hooks: (() => void)[] = []
  let state: 'new' | 'begun' | 'over' = 'new'
  let isRetryable = false

  const note = (error: unknown): never => {
    if (hasCode(error, '40001', '40P01')) isRetryable = true
    throw error
  }
  const all = <P, R>(statement: Statement<P, R>, params: P): Promise<R[]> => {
    if (state === 'over') return Promise.reject(new Error(`Statement '${statement.name}' came after its transaction`))
    const isFirst = state === 'new'
    state = 'begun'
    return run(client, statement, params, isFirst).catch(note)
  }
  const tx: Db = {
    isTransaction: true,
    all,
    first: async (statement, params) => (await all(statement, params))[0],
    transaction: (work) => work(tx),
    afterCommit: (work) => void hooks.push(work),
    tellHere,
  }
  return {
    tx,
    hooks,
    isRetryable: () => isRetryable,
    commit: async (): Promise<void> => {
      const isEmpty = state === 'new'
      state = 'over'
      if (isEmpty) return
      const { command } = await client.query('commit').catch((error) => note(understandError(error)))
      // PostgreSQL answers so where an earlier statement had failed and the work went on regardless.
      if (command !== 'COMMIT') throw new Error('A statement of this transaction had failed, so it was rolled back')
    },
    /** Resolves to whether the connection can be used further. */
    rollBack: async (): Promise<boolean> => {
      const isEmpty = state === 'new'
      state = 'over'
      if (isEmpty) return true
      return client.query('rollback').then(
        () => true,
        () => false,
      )
    },
  }
}

export function runHook(hook: () => void, onProblem: (error: Error) => void): void {
  try {
    hook()
  } catch (error) {
    onProblem(error as Error)
  }
}
