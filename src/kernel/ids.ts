import { randomBytes } from 'node:crypto'

/** An id that is made here: 22 characters, URL-safe, which nobody can guess. */
export const makeId = (): string => randomBytes(16).toString('base64url')
