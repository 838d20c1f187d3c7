/** Who asks, from where and when. Every operation gets one; what it may do is decided from it alone. */
export interface Caller {
  /** The moment of the request, from the injected clock. */
  readonly at: Date
  readonly requestId: string
  readonly address: string
}

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
