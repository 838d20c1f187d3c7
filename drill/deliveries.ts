import { setTimeout as delay } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { Client } from './client.ts'
import type { AtoRequest, Ledger, Report } from './ledger.ts'
import type { Delivery } from './receiver.ts'
import { type Person, PLUGIN } from './school.ts'

const POLL_MS = 500

/** Waits until the platform has no event left to deliver, or the time is over. Returns how many are left. */
export async function waitForDeliveries(client: Client, owner: Person, patienceMs: number): Promise<number> {
  const endMs = performance.now() + patienceMs
  for (;;) {
    const query = { clientId: PLUGIN.clientId, state: 'waiting', limit: 1 }
    const headers = { cookie: owner.cookie }
    const { body } = await client.readOk({ method: 'GET', path: '/plugin/v1/delivery/list', query, headers })
    if (body.total === 0 || performance.now() > endMs) return body.total
    await delay(POLL_MS)
  }
}

export interface EventFigures {
  /** Number of different events that arrived. */
  readonly events: number
  /** Number of arrivals of an event that had arrived before. */
  readonly duplicates: number
}

/** Checks that the receiver got the start of each request once, and its distributions in order up to the last. */
export function checkDeliveries(ledger: Ledger, deliveries: readonly Delivery[], report: Report): EventFigures {
  const firsts = new Map<string, Delivery>()
  for (const delivery of deliveries) {
    const first = firsts.get(delivery.id)
    if (!first) firsts.set(delivery.id, delivery)
    else if (!isDeepStrictEqual(first, delivery))
      report('event', 'changed', `event ${delivery.id} arrived again as ${delivery.text}`)
  }
  const byRequest = Map.groupBy(firsts.values(), ({ requestId }) => requestId)
  for (const request of ledger.requests)
    if (request.requestId !== undefined) checkEvents(report, request, byRequest.get(request.requestId) ?? [])
  return { events: firsts.size, duplicates: deliveries.length - firsts.size }
}

function checkEvents(report: Report, { requestId, changes }: AtoRequest, events: readonly Delivery[]): void {
  const starts = events.filter(({ purpose }) => purpose === 'request')
  if (starts.length === 0) report('event', 'lost', `the event that request ${requestId} was started`)
  if (starts.length > 1)
    report('event', 'doubled', `the start of ${requestId}: events ${starts.map(({ id }) => id).join(', ')}`)
  if (starts.length > 0 && events[0] !== starts[0])
    report('event', 'out of order', `request ${requestId}: ${events[0]!.id} arrived before the start`)

  // Each list of the changes is different from all others, so it tells which change an event is about.
  const position = new Map(changes.map(({ distributions }, i) => [distributions.join(), i]))
  const arrived = events
    .filter(({ purpose }) => purpose === 'distributions')
    .flatMap(({ distributions }) => position.get(distributions.join()) ?? [])
  if (arrived.some((one, i) => i > 0 && one <= arrived[i - 1]!))
    report('event', 'out of order', `the distributions of request ${requestId} arrived as ${arrived.join()}`)
  // A newer list replaces one that was still queued, so only the last change must have arrived.
  const last = changes.findLastIndex(({ isCertain }) => isCertain)
  if (last >= 0 && !arrived.some((one) => one >= last))
    report('event', 'lost', `the event with distributions ${changes[last]!.distributions} of ${requestId}`)
}
