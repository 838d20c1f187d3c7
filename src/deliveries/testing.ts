import { defineEvents, type Events, payload } from '../events/events.ts'
import type { Received } from '../outbound/testing.ts'
import { type TestPlugin, registerTestPlugin } from '../plugins/testing.ts'
import type { TestApp } from '../testing/testing.ts'

interface Sent {
  readonly plugin: number
  readonly document: object
}
/** What the room of ATO requests emits. */
export const sentEvents: Events<{
  'request.started': ReturnType<typeof payload<Sent>>
  'distributions.changed': ReturnType<typeof payload<Sent>>
}> = defineEvents({ 'request.started': payload<Sent>(), 'distributions.changed': payload<Sent>() })

export interface ToSend {
  readonly kind?: (typeof sentEvents.kinds)[number]
  readonly plugin: Pick<TestPlugin, 'pluginId'>
  /** The number of the request: what is sent in order. */
  readonly request?: number
  /** Goes into the document, so that the test knows it again. */
  readonly n: number
}

/** One transaction for all of them. */
export const emitAll = (app: Pick<TestApp, 'environment'>, ...events: readonly ToSend[]): Promise<void> => {
  const { db, clock } = app.environment()
  return db.transaction((tx) =>
    sentEvents.emit(
      tx,
      ...events.map(({ kind = 'request.started', plugin, request = 1, n }) => ({
        kind,
        subject: `request:${request}`,
        payload: { plugin: plugin.pluginId, document: { requestId: `r${request}`, n } },
        at: clock(),
      })),
    ),
  )
}

/** A plugin that takes everything at one address. */
export const registerReceiver = (app: TestApp, key: string, address: string): Promise<TestPlugin> =>
  registerTestPlugin(app, {
    kind: 'ato',
    key,
    addresses: { request: `${address}/request`, distributions: `${address}/distributions` },
  })

export const nOf = ({ body }: Pick<Received, 'body'>): number => JSON.parse(body).n
export const requestOf = ({ body }: Pick<Received, 'body'>): string => JSON.parse(body).requestId
export const idOf = ({ headers }: Received): string => String(headers['webhook-id'])
