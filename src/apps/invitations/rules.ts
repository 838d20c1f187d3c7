import { fail } from '../../kernel/errors.ts'
import { holdsAny } from '../../kernel/roles.ts'
import { INVITERS } from './roles.ts'
import type { InvitationPlan } from './schema.ts'

/** Maximum number of times that one invitation is sent, and the time between two of them. */
const LIMITS = {
  handle: { sends: 3, waitMs: 24 * 60 * 60_000, wait: 'less than a day ago; wait a day' },
  // Addresses are mistyped and messages get lost, so they can be tried again sooner.
  address: { sends: 5, waitMs: 60_000, wait: 'less than a minute ago; wait a minute' },
}
/** Days after a decline during which the same invitation can be sent again, but is not shown to the person. */
export const QUIET_DAYS = 30

/** Whether the caller may see and change the invitations with this role. */
export const mayHandle = (
  { teaches, owns, administers }: { teaches: boolean; owns: boolean; administers: boolean },
  role: string,
): boolean => holdsAny({ instructor: teaches && role === 'student', owner: owns, administrator: administers }, INVITERS)

/** A stored invitation of the same handle to the same organisation or class. */
export interface Earlier {
  readonly handle_key: string
  readonly role: string
  readonly sends: number
  readonly sent_at: Date
  readonly expires_at: Date
  readonly closed_at: Date | null
}

export const isOpen = ({ expires_at, closed_at }: Pick<Earlier, 'expires_at' | 'closed_at'>, at: Date): boolean =>
  closed_at === null && expires_at > at

/**
 * Decides what inviting a handle does. It depends only on earlier invitations, never on the person, so that the result
 * does not reveal whether somebody has the handle.
 */
export function planInvitation(earlier: Earlier | undefined, role: string, at: Date): InvitationPlan {
  if (!earlier) return 'send'
  if (!isOpen(earlier, at)) return planResend(earlier, at)
  return earlier.role === role
    ? 'keep'
    : { refused: `is already invited as ${earlier.role}; withdraw that invitation first` }
}

/** An address that a member typed leads to no account, but neither does it get a second one. */
export const refuseUnconfirmed = ({ handle, role }: { handle: string; role: string }): InvitationPlan => ({
  refused: `is the address of the member ${handle}, who has not confirmed it; use the handle instead`,
  role,
})

type Sends = Pick<Earlier, 'handle_key' | 'sends' | 'sent_at'>

export function planResend({ handle_key, sends, sent_at }: Sends, at: Date): InvitationPlan {
  const limits = isAddressKey(handle_key) ? LIMITS.address : LIMITS.handle
  if (sends >= limits.sends)
    return { refused: `was invited ${limits.sends} times; wait a month before you invite them again` }
  if (at.getTime() - sent_at.getTime() < limits.waitMs) return { refused: `was invited ${limits.wait}` }
  return 'send'
}

/** Whether a normalised name is an e-mail address. No handle has an @ after its first character. */
export const isAddressKey = (key: string): boolean => key.includes('@')

/** How many invitations were sent in the last hour, and the time of the earliest of them. */
export interface SentLately {
  readonly own: number
  readonly of_organisation: number
  readonly earliest: Date | null
}

export interface InvitationLimits {
  readonly perHour: number
  readonly perHourOfOrganisation: number
}

export const HOUR_MS = 60 * 60_000

/** Throws if these keys are too many. An address reveals nothing to its inviter, so it counts for the organisation. */
export function checkSentLately(sent: SentLately, keys: readonly string[], limits: InvitationLimits, at: Date): void {
  const { perHour, perHourOfOrganisation } = limits
  const handles = keys.filter((key) => !isAddressKey(key)).length
  const isWithinOwn = handles === 0 || sent.own + handles <= perHour
  if (isWithinOwn && sent.of_organisation + keys.length <= perHourOfOrganisation) return
  const waitMs = (sent.earliest?.getTime() ?? at.getTime()) + HOUR_MS - at.getTime()
  throw fail(
    'tooManyRequests',
    `At most ${perHour} users can be invited in an hour, and ${perHourOfOrganisation} by one organisation; try again later`,
    Math.max(1, Math.ceil(waitMs / 1000)),
  )
}
