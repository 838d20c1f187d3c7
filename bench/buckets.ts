import type { LoadPart } from './load.ts'
import { type Bench, type LoadMeasurement, measure, type RunningServer, startServer } from './measure.ts'
import type { ServerName } from './servers.ts'
import { type Section, writeComparison } from './table.ts'

interface Scenario {
  readonly name: string
  readonly server: ServerName
  readonly method: string
  readonly path: string
  readonly parts: readonly LoadPart[]
  /** Name of the scenario whose requests/s this scenario is compared with. */
  readonly base: string
  /** Goal at 32 connections: minimum share of the requests/s of `base`. */
  readonly goal?: number
}

export const keyedWrites: LoadPart[] = Array.from({ length: 256 }, (_, i) => ({
  body: { id: `bench-${i}`, key: 'counter', value: i },
}))

const SCENARIOS: readonly Scenario[] = [
  { name: 'bare node:http', server: 'bare', method: 'GET', path: '/', parts: [{}], base: 'bare node:http' },
  { name: 'Fastify, one select', server: 'fastify', method: 'GET', path: '/row', parts: [{}], base: 'bare node:http' },
  {
    name: '**bucket read**',
    server: 'groundschool',
    method: 'GET',
    path: '/app/v1/bucket?id=bench',
    parts: [{}],
    base: 'bare node:http',
    goal: 0.68,
  },
  {
    name: '**token check**',
    server: 'groundschool',
    method: 'GET',
    path: '/bench/token',
    parts: [{}],
    base: 'bare node:http',
  },
  {
    name: 'Fastify, one durable update',
    server: 'fastify',
    method: 'POST',
    path: '/row',
    parts: keyedWrites,
    base: 'Fastify, one durable update',
  },
  {
    name: '**keyed bucket write**',
    server: 'groundschool',
    method: 'POST',
    path: '/app/v1/bucket',
    parts: keyedWrites,
    base: 'Fastify, one durable update',
    goal: 1,
  },
]

/** Compares bare `node:http`, Fastify with one SQL statement, and Groundschool. */
export async function compareBuckets(
  bench: Bench,
  { connectionCounts }: { connectionCounts: readonly number[] },
): Promise<Section> {
  const servers = new Map<ServerName, RunningServer>()
  for (const name of ['bare', 'fastify', 'groundschool'] as const)
    servers.set(name, await startServer(name, bench.connection))
  const run = ({ server, method, path, parts }: Scenario, connections: number, seconds: number) =>
    measure(bench, servers.get(server)!, { method, path, send: { kind: 'turns', parts }, connections, seconds })

  for (const scenario of SCENARIOS) await run(scenario, 32, 1)
  const results = new Map<string, LoadMeasurement[]>()
  for (let round = 1; round <= bench.rounds; round++) {
    process.stderr.write(`buckets: round ${round} of ${bench.rounds}\n`)
    for (const connections of connectionCounts) {
      for (const scenario of SCENARIOS) {
        const key = `${scenario.name} ${connections}`
        results.set(key, [...(results.get(key) ?? []), await run(scenario, connections, bench.seconds)])
      }
    }
  }

  for (const { child } of servers.values()) child.kill()
  return writeComparison({ scenarios: SCENARIOS, connectionCounts, results })
}
