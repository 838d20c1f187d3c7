import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, createServer as createSocketServer, connect as openSocket } from 'node:net'
import type { TestContext } from 'node:test'
import { readConfig } from '../../kernel/config.ts'
import type { Connection } from '../../kernel/database/database.ts'
import { databaseUrl } from '../testing/machine.ts'
import { examine, judge } from './doctor.ts'
import type { Finding } from './facts.ts'

export const SECRET_KEY = Buffer.alloc(32, 'doctor').toString('base64url')

interface Options {
  readonly settings?: Record<string, string>
  readonly patroni?: readonly string[]
  readonly platforms?: readonly string[]
  readonly processes?: number
}

/** Examines a database as the command does, and returns what has to be changed. */
export async function diagnose(
  connection: Connection,
  { settings = {}, patroni = [], platforms = [], processes = 1 }: Options = {},
): Promise<Finding[]> {
  const config = readConfig({ DATABASE_URL: databaseUrl(connection), SECRET_KEY, ...settings })
  const facts = await examine(connection, config, { patroni, platforms, processes })
  return judge(facts).filter(({ level }) => level !== 'ok')
}

/** Returns the findings as short texts: the check, its subject and its level. */
export const listNames = (findings: readonly Finding[]): string[] =>
  findings.map(({ check, subject, level }) => `${check} ${subject}: ${level}`).sort()

export async function serve(t: TestContext, handle: RequestListener): Promise<string> {
  const server = createServer(handle)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.closeAllConnections())
  t.after(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const NOTIFICATION = 'A'.charCodeAt(0)

/**
 * Starts a proxy that passes on everything but notifications, as poolers in transaction mode do. A message of the
 * server begins with a byte for its type, and four bytes with the length of the rest.
 */
export async function dropNotifications(t: TestContext, connection: Connection): Promise<Connection> {
  const proxy = createSocketServer((near) => {
    const far = openSocket({ path: `${connection.host}/.s.PGSQL.${connection.port}` })
    let rest = Buffer.alloc(0)
    near.pipe(far)
    far.on('data', (chunk) => {
      rest = Buffer.concat([rest, chunk])
      while (rest.length >= 5 && rest.length > rest.readInt32BE(1)) {
        const end = rest.readInt32BE(1) + 1
        if (rest[0] !== NOTIFICATION) near.write(rest.subarray(0, end))
        rest = rest.subarray(end)
      }
    })
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      one.on('error', () => {})
      one.on('close', () => other.destroy())
    }
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  t.after(() => proxy.close())
  return { ...connection, host: '127.0.0.1', port: (proxy.address() as AddressInfo).port }
}
