import { fail } from '../../kernel/errors.ts'
import { holdsAny } from '../../kernel/roles.ts'
import { INVITERS } from './roles.ts'
import type { InvitationPlan } from './schema.ts'

/** Maximum number of times that one invitation is sent. */
const MAX_SENDS = 3
const DAY_MS = 24 * 60 * 60_000
/** Days after a decline during which the same invitation can be sent again, but is not shown to the person. */
export const QUIET_DAYS = 30

/** Whether the caller may see and change the invitations with this role. */
export const mayHandle = (
  { teaches, owns, administers }: { teaches: boolean; owns: boolean; administers: boolean },
  role: string,
): boolean => holdsAny({ instructor: teaches && role === 'student', owner: owns, administrator: administers }, INVITERS)

/** A stored invitation of the same handle to the same organisation or class. */
export interface Earlier {
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

export function planResend({ sends, sent_at }: Pick<Earlier, 'sends' | 'sent_at'>, at: Date): InvitationPlan {
  if (sends >= MAX_SENDS)
    return { refused: `was invited ${MAX_SENDS} times; wait a month before you invite them again` }
  if (at.getTime() - sent_at.getTime() < DAY_MS) return { refused: 'was invited less than a day ago; wait a day' }
  return 'send'
}

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

export function checkSentLately(sent: SentLately, more: number, limits: InvitationLimits, at: Date): void {
  const { perHour, perHourOfOrganisation } = limits
  if (sent.own + more <= perHour && sent.of_organisation + more <= perHourOfOrganisation) return
  const waitMs = (sent.earliest?.getTime() ?? at.getTime()) + HOUR_MS - at.getTime()
  throw fail(
    'tooManyRequests',
    `At most ${perHour} users can be invited in an hour, and ${perHourOfOrganisation} by one organisation; try again later`,
    Math.max(1, Math.ceil(waitMs / 1000)),
  )
}
