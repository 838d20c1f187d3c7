import { createHash } from 'node:crypto'
import { gatePerOwner } from '../bounds/gate.ts'
import { networkOf } from '../bounds/networks.ts'
import { type AppUser, type Caller, personKey } from '../caller.ts'
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
/** Anybody can be any number of anonymous users, so those of one network and app have one share, and all of an app another: neither counts for the app's storage. */
const ANONYMOUS_LIMITS = {
  networkMost: 5000,
  networkBytes: 4 * 1024 * 1024,
  appMost: 20_000,
  appBytes: 16 * 1024 * 1024,
}
/** Trimming looks at all answers of a share, so small ones wait until some have come together. */
const TRIM_SHARE = 1 / 32
const LARGE_BYTES = 64 * 1024

/** Whom answers are kept for, and the share that they count for where it is not the caller's own. */
export interface Keeper {
  readonly caller: string
  readonly at: Date
  readonly anonymous: { readonly appId: number; readonly network: string } | undefined
}

export const keeperOf = (caller: string, who: Caller | AppUser): Keeper => ({
  caller,
  at: who.at,
  anonymous:
    'isAnonymous' in who && who.isAnonymous ? { appId: who.appId, network: networkOf(who.address) } : undefined,
})

/**
 * Does the work once for each key: a repeated request gets the first one's answer, or its refusal, and has no effect of its own. Key, effect and answer are kept in one
 * transaction, so a crash keeps all or none; a request that runs beside the first waits for it. What failed on our side, or by too many requests, is not kept: it is worth another try.
 */
export async function answerOnce(
  db: Db,
  who: Keeper,
  what: KeyedRequest,
  work: (tx: Db) => Promise<KeptAnswer>,
): Promise<KeptAnswer> {
  if (what.key === '' || what.key.length > MAX_KEY_LENGTH)
    throw fail('validationFailed', `Idempotency-Key must have 1 to ${MAX_KEY_LENGTH} characters`)
  const fingerprint = createHash('sha256')
    .update(JSON.stringify([what.operation, what.input]))
    .digest()
  const claim = {
    caller: who.caller,
    key: what.key,
    fingerprint,
    now: who.at,
    anonymousApp: who.anonymous?.appId ?? null,
    network: who.anonymous?.network ?? null,
  }
  // One at a time for each caller: a transaction that waits holds a connection, and others need those too.
  return claiming(db).run(claim.caller, () => answerInTurn(db, claim, work))
}

const claiming = gatePerOwner({ atOnce: 32, perKey: 1, waiting: 10_000, waitingPerKey: 1000 })

async function answerInTurn(db: Db, claim: Claim, work: (tx: Db) => Promise<KeptAnswer>): Promise<KeptAnswer> {
  let isRepeated = false
  try {
    const answer = await db.transaction(async (tx) => {
      isRepeated = !(await tx.first(store.claimKey, claim))
      if (isRepeated) return replay(tx, claim)
      const { text, headers } = await work(tx)
      const { caller, key } = claim
      await tx.first(store.keepAnswer, { caller, key, answer: text, headers: JSON.stringify(headers) })
      return { text, headers }
    })
    if (!isRepeated) await trimAnswers(db, claim, answer.text)
    return answer
  } catch (error) {
    if (isRepeated || !(error instanceof PlatformError) || !isLasting(error)) throw error
    const isKept = await db.first(store.keepRefusal, { ...claim, error: error.kind, answer: error.message })
    await trimAnswers(db, claim, error.message)
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
  readonly anonymousApp: number | null
  readonly network: string | null
}

const isLasting = ({ status }: PlatformError): boolean => status < 500 && status !== 429

/** Once the answer is there for good: those who trim one share at once then see each other's answers. What goes wrong is mended by the next one. */
async function trimAnswers(db: Db, { caller, anonymousApp }: Claim, text: string): Promise<void> {
  if (Math.random() > TRIM_SHARE + text.length / LARGE_BYTES) return
  await (anonymousApp === null
    ? db.all(store.trimAnswers, { caller, most: MAX_KEPT, bytes: MAX_KEPT_BYTES })
    : db.all(store.trimAnonymous, { app: anonymousApp, ...ANONYMOUS_LIMITS })
  ).catch(() => undefined)
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
