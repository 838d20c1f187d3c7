import { useSyncExternalStore } from 'react'
import { logOut } from '../api/operations.ts'

/** A session of an app, held for somebody who tries operations. */
export interface Session {
  readonly token: string
  readonly handle: string
  /** Who was signed in to the platform itself when the token was kept; null: nobody. */
  readonly keeper: string | null
  /** None where the token was pasted. */
  readonly clientId?: string
  /** When the token ends, in milliseconds; unknown where it was pasted. */
  readonly endsAt?: number
  /** By the samples of the examples: userIds of the same people in this app. */
  readonly userIds: Readonly<Record<string, string>>
}

export interface Pair {
  readonly key: string
  readonly secret: string
}

const SESSION = 'reference.session'
/** Signing in to another app leaves the page. */
const IDS = 'reference.ids'
/** What a sign-in needs that is under way: the verifier, and the secret of the app. */
export const PENDING = 'reference.sign-in'

/** Over a reload, and no longer than this tab (decision 55). */
const readKept = <T>(name: string): T | undefined => {
  try {
    return JSON.parse(sessionStorage.getItem(name) ?? 'null') ?? undefined
  } catch {
    return undefined
  }
}

export interface Held {
  readonly session: Session | undefined
  /** In memory alone. */
  readonly pair: Pair | undefined
  /** What was made while trying, by the ids that examples have for it. */
  readonly ids: Readonly<Record<string, string>>
}

let held: Held = { session: readKept<Session>(SESSION), pair: undefined, ids: readKept<Held['ids']>(IDS) ?? {} }
const listeners = new Set<() => void>()
const hold = (next: Partial<Held>): void => {
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

/** A sign-in that somebody has turned back from. */
export const dropPending = (): void => sessionStorage.removeItem(PENDING)

/** Forgets everything, and ends the session on the platform. Where that cannot be reached, the token is gone from here all the same. */
export async function endHeld(): Promise<void> {
  const { session } = held
  dropPending()
  holdSession(undefined)
  holdPair(undefined)
  sessionStorage.removeItem(IDS)
  hold({ ids: {} })
  if (session) await logOut({}, { token: session.token }).catch(() => undefined)
}

/** A token is for whoever kept it, and not for who comes to this browser after them. */
export async function endUnlessKeptBy(handle: string | null): Promise<void> {
  const keeper = held.session?.keeper ?? null
  if (keeper !== null && keeper !== handle) await endHeld()
}

/** What the page can prove itself with. */
export const useHeld = (): Held =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => held,
  )
