import { randomBytes } from 'node:crypto'

/** Creates a random 128-bit id: 22 URL-safe characters. */
export const makeId = (): string => randomBytes(16).toString('base64url')
