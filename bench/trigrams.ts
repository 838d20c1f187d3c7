import { Agent, get } from 'node:http'
import pg from 'pg'
import { hasCode } from '../src/kernel/database/database.ts'
import { schemaOf } from '../src/kernel/environment.ts'
import type { Town } from './people-town.ts'

/**
 * Compares the platform's search with the usual way to find people by similar names: a trigram index over all names,
 * with the most similar first.
 */

/** Response times in milliseconds of both ways, for the same queries in the same order. */
export interface Duel {
  readonly people: number
  readonly ours: readonly number[]
  readonly trigrams: readonly number[]
}

const QUERIES = 200
const WARM_UP = 20
/** Time limit in milliseconds. If searching by trigrams is slow, fewer queries are compared. */
const MOST_MS = 120_000

const PREPARE = [
  'create schema trigrams',
  'create extension pg_trgm schema trigrams',
  `set search_path = trigrams, ${schemaOf('production')}`,
  // JIT compilation costs more than it saves here. The platform's own connections disable it, too.
  'set jit = off',
  `create table copies as
     select p.id, p.handle, p.first_name, p.last_name, lower(p.first_name || ' ' || p.last_name || ' ' || p.handle) as name
       from people p join findable_users f on f.person_id = p.id`,
  'create index copies_by_name on copies using gin (name gin_trgm_ops)',
  'vacuum analyze copies',
  'checkpoint',
]

export const TRIGRAM_QUERY =
  'select id, handle, first_name, last_name from copies where name % $1 order by similarity(name, $1) desc limit 10'

/**
 * Sends each query to the platform (over HTTP, with a token) and to the trigram index (as plain SQL), one at a time.
 * Returns undefined if pg_trgm is not available.
 */
export async function duel(town: Town, queries: readonly string[], pathOf: (term: string) => string) {
  const client = new pg.Client(town.connection)
  await client.connect()
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  try {
    process.stderr.write(`people: trigrams of ${town.people}\n`)
    for (const statement of PREPARE) await client.query(statement)
    const askUs = (term: string) => fetchAll(agent, town, pathOf(term))
    const askTrigrams = (term: string) => client.query({ name: 'trigrams', text: TRIGRAM_QUERY, values: [term] })
    const result = { people: town.people, ours: [] as number[], trigrams: [] as number[] }
    for (const term of queries.slice(-WARM_UP)) await Promise.all([askUs(term), askTrigrams(term)])
    const startedAt = performance.now()
    for (const term of queries.slice(0, QUERIES)) {
      result.ours.push(await timeOf(() => askUs(term)))
      result.trigrams.push(await timeOf(() => askTrigrams(term)))
      if (performance.now() - startedAt > MOST_MS) break
    }
    return result satisfies Duel
  } catch (error) {
    // The extension pg_trgm is not installed, or may not be created.
    if (hasCode(error, '42501', '58P01', '0A000')) return undefined
    throw error
  } finally {
    agent.destroy()
    await client.end()
  }
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}

const fetchAll = (agent: Agent, { server }: Town, path: string): Promise<void> =>
  new Promise((resolve, reject) => {
    get({ agent, host: '127.0.0.1', port: server.port, path, headers: server.headers }, (response) => {
      response.resume()
      response.on('error', reject)
      response.on('end', () =>
        response.statusCode === 200 ? resolve() : reject(new Error(`${path} was answered with ${response.statusCode}`)),
      )
    }).on('error', reject)
  })
