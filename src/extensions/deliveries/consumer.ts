import { createHmac } from 'node:crypto'
import type { Tx } from '../../kernel/database/database.ts'
import { type Environment, service } from '../../kernel/environment.ts'
import type { Consumer } from '../../kernel/events/consumers.ts'
import type { EventOf } from '../../kernel/events/events.ts'
import { tellAfterCommit } from '../../kernel/jobs/wake.ts'
import type { atoEvents } from '../ato/events.ts'
import { KINDS, PURPOSES, REPLACING } from './rules.ts'
import { DELIVERIES } from './runner.ts'
import * as store from './store.ts'

/** An event whose payload holds the plugin to notify and the document to send. */
type DeliveredEvent = EventOf<typeof atoEvents>

const idKey = service(({ keyFor }) => keyFor('delivery-id'))

/**
 * Derives the webhook id from the event id, so that reading the event again gives the same id. Being a keyed hash, the
 * webhook id does not reveal how many events there are.
 */
const webhookIdOf = (environment: Environment, eventId: number): string =>
  `evt_${createHmac('sha256', environment.get(idKey)).update(String(eventId)).digest('base64url').slice(0, 22)}`

export const deliveryConsumer: Consumer<Environment, DeliveredEvent> = {
  name: 'deliveries',
  kinds: KINDS,
  start: 'beginning',
  handle: (tx, events, environment) => addDeliveries(tx, events, environment),
}

async function addDeliveries(tx: Tx, events: readonly DeliveredEvent[], environment: Environment): Promise<void> {
  const rows = JSON.stringify(
    events.map(({ id, kind, subject, payload, at }) => ({
      plugin_id: payload.plugin,
      id,
      subject,
      purpose: PURPOSES[kind],
      webhook_id: webhookIdOf(environment, id),
      body: payload.document,
      at,
    })),
  )
  const what = { rows, replacing: REPLACING, now: environment.clock() }
  if ((await tx.all(store.lockOrCreateLanes, what)).length === 0) return
  await tx.all(store.insertDeliveries, what)
  tellAfterCommit(tx, DELIVERIES)
}
