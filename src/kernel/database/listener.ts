import type { Client } from 'pg'
import type { HoldConnection } from './connection.ts'
import type { Db } from './db.ts'
import { c, write } from './statement.ts'

/**
 * One connection that receives the environment's notifications from all processes. Its channel has the name of the
 * schema.
 */
export interface Listener {
  onMessage(topic: string, handler: (message: Message) => void): void
  /** Called now and at every change: with false as soon as messages may be missed, with true when they arrive. */
  onListening(handler: (isListening: boolean) => void): void
  /** Delivers a message of this process itself. */
  dispatch(message: string): void
}

export type Message = { readonly topic: string } & Readonly<Record<string, unknown>>

export interface ListenerOptions {
  channel: string
  hold: HoldConnection
  onProblem(error: Error): void
  /** The connection is open, but the server does not answer. */
  onStall(): void
}

const HEARTBEAT_MS = 1_000
const HEARTBEAT_DEADLINE_MS = 2_000

const notifyStatement = write('database.notify', {
  params: { message: c.text },
  row: { told: c.text },
  text: 'select pg_notify(current_schema()::text, :message)::text as told',
})

/**
 * Notifies every process of this environment when the transaction commits. This process is told before the caller gets
 * its response, so that a revoked token, for example, no longer works by then; it receives the message a second time
 * from the database. The payload is at most 8,000 bytes of JSON.
 */
export async function notify(db: Db, topic: string, payload: Readonly<Record<string, unknown>> = {}): Promise<void> {
  const message = JSON.stringify({ ...payload, topic })
  await db.all(notifyStatement, { message })
  db.afterCommit(() => db.tellHere(message))
}

/**
 * This process itself may have been blocked for that long. So it reads input that has arrived before it blames the
 * server.
 */
const LAST_LOOK_MS = 50

async function checkHeartbeat(client: Client, onStall: () => void): Promise<void> {
  let timer = setTimeout(() => {
    timer = setTimeout(() => {
      onStall()
      client.connection.stream.destroy(new Error('The database does not answer'))
    }, LAST_LOOK_MS)
  }, HEARTBEAT_DEADLINE_MS)
  await client.query('select 1').catch((error) => client.connection.stream.destroy(error))
  clearTimeout(timer)
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

  /** An error in one handler must not keep the message from the others. */
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
      // A dead connection looks like an idle one, so only a heartbeat reveals it.
      heartbeat = setInterval(() => void checkHeartbeat(client, options.onStall), HEARTBEAT_MS)
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
