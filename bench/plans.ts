import pg from 'pg'
import { ensureAppUser } from '../src/apps/apps/apps.ts'
import { sampleUsers } from '../src/identity/search/sampling.ts'
import { searchUsers } from '../src/identity/search/search.ts'
import type { AppUser } from '../src/kernel/caller.ts'
import type { Connection, Db } from '../src/kernel/database/database.ts'
import type { Statement } from '../src/kernel/database/statement.ts'
import { schemaOf } from '../src/kernel/environment.ts'
import { openLog } from '../src/operations/platform/log.ts'
import { openEnvironments } from '../src/operations/platform/platform.ts'
import { benchConfig } from './servers.ts'

/** The query plan of an SQL statement, formatted for the report. */
export interface Plan {
  readonly statement: string
  readonly calls: number
  readonly lines: readonly string[]
}

interface RecordedStatement {
  readonly statement: Statement
  readonly params: unknown[]
}

const SHOWN = ['search.findMarked', 'search.findPeople', 'search.listEntries', 'search.sampleEntries']
const MAX_LINE_LENGTH = 150
/** The settings of connections for reads (see src/kernel/database/database.ts). */
const LANE_SETTINGS = `
  set plan_cache_mode = force_generic_plan; set enable_seqscan = off; set enable_hashjoin = off;
  set enable_mergejoin = off; set jit = off; set search_path = ${schemaOf('production')}`

/**
 * Explains the statements of a search for `term` and of a random draw of `count` people, with the values that these
 * operations pass.
 */
export async function explainSearch(
  connection: Connection,
  { term, count }: { term: string; count: number },
): Promise<Plan[]> {
  const config = benchConfig()
  const environments = await openEnvironments(config, connection, openLog(config), () => new Date())
  const asked: RecordedStatement[] = []
  try {
    const { db } = environments[0]!
    const who = await findCaller(db)
    await searchUsers(recordStatements(db, asked), who, { term })
    await sampleUsers(recordStatements(db, asked), who, count)
  } finally {
    for (const environment of environments) await environment.close()
  }
  const client = new pg.Client(connection)
  await client.connect()
  try {
    await client.query(LANE_SETTINGS)
    const plans: Plan[] = []
    for (const name of SHOWN)
      plans.push(
        await explain(
          client,
          asked.filter(({ statement }) => statement.name === name),
        ),
      )
    return plans
  } finally {
    await client.end()
  }
}

async function findCaller(db: Db): Promise<AppUser> {
  const at = new Date()
  const caller = { at, requestId: 'bench', address: '127.0.0.1' }
  const userId = await ensureAppUser(db, caller, { appId: 1, personId: 1 })
  return {
    ...caller,
    appId: 1,
    personId: 1,
    userId,
    sessionId: '',
    isAnonymous: false,
    scopes: undefined,
    tokenExpiresAtMs: at.getTime() + 1e9,
    defaultCountry: 'US',
  }
}

/** Wraps a database so that its statements are added to `asked`. */
function recordStatements(db: Db, asked: RecordedStatement[]): Db {
  const note = (statement: unknown, params: unknown) => {
    const known = asked.find((one) => one.statement === statement)
    if (known) known.params.push(params)
    else asked.push({ statement: statement as Statement, params: [params] })
  }
  return {
    ...db,
    all: (statement, params) => {
      note(statement, params)
      return db.all(statement, params)
    },
    first: (statement, params) => {
      note(statement, params)
      return db.first(statement, params)
    },
  }
}

/**
 * Explains a statement as the platform runs it: prepared, with warm caches, and parallel calls combined into one if the
 * statement supports that.
 */
async function explain(client: pg.Client, [asked]: readonly RecordedStatement[]): Promise<Plan> {
  const { statement, params } = asked!
  const isGathered = statement.gathered !== undefined && params.length > 1
  const text = isGathered ? statement.gathered!.text : statement.text
  const values = isGathered
    ? statement.encodeCalls(params.map((one) => ({ params: one })))
    : statement.encodeParams(params[0])
  const literals = values.map((value) => (value === null ? 'null' : pg.escapeLiteral(String(value))))
  const name = pg.escapeIdentifier(statement.name)
  await client.query(`prepare ${name} as ${text}`)
  const run = () =>
    client.query(`explain (analyze, buffers, costs off, timing off) execute ${name}(${literals.join()})`)
  await run()
  const { rows } = await run()
  return {
    statement: statement.name,
    calls: isGathered ? params.length : 1,
    lines: shorten(rows.map((row) => row['QUERY PLAN'] as string)),
  }
}

/** Lines of a plan that say little about the amount of data read. */
const NOISE = /^\s*(Planning|I\/O Timings|Storage|Sort Method|Batches|Window|Heap Blocks|Recheck Cond|Index Searches):/

/**
 * Shortens a plan: keeps only the first `Buffers` line, which is the total, writes the character U+10FFFD as
 * chr(1114109), since no font has it, and cuts long lines.
 */
function shorten(lines: readonly string[]): string[] {
  const isBuffers = (line: string) => /^\s*Buffers:/.test(line)
  const first = lines.findIndex(isBuffers)
  return lines
    .filter((line, index) => !NOISE.test(line) && (!isBuffers(line) || index === first))
    .map((line) => line.replaceAll(`'${String.fromCodePoint(1114109)}'::text`, 'chr(1114109)'))
    .map((line) => (line.length > MAX_LINE_LENGTH ? `${line.slice(0, MAX_LINE_LENGTH)} …` : line))
}
