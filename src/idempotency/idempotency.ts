import { createHash } from 'node:crypto'
import type { AppUser } from '../caller.ts'
import type { Age } from '../database/age.ts'
import type { Db } from '../database/database.ts'
import { fail } from '../errors.ts'
import * as store from './store.ts'

export interface Answer {
  readonly text: string
  readonly headers: Readonly<Record<string, string>>
}

export interface KeyedRequest {
  readonly key: string
  /** What must be equal for two requests to be the same. */
  readonly operation: string
  readonly input: unknown
}

const MAX_KEY_LENGTH = 255

/**
 * Does the work once for each key: a repeated request gets the first one's answer and has no effect of its own. Key, effect and answer are kept in one
 * transaction, so a crash keeps all or none; a request that runs beside the first waits for it. A failed request keeps nothing.
 */
export function answerOnce(
  db: Db,
  who: AppUser,
  what: KeyedRequest,
  work: (tx: Db) => Promise<Answer>,
): Promise<Answer> {
  if (what.key === '' || what.key.length > MAX_KEY_LENGTH)
    throw fail('validationFailed', `Idempotency-Key must have 1 to ${MAX_KEY_LENGTH} characters`)
  const caller = who.userId
  const fingerprint = createHash('sha256')
    .update(JSON.stringify([what.operation, what.input]))
    .digest()
  return db.transaction(async (tx) => {
    const isFirst = await tx.first(store.claimKey, { caller, key: what.key, fingerprint, now: who.at })
    if (!isFirst) return replay(tx, caller, what.key, fingerprint)
    const answer = await work(tx)
    await tx.first(store.keepAnswer, {
      caller,
      key: what.key,
      answer: answer.text,
      headers: JSON.stringify(answer.headers),
    })
    return answer
  })
}

async function replay(tx: Db, caller: string, key: string, fingerprint: Buffer): Promise<Answer> {
  const kept = await tx.first(store.findAnswer, { caller, key })
  if (!kept || kept.answer === null) throw fail('conflict', 'This Idempotency-Key has just expired; use a new one')
  if (!kept.fingerprint.equals(fingerprint))
    throw fail('conflict', 'This Idempotency-Key was used for another request; use a new one')
  return { text: kept.answer, headers: kept.headers === null ? {} : JSON.parse(kept.headers) }
}

/** A client that has not repeated its request within a day will not. */
export const idempotencyAges: readonly Age[] = [{ days: 1, remove: store.deleteOldKeys }]
