import { createHash } from 'node:crypto'

const ALGORITHMS: Readonly<Record<number, string>> = { 56: 'sha224', 64: 'sha256', 96: 'sha384', 128: 'sha512' }

/** Hashes the bytes of an attachment with the function whose hashes are as long as `sha2`. */
const hashOf = (bytes: Buffer, sha2: string): string =>
  createHash(ALGORITHMS[sha2.length] ?? 'sha256')
    .update(bytes)
    .digest('hex')

/** Whether this is the hash of the bytes, in either letter case. */
export const isHashOf = (sha2: string, bytes: Buffer): boolean => hashOf(bytes, sha2) === sha2.toLowerCase()
