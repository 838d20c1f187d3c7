import { useSyncExternalStore } from 'react'
import { logOut } from '../api/operations.ts'

/** A session of an app, whose token the person uses to try operations. */
export interface Session {
  readonly token: string
  readonly handle: string
  /** Handle of the person who was signed in to the platform when the token was stored; null if nobody was. */
  readonly keeper: string | null
  /** The app's client ID; undefined if the token was pasted. */
  readonly clientId?: string
  /** The scopes of the token, separated by spaces; undefined if the token was pasted. */
  readonly scope?: string
  /** Expiry of the token in milliseconds since 1970; undefined if the token was pasted. */
  readonly endsAt?: number
  /** Real user ids of the example people in this app, by the placeholder ids in the examples. */
  readonly userIds: Readonly<Record<string, string>>
}

export interface Pair {
  readonly key: string
  readonly secret: string
}

const SESSION = 'reference.session'
/**
 * Key in session storage of `HeldCredentials.ids`. They are stored, because signing in to another app leaves the page.
 */
const IDS = 'reference.ids'
/** Key in session storage of a sign-in that has not finished: the PKCE verifier and the client secret. */
export const PENDING = 'reference.sign-in'

/** Reads a value from session storage, which survives a reload and is deleted when the tab is closed (decision 55). */
const readKept = <T>(name: string): T | undefined => {
  try {
    return JSON.parse(sessionStorage.getItem(name) ?? 'null') ?? undefined
  } catch {
    return undefined
  }
}

export interface HeldCredentials {
  readonly session: Session | undefined
  /** Key and secret for HTTP Basic, stored in memory only. */
  readonly pair: Pair | undefined
  /** Real ids of records that were created by trying operations, by the placeholder ids in the examples. */
  readonly ids: Readonly<Record<string, string>>
}

let held: HeldCredentials = {
  session: readKept<Session>(SESSION),
  pair: undefined,
  ids: readKept<HeldCredentials['ids']>(IDS) ?? {},
}
const listeners = new Set<() => void>()
const hold = (next: Partial<HeldCredentials>): void => {
  held = { ...held, ...next }
  for (const listener of listeners) listener()
}

export function holdSession(session: Session | undefined): void {
  if (session) sessionStorage.setItem(SESSION, JSON.stringify(session))
  else sessionStorage.removeItem(SESSION)
  hold({ session })
}

export function holdIds(ids: Readonly<Record<string, string>>): void {
  const all = { ...held.ids, ...ids }
  sessionStorage.setItem(IDS, JSON.stringify(all))
  hold({ ids: all })
}

export const holdPair = (pair: Pair | undefined): void => hold({ pair })

/** Deletes the data of a sign-in that the person has abandoned. */
export const dropPending = (): void => sessionStorage.removeItem(PENDING)

/**
 * Deletes all credentials and ids, and ends the session on the platform. If the platform cannot be reached, they are
 * deleted from the browser anyway.
 */
export async function endHeld(): Promise<void> {
  const { session } = held
  dropPending()
  holdSession(undefined)
  holdPair(undefined)
  sessionStorage.removeItem(IDS)
  hold({ ids: {} })
  if (session) await logOut({}, { token: session.token }).catch(() => undefined)
}

/** Ends a session that was started in this browser by a person other than `handle`. */
export async function endUnlessKeptBy(handle: string | null): Promise<void> {
  const keeper = held.session?.keeper ?? null
  if (keeper !== null && keeper !== handle) await endHeld()
}

/** Returns the credentials that the page currently holds. */
export const readHeld = (): HeldCredentials => held

/** Returns the credentials that the page currently holds, and renders again when they change. */
export const useHeld = (): HeldCredentials =>
  useSyncExternalStore((listener) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }, readHeld)
