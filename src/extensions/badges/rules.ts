import { hash } from 'node:crypto'
import { fail } from '../../kernel/errors.ts'

/** Badges of one course, or of one objective. */
export const MAX_BADGES = 20
/** Badges that one plugin asserts of one person. */
export const MAX_ASSERTED = 1000

const IMAGE_ID = /^[\w.~-]{1,200}$/

export const isImage = (text: string): boolean => text === '' || IMAGE_ID.test(text) || isWebAddress(text)

/** It is shown on pages: nothing but https, and no user name in it. */
function isWebAddress(text: string): boolean {
  if (!/^https:\/\/[^\s\p{Cc}\\]+$/iu.test(text)) return false
  const url = URL.parse(text)
  return url !== null && url.username === '' && url.password === ''
}

export function checkImage(text: string): void {
  if (!isImage(text))
    throw fail('validationFailed', 'image must be an https address without a user name, or an image id')
}

/** One of the two, and not both. */
export function checkTarget({ courseId, objectiveId }: { courseId?: string; objectiveId?: string }): void {
  if (courseId === undefined && objectiveId === undefined)
    throw fail('parameterMissing', 'courseId or objectiveId is missing: send the one that the badge belongs to')
  if (courseId !== undefined && objectiveId !== undefined)
    throw fail(
      'validationFailed',
      'A badge belongs to a course or to an objective; send courseId or objectiveId, not both',
    )
}

/** Clocks of others may be a little ahead. */
const AHEAD_MS = 5 * 60_000

export function checkIssued(issuedOn: Date, now: Date): void {
  if (issuedOn.getTime() > now.getTime() + AHEAD_MS)
    throw fail('validationFailed', 'issuedOn must not be in the future')
  if (issuedOn.getUTCFullYear() < 1900) throw fail('validationFailed', 'issuedOn must not be before 1900')
}

/** What one plugin calls an assertion: it follows from what the assertion is about, so it is the same each time; and another plugin has another one, as for people. */
export const assertionIdOf = (what: { userId: string; badgeId: string; isOwn: boolean }): string =>
  hash('sha256', JSON.stringify([what.userId, what.badgeId, what.isOwn]), 'buffer')
    .subarray(0, 16)
    .toString('base64url')
