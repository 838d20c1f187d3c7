import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { schemaOf } from '../src/kernel/environment.ts'
import { keyedWrites } from './buckets.ts'
import type { CommitTimes, Emission, StartedPlatform } from './deliveries-platform.ts'
import type { ArrivalTimes } from './deliveries-receiver.ts'
import { answerOf, type Bench, forkServer, type LoadMeasurement, measure } from './measure.ts'
import { type DeliveriesReport, type Section, writeDeliveries } from './table.ts'

/** Number of requests during the warm-up: many, because deliveries about the same request are not sent in parallel. */
const REQUESTS = 500
const PER_SECOND = 200
const CONNECTIONS = 32

const here = (file: string): string => fileURLToPath(new URL(file, import.meta.url))

/** Measures how fast events reach a plugin, and how much a long backlog of one plugin slows down other operations. */
export async function measureDeliveries(
  bench: Bench,
  { events, waiting }: { events: number; waiting: number },
): Promise<Section> {
  const client = new pg.Client(bench.connection)
  await client.connect()
  const ask = async (text: string) => (await client.query(text)).rows
  await ask(`set search_path to ${schemaOf('production')}`)
  const [organisation] = await ask(
    `insert into organisations (key, name, created_at) values ('bench', 'bench', now()) returning id`,
  )
  const receiver = fork(here('deliveries-receiver.ts'))
  const receiverPort = await answerOf<number>(receiver)
  const args = [JSON.stringify(bench.connection), String(organisation.id)]
  const server = await forkServer<StartedPlatform>('deliveries-platform.ts', args, true)
  const { plugins, child } = server
  await ask(
    `update plugins set is_active = true; update apps set status = 'approved';
     insert into plugin_permissions (plugin_id, permission, asked_at, granted_at) select id, 'ato', now(), now() from plugins;
     insert into plugin_addresses (plugin_id, purpose, uri) select id, 'distributions',
            case id when ${plugins.live} then 'http://127.0.0.1:${receiverPort}' else 'http://127.0.0.1:9' end from plugins`,
  )

  const deliver = async (emission: Omit<Emission, 'plugin'>) => {
    const arrived = answerOf<ArrivalTimes>(receiver)
    receiver.send(emission.count)
    const startedMs = performance.timeOrigin + performance.now()
    child.send({ plugin: plugins.live, ...emission })
    const committed = await answerOf<CommitTimes>(child)
    const arrivals = await arrived
    const waits = arrivals.map((at, n) => at - committed[n]!).sort((a, b) => a - b)
    const at = (share: number) => waits[Math.ceil(waits.length * share) - 1]!
    return { perSecond: (emission.count * 1000) / (Math.max(...arrivals) - startedMs), p50Ms: at(0.5), p99Ms: at(0.99) }
  }
  const write = () =>
    measure(bench, server, {
      method: 'POST',
      path: '/app/v1/bucket',
      send: { kind: 'turns', parts: keyedWrites },
      connections: CONNECTIONS,
      seconds: bench.seconds,
    })
  const fill = () =>
    ask(
      `insert into deliveries (plugin_id, id, slot, subject, purpose, webhook_id, body, position, state, attempts, tries, give_up_at, created_at)
       select ${plugins.dead}, 1000000000 + n, 0, 'request:' || n, 'distributions', 'evt_bench' || n, '{"n":0}', n, 'waiting', 6, 6, now() + interval '3 days', now()
         from generate_series(1, ${waiting}) n;
       insert into delivery_lanes (plugin_id, subject, due_at, used_at)
       select ${plugins.dead}, 'request:' || n, now() + random() * interval '6 hours', now() from generate_series(1, ${waiting}) n;
       analyze deliveries; analyze delivery_lanes`,
    )
  const empty = () =>
    ask(`delete from delivery_attempts where plugin_id = ${plugins.dead}; delete from deliveries where plugin_id = ${plugins.dead};
         delete from delivery_lanes where plugin_id = ${plugins.dead}`)

  // Emit one event per request: a second event about the same request would replace one that is still waiting.
  const bulk = { count: events, together: 100, requests: events }
  const steady = {
    count: PER_SECOND * bench.seconds,
    together: 1,
    perSecond: PER_SECOND,
    requests: PER_SECOND * bench.seconds,
  }
  await deliver({ ...steady, requests: REQUESTS, count: Math.min(REQUESTS, steady.count) })
  await write()
  const report: DeliveriesReport & { alone: LoadMeasurement[]; beside: LoadMeasurement[] } = {
    events,
    waiting,
    perSecond: PER_SECOND,
    connections: CONNECTIONS,
    bulk: [],
    steady: [],
    alone: [],
    beside: [],
  }
  for (let round = 1; round <= bench.rounds; round++) {
    process.stderr.write(`deliveries: round ${round} of ${bench.rounds}\n`)
    report.bulk.push(await deliver(bulk))
    report.steady.push(await deliver(steady))
    report.alone.push(await write())
    await fill()
    report.beside.push(await write())
    await empty()
  }
  await client.end()
  for (const process of [child, receiver]) process.kill()
  return writeDeliveries(report)
}
