/** Who asks, from where and when. Every operation gets one; what it may do is decided from it alone. */
export interface Caller {
  /** The moment of the request, from the injected clock. */
  readonly at: Date
  readonly requestId: string
  readonly address: string
}

/** Somebody in a browser, who may be signed in to the platform itself. */
export interface Visitor extends Caller {
  /** The value of the cookie: theirs, or the one that the answer will set. Forms are bound to it. */
  readonly browserToken: string
  readonly device: string
  readonly person: SignedIn | undefined
}

/** Who is signed in to the platform in a browser. */
export interface SignedIn {
  readonly personId: number
  readonly browserId: string
  /** The person's epoch: what is proved by this browser counts while it is current. */
  readonly epoch: number
  readonly handle: string
  readonly name: string
  /** When they proved who they are, in this browser. */
  readonly signedInAt: Date
}

/** A visitor who is signed in. */
export type PersonCaller = Visitor & SignedIn

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
}
