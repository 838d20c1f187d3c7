import { setTimeout as delay } from 'node:timers/promises'
import { openLog } from '../src/operations/platform/log.ts'
import { openEnvironments } from '../src/operations/platform/platform.ts'
import type { LoadPlan } from './load.ts'
import { type Bench, type LoadMeasurement, measure, type RunningServer, startLoad, startServer } from './measure.ts'
import { benchConfig, SMALL_TOKEN_CACHE } from './servers.ts'
import { type Cast, makeCast, makeCodes, openSessions, PASSWORD, REDIRECT_URI, VERIFIER } from './sign-in-cast.ts'
import { type Crowd, type Section, writeSignIn } from './table.ts'

/** Number of connections for which the goals are defined. */
const CONNECTIONS = 32
const PEOPLE = 50
const UNCACHED_TOKENS = 2 * SMALL_TOKEN_CACHE + 48
/** Minimum number of codes to create per second of a round; more if more were redeemed in the last round. */
const LEAST_CODES = 2000
/** Milliseconds between the start of the sign-ins and the measurement of reads. */
const CROWD_AHEAD_MS = 1000
/** Maximum duration of the sign-ins in seconds. The benchmark stops them long before. */
const CROWD_LIMIT_SECONDS = 600

type Plan = Pick<LoadPlan, 'method' | 'path' | 'send'> & Partial<LoadPlan>

interface Scenario {
  readonly name: string
  readonly goal?: { readonly perCore: number; readonly p99Ms?: number }
  /** Returns the load of a round of `seconds` seconds. `perSecond` is the speed measured in the last round. */
  plan(cast: Cast, seconds: number, perSecond: number): Plan | Promise<Plan>
}

const clientFields = ({ clientId, secret }: Cast) => ({ client_id: clientId, client_secret: secret })

const SCENARIOS: readonly Scenario[] = [
  {
    name: '**refresh**',
    goal: { perCore: 300, p99Ms: 50 },
    plan: async (cast) => {
      const sessions = await openSessions(cast, CONNECTIONS)
      const bodies = sessions.map(({ refreshToken }) => ({
        grant_type: 'refresh_token',
        ...clientFields(cast),
        refresh_token: refreshToken,
      }))
      return {
        method: 'POST',
        path: '/oauth/token',
        headers: {},
        send: { kind: 'chain', bodies, field: 'refresh_token' },
      }
    },
  },
  {
    name: '**code exchange**',
    goal: { perCore: 300 },
    plan: async (cast, seconds, perSecond) => {
      const codes = await makeCodes(cast, Math.ceil(Math.max(LEAST_CODES, perSecond * 2) * seconds))
      const parts = codes.map((code) => ({
        body: {
          grant_type: 'authorization_code',
          ...clientFields(cast),
          code,
          code_verifier: VERIFIER,
          redirect_uri: REDIRECT_URI,
        },
      }))
      return { method: 'POST', path: '/oauth/token', headers: {}, send: { kind: 'queue', parts, isEndless: false } }
    },
  },
  {
    name: '**token check**, cached',
    plan: () => ({ method: 'GET', path: '/bench/token', send: { kind: 'turns', parts: [{}] } }),
  },
  {
    name: '**token check**, uncached',
    plan: ({ tokens }) => {
      const parts = tokens.map((token) => ({ headers: { authorization: `Bearer ${token}` } }))
      return { method: 'GET', path: '/bench/token', headers: {}, send: { kind: 'queue', parts, isEndless: true } }
    },
  },
]

const BUCKET_READ: Plan = { method: 'GET', path: '/app/v1/bucket?id=bench', send: { kind: 'turns', parts: [{}] } }

/** Measures token refresh, code exchange and token check; then a bucket read, alone and while people sign in. */
export async function measureSignIn(bench: Bench): Promise<Section> {
  const config = benchConfig()
  const environments = await openEnvironments(config, bench.connection, openLog(config), () => new Date())
  const cast = await makeCast(environments[0]!, { people: PEOPLE, tokens: UNCACHED_TOKENS })
  const server = await startServer('sign-in', bench.connection)
  const speeds = new Map<string, number>()
  const run = async (scenario: Scenario, seconds: number): Promise<LoadMeasurement> => {
    const plan = await scenario.plan(cast, seconds, speeds.get(scenario.name) ?? 0)
    const measured = await measure(bench, server, { ...plan, connections: CONNECTIONS, seconds })
    speeds.set(scenario.name, measured.perSecond)
    return measured
  }
  const read = (seconds: number) => measure(bench, server, { ...BUCKET_READ, connections: CONNECTIONS, seconds })

  for (const scenario of SCENARIOS) await run(scenario, 1)
  await readBesideCrowd(cast, server, () => read(1))

  const results = new Map<string, LoadMeasurement[]>()
  const alone: LoadMeasurement[] = []
  const crowds: Crowd[] = []
  for (let round = 1; round <= bench.rounds; round++) {
    process.stderr.write(`sign-in: round ${round} of ${bench.rounds}\n`)
    for (const scenario of SCENARIOS)
      results.set(scenario.name, [...(results.get(scenario.name) ?? []), await run(scenario, bench.seconds)])
    alone.push(await read(bench.seconds))
    crowds.push(await readBesideCrowd(cast, server, () => read(bench.seconds)))
  }
  server.child.kill()
  for (const environment of environments) await environment.close()
  return writeSignIn({ scenarios: SCENARIOS, connections: CONNECTIONS, results, people: PEOPLE, alone, crowds })
}

/** Measures reads while all people sign in again and again, which a separate load process does. */
async function readBesideCrowd(
  cast: Cast,
  server: RunningServer,
  read: () => Promise<LoadMeasurement>,
): Promise<Crowd> {
  const parts = cast.people.map(({ handle }) => ({
    headers: { authorization: `Basic ${Buffer.from(`${handle}:${PASSWORD}`).toString('base64')}` },
  }))
  const crowd = startLoad({
    port: server.port,
    connections: cast.people.length,
    seconds: CROWD_LIMIT_SECONDS,
    method: 'GET',
    path: '/auth/basic',
    headers: { clientid: cast.clientId },
    send: { kind: 'queue', parts, isEndless: true },
  })
  await delay(CROWD_AHEAD_MS)
  const reads = await read()
  crowd.stop()
  const { requests, seconds, p50Ms, p99Ms } = await crowd.result
  return { reads, signIns: { perSecond: requests / seconds, p50Ms, p99Ms } }
}
