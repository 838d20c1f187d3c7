import { hash } from 'node:crypto'
import { fail } from '../../kernel/errors.ts'

/** Maximum number of badges per course, and per objective. */
export const MAX_BADGES = 20
/** Maximum number of badges that one plugin can assert for one person. */
export const MAX_ASSERTED = 1000

const IMAGE_ID = /^[\w.~-]{1,200}$/

export const isImage = (text: string): boolean => text === '' || IMAGE_ID.test(text) || isWebAddress(text)

/** Tells whether the text is an https URL without credentials. Pages show the image, so http is not allowed. */
function isWebAddress(text: string): boolean {
  if (!/^https:\/\/[^\s\p{Cc}\\]+$/iu.test(text)) return false
  const url = URL.parse(text)
  return url !== null && url.username === '' && url.password === ''
}

export function checkImage(text: string): void {
  if (!isImage(text)) throw fail('validationFailed', 'image must be an https URL without a user name, or an image id')
}

/** Throws unless exactly one of `courseId` and `objectiveId` is given. */
export function checkTarget({ courseId, objectiveId }: { courseId?: string; objectiveId?: string }): void {
  if (courseId === undefined && objectiveId === undefined)
    throw fail(
      'parameterMissing',
      'courseId or objectiveId is missing: send the id of the course or objective that the badge belongs to',
    )
  if (courseId !== undefined && objectiveId !== undefined)
    throw fail(
      'validationFailed',
      'A badge belongs to a course or to an objective; send courseId or objectiveId, not both',
    )
}

/** Tolerance in milliseconds for plugins whose clock is ahead. */
const CLOCK_TOLERANCE_MS = 5 * 60_000

export function checkIssued(issuedOn: Date, now: Date): void {
  if (issuedOn.getTime() > now.getTime() + CLOCK_TOLERANCE_MS)
    throw fail('validationFailed', 'issuedOn must not be in the future')
  if (issuedOn.getUTCFullYear() < 1900) throw fail('validationFailed', 'issuedOn must not be before 1900')
}

/**
 * Derives the id of an assertion from the `userId` and the `badgeId`, so that asserting again gives the same id. A
 * person has a different `userId` in each plugin, so the assertion id differs between plugins, too.
 */
export const assertionIdOf = (what: { userId: string; badgeId: string; isOwn: boolean }): string =>
  hash('sha256', JSON.stringify([what.userId, what.badgeId, what.isOwn]), 'buffer')
    .subarray(0, 16)
    .toString('base64url')
