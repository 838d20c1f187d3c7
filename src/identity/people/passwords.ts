import { argon2 as argon2Callback, randomBytes, timingSafeEqual } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { promisify } from 'node:util'

import { Gate } from '../../kernel/bounds/gate.ts'
import { fail } from '../../kernel/errors.ts'
import { isImportedHash } from './imported-hashes.ts'
import { verifyImportedHash } from './imported-verification.ts'

const argon2 = promisify(argon2Callback)

/**
 * OWASP's parameters for argon2id, with memory in KiB. A stored hash contains the parameters with which it is verified,
 * so these can be raised later. Tests lower them.
 */
export const hashCost: Parameters = { memory: 19_456, passes: 2, parallelism: 1 }
const TAG_BYTES = 32

export const MIN_PASSWORD_LENGTH = 8
/** Maximum length in characters. A longer password cannot be set, and at sign-in it counts as wrong. */
export const MAX_PASSWORD_LENGTH = 1000

export function checkPassword(password: string): void {
  if (password.length < MIN_PASSWORD_LENGTH || password.length > MAX_PASSWORD_LENGTH)
    throw fail('validationFailed', `The password must have ${MIN_PASSWORD_LENGTH} to ${MAX_PASSWORD_LENGTH} characters`)
}

/**
 * Limits concurrent hashing. Each hash in our own format takes 19 MiB and a thread, and more than two at once would
 * delay other work in the thread pool. The queue is limited, because clients would give up waiting in a longer one. One
 * network may use only half of it.
 */
const hashing = new Gate({
  atOnce: 2,
  waiting: 500,
  waitingPerKey: 250,
  refusal: () => fail('notReady', 'Too many sign-ins at the same time; try again shortly', 5),
})
/** libuv's name for the threads of its pool. */
const POOL_THREAD = 'libuv-worker'
const OPERATOR = 'operator'

let hasYielded = false

/**
 * Gives the threads of libuv's pool a lower priority than the thread that serves requests. Only Linux has priorities
 * per thread.
 */
function yieldToRequests(): void {
  if (hasYielded) return
  try {
    for (const thread of readdirSync('/proc/self/task')) {
      const name = readFileSync(`/proc/self/task/${thread}/comm`, 'utf8').trim()
      if (name !== POOL_THREAD) continue
      setPriority(Number(thread), constants.priority.PRIORITY_BELOW_NORMAL)
      hasYielded = true
    }
  } catch {
    hasYielded = true
    // Without /proc or the necessary permission, hashing runs at normal priority.
  }
}

interface Parameters {
  memory: number
  passes: number
  parallelism: number
}

function derive(password: string, nonce: Buffer, tagLength: number, parameters: Parameters): Promise<Buffer> {
  const tag = argon2('argon2id', { message: password.normalize('NFC'), nonce, tagLength, ...parameters })
  // Called only now, because libuv starts the threads of its pool when the first work is queued.
  yieldToRequests()
  return tag
}

const unpadded = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '')

/**
 * Hashes a password with our own parameters and returns it in the PHC format. For `by` and `check` see `Verification`.
 */
export async function hashPassword(password: string, by = OPERATOR, check?: Verification['check']): Promise<string> {
  const nonce = randomBytes(16)
  const tag = await hashing.run(by, async () => {
    await check?.()
    return derive(password, nonce, TAG_BYTES, hashCost)
  })
  return formatHash(nonce, tag)
}

const formatHash = (nonce: Buffer, tag: Buffer): string =>
  `$argon2id$v=19$m=${hashCost.memory},t=${hashCost.passes},p=${hashCost.parallelism}$${unpadded(nonce)}$${unpadded(tag)}`

const PHC = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/

/**
 * Makes a dummy hash for people who do not exist or have no password, so that verifying takes the same time for them.
 */
const makeDummyHash = (): string => formatHash(Buffer.alloc(16), Buffer.alloc(TAG_BYTES))

export interface Verification {
  readonly password: string
  /**
   * `null` for an unknown person or one without a password: verifying then takes as long as with a hash in our own
   * format.
   */
  readonly hash: string | null
  /** Identifies the network, browser or person that waits, for the limits of the hashing queue. */
  readonly by?: string
  /** Called immediately before the hashing. Throws if the verification is no longer needed. */
  check?(): Promise<void>
}

export async function verifyPassword({ password, hash, by = OPERATOR, check }: Verification): Promise<boolean> {
  if (isImportedHash(hash))
    return hashing.run(by, async () => {
      await check?.()
      return password.length <= MAX_PASSWORD_LENGTH && verifyImportedHash(password, hash)
    })
  const match = PHC.exec(hash ?? makeDummyHash())
  if (!match) throw new Error('A stored password hash is not in argon2id PHC form')
  const [, memory, passes, parallelism, nonce = '', tag = ''] = match
  const expected = Buffer.from(tag, 'base64')
  const parameters = { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) }
  const actual = await hashing.run(by, async () => {
    await check?.()
    const given = password.slice(0, MAX_PASSWORD_LENGTH + 1)
    return derive(given, Buffer.from(nonce, 'base64'), expected.length, parameters)
  })
  return timingSafeEqual(actual, expected) && hash !== null && password.length <= MAX_PASSWORD_LENGTH
}
