import type { Db } from '../database/database.ts'
import type { Retention } from '../database/retention.ts'
import { tellAfterCommit } from '../jobs/wake.ts'
import * as store from './store.ts'

/** An event in the log. */
export interface Event<Kind extends string = string, Payload = unknown> {
  /** Grows in the order in which events are read. What a consumer makes derives its own id from this one. */
  readonly id: number
  readonly kind: Kind
  /** What it is ordered by: `student:7`. */
  readonly subject: string
  /** Complete, with internal ids, so that consumers need to know no noun. */
  readonly payload: Payload
  readonly at: Date
}

type NewEvent<Kind extends string = string, Payload = unknown> = Omit<Event<Kind, Payload>, 'id'>

/** Stands for the type of a payload in the table of a room. */
interface PayloadType<T> {
  readonly type?: T
}
export const payload = <T extends object>(): PayloadType<T> => ({})

type Payloads = Readonly<Record<string, PayloadType<object>>>
type Table<P extends Payloads, E> = {
  [K in keyof P & string]: P[K] extends PayloadType<infer T> ? (E extends 'new' ? NewEvent<K, T> : Event<K, T>) : never
}[keyof P & string]

/** The events of one room. */
export interface Events<P extends Payloads> {
  readonly kinds: readonly (keyof P & string)[]
  /** In the transaction of the change: one statement for all of them. */
  emit(tx: Db, ...events: readonly Table<P, 'new'>[]): Promise<void>
}

/** Any event of these rooms, for a consumer: `EventOf<typeof progressEvents>`. */
export type EventOf<E> = E extends Events<infer P> ? Table<P, 'kept'> : never

/** Topic that every process hears when there are new events. */
export const EVENTS = 'events'

const known = new Set<string>()

export const listEventKinds = (): readonly string[] => [...known].sort()

/** Declares what a room emits, in one table: `defineEvents({ 'attempt.completed': payload<{ attempt: number }>() })`. */
export function defineEvents<P extends Payloads>(payloads: P): Events<P> {
  const kinds = Object.keys(payloads)
  for (const kind of kinds) {
    if (!/^[a-z-]+\.[a-z-]+$/.test(kind)) throw new Error(`Event kind '${kind}' is not like attempt.completed`)
    if (known.has(kind)) throw new Error(`There are two events of the kind '${kind}'`)
    known.add(kind)
  }
  return { kinds, emit }
}

async function emit(tx: Db, ...events: readonly NewEvent[]): Promise<void> {
  if (!tx.isTransaction) throw new Error('An event is emitted in the transaction of its change')
  if (events.length === 0) return
  const rows = events.map(({ kind, subject, payload, at }) => ({ kind, subject, payload, at }))
  await tx.all(store.insertEvents, { rows: JSON.stringify(rows) })
  tellAfterCommit(tx, EVENTS)
}

/** For a statement that makes its change and its event at once, with `emit_event(kind, subject, payload, at)`: wakes those who wait for events. */
export const announceEvents = (db: Db): void => tellAfterCommit(db, EVENTS)

export interface EventFigures {
  /** Age of the oldest event that is not in the log yet. */
  readonly unpublishedSeconds: number
  readonly consumers: readonly {
    readonly name: string
    /** Age of the oldest event that it has not read. */
    readonly seconds: number
    readonly unread: number
    /** Failed tries of the next one. */
    readonly attempts: number
    /** Events that were put aside. */
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
