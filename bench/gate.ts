import { readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { withDatabase } from './bench-database.ts'
import { keyedWrites } from './buckets.ts'
import { buildSchool } from './learning-school.ts'
import type { LoadPart } from './load.ts'
import { type Bench, type LoadMeasurement, measure, type RunningServer, startServer } from './measure.ts'
import { makeStatement } from './statements-made.ts'
import { median, percent } from './table.ts'

/**
 * Compares the CPU time of five frequent requests with that of a bare server in the same run, so that the speed of the
 * machine does not matter. Fails if a ratio is more than 25 % above the one in `ratios.json`.
 */

const { values } = parseArgs({
  options: { write: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
})
if (values.help) {
  console.log(`npm run bench:gate -- [--write]

Measures the CPU time of five frequent requests, as a multiple of a bare server's in the same run. It fails if
one is more than 25 % above the ratio in bench/ratios.json, unless the machine is too busy for a verdict. It takes half a minute, and up to three minutes on a busy machine.

--write  Writes the measured ratios to bench/ratios.json instead.`)
  process.exit(0)
}

const CONNECTIONS = 32
const TOLERANCE = 1.25
const ROUNDS = 20
/** If the CPU time of the bare server itself varies more than this, ratios say nothing about our code. */
const MOST_SPREAD = 1.1
const SECONDS = 0.7
const RATIOS = new URL('ratios.json', import.meta.url)

interface Request {
  readonly server: RunningServer
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly parts: readonly LoadPart[]
}
/** A request of the platform, and the bare request that its CPU time is divided by. */
type Pair = readonly [own: Request, bare: Request]

async function startPairs({ connection }: Bench): Promise<Readonly<Record<string, Pair>>> {
  const [bare, fastify, platform, store] = [
    await startServer('bare', connection),
    await startServer('fastify', connection),
    await startServer('groundschool', connection),
    await startServer('statements', connection),
  ]
  const school = await buildSchool(connection, 1000)
  school.bare.child.kill()
  const get = (server: RunningServer, path: string): Request => ({ server, method: 'GET', path, parts: [{}] })
  const post = (server: RunningServer, path: string, parts: readonly LoadPart[]): Request => ({
    ...{ server, method: 'POST', path, parts },
  })
  const bareRead = get(bare, '/')
  const bareWrite = post(fastify, '/row', keyedWrites)
  const statements = Array.from({ length: 500 }, (_, n) => ({ body: makeStatement(n, 0) }))
  const moves = ['idle', 'active'].flatMap((verb) =>
    Array.from({ length: 500 }, (_, n) => ({
      path: `/edu/v1/lesson/progress/${verb}`,
      body: { lessonId: 'lesson-1', studentId: `student-${n + 1}` },
    })),
  )
  return {
    'bucket read': [get(platform, '/app/v1/bucket?id=bench'), bareRead],
    'own profile': [get(platform, '/user/v1/my/profile'), bareRead],
    'keyed bucket write': [post(platform, '/app/v1/bucket', keyedWrites), bareWrite],
    'single statement': [post(store, '/xapi/statements', statements), bareWrite],
    'lesson idle and active': [post(school.server, '', moves), bareWrite],
  }
}

const cpuMs = ({ nodeCpuMs, databaseCpuMs }: LoadMeasurement): number => nodeCpuMs + databaseCpuMs

interface Measured {
  readonly ratios: Record<string, number>
  /** How much the CPU time of the bare requests varied: the median of the rounds, as a multiple of the least. */
  readonly spread: number
}

/** Measures until all ratios are within their limits, at most ROUNDS times. */
async function measureRatios(bench: Bench, limits: Readonly<Record<string, number>>): Promise<Measured> {
  const pairs = Object.entries(await startPairs(bench))
  const requests = new Set(pairs.flatMap(([, pair]) => pair))
  // Other work on the machine only adds to the CPU time of a request, so the least of several rounds is the most exact.
  const least = new Map<Request, number>()
  const times = new Map<Request, number[]>(pairs.map(([, [, bare]]) => [bare, []]))
  const ratios = () =>
    Object.fromEntries(
      pairs.map(([name, [own, bare]]) => [name, Number((least.get(own)! / least.get(bare)!).toFixed(2))]),
    )
  const isDone = () => Object.entries(ratios()).every(([name, ratio]) => ratio <= (limits[name] ?? 0))
  for (let round = 0; round <= bench.rounds && !(round > 2 && isDone()); round++) {
    for (const request of requests) {
      const { server, ...plan } = request
      const measured = await measure(bench, server, {
        ...{ ...plan, connections: CONNECTIONS, seconds: bench.seconds },
        send: { kind: 'queue', parts: request.parts, isEndless: true },
      })
      // The first round warms up.
      if (round === 0) continue
      least.set(request, Math.min(least.get(request) ?? Number.POSITIVE_INFINITY, cpuMs(measured)))
      times.get(request)?.push(cpuMs(measured))
    }
  }
  for (const { server } of requests) server.child.kill()
  const spread = Math.max(...[...times].map(([bare, all]) => median(all) / least.get(bare)!))
  return { ratios: ratios(), spread }
}

const kept = JSON.parse(readFileSync(RATIOS, 'utf8')) as Record<string, number>
const limits = values.write
  ? {}
  : Object.fromEntries(Object.entries(kept).map(([name, one]) => [name, one * TOLERANCE]))
const { ratios, spread } = await withDatabase({ rounds: ROUNDS, seconds: SECONDS }, (bench) =>
  measureRatios(bench, limits),
)
if (values.write) writeFileSync(RATIOS, `${JSON.stringify(ratios, null, 2)}\n`)
const isWorse = ([name, ratio]: [string, number]): boolean => !values.write && ratio > limits[name]!
const entries = Object.entries(ratios)
for (const [name, ratio] of entries)
  console.log(`${name}: ${ratio} times the CPU time of the bare server (committed: ${kept[name]})`)
console.log(`The bare server needed ${percent(spread - 1)} more CPU time in the median round than in the best one.`)
if (entries.some(isWorse) && spread > MOST_SPREAD)
  console.error('The machine is too busy for a verdict: measure again when it does nothing else.')
else
  for (const [name] of entries.filter(isWorse)) {
    console.error(`${name} costs more than 25 % more than before. Profile it, or run npm run bench:gate -- --write`)
    process.exitCode = 1
  }
