import { randomUUID } from 'node:crypto'
import { recordAudit } from '../audit/audit.ts'
import type { Caller, PersonCaller, SignedIn, Visitor } from '../caller.ts'
import type { EnvironmentName } from '../config.ts'
import type { Db, Tx } from '../database/database.ts'
import type { Retention } from '../database/retention.ts'
import { endSessionsOfBrowser } from '../sessions/sessions.ts'
import { hashToken, inspectToken, mintToken } from '../sessions/tokens.ts'
import { refuseRequired } from './required.ts'
import * as store from './store.ts'
import { placeOf } from './uses.ts'

const HOURS = 12
const KEPT_DAYS = 30
const HOUR_MS = 3_600_000

/**
 * The new cookies of a browser in which a person has just signed in. `maxAgeSeconds` is the lifetime of the sign-in
 * cookie; if undefined, it lasts until the browser is closed.
 */
export interface OpenedBrowser {
  readonly token: string
  readonly maxAgeSeconds: number | undefined
  /** Value of the known-browser cookie, which now includes this person. */
  readonly known: string
  /** Id of the sign-in. */
  readonly browserId: string
}

export interface NewBrowser {
  readonly personId: number
  /**
   * The person's epoch at the time of authentication. The cookie is invalid once the epoch has changed, for example
   * with the password.
   */
  readonly epoch: number
  readonly door: 'password' | 'passkey' | 'reset' | 'demo' | 'test' | 'sign-up' | 'provider'
  /** True if the person stays signed in after the browser is closed. */
  readonly isKept: boolean
  /** For the door `provider`. `authenticatedAt`: when the person has shown there who they are. */
  readonly provider?: { readonly organisationId: number; readonly authenticatedAt: Date }
}

/** Ways in that are closed to people whose organisation requires its own provider. */
const CLOSABLE: readonly NewBrowser['door'][] = ['password', 'passkey', 'reset', 'sign-up']

/**
 * Signs a person in to the platform in this browser. Always issues a new cookie. If the same person was signed in here,
 * the sign-in keeps its id; somebody else is signed out. Throws `ProviderRequired` if the person has to use a provider.
 */
export async function openBrowser(
  db: Db,
  who: Visitor,
  what: NewBrowser,
  environment: EnvironmentName,
): Promise<OpenedBrowser> {
  const token = mintToken('browser', environment)
  const lifetimeMs = (what.isKept ? KEPT_DAYS * 24 : HOURS) * HOUR_MS
  const browserId = await db.transaction(async (tx) => {
    const { personId, provider } = what
    if (CLOSABLE.includes(what.door)) await refuseRequired(tx, what)
    // The provider of one organisation proves nothing about the people of another.
    if (what.door === 'provider')
      await refuseRequired(tx, { personId, epoch: undefined, organisation: provider?.organisationId })
    const before = who.person
    if (before && before.personId !== what.personId) await signOutOf(tx, who, before)
    const row = {
      hash: hashToken(token),
      person: what.personId,
      epoch: what.epoch,
      door: what.door,
      device: who.device,
      address: placeOf(who),
      authenticated: what.provider?.authenticatedAt ?? null,
      now: who.at,
      expires: new Date(who.at.getTime() + lifetimeMs),
    }
    const isRenewed =
      before?.personId === what.personId && (await tx.first(store.renewBrowser, { id: before.browserId, ...row }))
    const opened = isRenewed || (await tx.first(store.insertBrowser, { id: randomUUID(), ...row }))!
    await recordAudit(tx, who, { action: `sign-in.${what.door}`, personId: what.personId })
    return opened.id
  })
  const known = who.known.remember({ id: what.personId, epoch: what.epoch })
  return { token, maxAgeSeconds: what.isKept ? lifetimeMs / 1000 : undefined, known, browserId }
}

/**
 * Finds the person who is signed in with this cookie; undefined if the cookie is unknown, expired, or from an earlier
 * epoch.
 */
export async function findSignedIn(
  db: Db,
  token: string,
  environment: EnvironmentName,
  now: Date,
): Promise<SignedIn | undefined> {
  if (inspectToken(token, 'browser', environment) !== 'good') return undefined
  const row = await db.first(store.findBrowser, { hash: hashToken(token), now })
  if (!row) return undefined
  const name = `${row.first_name} ${row.last_name}`.trim()
  return {
    personId: row.person_id,
    browserId: row.id,
    epoch: row.epoch,
    handle: row.handle,
    name,
    isAdministrator: row.administrator,
    isTest: row.door === 'test',
    signedInAt: row.authenticated_at ?? row.created_at,
    lastUsedAt: row.last_used_at,
  }
}

/**
 * Deletes a browser and ends the sessions that came from it. The browser is deleted first, so a session that is being
 * opened concurrently is either ended here or refused (`holdBrowser`).
 */
async function signOutOf(tx: Tx, who: Caller, what: { browserId: string; personId: number }): Promise<boolean> {
  const { browserId, personId } = what
  if (!(await tx.first(store.deleteBrowser, { id: browserId, person: personId }))) return false
  await endSessionsOfBrowser(tx, who, { browserId, personId, reason: 'signed out of the browser' })
  return true
}

/**
 * Whether the person is still signed in with this browser. Locks the browser, so that it stays signed in until the
 * transaction ends.
 */
export const holdBrowser = async (tx: Tx, what: { browserId: string; personId: number }): Promise<boolean> =>
  (await tx.first(store.holdBrowser, { id: what.browserId, person: what.personId })) !== undefined

/**
 * Signs out one of the person's browsers, and of the apps that signed the person in there, unless they have
 * `offline_access`. Returns false if there is no such browser.
 */
export function endBrowser(db: Db, who: Caller, what: { browserId: string; personId: number }): Promise<boolean> {
  return db.transaction(async (tx) => {
    const isEnded = await signOutOf(tx, who, what)
    if (isEnded) await recordAudit(tx, who, { action: 'sign-out', personId: what.personId })
    return isEnded
  })
}

/** Tells whether a browser stays signed in after it is closed. */
export async function isBrowserKept(db: Db, browserId: string): Promise<boolean> {
  const found = await db.first(store.findExpiry, { id: browserId })
  return found !== undefined && found.expires_at.getTime() - found.created_at.getTime() > HOURS * HOUR_MS
}

/**
 * Updates a browser to the person's new epoch, so that it stays signed in. Returns false if the browser has been signed
 * out in the meantime.
 */
export const moveBrowser = async (
  tx: Tx,
  what: { browserId: string; personId: number; epoch: number },
): Promise<boolean> =>
  (await tx.first(store.moveBrowser, { id: what.browserId, person: what.personId, epoch: what.epoch })) !== undefined

/**
 * Lists the browsers in which a person is signed in. The calling browser comes first, with the address and time of this
 * request, because its last use may not be written yet.
 */
export async function listBrowsers(db: Db, who: PersonCaller) {
  const rows = await db.all(store.listOfPerson, { person: who.personId, now: who.at })
  const isHere = ({ id }: { id: string }) => id === who.browserId
  const here = rows.filter(isHere).map((row) => ({ ...row, address: placeOf(who), last_used_at: who.at.toISOString() }))
  return [...here, ...rows.filter((row) => !isHere(row))]
}

/** Exports a person's browsers, of which there are at most a hundred. */
export async function exportBrowsers(db: Db, personId: number) {
  return (await db.all(store.listAllOfPerson, { person: personId })).map((row) => ({
    browserId: row.id,
    device: row.device,
    door: row.door,
    address: row.address,
    createdDate: row.created_at,
    lastUsedDate: row.last_used_at,
    expiresDate: row.expires_at,
  }))
}

export const browserRetention: readonly Retention[] = [{ days: 1, remove: store.deleteOld }]
