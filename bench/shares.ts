import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { type Environment, schemaOf } from '../src/kernel/environment.ts'
import { shareUpkeep } from '../src/kernel/shares/shares.ts'
import { openLog } from '../src/operations/platform/log.ts'
import { openEnvironments } from '../src/operations/platform/platform.ts'
import { addCredential } from '../src/records/credentials/managing.ts'
import type { Sender } from '../src/records/statements/storing/schema.ts'
import { storeStatements } from '../src/records/statements/storing/storing.ts'
import { type Bench, databaseCpuMs } from './measure.ts'
import { benchConfig } from './servers.ts'
import { makeStatement } from './statements-made.ts'
import { line, median, medianOf, percent, type Section, tableHead, whole } from './table.ts'

const SENDERS = 64
/** Number of statements that each sender stores before the other kinds have their turn. */
const TURN = 10
/** How much slower statements that count for a share may be stored than statements that count for nobody. */
const GOAL_SLOWER = 0.05
const AUTHORITY = { objectType: 'Agent' as const, mbox: 'mailto:loader@school.example' }

/** Returns the person or the key to which the statements of sender number `n` are charged. */
type Kind = (n: number) => Pick<Sender, 'personId' | 'credentialId'>

interface Measured {
  readonly perSecond: number
  /** CPU time per statement, in milliseconds. */
  readonly nodeCpuMs: number
  readonly databaseCpuMs: number
}

/**
 * Measures what shares of storage cost: 64 senders store single statements in this process, which count for nobody, for
 * a person each, or for one key. The kinds take turns several times a second, so that other work on the machine slows
 * all of them alike.
 */
export async function measureShares(bench: Bench): Promise<Section> {
  const config = benchConfig()
  const [environment] = await openEnvironments(config, bench.connection, openLog(config), () => new Date(), {
    names: ['production'],
  })
  const kinds = await prepareKinds(bench, environment!)
  const results = new Map(Object.keys(kinds).map((kind) => [kind, [] as Measured[]]))
  for (let round = 0; round <= bench.rounds; round++) {
    process.stderr.write(round === 0 ? 'shares: warming up\n' : `shares: round ${round} of ${bench.rounds}\n`)
    await shareUpkeep.run(environment!)
    const measured = await measureRound(bench, environment!, kinds)
    if (round > 0) for (const [kind, one] of measured) results.get(kind)!.push(one)
  }
  await environment!.close()
  return writeShares(results)
}

async function prepareKinds({ connection }: Bench, environment: Environment): Promise<Record<string, Kind>> {
  const client = new pg.Client(connection)
  await client.connect()
  const { rows } = await client.query(
    `insert into ${schemaOf('production')}.people (handle, handle_key, created_at)
     select '@sender-' || n, 'sender-' || n, now() from generate_series(1, ${SENDERS}) n returning id`,
  )
  await client.end()
  const who = { at: new Date(), requestId: 'bench', address: '127.0.0.1' }
  const { credentialId } = await addCredential(environment.db, who, { name: 'bench', scopes: ['all'] }, environment)
  return {
    nobody: () => ({}),
    'a person each': (n) => ({ personId: Number(rows[n].id) }),
    'one key': () => ({ credentialId }),
  }
}

async function measureRound({ seconds, databasePid }: Bench, environment: Environment, kinds: Record<string, Kind>) {
  const sums = Object.entries(kinds).map(([name, kind]) => ({ name, kind, statements: 0, ms: 0, nodeMs: 0, dbMs: 0 }))
  const endsAt = performance.now() + seconds * 1000 * sums.length
  for (let turn = 0; performance.now() < endsAt; turn++)
    for (let i = 0; i < sums.length; i++) {
      const sum = sums[(turn + i) % sums.length]!
      const [startedAt, cpu, dbMs] = [performance.now(), process.cpuUsage(), databaseCpuMs(databasePid)]
      await Promise.all(Array.from({ length: SENDERS }, (_, n) => store(environment, n, sum.kind(n))))
      const { user, system } = process.cpuUsage(cpu)
      sum.ms += performance.now() - startedAt
      sum.nodeMs += (user + system) / 1000
      sum.dbMs += databaseCpuMs(databasePid) - dbMs
      sum.statements += SENDERS * TURN
    }
  return sums.map(({ name, statements, ms, nodeMs, dbMs }): [string, Measured] => [
    name,
    { perSecond: (statements * 1000) / ms, nodeCpuMs: nodeMs / statements, databaseCpuMs: dbMs / statements },
  ])
}

const STATEMENTS = Array.from({ length: SENDERS * TURN }, (_, n) => makeStatement(n, 0))

/** Stores the statements of one sender, one after the other. */
async function store(environment: Environment, n: number, payer: ReturnType<Kind>): Promise<void> {
  for (let i = 0; i < TURN; i++) {
    const statement = { ...STATEMENTS[n * TURN + i]!, id: randomUUID(), version: '1.0.0', authority: AUTHORITY }
    const sender = { at: new Date(), senderKey: `sender ${n}`, ...payer, ...(payer.personId && { appId: 1 }) }
    await storeStatements(sender, [{ statement }], environment)
  }
}

function writeShares(results: ReadonlyMap<string, readonly Measured[]>): Section {
  const [base] = results.values()
  const cpuMs = (one: Measured) => one.nodeCpuMs + one.databaseCpuMs
  const ratio = (measured: readonly Measured[], value: (one: Measured) => number) =>
    median(measured.map((one, round) => value(one) / value(base![round]!)))
  const rows = [...results].map(([kind, measured]) => ({
    kind,
    measured,
    speed: ratio(measured, (one) => one.perSecond),
    cpu: ratio(measured, cpuMs),
  }))
  return {
    lines: [
      `## Shares of storage, single statements of ${SENDERS} senders`,
      '',
      ...tableHead('counts for', 'statements/s', 'CPU Node', 'CPU PostgreSQL', 'speed', 'CPU'),
      ...rows.map(({ kind, measured, speed, cpu }) =>
        line([
          kind,
          whole(medianOf(measured, (one) => one.perSecond)),
          medianOf(measured, (one) => one.nodeCpuMs).toFixed(3),
          medianOf(measured, (one) => one.databaseCpuMs).toFixed(3),
          speed.toFixed(3),
          cpu.toFixed(3),
        ]),
      ),
      '',
    ],
    goals: rows.slice(1).map(({ kind, speed }) => ({
      measure: `single statements that count for ${kind}, slower than without shares`,
      goal: percent(GOAL_SLOWER),
      now: `${((1 - speed) * 100).toFixed(1)} %`,
      isReached: speed >= 1 - GOAL_SLOWER,
    })),
  }
}
