import type { Client } from 'pg'
import type { HoldConnection } from './connection.ts'
import type { Db } from './db.ts'
import { c, write } from './statement.ts'

/**
 * A connection that receives notifications from all processes of an environment. The channel is named after the schema.
 */
export interface Listener {
  onMessage(topic: string, handler: (message: Message) => void): void
  /**
   * Calls the handler now and on every change: with false as soon as messages may be missed, with true when they arrive
   * again.
   */
  onListening(handler: (isListening: boolean) => void): void
  /** Delivers a message that this process has sent itself. */
  dispatch(message: string): void
}

export type Message = { readonly topic: string } & Readonly<Record<string, unknown>>

export interface ListenerOptions {
  channel: string
  hold: HoldConnection
  onProblem(error: Error): void
  /** Called when the connection is open, but the server does not respond. */
  onStall(): void
  /** Called with the position up to which the primary has written its log, about once a second. */
  onPosition?(lsn: string): void
}

const HEARTBEAT_MS = 1_000
const HEARTBEAT_DEADLINE_MS = 2_000

const notifyStatement = write('database.notify', {
  params: { message: c.text },
  row: { told: c.text },
  text: 'select pg_notify(current_schema()::text, :message)::text as told',
})

/**
 * Notifies every process of this environment when the transaction commits. This process handles the message before the
 * caller gets its response, so that, for example, a revoked token no longer works by then; the same message also
 * arrives from the database later. The payload is at most 8,000 bytes of JSON.
 */
export async function notify(db: Db, topic: string, payload: Readonly<Record<string, unknown>> = {}): Promise<void> {
  const message = JSON.stringify({ ...payload, topic })
  await db.all(notifyStatement, { message })
  db.afterCommit(() => db.tellHere(message))
}

/**
 * Extra time before the server counts as stalled. This process may have been blocked itself, so it first reads input
 * that has already arrived.
 */
const LAST_LOOK_MS = 50

async function checkHeartbeat(
  client: Client,
  { onStall, onPosition }: Pick<ListenerOptions, 'onStall' | 'onPosition'>,
): Promise<void> {
  let timer = setTimeout(() => {
    timer = setTimeout(() => {
      onStall()
      client.connection.stream.destroy(new Error('The database does not respond'))
    }, LAST_LOOK_MS)
  }, HEARTBEAT_DEADLINE_MS)
  const text = onPosition ? 'select pg_current_wal_flush_lsn() as lsn' : 'select 1'
  const found = await client.query<{ lsn: string }>(text).catch((error) => {
    client.connection.stream.destroy(error)
  })
  clearTimeout(timer)
  if (found) onPosition?.(found.rows[0]!.lsn)
}

export async function openListener(options: ListenerOptions): Promise<Listener> {
  const { onProblem } = options
  const messageHandlers = new Map<string, ((message: Message) => void)[]>()
  const stateHandlers: ((isListening: boolean) => void)[] = []
  let isListening = false
  let heartbeat: NodeJS.Timeout

  function tell(state: boolean): void {
    isListening = state
    for (const handler of stateHandlers) guarded(() => handler(state))
  }

  function dispatch(payload: string): void {
    guarded(() => {
      const message: Message = JSON.parse(payload)
      for (const handler of messageHandlers.get(message.topic) ?? []) guarded(() => handler(message))
    })
  }

  /** Runs a handler and catches its errors, so that the other handlers still get the message. */
  function guarded(work: () => void): void {
    try {
      work()
    } catch (error) {
      onProblem(error as Error)
    }
  }

  await options.hold({
    onUp: async (client) => {
      const deadline = { query_timeout: HEARTBEAT_DEADLINE_MS }
      client.on('notification', ({ payload }) => dispatch(payload ?? ''))
      await client.query({ text: `listen ${client.escapeIdentifier(options.channel)}`, ...deadline })
      // A dead connection looks like an idle one; only a heartbeat tells them apart.
      heartbeat = setInterval(() => void checkHeartbeat(client, options), HEARTBEAT_MS)
      tell(true)
    },
    onDown: () => {
      clearInterval(heartbeat)
      tell(false)
    },
  })
  return {
    dispatch,
    onMessage: (topic, handler) => {
      messageHandlers.set(topic, [...(messageHandlers.get(topic) ?? []), handler])
    },
    onListening: (handler) => {
      stateHandlers.push(handler)
      guarded(() => handler(isListening))
    },
  }
}
