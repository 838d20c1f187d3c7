import { argon2 as argon2Callback, randomBytes, timingSafeEqual } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { promisify } from 'node:util'

import { Gate } from '../bounds/gate.ts'
import { fail } from '../errors.ts'

const argon2 = promisify(argon2Callback)

/** OWASP's choice for argon2id. Verified with the parameters that the hash itself names, so these can grow. */
const WHOLE: Parameters = { memory: 19_456, passes: 2, parallelism: 1 }
/** The same work in two steps. */
const EIGHTH: Parameters = { memory: 4_864, passes: 1, parallelism: 1 }
const REST: Parameters = { memory: 17_024, passes: 2, parallelism: 1 }
const TAG_BYTES = 32

export const MIN_PASSWORD_LENGTH = 8
/** Longer ones are refused where they are set; at sign-in they are simply wrong. */
export const MAX_PASSWORD_LENGTH = 1000

export function checkPassword(password: string): void {
  if (password.length < MIN_PASSWORD_LENGTH || password.length > MAX_PASSWORD_LENGTH)
    throw fail('validationFailed', `A password has ${MIN_PASSWORD_LENGTH} to ${MAX_PASSWORD_LENGTH} characters`)
}

/**
 * One hash takes 19 MiB and a thread: more at once would only wait inside the thread pool, in front of other work. More would wait longer than their clients do; and
 * one network must leave room for others.
 */
const hashing = new Gate({
  atOnce: 2,
  waiting: 500,
  waitingPerKey: 250,
  refusal: () => fail('notReady', 'Too many sign-ins at once; try again shortly', 5),
})
/** As libuv calls the threads of its pool. */
const POOL_THREAD = 'libuv-worker'
const OPERATOR = 'operator'

let hasYielded = false

/**
 * Lets the threads that hash give way to the one that serves requests, where the system has priorities for threads (Linux). A hash then takes what is left of the
 * processors: people who sign in wait a little longer, and nobody else does.
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
    // No /proc, or no right to: hashing is then as urgent as everything else.
  }
}

interface Parameters {
  readonly memory: number
  readonly passes: number
  readonly parallelism: number
}

function derive(password: string, nonce: Buffer, tagLength: number, parameters: Parameters): Promise<Buffer> {
  const tag = argon2('argon2id', { message: password.normalize('NFC'), nonce, tagLength, ...parameters })
  // The threads are there once the first of them has work.
  yieldToRequests()
  return tag
}

const unpadded = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '')

const print = ({ memory, passes, parallelism }: Parameters, nonce: Buffer): string =>
  `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${unpadded(nonce)}`

/** The PHC form that every argon2 library reads. `by`: for whom it waits its turn. */
export const hashPassword = (password: string, by = OPERATOR): Promise<string> => hashWith(WHOLE, password, by)

async function hashWith(parameters: Parameters, password: string, by: string): Promise<string> {
  const nonce = randomBytes(16)
  const tag = await hashing.run(by, () => derive(password, nonce, TAG_BYTES, parameters))
  return `${print(parameters, nonce)}$${unpadded(tag)}`
}

/**
 * With an eighth of the work, for a file that has thousands: `strengthenHash` does the other seven in the background. Hashing what is a
 * hash already needs no password, and who guesses has to do both, which is as much work as one whole hash.
 */
export const hashQuickly = (password: string): Promise<string> => hashWith(EIGHTH, password, OPERATOR)

/** What every quick hash begins with. */
export const QUICK = print(EIGHTH, Buffer.alloc(0))
/** Between the two steps of a strengthened one. */
export const STEP = '|'
export const isQuick = (hash: string | null): boolean => hash?.startsWith(QUICK) === true && !hash.includes(STEP)

/** A quick hash without its tag, which the second step hashes. */
const headerOf = (quick: string): string => quick.slice(0, quick.lastIndexOf('$'))

export async function strengthenHash(quick: string): Promise<string> {
  const header = headerOf(quick)
  return `${header}${STEP}${await hashWith(REST, quick.slice(header.length + 1), OPERATOR)}`
}

/** Whether nobody has set another password between the two: a quick hash may have been strengthened. */
export const isSameHash = (one: string | null, other: string | null): boolean =>
  one === other || isStronger(one, other) || isStronger(other, one)

const isStronger = (quick: string | null, strong: string | null): boolean =>
  quick !== null && isQuick(quick) && strong?.startsWith(headerOf(quick) + STEP) === true

const PHC = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)(?:\$([A-Za-z0-9+/]+))?$/

/** Nobody's password: verified where a person has none, so that it takes as long. */
const NOBODY = `${print(WHOLE, Buffer.alloc(16))}$${unpadded(Buffer.alloc(TAG_BYTES))}`

function parse(hash: string) {
  const match = PHC.exec(hash)
  if (!match) throw new Error('A stored password hash is not in argon2id PHC form')
  const [, memory, passes, parallelism, nonce = '', tag] = match
  const parameters = { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) }
  return {
    parameters,
    nonce: Buffer.from(nonce, 'base64'),
    tag: tag === undefined ? undefined : Buffer.from(tag, 'base64'),
  }
}

/** Whether it is the one. A quick hash takes as long as any other. */
async function matches(password: string, hash: string): Promise<boolean> {
  const [first = '', second] = hash.split(STEP)
  const inner = parse(first)
  const own = await derive(password, inner.nonce, inner.tag?.length ?? TAG_BYTES, inner.parameters)
  if (second === undefined && !isQuick(hash)) return inner.tag !== undefined && timingSafeEqual(own, inner.tag)
  const outer = second === undefined ? { ...inner, parameters: REST } : parse(second)
  const whole = await derive(unpadded(own), outer.nonce, TAG_BYTES, outer.parameters)
  const expected = outer.tag
  return expected !== undefined && timingSafeEqual(second === undefined ? own : whole, expected)
}

export interface Verification {
  readonly password: string
  /** `null`: nobody, which takes as long. */
  readonly hash: string | null
  /** For whom it waits its turn. */
  readonly by?: string
  /** Called when its turn has come: what makes the work pointless by then throws. */
  check?(): Promise<void>
}

export async function verifyPassword({ password, hash, by = OPERATOR, check }: Verification): Promise<boolean> {
  const isRight = await hashing.run(by, async () => {
    await check?.()
    return matches(password.slice(0, MAX_PASSWORD_LENGTH + 1), hash ?? NOBODY)
  })
  return isRight && hash !== null && password.length <= MAX_PASSWORD_LENGTH
}
