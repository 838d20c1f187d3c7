import { randomBytes } from 'node:crypto'
import { createServer, connect as openSocket, type Socket } from 'node:net'
import pg from 'pg'
import type { Connection } from './database.ts'

/** For tests of this folder only, which need a database without our tables. They use the server of the test suite. */
const server = (): Connection => {
  const given = process.env.GROUNDSCHOOL_TEST_DATABASE
  if (!given) throw new Error('GROUNDSCHOOL_TEST_DATABASE is not set: run the tests with npm test')
  return JSON.parse(given)
}

/** A new, empty database for one test file, which drops it at its end. */
export async function createTestDatabase(): Promise<{ connection: Connection; drop(): Promise<unknown> }> {
  const name = `test_${randomBytes(6).toString('hex')}`
  await runSql(server(), `create database ${name}`)
  return {
    connection: { ...server(), database: name },
    drop: () => runSql(server(), `drop database ${name} with (force)`),
  }
}

/** Returns the rows of the last statement. */
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
  /** Cuts every connection and refuses new ones. */
  cut(): void
  /** Keeps connections and accepts new ones, but transfers nothing, like a stopped server. */
  stall(): void
  mend(): void
  close(): void
}

/** A proxy in front of the real server that a test can cut. */
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

/** Waits until the claim holds; the error says what did not come true. */
export async function until(what: string, claim: () => boolean | Promise<boolean>, timeoutMs = 5_000): Promise<void> {
  const deadline = Date.now() + timeoutMs
  while (!(await claim())) {
    if (Date.now() > deadline) throw new Error(`Not within ${timeoutMs} ms: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
