import { useSyncExternalStore } from 'react'
import { logOut } from '../api/operations.ts'

/** A session of an app, with which the person tries operations. */
export interface Session {
  readonly token: string
  readonly handle: string
  /** Handle of the person who was signed in to the platform when the token was stored; null if nobody was. */
  readonly keeper: string | null
  /** Undefined if the token was pasted. */
  readonly clientId?: string
  /** Expiry of the token in milliseconds of the epoch; undefined if the token was pasted. */
  readonly endsAt?: number
  /** User ids of the example people in this app, by the ids that the examples show. */
  readonly userIds: Readonly<Record<string, string>>
}

export interface Pair {
  readonly key: string
  readonly secret: string
}

const SESSION = 'reference.session'
/** Ids are stored, because signing in to another app leaves the page. */
const IDS = 'reference.ids'
/** State of a sign-in that has not returned yet: the PKCE verifier and the client secret. */
export const PENDING = 'reference.sign-in'

/** Session storage survives a reload and ends with the tab (decision 55). */
const readKept = <T>(name: string): T | undefined => {
  try {
    return JSON.parse(sessionStorage.getItem(name) ?? 'null') ?? undefined
  } catch {
    return undefined
  }
}

export interface HeldCredentials {
  readonly session: Session | undefined
  /** A key of the record store, kept in memory only. */
  readonly pair: Pair | undefined
  /** Ids of things that were created while trying, by the ids that the examples show. */
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

/** Forgets a sign-in that the person has abandoned. */
export const dropPending = (): void => sessionStorage.removeItem(PENDING)

/**
 * Forgets everything and ends the session on the platform. If the platform cannot be reached, the token is still
 * removed from the browser.
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

/** Ends a session that another person has left in this browser. */
export async function endUnlessKeptBy(handle: string | null): Promise<void> {
  const keeper = held.session?.keeper ?? null
  if (keeper !== null && keeper !== handle) await endHeld()
}

/** The credentials that the page holds. */
export const useHeld = (): HeldCredentials =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => held,
  )
