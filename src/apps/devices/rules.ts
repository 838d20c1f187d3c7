/**
 * The letters of user codes (RFC 8628 §6.1): consonants only, so that no words arise, and no letters that look alike.
 */
export const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ'
export const LENGTH = 8
const USER_CODE = new RegExp(`^[${LETTERS}]{${LENGTH}}$`)

/** Normalises a typed code, ignoring case, dashes and spaces; undefined if it cannot be a code. */
export function readUserCode(typed: string): string | undefined {
  const code = typed
    .normalize('NFKC')
    .toUpperCase()
    .replace(/[\s\p{P}]/gu, '')
  return USER_CODE.test(code) ? code : undefined
}

/** Clients that respect the interval may still poll a little early. */
const TOLERANCE_MS = 1000

export const isHasty = (polledAt: Date | null, intervalSeconds: number, now: Date): boolean =>
  polledAt !== null && now.getTime() - polledAt.getTime() < intervalSeconds * 1000 - TOLERANCE_MS
