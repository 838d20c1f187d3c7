import { readFile, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { DATABASE, findCluster } from './cluster.ts'
import type { EmbeddedDatabase } from './embedded.ts'

const CONNECT_TIMEOUT_MS = 2_000

/**
 * Finds the embedded database that another process, usually the platform, runs in `dataDir`. Returns undefined if no
 * database responds.
 */
export async function findRunningEmbedded(dataDir: string): Promise<EmbeddedDatabase['connection'] | undefined> {
  const place = await readPlace(dataDir).catch(() => undefined)
  if (!place) return undefined
  const connection = { ...place, user: DATABASE, database: DATABASE }
  const client = new pg.Client({ ...connection, connectionTimeoutMillis: CONNECT_TIMEOUT_MS })
  client.on('error', () => {})
  try {
    await client.connect()
    return connection
  } catch {
    return undefined
  } finally {
    await client.end().catch(() => {})
  }
}

/**
 * Reads port (line 4), socket directory (line 5) and state (line 8) from postmaster.pid; undefined if the server is not
 * ready.
 */
async function readPlace(dataDir: string): Promise<{ host: string; port: number } | undefined> {
  const cluster = await findCluster(await realpath(dataDir))
  if (!cluster) return undefined
  const lines = (await readFile(join(cluster.path, 'postmaster.pid'), 'utf8')).split('\n')
  const [, , , port = '', host = '', , , state = ''] = lines
  return state.trim() === 'ready' && host !== '' ? { host, port: Number(port) } : undefined
}
