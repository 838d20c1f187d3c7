import { createHash } from 'node:crypto'

/*
 * Unix-crypt with SHA-512, which Moodle uses since 4.3: the specification "Unix crypt using SHA-256 and SHA-512" by Ulrich Drepper, whose steps are
 * numbered below. Node has no function for it.
 */

const ALPHABET = './0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const DEFAULT_ROUNDS = 5000
const BYTES = 64

const sha512 = (...parts: readonly Uint8Array[]): Buffer => {
  const hash = createHash('sha512')
  for (const part of parts) hash.update(part)
  return hash.digest()
}

/** The first `length` bytes of the block, repeated as often as that takes. */
const stretch = (block: Buffer, length: number): Buffer => Buffer.alloc(length, block)

/** `setting` is a whole hash or its beginning: `$6$salt`, or `$6$rounds=10000$salt`. */
export function sha512Crypt(password: string, setting: string): string {
  const [, rounds, saltText = ''] = /^\$6\$(?:rounds=(\d+)\$)?([^$]{0,16})/.exec(setting) ?? []
  const key = Buffer.from(password, 'utf8')
  const salt = Buffer.from(saltText, 'utf8')
  const count = rounds === undefined ? DEFAULT_ROUNDS : Number(rounds)

  // 4-8, 9-12
  const b = sha512(key, salt, key)
  const parts = [key, salt, stretch(b, key.length)]
  for (let n = key.length; n > 0; n >>= 1) parts.push(n & 1 ? b : key)
  let digest = sha512(...parts)
  // 13-16, 17-20
  const p = key.length === 0 ? key : stretch(sha512(...Array<Buffer>(key.length).fill(key)), key.length)
  const s = stretch(sha512(...Array<Buffer>(16 + digest[0]!).fill(salt)), salt.length)
  // 21
  for (let i = 0; i < count; i++) {
    const round = [i & 1 ? p : digest]
    if (i % 3 !== 0) round.push(s)
    if (i % 7 !== 0) round.push(p)
    round.push(i & 1 ? digest : p)
    digest = sha512(...round)
  }
  return `$6$${rounds === undefined ? '' : `rounds=${rounds}$`}${saltText}$${encode(digest)}`
}

/** 22: three bytes become four characters, taken from the three thirds of the digest in turn; the last byte is alone. */
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
