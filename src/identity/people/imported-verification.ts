import {
  argon2 as argon2Callback,
  pbkdf2 as pbkdf2Callback,
  type ScryptOptions,
  scrypt as scryptCallback,
  timingSafeEqual,
} from 'node:crypto'
import { promisify } from 'node:util'
import { Worker } from 'node:worker_threads'
import { type ImportedHash, parseImportedHash } from './imported-hashes.ts'

const argon2 = promisify(argon2Callback)
const pbkdf2 = promisify(pbkdf2Callback)
const scrypt = promisify<string, Buffer, number, ScryptOptions, Buffer>(scryptCallback)

/** The hashes that Node cannot compute natively; a worker thread computes them in JavaScript. */
export type ScriptHash = Extract<ImportedHash, { kind: 'bcrypt' | 'sha512-crypt' }>

/** More memory than scrypt needs for any hash that an import accepts. */
const SCRYPT_MAX_BYTES = 160 * 1024 * 1024
/**
 * Maximum length of a password in bytes, because sha512-crypt processes the whole password in every round. Moodle
 * allows 128 characters.
 */
const MAX_CRYPT_PASSWORD = 512

/**
 * Verifies a password against an imported hash. The password is used as typed, because other systems do not normalise
 * it as we do. All hashing runs off the event loop. With a hash that cannot be computed, every password is wrong.
 */
export async function verifyImportedHash(password: string, stored: string): Promise<boolean> {
  const hash = parseImportedHash(stored)
  if (hash.kind === 'sha512-crypt' && Buffer.byteLength(password) > MAX_CRYPT_PASSWORD) return false
  try {
    if (hash.kind === 'bcrypt' || hash.kind === 'sha512-crypt') return await verifyInThread(password, hash)
    const expected = Buffer.from(hash.tag, 'base64')
    return timingSafeEqual(await derive(password, hash, expected.length), expected)
  } catch (error) {
    process.emitWarning(`An imported ${hash.kind} hash cannot be computed: ${(error as Error).message}`)
    return false
  }
}

function derive(password: string, hash: Exclude<ImportedHash, ScriptHash>, length: number): Promise<Buffer> {
  const salt = Buffer.from(hash.salt, 'base64')
  if (hash.kind === 'pbkdf2') return pbkdf2(password, salt, hash.iterations, length, hash.digest)
  if (hash.kind === 'argon2') {
    const { type, memory, passes, parallelism } = hash
    return argon2(type, { message: password, nonce: salt, tagLength: length, memory, passes, parallelism })
  }
  const { cost, blockSize, parallelization, suffix = '' } = hash
  const options = { cost, blockSize, parallelization, maxmem: SCRYPT_MAX_BYTES }
  return scrypt(password + suffix, salt, length, options)
}

/** Verifies in a new worker thread. There is no pool of threads, because each person needs this only once. */
const verifyInThread = (password: string, imported: ScriptHash): Promise<boolean> =>
  new Promise((resolve, reject) => {
    const program = new URL('./crypt-worker.ts', import.meta.url)
    const worker = new Worker(program, { workerData: { password, imported }, execArgv: [] })
    worker.once('message', resolve)
    worker.once('error', reject)
    worker.once('exit', (code) => reject(new Error(`The thread that verifies imported passwords ended with ${code}`)))
  })
