import type { Failure, OutboundResponse } from '../../kernel/outbound/outbound.ts'

const SECOND_MS = 1000
const MINUTE_MS = 60 * SECOND_MS

const WAITS_MS = [5 * SECOND_MS, 15 * SECOND_MS, MINUTE_MS, 5 * MINUTE_MS, 15 * MINUTE_MS]
const LONGEST_WAIT_MS = 60 * MINUTE_MS
const JITTER = 0.2
/** How long a message is retried before it counts as failed. */
const RETRY_MS = 24 * 60 * MINUTE_MS

/** Returns the milliseconds until the next attempt. `chance` (0 to 1) spreads messages that failed together. */
export const waitAfter = (attempts: number, chance: number): number =>
  (WAITS_MS[attempts - 1] ?? LONGEST_WAIT_MS) * (1 - JITTER + 2 * JITTER * chance)

export const isTooLate = (createdAt: Date, due: Date): boolean => due.getTime() - createdAt.getTime() > RETRY_MS

/** Returns how long a receiver is left alone after it failed so many times in a row. */
export const pauseAfter = (failures: number): number =>
  Math.min(MINUTE_MS, 2 * SECOND_MS * 2 ** Math.min(failures - 1, 10))

export interface Judgement {
  readonly isTaken: boolean
  /** True if the receiver itself does not work, and not only this message. */
  readonly isDown: boolean
  readonly problem: string | null
  readonly status: number | null
}

/** Classifies the outcome of an attempt (OpenID Connect Back-Channel Logout 1.0 §2.8). Bodies are ignored. */
export function judge(outcome: OutboundResponse | Failure): Judgement {
  const { status = null } = outcome
  if (outcome.failure !== undefined) return { isTaken: false, isDown: true, problem: outcome.problem, status }
  if (outcome.status >= 200 && outcome.status < 300) return { isTaken: true, isDown: false, problem: null, status }
  const isDown = outcome.status >= 500 || outcome.status === 429
  return { isTaken: false, isDown, problem: `It responded with ${outcome.status}`, status }
}

/** `exp` of a logout token: two minutes at most (Back-Channel Logout 1.0 §4). */
const LIFETIME_SECONDS = 120
const EVENT = 'http://schemas.openid.net/event/backchannel-logout'

export interface LogoutFacts {
  readonly issuer: string
  readonly clientId: string
  readonly userId: string
  readonly sid: string
  readonly jti: string
  readonly at: Date
}

/** Returns the claims of a logout token (Back-Channel Logout 1.0 §2.4). It never has a nonce. */
export function logoutClaims({ issuer, clientId, userId, sid, jti, at }: LogoutFacts) {
  const iat = Math.floor(at.getTime() / 1000)
  return {
    iss: issuer,
    aud: clientId,
    iat,
    exp: iat + LIFETIME_SECONDS,
    jti,
    sub: userId,
    sid,
    events: { [EVENT]: {} },
  }
}
