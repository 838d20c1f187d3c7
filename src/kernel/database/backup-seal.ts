import { createCipheriv, createDecipheriv, randomBytes, type ScryptOptions, scrypt } from 'node:crypto'
import { promisify } from 'node:util'
import { StartupError } from '../errors.ts'

/**
 * An encrypted backup is one line of JSON, the `SealHeader`, followed by the backup in pieces of 64 KiB. Each piece is
 * encrypted with AES-256-GCM and followed by its authentication tag. The nonce of a piece contains its index and a flag
 * that marks the last piece, so decryption fails if pieces were truncated, dropped, swapped or added. The key is
 * derived from the passphrase and a salt that is new for each file, so no nonce is used twice with the same key.
 */
interface SealHeader {
  format: typeof FORMAT_NAME
  version: number
  /** 32 bytes in base64. */
  salt: string
  /** Authentication tag of an empty message under this key. It distinguishes a wrong passphrase from a damaged file. */
  check: string
}

const FORMAT_NAME = 'groundschool-encrypted-backup'
/** The version also determines the cipher, the piece size and the parameters of scrypt. */
const FORMAT_VERSION = 1
const CIPHER = 'aes-256-gcm'
const PIECE_BYTES = 64 * 1024
const TAG_BYTES = 16
const SEALED_BYTES = PIECE_BYTES + TAG_BYTES
/** With these parameters, each guess of a passphrase costs 128 MiB of memory and a few tenths of a second. */
const SCRYPT: ScryptOptions = { N: 1 << 17, r: 8, p: 1, maxmem: 256 << 20 }

const derive: (passphrase: string, salt: Buffer, bytes: number, options: ScryptOptions) => Promise<Buffer> =
  promisify(scrypt)
const deriveKey = (passphrase: string, salt: string): Promise<Buffer> =>
  derive(passphrase.normalize('NFC'), Buffer.from(salt, 'base64'), 32, SCRYPT)

/** Returns the nonce for the header's `check` field, which differs from the nonce of every piece. */
const checkNonce = (): Buffer => Buffer.alloc(12, 0xff)
function nonceOf(place: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(12)
  nonce.writeBigUInt64BE(BigInt(place), 0)
  nonce[11] = isLast ? 1 : 0
  return nonce
}

function seal(key: Buffer, nonce: Buffer, piece: Buffer): Buffer {
  const cipher = createCipheriv(CIPHER, key, nonce)
  return Buffer.concat([cipher.update(piece), cipher.final(), cipher.getAuthTag()])
}

/** Decrypts a piece. Returns undefined if it was not encrypted with this key and nonce. */
function unseal(key: Buffer, nonce: Buffer, sealed: Buffer): Buffer | undefined {
  if (sealed.length < TAG_BYTES) return undefined
  const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES })
  decipher.setAuthTag(sealed.subarray(-TAG_BYTES))
  try {
    return Buffer.concat([decipher.update(sealed.subarray(0, -TAG_BYTES)), decipher.final()])
  } catch {
    return undefined
  }
}

export async function* encrypt(passphrase: string, bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const salt = randomBytes(32).toString('base64')
  const key = await deriveKey(passphrase, salt)
  const check = seal(key, checkNonce(), Buffer.alloc(0)).toString('base64')
  const header: SealHeader = { format: FORMAT_NAME, version: FORMAT_VERSION, salt, check }
  yield Buffer.from(`${JSON.stringify(header)}\n`)
  let place = 0
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of bytes) {
    rest = Buffer.concat([rest, chunk])
    // One piece is held back, because the last piece must be encrypted with the flag for the last piece.
    while (rest.length > PIECE_BYTES) {
      yield seal(key, nonceOf(place++, false), rest.subarray(0, PIECE_BYTES))
      rest = rest.subarray(PIECE_BYTES)
    }
  }
  yield seal(key, nonceOf(place, true), rest)
}

/** Bytes that can be read from any position, such as those of a file. */
export interface ByteSource {
  readonly size: number
  /** Reads from `start` up to, but not including, `end`, or up to the end of the source. */
  read(start: number, end: number): AsyncIterable<Buffer>
}

/**
 * Parses the first line of a backup file. Returns undefined if the file is not encrypted. Throws if a newer version of
 * the platform has encrypted it.
 */
export function readSealHeader(line: string, file: string): SealHeader | undefined {
  let header: Partial<SealHeader> | null
  try {
    header = JSON.parse(line)
  } catch {
    return undefined
  }
  if (header?.format !== FORMAT_NAME || typeof header.salt !== 'string') return undefined
  if (header.version !== FORMAT_VERSION)
    throw new StartupError(`${file} was encrypted by a newer Groundschool; install that version and restore with it`)
  return header as SealHeader
}

/**
 * Wraps an encrypted source so that reading decrypts it. Each piece is verified whenever it is read; if that fails,
 * `damaged` is thrown.
 */
export async function decrypt(
  sealed: ByteSource,
  start: number,
  header: SealHeader,
  what: { passphrase: string; file: string; damaged: () => Error },
): Promise<ByteSource> {
  const key = await deriveKey(what.passphrase, header.salt)
  if (!unseal(key, checkNonce(), Buffer.from(String(header.check), 'base64')))
    throw new StartupError(
      `${what.file} cannot be decrypted: the passphrase is wrong, or the beginning of the file is damaged; nothing was changed`,
    )
  const pieces = Math.ceil((sealed.size - start) / SEALED_BYTES)
  const lastBytes = sealed.size - start - (pieces - 1) * SEALED_BYTES
  if (pieces === 0 || lastBytes <= TAG_BYTES) throw what.damaged()
  const size = sealed.size - start - pieces * TAG_BYTES
  async function* read(from: number, end: number): AsyncGenerator<Buffer> {
    const to = Math.min(end, size)
    for (let place = Math.floor(from / PIECE_BYTES); place * PIECE_BYTES < to; place++) {
      const at = start + place * SEALED_BYTES
      const parts: Buffer[] = []
      for await (const part of sealed.read(at, Math.min(at + SEALED_BYTES, sealed.size))) parts.push(part)
      const piece = unseal(key, nonceOf(place, place === pieces - 1), Buffer.concat(parts))
      if (!piece) throw what.damaged()
      const before = place * PIECE_BYTES
      yield piece.subarray(Math.max(0, from - before), to - before)
    }
  }
  return { size, read }
}
