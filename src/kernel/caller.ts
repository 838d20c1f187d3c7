import { networkOf } from './bounds/networks.ts'
import type { Scopes } from './scopes.ts'

/** The caller of an operation: identity, address and time. All permission checks are based on this object. */
export interface Caller {
  /** Time of the request, according to the environment's clock. */
  readonly at: Date
  readonly requestId: string
  readonly address: string
}

/** Returns the caller for upkeep that the platform runs itself. The audit log shows `upkeep` as its address. */
export const upkeepAt = (at: Date): Caller => ({ at, requestId: 'upkeep', address: 'upkeep' })

/** A caller in a browser, who may or may not be signed in to the platform. */
export interface Visitor extends Caller {
  /**
   * Value of the browser's cookie: the value that was sent or, if there was none, the value that the response will set.
   * CSRF tokens of forms are bound to it.
   */
  readonly browserToken: string
  readonly device: string
  readonly known: KnownBrowser
  readonly person: SignedIn | undefined
}

/** The people who have signed in with this browser before, according to its second cookie (`gs_known`). */
export interface KnownBrowser {
  /**
   * Returns the key under which wrong guesses from this browser are counted for the person; undefined if the person has
   * never signed in with this browser.
   */
  recognise(person: { readonly id: number; readonly epoch: number }): string | undefined
  /** Returns the new cookie value, with this person added. Call it after the person has authenticated. */
  remember(person: { readonly id: number; readonly epoch: number }): string
}

/** A person who is signed in to the platform in a browser. */
export interface SignedIn {
  readonly personId: number
  readonly browserId: string
  /**
   * The person's epoch. It increases when the password changes, the account is disabled, or the person signs out
   * elsewhere. A sign-in is valid only while its epoch is current.
   */
  readonly epoch: number
  readonly handle: string
  readonly name: string
  readonly isAdministrator: boolean
  /** True if the person is a test person of the sandbox, whom a developer acts as. */
  readonly isTest: boolean
  /** Time of the last authentication in this browser. */
  readonly signedInAt: Date
  /** Time of the last use of this browser; updated only once every few minutes. */
  readonly lastUsedAt: Date
}

export type PersonCaller = Visitor & SignedIn

/** A caller that acts for a person: the person in a browser, or a job on their behalf. */
export type ActingPerson = Caller & Pick<SignedIn, 'personId'>

export const RECENT_MINUTES = 10
/**
 * True if the person authenticated within RECENT_MINUTES. Sensitive actions require this, because somebody else may use
 * a browser that was left open.
 */
export const isRecent = (who: PersonCaller): boolean =>
  who.at.getTime() - who.signedInAt.getTime() <= RECENT_MINUTES * 60_000

export const findPerson = (visitor: Visitor): PersonCaller | undefined =>
  visitor.person && { ...visitor, ...visitor.person }

/** A person signed in to an app. */
export interface AppUser extends Caller {
  readonly appId: number
  readonly personId: number
  /** The person's id in this app; other apps know the person by other ids. */
  readonly userId: string
  readonly sessionId: string
  readonly isAnonymous: boolean
  /** The access token permits only these scopes; undefined permits everything. */
  readonly scopes: Scopes
  readonly tokenExpiresAtMs: number
  /** The country that the caller is shown for people who have not set one (DEFAULT_COUNTRY). */
  readonly defaultCountry: string
}

/** A person with an account, who calls through an app or from the platform's own pages. */
export interface Member extends Caller {
  readonly personId: number
  /** Undefined if the call comes from the platform's own pages. */
  readonly appId: number | undefined
}

export const personKey = (personId: number): string => `person ${personId}`

export const findPersonId = (who: Caller | PersonCaller | AppUser | Member | Visitor): number | undefined =>
  'personId' in who ? who.personId : 'person' in who ? who.person?.personId : undefined

/** Returns the key for per-caller quotas: the person or, for an anonymous request, the network. */
export function callerKey(who: Caller | PersonCaller | AppUser | Member | Visitor): string {
  const personId = findPersonId(who)
  return personId === undefined ? networkOf(who.address) : personKey(personId)
}
