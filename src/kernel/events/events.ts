import type { Db, Tx } from '../database/database.ts'
import type { Retention } from '../database/retention.ts'
import { tellAfterCommit } from '../jobs/wake.ts'
import * as store from './store.ts'

export interface Event<Kind extends string = string, Payload = unknown> {
  /** Increases in the order in which events are read. Consumers derive the ids of the rows that they create from it. */
  readonly id: number
  readonly kind: Kind
  /** The object that the event is about, such as `student:7`. Events of one subject keep their order. */
  readonly subject: string
  /** All data that consumers need, with internal ids, so that they need not query other modules. */
  readonly payload: Payload
  readonly at: Date
}

type NewEvent<Kind extends string = string, Payload = unknown> = Omit<Event<Kind, Payload>, 'id'>

/** Carries the type of a payload in a module's `defineEvents` table. */
interface PayloadType<T> {
  readonly type?: T
}
export const payload = <T extends object>(): PayloadType<T> => ({})

type Payloads = Readonly<Record<string, PayloadType<object>>>
type Table<P extends Payloads, E> = {
  [K in keyof P & string]: P[K] extends PayloadType<infer T> ? (E extends 'new' ? NewEvent<K, T> : Event<K, T>) : never
}[keyof P & string]

/** The events of one module. */
export interface Events<P extends Payloads> {
  readonly kinds: readonly (keyof P & string)[]
  /** Stores the events. Call it in the transaction of the change; it runs one statement for all events. */
  emit(tx: Tx, ...events: readonly Table<P, 'new'>[]): Promise<void>
}

/** Union of a module's event types, for a consumer: `EventOf<typeof progressEvents>`. */
export type EventOf<E> = E extends Events<infer P> ? Table<P, 'kept'> : never

/** Topic on which every process is notified of new events. */
export const EVENTS = 'events'

const known = new Set<string>()

export const listEventKinds = (): readonly string[] => [...known].sort()

/** Declares all events of a module: `defineEvents({ 'attempt.completed': payload<{ attempt: number }>() })`. */
export function defineEvents<P extends Payloads>(payloads: P): Events<P> {
  const kinds = Object.keys(payloads)
  for (const kind of kinds) {
    if (!/^[a-z-]+\.[a-z-]+$/.test(kind)) throw new Error(`Event kind '${kind}' is not like attempt.completed`)
    if (known.has(kind)) throw new Error(`There are two events of the kind '${kind}'`)
    known.add(kind)
  }
  return { kinds, emit }
}

async function emit(tx: Tx, ...events: readonly NewEvent[]): Promise<void> {
  if (events.length === 0) return
  const rows = events.map(({ kind, subject, payload, at }) => ({ kind, subject, payload, at }))
  await tx.all(store.insertEvents, { rows: JSON.stringify(rows) })
  tellAfterCommit(tx, EVENTS)
}

/** Wakes consumers after an SQL statement that has emitted an event with `emit_event(kind, subject, payload, at)`. */
export const announceEvents = (db: Db): void => tellAfterCommit(db, EVENTS)

export interface EventFigures {
  /** Age of the oldest unpublished event. */
  readonly unpublishedSeconds: number
  readonly consumers: readonly {
    readonly name: string
    /** Age of the oldest unread event. */
    readonly seconds: number
    readonly unread: number
    /** Number of failed tries of the consumer's next event. */
    readonly attempts: number
    /** Number of events that were skipped. */
    readonly failed: number
  }[]
}

export async function eventFigures(db: Db, now: Date): Promise<EventFigures> {
  const [outbox, consumers] = await Promise.all([
    db.first(store.readOutboxAge, { now }),
    db.all(store.readConsumers, { now }),
  ])
  return { unpublishedSeconds: outbox!.seconds, consumers }
}

export const eventRetention: readonly Retention[] = [{ days: 90, remove: store.deleteOldFailures }]
