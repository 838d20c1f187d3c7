/*
 * Password hashes of other systems. An import accepts them, so that an organisation can move here without passwords in
 * plain text. They are stored as JSON after a prefix, and replaced with a hash in our own format at the person's first
 * sign-in (docs/decisions/0059).
 */

const PREFIX = 'imported:'

const MIB = 1024 * 1024
/**
 * Maximum memory for computing one hash. Django's argon2 hashes need 100 MiB. At most two hashes are computed
 * concurrently.
 */
const MAX_MEMORY = 128 * MIB
/** Maximum product of memory and passes, which is about one second of work. */
const MAX_MEMORY_PASSES = 512 * MIB
const MAX_LANES = 16
/**
 * Maximum of 128 × r × p of scrypt: the bytes that it derives with PBKDF2, which takes several times as long as mixing
 * them once. Real hashes need a few KiB.
 */
const MAX_SCRYPT_BLOCKS = MIB
/**
 * Maximum number of PBKDF2 iterations. Django 6 uses 1.2 million with SHA-256; Keycloak uses 600,000 with two blocks of
 * output.
 */
const MAX_ITERATIONS = 2_000_000
const MAX_BCRYPT_COST = 13
const MIN_CRYPT_ROUNDS = 1000
const MAX_CRYPT_ROUNDS = 200_000
const MAX_TEXT = 1000

export const SUPPORTED_HASHES =
  'argon2, scrypt, bcrypt, PBKDF2 (SHA-256 or SHA-512) or sha512-crypt, as Django, Moodle, Canvas, Keycloak and PHC write it'

/** The parameters of an imported hash; `salt` and `tag` are in base64. */
export type ImportedHash =
  | {
      kind: 'argon2'
      type: 'argon2id' | 'argon2i' | 'argon2d'
      memory: number
      passes: number
      parallelism: number
      salt: string
      tag: string
    }
  /** Canvas hashes the password followed by `suffix`, which comes from its column password_salt. */
  | {
      kind: 'scrypt'
      cost: number
      blockSize: number
      parallelization: number
      salt: string
      tag: string
      suffix?: string
    }
  | { kind: 'pbkdf2'; digest: 'sha256' | 'sha512'; iterations: number; salt: string; tag: string }
  /** `isPrehashed`: Django's bcrypt_sha256 passes the hexadecimal SHA-256 of the password to bcrypt. */
  | { kind: 'bcrypt'; hash: string; isPrehashed: boolean }
  | { kind: 'sha512-crypt'; hash: string }

/**
 * Thrown if a hash is refused. The message completes the sentence "people[3].passwordHash: …" and never contains the
 * hash.
 */
class Unusable extends Error {}

export const isImportedHash = (stored: string | null | undefined): stored is string =>
  stored?.startsWith(PREFIX) ?? false

export const parseImportedHash = (stored: string): ImportedHash => JSON.parse(stored.slice(PREFIX.length))

/** Converts a hash from an import file to its stored form, or returns why it is refused. */
export function readImportedHash(given: unknown): { readonly stored: string } | { readonly problem: string } {
  try {
    const hash = typeof given === 'string' ? readText(given) : readFields(given)
    refuseCostly(hash)
    return { stored: PREFIX + JSON.stringify(hash) }
  } catch (error) {
    if (error instanceof Unusable) return { problem: error.message }
    throw error
  }
}

function refuseCostly(hash: ImportedHash): void {
  if (hash.kind === 'argon2') {
    const { memory, passes, parallelism } = hash
    check(passes >= 1 && parallelism >= 1 && memory >= 8 * parallelism, 'has parameters that argon2 does not allow')
    boundMemory(memory * 1024, passes)
    check(parallelism <= MAX_LANES, `must use at most ${MAX_LANES} lanes`)
  } else if (hash.kind === 'scrypt') {
    const { cost, blockSize, parallelization } = hash
    // RFC 7914 §2: N is a power of two, greater than 1 and less than 2^(128 * r / 8).
    const isCostAllowed = cost > 1 && Number.isInteger(Math.log2(cost)) && cost < 2 ** (16 * blockSize)
    check(isCostAllowed && parallelization >= 1, 'has parameters that scrypt does not allow')
    boundMemory(128 * cost * blockSize, parallelization)
    check(
      128 * blockSize * parallelization <= MAX_SCRYPT_BLOCKS,
      `costs too much to verify: at most ${MAX_SCRYPT_BLOCKS / MIB} MiB for 128 × r × p`,
    )
  } else if (hash.kind === 'pbkdf2') {
    const blocks = Math.ceil(bytesOf(hash.tag) / (hash.digest === 'sha256' ? 32 : 64))
    check(hash.iterations >= 1, 'has parameters that PBKDF2 does not allow')
    check(
      hash.iterations * blocks <= MAX_ITERATIONS,
      `costs too much to verify: at most ${MAX_ITERATIONS} iterations, counted for each block of output`,
    )
  } else if (hash.kind === 'bcrypt') {
    const cost = Number(hash.hash.slice(4, 6))
    check(cost >= 4, 'has parameters that bcrypt does not allow')
    check(cost <= MAX_BCRYPT_COST, `costs too much to verify: at most cost ${MAX_BCRYPT_COST}`)
  } else {
    const rounds = Number(/rounds=(\d+)/.exec(hash.hash)?.[1] ?? 5000)
    check(rounds >= MIN_CRYPT_ROUNDS, 'has parameters that sha512-crypt does not allow')
    check(rounds <= MAX_CRYPT_ROUNDS, `costs too much to verify: at most ${MAX_CRYPT_ROUNDS} rounds`)
  }
}

function boundMemory(bytes: number, passes: number): void {
  check(
    bytes <= MAX_MEMORY && bytes * passes <= MAX_MEMORY_PASSES,
    `costs too much to verify: at most ${MAX_MEMORY / MIB} MiB of memory, and ${MAX_MEMORY_PASSES / MIB} MiB over all passes`,
  )
}

function check(isGood: boolean, problem: string): asserts isGood {
  if (!isGood) throw new Unusable(problem)
}

const bytesOf = (base64: string): number => Buffer.from(base64, 'base64').length

/**
 * The text formats of hashes, each with a function that converts the groups of the pattern. The first pattern that
 * matches is used.
 */
const FORMS: readonly [RegExp, (...groups: string[]) => ImportedHash][] = [
  // The PHC format, and Django's variant `argon2$argon2id$v=19$…`.
  [
    /^(?:argon2)?\$(argon2(?:id|i|d))\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([^$]*)\$([^$]*)$/,
    (type = '', memory, passes, parallelism, salt, tag) =>
      argon2({ type, memory, passes, parallelism, salt: base64(salt), tag: base64(tag) }),
  ],
  // The PHC format as passlib writes it.
  [
    /^\$scrypt\$ln=(\d{1,2}),r=(\d+),p=(\d+)\$([^$]*)\$([^$]*)$/,
    (logarithm, r, p, salt, tag) => scrypt(2 ** Number(logarithm), r, p, base64(salt), base64(tag)),
  ],
  // Django: `scrypt$16384$salt$8$5$hash`.
  [
    /^scrypt\$(\d+)\$([^$]+)\$(\d+)\$(\d+)\$([^$]*)$/,
    (cost, salt, r, p, tag) => scrypt(Number(cost), r, p, utf8(salt), base64(tag)),
  ],
  // Werkzeug: `scrypt:32768:8:1$salt$hash`.
  [
    /^scrypt:(\d+):(\d+):(\d+)\$([^$]+)\$([^$]*)$/,
    (cost, r, p, salt, tag) => scrypt(Number(cost), r, p, utf8(salt), hex(tag)),
  ],
  // Ruby's scrypt gem, with hexadecimal numbers: `4000$8$1$salt$hash`. Hashes with a salt of 40 digits are not matched,
  // because an older algorithm of the gem produced them. The gem removes leading zero bytes from the salt.
  [
    /^([0-9a-f]+)\$([0-9a-f]+)\$([0-9a-f]+)\$(?![0-9a-f]{40}\$)(?:00)*([0-9a-f]*)\$([0-9a-f]*)$/,
    (cost = '', r = '', p = '', salt, tag) =>
      scrypt(Number.parseInt(cost, 16), Number.parseInt(r, 16), Number.parseInt(p, 16), hex(salt), hex(tag)),
  ],
  // passlib writes `$pbkdf2-sha256$29000$salt$hash`; the PHC format has `i=29000` instead.
  [
    /^\$pbkdf2-(sha256|sha512)\$(?:i=)?(\d+)(?:,l=\d+)?\$([^$]*)\$([^$]*)$/,
    (digest, iterations, salt, tag) => pbkdf2(digest, iterations, base64(salt), base64(tag)),
  ],
  // Django: `pbkdf2_sha256$600000$salt$hash`.
  [
    /^pbkdf2_(sha256|sha512)\$(\d+)\$([^$]+)\$([^$]*)$/,
    (digest, iterations, salt, tag) => pbkdf2(digest, iterations, utf8(salt), base64(tag)),
  ],
  // Werkzeug: `pbkdf2:sha256:600000$salt$hash`.
  [
    /^pbkdf2:(sha256|sha512):(\d+)\$([^$]+)\$([^$]*)$/,
    (digest, iterations, salt, tag) => pbkdf2(digest, iterations, utf8(salt), hex(tag)),
  ],
  // Moodle and PHP write the bcrypt hash without a prefix; Django prepends `bcrypt$` or `bcrypt_sha256$`.
  [
    /^(?:(bcrypt|bcrypt_sha256)\$)?(\$2[aby]\$\d\d\$[./A-Za-z0-9]{53})$/,
    (django, hash = '') => ({ kind: 'bcrypt', hash, isPrehashed: django === 'bcrypt_sha256' }),
  ],
  [
    /^(\$6\$(?:rounds=\d{1,9}\$)?[./A-Za-z0-9]{1,16}\$[./A-Za-z0-9]{86})$/,
    (hash = '') => ({ kind: 'sha512-crypt', hash }),
  ],
]

function readText(text: string): ImportedHash {
  check(text.length <= MAX_TEXT, `must have at most ${MAX_TEXT} characters`)
  for (const [form, read] of FORMS) {
    const match = form.exec(text)
    if (match) return read(...match.slice(1))
  }
  throw new Unusable(`must be ${SUPPORTED_HASHES}; for any other, leave it out and send the user a reset link`)
}

/** Reads a hash given as an object: a row of Canvas with its salt, or a credential of Keycloak. */
function readFields(given: unknown): ImportedHash {
  const fields = asObject(given)
  if (fields.crypted_password !== undefined) {
    const hash = readText(textOf(fields, 'crypted_password'))
    check(
      hash.kind === 'scrypt',
      "must be Canvas's scrypt; for its older hashes, leave it out and send the user a reset link",
    )
    return { ...hash, suffix: textOf(fields, 'password_salt') }
  }
  // Keycloak's exports contain `credentialData` and `secretData` as JSON texts. Both have `additionalParameters`, but
  // those of the algorithm are in `credentialData`.
  const [data, secret] = [asObject(fields.credentialData ?? fields), asObject(fields.secretData ?? fields)]
  const algorithm = textOf(data, 'algorithm')
  const [salt, tag] = [base64(textOf(secret, 'salt')), base64(textOf(secret, 'value'))]
  const pbkdf2Digest = /^pbkdf2-(sha256|sha512)$/.exec(algorithm)?.[1]
  if (pbkdf2Digest !== undefined) return pbkdf2(pbkdf2Digest, data.hashIterations, salt, tag)
  check(
    algorithm === 'argon2',
    'has an algorithm that cannot be imported; supported are pbkdf2-sha256, pbkdf2-sha512 and argon2',
  )
  const more = asObject(data.additionalParameters ?? {})
  const parameter = (name: string, otherwise: string) => String([more[name] ?? otherwise].flat()[0])
  check(parameter('version', '1.3') === '1.3', 'must be version 1.3 of argon2')
  return argon2({
    type: `argon2${parameter('type', 'id')}`,
    memory: parameter('memory', '7168'),
    passes: data.hashIterations,
    parallelism: parameter('parallelism', '1'),
    salt,
    tag,
  })
}

function asObject(value: unknown): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  try {
    if (typeof value === 'string' && value.length <= MAX_TEXT) return asObject(JSON.parse(value))
  } catch (error) {
    if (error instanceof Unusable) throw error
  }
  throw new Unusable('must be a string, or an object as Keycloak or Canvas exports it')
}

function textOf(fields: Record<string, unknown>, name: string): string {
  const value = fields[name]
  check(typeof value === 'string' && value.length <= MAX_TEXT, `must have ${name}, a string`)
  return value
}

function argon2(of: {
  type: string
  memory: unknown
  passes: unknown
  parallelism: unknown
  salt: string
  tag: string
}) {
  const { type, salt, tag } = of
  check(type === 'argon2id' || type === 'argon2i' || type === 'argon2d', 'has a type that argon2 does not have')
  check(bytesOf(salt) >= 8, 'has a salt that is too short for argon2')
  const [memory, passes, parallelism] = [numberOf(of.memory), numberOf(of.passes), numberOf(of.parallelism)]
  return { kind: 'argon2', type, memory, passes, parallelism, ...bounded(salt, tag) } as const
}

const scrypt = (cost: number, r: unknown, p: unknown, salt: string, tag: string) =>
  ({ kind: 'scrypt', cost, blockSize: numberOf(r), parallelization: numberOf(p), ...bounded(salt, tag) }) as const

const pbkdf2 = (digest: string | undefined, iterations: unknown, salt: string, tag: string) =>
  ({
    kind: 'pbkdf2',
    digest: digest === 'sha512' ? 'sha512' : 'sha256',
    iterations: numberOf(iterations),
    ...bounded(salt, tag),
  }) as const

/** Throws if the salt or the tag is too short or too long. A short tag would also match wrong passwords. */
function bounded(salt: string, tag: string): { salt: string; tag: string } {
  check(bytesOf(salt) >= 1 && bytesOf(salt) <= 128, 'must have a salt of 1 to 128 bytes')
  check(bytesOf(tag) >= 16 && bytesOf(tag) <= 128, 'must have a hash of 16 to 128 bytes')
  return { salt, tag }
}

function numberOf(value: unknown): number {
  const number = Number(value)
  check(/^\d{1,10}$/.test(String(value)) && Number.isSafeInteger(number), 'has a parameter that is not a whole number')
  return number
}

const utf8 = (text = ''): string => Buffer.from(text, 'utf8').toString('base64')

function hex(text = ''): string {
  check(/^(?:[0-9a-f]{2})+$/i.test(text), 'has a part that is not hexadecimal')
  return Buffer.from(text, 'hex').toString('base64')
}

/** Normalises base64, which may lack padding, and in which passlib writes . instead of +. */
function base64(text = ''): string {
  const bare = text.replace(/=+$/, '').replaceAll('.', '+')
  const bytes = Buffer.from(bare, 'base64')
  const decoded = bytes.toString('base64')
  check(bare !== '' && decoded.replace(/=+$/, '') === bare, 'has a part that is not base64')
  return decoded
}
