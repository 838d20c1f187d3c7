import { createHash } from 'node:crypto'

/*
 * Unix crypt with SHA-512, which Moodle has used since 4.3. Implements "Unix crypt using SHA-256 and SHA-512" by Ulrich
 * Drepper; the comments below name its steps. Node has no function for it.
 */

const ALPHABET = './0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const DEFAULT_ROUNDS = 5000
const BYTES = 64

const sha512 = (...parts: readonly Uint8Array[]): Buffer => {
  const hash = createHash('sha512')
  for (const part of parts) hash.update(part)
  return hash.digest()
}

/** Repeats or cuts the block to `length` bytes. */
const stretch = (block: Buffer, length: number): Buffer => Buffer.alloc(length, block)

/**
 * Computes the hash of a password. `setting` is a whole hash or its beginning: `$6$salt`, or `$6$rounds=10000$salt`.
 */
export function sha512Crypt(password: string, setting: string): string {
  const [, rounds, saltText = ''] = /^\$6\$(?:rounds=(\d+)\$)?([^$]{0,16})/.exec(setting) ?? []
  const key = Buffer.from(password, 'utf8')
  const salt = Buffer.from(saltText, 'utf8')
  const count = rounds === undefined ? DEFAULT_ROUNDS : Number(rounds)

  // Steps 4-12: the initial digest.
  const b = sha512(key, salt, key)
  const parts = [key, salt, stretch(b, key.length)]
  for (let n = key.length; n > 0; n >>= 1) parts.push(n & 1 ? b : key)
  let digest = sha512(...parts)
  // Steps 13-20: the byte sequences P and S.
  const p = key.length === 0 ? key : stretch(sha512(...Array<Buffer>(key.length).fill(key)), key.length)
  const s = stretch(sha512(...Array<Buffer>(16 + digest[0]!).fill(salt)), salt.length)
  // Step 21: the rounds.
  for (let i = 0; i < count; i++) {
    const round = [i & 1 ? p : digest]
    if (i % 3 !== 0) round.push(s)
    if (i % 7 !== 0) round.push(p)
    round.push(i & 1 ? digest : p)
    digest = sha512(...round)
  }
  return `$6$${rounds === undefined ? '' : `rounds=${rounds}$`}${saltText}$${encode(digest)}`
}

/**
 * Step 22: encodes three bytes at a time, one from each third of the digest, as four characters; the last byte is
 * encoded alone.
 */
function encode(digest: Buffer): string {
  const third = Math.floor(BYTES / 3)
  let text = ''
  for (let i = 0, [a, b, c] = [0, third, 2 * third] as [number, number, number]; i < third; i++) {
    text += characters((digest[a]! << 16) | (digest[b]! << 8) | digest[c]!, 4)
    ;[a, b, c] = [b + 1, c + 1, a + 1]
  }
  return text + characters(digest[BYTES - 1]!, 2)
}

function characters(bits: number, count: number): string {
  let text = ''
  for (let left = bits, i = 0; i < count; i++, left >>= 6) text += ALPHABET[left & 63]
  return text
}
