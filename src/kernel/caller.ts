import { networkOf } from './bounds/networks.ts'

/** The caller of an operation: identity, address and time. Permissions are decided from it alone. */
export interface Caller {
  /** Time of the request, from the injected clock. */
  readonly at: Date
  readonly requestId: string
  readonly address: string
}

/** The platform itself, when it runs upkeep. The audit log shows it as `upkeep`. */
export const upkeepAt = (at: Date): Caller => ({ at, requestId: 'upkeep', address: 'upkeep' })

/** A caller in a browser, who may be signed in to the platform itself. */
export interface Visitor extends Caller {
  /** The value of the cookie: the one sent, or the one that the response will set. Forms are bound to it. */
  readonly browserToken: string
  readonly device: string
  readonly known: KnownBrowser
  readonly person: SignedIn | undefined
}

/** People who have signed in before in this browser, as its second cookie proves. */
export interface KnownBrowser {
  /**
   * Returns the browser's key for counting wrong guesses for this person; undefined if they have never signed in in it.
   */
  recognise(person: { readonly id: number; readonly epoch: number }): string | undefined
  /** Returns the cookie value with this person added, after they have authenticated. */
  remember(person: { readonly id: number; readonly epoch: number }): string
}

/** A person who is signed in to the platform in a browser. */
export interface SignedIn {
  readonly personId: number
  readonly browserId: string
  /** The person's epoch. Proofs of this browser are valid while it is current. */
  readonly epoch: number
  readonly handle: string
  readonly name: string
  readonly isAdministrator: boolean
  /** A test person of the sandbox, whom a developer acts as. */
  readonly isTest: boolean
  /** Time of the last authentication in this browser. */
  readonly signedInAt: Date
  /** Last use of this browser, as precisely as it is stored. */
  readonly lastUsedAt: Date
}

export type PersonCaller = Visitor & SignedIn

export const RECENT_MINUTES = 10
/** True if the person authenticated within RECENT_MINUTES: a browser that was left open is not enough. */
export const isRecent = (who: PersonCaller): boolean =>
  who.at.getTime() - who.signedInAt.getTime() <= RECENT_MINUTES * 60_000

export const findPerson = (visitor: Visitor): PersonCaller | undefined =>
  visitor.person && { ...visitor, ...visitor.person }

/** A person signed in to an app. */
export interface AppUser extends Caller {
  readonly appId: number
  readonly personId: number
  /** The person's id in this app only. */
  readonly userId: string
  readonly sessionId: string
  readonly isAnonymous: boolean
  readonly tokenExpiresAtMs: number
  /** Shown to them for people without a country (DEFAULT_COUNTRY). */
  readonly defaultCountry: string
}

/** A person with an account, through an app or on the platform's own pages. */
export interface Member extends Caller {
  readonly personId: number
  /** Undefined on the platform's own pages. */
  readonly appId: number | undefined
}

export const personKey = (personId: number): string => `person ${personId}`

/** Key for per-caller quotas: the person, or the network of an anonymous request. */
export function callerKey(who: Caller | PersonCaller | AppUser | Member | Visitor): string {
  const personId = 'personId' in who ? who.personId : 'person' in who ? who.person?.personId : undefined
  return personId === undefined ? networkOf(who.address) : personKey(personId)
}
