import { createHash } from 'node:crypto'
import { gatePerOwner } from '../bounds/gate.ts'
import { type Caller, personKey } from '../caller.ts'
import type { Db } from '../database/database.ts'
import type { Retention } from '../database/retention.ts'
import { type ErrorName, fail, PlatformError } from '../errors.ts'
import * as store from './store.ts'

export interface KeptAnswer {
  readonly text: string
  readonly headers: Readonly<Record<string, string | readonly string[]>>
}

export interface KeyedRequest {
  readonly key: string
  /** What must be equal for two requests to be the same. */
  readonly operation: string
  readonly input: unknown
}

const MAX_KEY_LENGTH = 255

/** What is kept for one caller: enough for every request that may still be repeated, and never more than a bounded share of the disk. */
const MAX_KEPT = 1000
const MAX_KEPT_BYTES = 16 * 1024 * 1024
/** Trimming looks at all of a caller's answers, so small ones wait until some have come together. */
const TRIM_SHARE = 1 / 32
const LARGE_BYTES = 64 * 1024

/**
 * Does the work once for each key: a repeated request gets the first one's answer, or its refusal, and has no effect of its own. Key, effect and answer are kept in one
 * transaction, so a crash keeps all or none; a request that runs beside the first waits for it. What failed on our side, or by too many requests, is not kept: it is worth another try.
 */
export async function answerOnce(
  db: Db,
  who: { readonly caller: string; readonly at: Date },
  what: KeyedRequest,
  work: (tx: Db) => Promise<KeptAnswer>,
): Promise<KeptAnswer> {
  if (what.key === '' || what.key.length > MAX_KEY_LENGTH)
    throw fail('validationFailed', `Idempotency-Key must have 1 to ${MAX_KEY_LENGTH} characters`)
  const fingerprint = createHash('sha256')
    .update(JSON.stringify([what.operation, what.input]))
    .digest()
  const claim = { caller: who.caller, key: what.key, fingerprint, now: who.at }
  // One at a time for each caller: a transaction that waits holds a connection, and others need those too.
  return claiming(db).run(claim.caller, () => answerInTurn(db, claim, work))
}

const claiming = gatePerOwner({ atOnce: 32, perKey: 1, waiting: 10_000, waitingPerKey: 1000 })

async function answerInTurn(db: Db, claim: Claim, work: (tx: Db) => Promise<KeptAnswer>): Promise<KeptAnswer> {
  let isRepeated = false
  try {
    return await db.transaction(async (tx) => {
      isRepeated = !(await tx.first(store.claimKey, claim))
      if (isRepeated) return replay(tx, claim)
      const answer = await work(tx)
      await keepAnswer(tx, claim, answer)
      return answer
    })
  } catch (error) {
    if (isRepeated || !(error instanceof PlatformError) || !isLasting(error)) throw error
    const isKept = await db.first(store.keepRefusal, { ...claim, error: error.kind, answer: error.message })
    await trimAnswers(db, claim.caller, error.message)
    if (isKept) throw error
    // Another request with this key was quicker, and its outcome counts.
    return replay(db, claim)
  }
}

interface Claim {
  readonly caller: string
  readonly key: string
  readonly fingerprint: Buffer<ArrayBuffer>
  readonly now: Date
}

const isLasting = ({ status }: PlatformError): boolean => status < 500 && status !== 429

async function keepAnswer(tx: Db, { caller, key }: Claim, { text, headers }: KeptAnswer): Promise<void> {
  await tx.first(store.keepAnswer, { caller, key, answer: text, headers: JSON.stringify(headers) })
  await trimAnswers(tx, caller, text)
}

async function trimAnswers(db: Db, caller: string, text: string): Promise<void> {
  if (text.length > LARGE_BYTES || Math.random() < TRIM_SHARE)
    await db.all(store.trimAnswers, { caller, most: MAX_KEPT, bytes: MAX_KEPT_BYTES })
}

async function replay(db: Db, { caller, key, fingerprint }: Claim): Promise<KeptAnswer> {
  const kept = await db.first(store.findAnswer, { caller, key })
  if (!kept || kept.answer === null) throw fail('conflict', 'This Idempotency-Key has just expired; use a new one')
  if (!kept.fingerprint.equals(fingerprint))
    throw fail('conflict', 'This Idempotency-Key was used for another request; use a new one')
  if (kept.error !== null) throw fail(kept.error as ErrorName, kept.answer)
  return { text: kept.answer, headers: kept.headers === null ? {} : JSON.parse(kept.headers) }
}

/** A user goes for good, and what was answered to them too. A request that is under way meanwhile leaves its refusal, for a day. */
export async function forgetAnswers(tx: Db, _who: Caller, { userId }: { userId: string }): Promise<boolean> {
  await tx.all(store.forgetAnswers, { caller: userId })
  return true
}

/** The same for what was answered to the person in their own browser. */
export async function forgetPersonAnswers(tx: Db, _who: Caller, personId: number): Promise<void> {
  await tx.all(store.forgetAnswers, { caller: personKey(personId) })
}

/** A client that has not repeated its request within a day will not. */
export const idempotencyRetention: readonly Retention[] = [{ days: 1, remove: store.deleteOldKeys }]
