import { randomBytes } from 'node:crypto'
import { createServer, connect as openSocket, type Socket } from 'node:net'
import pg from 'pg'
import type { Connection } from './database.ts'

/**
 * Returns the database server of the test suite. Only for tests in this folder, which need a database without our
 * tables.
 */
const server = (): Connection => {
  const given = process.env.GROUNDSCHOOL_TEST_DATABASE
  if (!given) throw new Error('GROUNDSCHOOL_TEST_DATABASE is not set: run the tests with npm test')
  return JSON.parse(given)
}

/** Creates an empty database for one test file. The file must drop it at its end. */
export async function createTestDatabase(): Promise<{ connection: Connection; drop(): Promise<unknown> }> {
  const name = `test_${randomBytes(6).toString('hex')}`
  await runSql(server(), `create database ${name}`)
  return {
    connection: { ...server(), database: name },
    drop: () => runSql(server(), `drop database ${name} with (force)`),
  }
}

/** Runs SQL, which may consist of several statements, and returns the rows of the last one. */
export async function runSql(connection: Connection, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(connection)
  client.on('error', () => {})
  await client.connect()
  try {
    const results = [await client.query(text)].flat()
    return results.at(-1)?.rows ?? []
  } finally {
    await client.end()
  }
}

export interface Wire {
  readonly connection: Connection
  /** Closes every connection and refuses new ones. */
  cut(): void
  /** Keeps connections open and accepts new ones, but transfers nothing, as if the server were stopped. */
  stall(): void
  mend(): void
  close(): void
}

/** Starts a proxy in front of the real server, so that a test can cut or stall the connections. */
export async function layWire(connection: Connection): Promise<Wire> {
  const sockets = new Set<Socket>()
  let state: 'whole' | 'cut' | 'stalled' = 'whole'
  const wire = createServer((near) => {
    if (state === 'cut') return void near.destroy()
    const far = openSocket(
      connection.host?.startsWith('/')
        ? { path: `${connection.host}/.s.PGSQL.${connection.port}` }
        : { host: connection.host ?? 'localhost', port: connection.port ?? 5432 },
    )
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from)
      if (state === 'stalled') from.pause()
      from.on('data', (chunk) => to.write(chunk))
      if (state === 'stalled') from.pause()
      from.on('error', () => {})
      from.on('close', () => {
        sockets.delete(from)
        to.destroy()
      })
    }
  })
  await new Promise<void>((resolve) => wire.listen(0, '127.0.0.1', resolve))
  const cutAll = () => {
    for (const socket of sockets) socket.destroy()
  }
  const address = wire.address() as { port: number }
  return {
    connection: { ...connection, host: '127.0.0.1', port: address.port },
    cut: () => {
      state = 'cut'
      cutAll()
    },
    stall: () => {
      state = 'stalled'
      for (const socket of sockets) socket.pause()
    },
    mend: () => {
      state = 'whole'
      for (const socket of sockets) socket.resume()
    },
    close: () => {
      cutAll()
      wire.close()
    },
  }
}

/** Waits until the claim is true. After the timeout it throws an error that contains `what`. */
export async function until(what: string, claim: () => boolean | Promise<boolean>, timeoutMs = 5_000): Promise<void> {
  const deadline = Date.now() + timeoutMs
  while (!(await claim())) {
    if (Date.now() > deadline) throw new Error(`Not within ${timeoutMs} ms: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
