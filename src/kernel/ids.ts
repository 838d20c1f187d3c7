import { randomBytes } from 'node:crypto'

/** Creates a random id of 128 bits: 22 characters, URL-safe. */
export const makeId = (): string => randomBytes(16).toString('base64url')
