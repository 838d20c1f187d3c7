import type { Database, Db } from '../database/database.ts'
import { notify } from '../database/listener.ts'

/** Minimum interval between notifications to other processes. */
const TELL_EVERY_MS = 50

const here = (topic: string): string => `${topic} here`

/**
 * Wakes listeners of the topic after the transaction commits; outside a transaction, immediately. It does not use
 * NOTIFY within the transaction, because PostgreSQL serializes the commits of transactions that do. A process that does
 * not listen to the topic itself, such as a command, does not notify other processes; they find the work by polling.
 */
export const tellAfterCommit = (db: Db, topic: string): void =>
  db.afterCommit(() => db.tellHere(JSON.stringify({ topic: here(topic) })))

/**
 * Calls `wake` when this or another process announces the topic. Announcements of this process are passed on to the
 * other processes.
 */
export function hear(db: Database, topic: string, wake: () => void, stopping: AbortSignal): void {
  let isDue = false
  const passOn = () => {
    isDue = false
    // Errors are ignored: a process that misses the notification finds the work by polling.
    if (!stopping.aborted) notify(db, topic).catch(() => {})
  }
  db.onMessage(topic, wake)
  db.onMessage(here(topic), () => {
    wake()
    if (isDue) return
    isDue = true
    setTimeout(passOn, TELL_EVERY_MS).unref()
  })
}
