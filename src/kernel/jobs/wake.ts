import type { Database, Db } from '../database/database.ts'
import { notify } from '../database/listener.ts'

/** Other processes are told so often at the most. */
const TELL_EVERY_MS = 50

const here = (topic: string): string => `${topic} here`

/**
 * Once the transaction commits, whoever hears the topic is woken. There is no NOTIFY in the transaction: PostgreSQL lets those that have one commit one after the other
 * only. A process that does not hear its own topic, such as a command, wakes nobody, and the others find out when they look.
 */
export const tellAfterCommit = (tx: Db, topic: string): void =>
  tx.afterCommit(() => tx.tellHere(JSON.stringify({ topic: here(topic) })))

/** Calls `wake` when this process or another one tells the topic. What is told here is passed on. */
export function hear(db: Database, topic: string, wake: () => void, stopping: AbortSignal): void {
  let isDue = false
  const passOn = () => {
    isDue = false
    // Who misses it finds out by looking.
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
