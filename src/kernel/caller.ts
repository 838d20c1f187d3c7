import { networkOf } from './bounds/networks.ts'

/** Who asks, from where and when. Every operation gets one; what it may do is decided from it alone. */
export interface Caller {
  /** The moment of the request, from the injected clock. */
  readonly at: Date
  readonly requestId: string
  readonly address: string
}

/** The platform itself, when it tidies up: the audit log shows it as such. */
export const upkeepAt = (at: Date): Caller => ({ at, requestId: 'upkeep', address: 'upkeep' })

/** Somebody in a browser, who may be signed in to the platform itself. */
export interface Visitor extends Caller {
  /** The value of the cookie: theirs, or the one that the answer will set. Forms are bound to it. */
  readonly browserToken: string
  readonly device: string
  readonly known: KnownBrowser
  readonly person: SignedIn | undefined
}

/** Who has signed in before in a browser, as its second cookie tells. */
export interface KnownBrowser {
  /** What this browser is called when wrong guesses for this person are counted; undefined where they have never signed in in it. */
  recognise(person: { readonly id: number; readonly epoch: number }): string | undefined
  /** The cookie with this person in it, who has just proved who they are. */
  remember(person: { readonly id: number; readonly epoch: number }): string
}

/** Who is signed in to the platform in a browser. */
export interface SignedIn {
  readonly personId: number
  readonly browserId: string
  /** The person's epoch: what is proved by this browser counts while it is current. */
  readonly epoch: number
  readonly handle: string
  readonly name: string
  readonly isAdministrator: boolean
  /** A test person of the sandbox, whom a developer is for a while. */
  readonly isTest: boolean
  /** When they proved who they are, in this browser. */
  readonly signedInAt: Date
  /** Of this browser, as far as it is kept. */
  readonly lastUsedAt: Date
}

/** A visitor who is signed in. */
export type PersonCaller = Visitor & SignedIn

export const RECENT_MINUTES = 10
/** Has proved just now who they are: a browser that was left open is not enough. */
export const isRecent = (who: PersonCaller): boolean =>
  who.at.getTime() - who.signedInAt.getTime() <= RECENT_MINUTES * 60_000

export const findPerson = (visitor: Visitor): PersonCaller | undefined =>
  visitor.person && { ...visitor, ...visitor.person }

/** A person signed in to an app. */
export interface AppUser extends Caller {
  readonly appId: number
  readonly personId: number
  /** The person's id in this app, and in no other. */
  readonly userId: string
  readonly sessionId: string
  readonly isAnonymous: boolean
  readonly tokenExpiresAtMs: number
  /** Shown to them for people who have not said theirs (DEFAULT_COUNTRY). */
  readonly defaultCountry: string
}

/** A person with an account, through an app or on the platform's own pages. */
export interface Member extends Caller {
  readonly personId: number
  /** Undefined on the platform's own pages. */
  readonly appId: number | undefined
}

export const personKey = (personId: number): string => `person ${personId}`

/** Whom something counts for that one caller may have so much of: the person, or the network where nobody is signed in. */
export function callerKey(who: Caller | PersonCaller | AppUser | Member | Visitor): string {
  const personId = 'personId' in who ? who.personId : 'person' in who ? who.person?.personId : undefined
  return personId === undefined ? networkOf(who.address) : personKey(personId)
}
