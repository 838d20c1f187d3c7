import { call as callAccount } from '../../apps/account/testing.ts'
import { until } from '../../kernel/database/test-database.ts'
import type { Events, payload } from '../../kernel/events/events.ts'
import type { Received } from '../../kernel/outbound/testing.ts'
import type { TestBrowser } from '../../operations/testing/browser.ts'
import type { Answer, TestApp } from '../../operations/testing/testing.ts'
import { atoEvents } from '../ato/events.ts'
import { registerTestPlugin, type TestPlugin } from '../plugins/testing.ts'
import { DELIVERIES } from './runner.ts'

/** `emit` with another type: the documents of these tests contain only a request id and a number. */
const emit = atoEvents.emit as unknown as Events<
  Record<(typeof atoEvents.kinds)[number], ReturnType<typeof payload<{ plugin: number; document: object }>>>
>['emit']

export interface DeliveryToSend {
  readonly kind?: (typeof atoEvents.kinds)[number]
  readonly plugin: Pick<TestPlugin, 'pluginId'>
  /** Number of the request, which also names the lane; deliveries of one lane are sent in order. */
  readonly request?: number
  /** A number in the document, by which tests recognise the delivery. */
  readonly n: number
}

/** Emits all events in one transaction. */
export const emitAll = (app: Pick<TestApp, 'environment'>, ...events: readonly DeliveryToSend[]): Promise<void> => {
  const { db, clock } = app.environment()
  return db.transaction((tx) =>
    emit(
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

/** Registers an ATO plugin whose addresses are all on the server at `address`. */
export const registerReceiver = (app: TestApp, key: string, address: string): Promise<TestPlugin> =>
  registerTestPlugin(app, {
    kind: 'ato',
    key,
    addresses: { request: `${address}/request`, distributions: `${address}/distributions` },
  })

export const nOf = ({ body }: Pick<Received, 'body'>): number => JSON.parse(body).n
export const requestOf = ({ body }: Pick<Received, 'body'>): string => JSON.parse(body).requestId
export const idOf = ({ headers }: Received): string => String(headers['webhook-id'])

/** Returns the states of the plugin's deliveries, in the order of their events. */
export const statesOf = async (app: TestApp, { pluginId }: Pick<TestPlugin, 'pluginId'>): Promise<string[]> =>
  (await app.sql(`select state from deliveries where plugin_id = ${pluginId} order by id`)).map(({ state }) =>
    String(state),
  )

/** Calls an operation. For GET, the fields are sent in the query. */
export const call = (
  browser: TestBrowser,
  method: 'GET' | 'PUT' | 'POST',
  path: string,
  fields: object,
): Promise<Answer> =>
  method === 'GET'
    ? callAccount(browser, method, `${path}?${new URLSearchParams(fields as Record<string, string>)}`)
    : callAccount(browser, method, path, fields)

/** Wakes the runner of this process. */
export const wake = (app: TestApp): void => app.environment().db.tellHere(JSON.stringify({ topic: DELIVERIES }))

/** Moves the clock forward and wakes the runner. */
export function advance(app: TestApp, ms: number): void {
  app.advance(ms)
  wake(app)
}

/**
 * Waits until no delivery is in progress, then moves the held clock to the next retry. Moving it earlier would end
 * leases.
 */
export async function advanceToNext(app: TestApp): Promise<void> {
  let dueMs: number | undefined
  const { clock } = app.environment()
  await until('the next try has its time', async () => {
    const [row] = await app.sql(
      `select count(*) filter (where is_leased)::int as leased, extract(epoch from min(due_at))::float8 * 1000 as due from delivery_lanes`,
    )
    dueMs = row!.leased === 0 && row!.due !== null ? Number(row!.due) : undefined
    return dueMs !== undefined && dueMs > clock().getTime()
  })
  advance(app, dueMs! - clock().getTime() + 1)
}
