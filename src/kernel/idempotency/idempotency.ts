import { createHash } from 'node:crypto'
import { gatePerOwner } from '../bounds/gate.ts'
import { networkOf } from '../bounds/networks.ts'
import { type AppUser, type Caller, personKey } from '../caller.ts'
import type { Db, Tx } from '../database/database.ts'
import type { Retention } from '../database/retention.ts'
import { type ErrorName, fail, PlatformError } from '../errors.ts'
import * as store from './store.ts'

export interface KeptAnswer {
  readonly text: string
  readonly headers: Readonly<Record<string, string | readonly string[]>>
}

export interface KeyedRequest {
  readonly key: string
  /** Two requests with the same key count as the same request if `operation` and `input` are equal. */
  readonly operation: string
  readonly input: unknown
}

const MAX_KEY_LENGTH = 255

/** Maximum number of stored responses per caller: enough for every request that may still be repeated. */
const MAX_KEPT = 1000
/** Maximum size of the stored responses of a caller, in bytes: a small share of the disk. */
const MAX_KEPT_BYTES = 16 * 1024 * 1024
/**
 * Anyone can create any number of anonymous users. So the anonymous users of one network in one app share a limit, and
 * all anonymous users of an app share another. Their responses do not count against the app's storage.
 */
const ANONYMOUS_LIMITS = {
  networkMost: 5000,
  networkBytes: 4 * 1024 * 1024,
  appMost: 20_000,
  appBytes: 16 * 1024 * 1024,
}
/**
 * Probability that a small response triggers trimming. It is low, because trimming reads all stored responses of a
 * caller or share.
 */
const TRIM_SHARE = 1 / 32
const LARGE_BYTES = 64 * 1024

/** The owner of stored responses and, for anonymous users, the share that the responses count against. */
export interface ResponseOwner {
  readonly caller: string
  readonly at: Date
  readonly anonymous: { readonly appId: number; readonly network: string } | undefined
}

export const keeperOf = (who: Caller | AppUser, caller: string): ResponseOwner => ({
  caller,
  at: who.at,
  anonymous:
    'isAnonymous' in who && who.isAnonymous ? { appId: who.appId, network: networkOf(who.address) } : undefined,
})

/**
 * Runs the work once per key: a repeated request gets the first response, or the first error, and has no further
 * effect. Key, effect and response are stored in one transaction, so a crash keeps all of them or none. A concurrent
 * request with the same key waits for the first. Server errors and 429 are not stored, because a retry may succeed.
 */
export async function answerOnce(
  db: Db,
  owner: ResponseOwner,
  what: KeyedRequest,
  work: (tx: Tx) => Promise<KeptAnswer>,
): Promise<KeptAnswer> {
  if (what.key === '' || what.key.length > MAX_KEY_LENGTH)
    throw fail('validationFailed', `Idempotency-Key must have 1 to ${MAX_KEY_LENGTH} characters`)
  const fingerprint = createHash('sha256')
    .update(JSON.stringify([what.operation, what.input]))
    .digest()
  const claim = {
    caller: owner.caller,
    key: what.key,
    fingerprint,
    now: owner.at,
    anonymousApp: owner.anonymous?.appId ?? null,
    network: owner.anonymous?.network ?? null,
  }
  // Runs one request per caller at a time: transactions that wait for a key occupy database connections, and one caller
  // could occupy all of them.
  return claiming(db).run(claim.caller, () => answerInTurn(db, claim, work))
}

const claiming = gatePerOwner({ atOnce: 32, perKey: 1, waiting: 10_000, waitingPerKey: 1000 })

async function answerInTurn(db: Db, claim: Claim, work: (tx: Tx) => Promise<KeptAnswer>): Promise<KeptAnswer> {
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
    // Another request with this key finished first, so its outcome is returned.
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

/**
 * Deletes old responses beyond the limits. Runs after the commit, so that concurrent trims of one share see each
 * other's responses. If it fails, the next trim deletes them.
 */
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

/**
 * Deletes the responses stored for a deleted user. A request that is still running may store its error afterwards; that
 * error expires after a day.
 */
export async function forgetAnswers(tx: Tx, _who: Caller, { userId }: { userId: string }): Promise<boolean> {
  await tx.all(store.forgetAnswers, { caller: userId })
  return true
}

/** Deletes the responses that are stored for requests from the person's own browsers. */
export async function forgetPersonAnswers(tx: Tx, _who: Caller, personId: number): Promise<void> {
  await tx.all(store.forgetAnswers, { caller: personKey(personId) })
}

/** Responses are stored for a day, within which clients are expected to repeat a request. */
export const idempotencyRetention: readonly Retention[] = [{ days: 1, remove: store.deleteOldKeys }]
