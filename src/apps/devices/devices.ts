import { randomInt, randomUUID } from 'node:crypto'
import { recordAudit } from '../../kernel/audit/audit.ts'
import { networkOf } from '../../kernel/bounds/networks.ts'
import type { Caller, PersonCaller } from '../../kernel/caller.ts'
import type { EnvironmentName } from '../../kernel/config.ts'
import type { Db } from '../../kernel/database/database.ts'
import type { Retention } from '../../kernel/database/retention.ts'
import type { RowOf } from '../../kernel/database/statement.ts'
import { fail, failOauth, type PlatformError } from '../../kernel/errors.ts'
import { countFailures, networkSubject, refuseBlocked, typedCodeSubject } from '../../kernel/lockouts/lockouts.ts'
import { parseScopes, readScopes, type Scopes, showScopes } from '../../kernel/scopes.ts'
import { endSession, openSession, type TokenPair, type TokenPolicy } from '../../kernel/sessions/sessions.ts'
import { hashToken, inspectToken, mintToken, sayForeign } from '../../kernel/sessions/tokens.ts'
import { confirmAppUser, ensureAppUser, findConsent } from '../apps/apps.ts'
import type { Client } from '../apps/clients.ts'
import { isHasty, LENGTH, LETTERS, readUserCode } from './rules.ts'
import * as store from './store.ts'

const LIFETIME_SECONDS = 600
const INTERVAL_SECONDS = 5
/** Maximum number of unexpired codes of an app. */
const MAX_OPEN = 10_000
/** Maximum number of unexpired codes of an app that were requested from one network. */
const MAX_OPEN_OF_NETWORK = 1000
/**
 * Maximum number of devices that a person has allowed and that have not signed in yet. A device signs in within seconds
 * after it is allowed, so more than this indicates abuse.
 */
const MAX_ALLOWED = 20
const TRIES = 5

export const makeUserCode = (): string =>
  Array.from({ length: LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join('')

/** Formats a code for display: `BCDF-GHJK`. */
export const showUserCode = (code: string): string => `${code.slice(0, LENGTH / 2)}-${code.slice(LENGTH / 2)}`

export interface StartedDevice {
  readonly deviceCode: string
  readonly userCode: string
  readonly expiresInSeconds: number
  readonly intervalSeconds: number
}

/** RFC 8628 §3.2: issues two codes, one that the device redeems, and one that the person types into a browser. */
export async function startDevice(
  db: Db,
  who: Caller,
  client: Client,
  { device, scope }: { device: string; scope: string | undefined },
  environment: EnvironmentName,
): Promise<StartedDevice> {
  checkEnabled(client)
  const scopes = parseScopes(scope, client.scopes)
  const network = networkOf(who.address)
  const open = await db.first(store.countOpen, { app: client.id, network, now: who.at, limit: MAX_OPEN })
  if (open && (open.total >= MAX_OPEN || open.own >= MAX_OPEN_OF_NETWORK))
    throw fail('tooManyRequests', 'Too many devices of this app are waiting to be allowed; try again later', 60)
  const deviceCode = mintToken('device', environment)
  for (let tries = TRIES; tries > 0; tries--) {
    const userCode = makeUserCode()
    const made = await db.first(store.insertGrant, {
      hash: hashToken(deviceCode),
      code: userCode,
      app: client.id,
      device,
      network,
      scopes: scopes ? [...scopes] : null,
      interval: INTERVAL_SECONDS,
      now: who.at,
      expires: new Date(who.at.getTime() + LIFETIME_SECONDS * 1000),
    })
    if (made) return { deviceCode, userCode, expiresInSeconds: LIFETIME_SECONDS, intervalSeconds: INTERVAL_SECONDS }
  }
  throw fail('notReady', 'No code is available; try again', 1)
}

function checkEnabled(client: Client): void {
  if (!client.isDeviceEnabled)
    throw fail('permissionMissing', 'Device sign-in is not enabled for this app; contact an administrator')
}

/** Normalises a typed code. Throws if it cannot be a code; this does not count as a guess. */
export function checkUserCode(typed: string): string {
  const code = readUserCode(typed)
  if (!code) throw fail('validationFailed', 'A code has 8 letters, such as BCDF-GHJK; check your device again')
  return code
}

/** The scopes that the device asks for, and those that the person has allowed its app before. */
interface AskedScopes {
  readonly asked: Scopes
  readonly allowed: Scopes
}

/**
 * Reads which app the device with this code runs and what it asks for, so that the person can decide. Throws if the
 * code is unknown. Each wrong code lengthens the wait before the next attempt, so that codes cannot be guessed.
 */
export async function readDevice(
  db: Db,
  who: PersonCaller,
  what: { userCode: string },
): Promise<{ userCode: string; app: { name: string; owner: string | undefined }; scopes: AskedScopes }> {
  const code = checkUserCode(what.userCode)
  const guesser = [typedCodeSubject(who.personId), networkSubject(who, 'codes-from')] as const
  await refuseBlocked(db, who, guesser)
  const grant = await db.first(store.findPending, { code, now: who.at })
  // Check again: concurrent guesses all pass the first check, and the response must not reveal which of them was right.
  await refuseBlocked(db, who, guesser)
  if (!grant) {
    await db.transaction(async (tx) => {
      await countFailures(tx, who, guesser)
      await recordAudit(tx, who, { action: 'device.code-wrong', personId: who.personId })
    })
    throw unknownUserCode()
  }
  const consent = await findConsent(db, { appId: grant.app_id, personId: who.personId })
  return {
    userCode: code,
    app: { name: grant.name, owner: grant.owner ?? undefined },
    scopes: {
      asked: scopesOf(grant),
      allowed: consent ? consent.scopes : [],
    },
  }
}

const unknownUserCode = () =>
  fail('notFound', 'No device is waiting for this code, or it has expired; check your device again')

/** Returns what a device asks for: these scopes, or else all that its app has registered. */
const scopesOf = (grant: { scopes: readonly string[] | null; app_scopes: readonly string[] | null }): Scopes =>
  readScopes(grant.scopes ?? grant.app_scopes)

/**
 * Allows the app on the device, which also records the person's consent. Of concurrent decisions, only one succeeds.
 * Returns false if the device asks for other scopes than those that the person saw (`shown`), because its app has
 * registered others since; the person must decide again.
 */
export function allowDevice(
  db: Db,
  who: PersonCaller,
  what: { userCode: string; shown: string | undefined },
): Promise<boolean> {
  const code = checkUserCode(what.userCode)
  const { personId } = who
  return db.transaction(async (tx) => {
    const grant = await tx.first(store.findPending, { code, now: who.at })
    if (!grant) throw unknownUserCode()
    const scopes = scopesOf(grant)
    if (what.shown !== showScopes(scopes)) return false
    const allowed = await tx.first(store.countAllowed, { person: personId, now: who.at, limit: MAX_ALLOWED })
    if (allowed && allowed.total >= MAX_ALLOWED)
      throw fail(
        'tooManyRequests',
        `${MAX_ALLOWED} devices that you allowed have not signed in yet; try again later`,
        60,
      )
    const parties = { appId: grant.app_id, personId }
    await ensureAppUser(tx, who, { ...parties, scopes })
    const epochs = { personEpoch: who.epoch, consentEpoch: (await findConsent(tx, parties))!.epoch }
    if (!(await tx.first(store.allowGrant, { code, person: personId, ...epochs, now: who.at }))) throw unknownUserCode()
    const detail = scopes && { detail: { scopes: showScopes(scopes) } }
    await recordAudit(tx, who, { action: 'consent.given', ...parties, ...detail })
    await recordAudit(tx, who, { action: 'device.allowed', ...parties })
    return true
  })
}

export function denyDevice(db: Db, who: PersonCaller, what: { userCode: string }): Promise<void> {
  const code = checkUserCode(what.userCode)
  const { personId } = who
  return db.transaction(async (tx) => {
    const grant = await tx.first(store.denyGrant, { code, person: personId, now: who.at })
    if (!grant) throw unknownUserCode()
    await recordAudit(tx, who, { action: 'device.denied', personId, appId: grant.app_id })
  })
}

type Grant = RowOf<typeof store.findGrant>

/** The errors for a device that may not sign in, or not yet (RFC 8628 §3.5). */
const REFUSALS = {
  expired: () => failOauth('expired_token', 'impossibleNow', 'These codes have expired; request new ones'),
  denied: () => failOauth('access_denied', 'forbidden', 'The user did not allow this device'),
  pending: () => failOauth('authorization_pending', 'impossibleNow', 'The user has not decided yet; try again later'),
  hasty: (seconds: number) =>
    failOauth('slow_down', 'impossibleNow', `Too soon; wait ${seconds} seconds between requests`),
  unknown: () => fail('unknownCode', 'This device code is unknown or no longer valid; request new codes'),
  used: () => fail('alreadyUsed', 'This device code was already used, so its session has ended; request new codes'),
}

/**
 * Answers a poll of a device: with tokens once the person has allowed the device, otherwise with an error. If a code is
 * redeemed a second time, the session opened with it ends.
 */
export async function redeemDevice(
  db: Db,
  who: Caller,
  client: Client,
  { deviceCode }: { deviceCode: string },
  policy: TokenPolicy,
): Promise<TokenPair> {
  checkEnabled(client)
  const form = inspectToken(deviceCode, 'device', policy.environment)
  if (form === 'foreign') throw fail('unknownCode', sayForeign('device code', policy.environment))
  if (form === 'malformed') throw REFUSALS.unknown()
  const hash = hashToken(deviceCode)
  const grant = await db.first(store.findGrant, { hash })
  // A code of another app is reported as unknown, and stays valid.
  if (!grant || grant.app_id !== client.id) throw REFUSALS.unknown()
  if (grant.status !== 'used') {
    if (grant.expires_at <= who.at) throw REFUSALS.expired()
    if (grant.status === 'denied') throw REFUSALS.denied()
    if (grant.status === 'pending') throw await notePoll(db, who, hash, grant)
    const tokens = await openDeviceSession(db, who, hash, grant, policy)
    if (tokens) return tokens
  }
  throw await refuseTaken(db, who, hash)
}

/**
 * Records a poll and returns the error for it. A device that polls too soon must wait longer from then on (RFC 8628
 * §3.5).
 */
async function notePoll(db: Db, who: Caller, hash: Buffer, grant: Grant): Promise<PlatformError> {
  const hasty = isHasty(grant.polled_at, grant.interval_seconds, who.at)
  const interval = grant.interval_seconds + (hasty ? INTERVAL_SECONDS : 0)
  await db.first(store.recordPoll, { hash, interval, now: who.at })
  return hasty ? REFUSALS.hasty(interval) : REFUSALS.pending()
}

/** Opens the device's session. Returns undefined if another request redeemed the code first. */
const openDeviceSession = (db: Db, who: Caller, hash: Buffer, grant: Grant, policy: TokenPolicy) =>
  db.transaction(async (tx): Promise<TokenPair | undefined> => {
    const parties = { appId: grant.app_id, personId: grant.person_id! }
    const epochs = { personEpoch: grant.person_epoch!, consentEpoch: grant.consent_epoch! }
    const userId = await confirmAppUser(tx, { ...parties, ...epochs })
    if (!userId) throw REFUSALS.unknown()
    const sessionId: string = randomUUID()
    if (!(await tx.first(store.takeGrant, { hash, session: sessionId, now: who.at }))) return undefined
    const scopes = readScopes(grant.scopes)
    return openSession(tx, who, { ...parties, userId, sessionId, door: 'device', device: grant.device, scopes }, policy)
  })

/** Ends the session of a code that was already redeemed. The end is committed although this request fails. */
async function refuseTaken(db: Db, who: Caller, hash: Buffer): Promise<PlatformError> {
  const grant = await db.first(store.findGrant, { hash })
  if (grant?.status !== 'used') return REFUSALS.expired()
  if (grant.session_id) await endSession(db, who, { sessionId: grant.session_id, reason: 'device code used twice' })
  return REFUSALS.used()
}

/** Codes are stored for a day after they expire, so that used and expired codes are still recognised. */
export const deviceRetention: readonly Retention[] = [{ days: 1, remove: store.deleteOldGrants }]
