import assert from 'node:assert/strict'
import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import { openBrowser } from '../../kernel/browsers/browsers.ts'
import { openKnownBrowser } from '../../kernel/browsers/known.ts'
import type { EnvironmentName } from '../../kernel/config.ts'
import { cookie } from '../../kernel/http/callers/cookies.ts'
import type { TestBrowser } from '../../operations/testing/browser.ts'
import type { Answer, Person, TestApp } from '../../operations/testing/testing.ts'

const PATH = '/account/v1/passkey'
/** The password that `signedIn` gives to everyone. */
export const PROOF = { password: 'groundschool' }

const sha256 = (data: string | Buffer): Buffer => createHash('sha256').update(data).digest()

type Cbor = number | string | Buffer | Map<number | string, Cbor>

/** Encodes the subset of CBOR (RFC 8949) that authenticators use. */
function encodeCbor(value: Cbor): Buffer {
  const head = (major: number, size: number) => {
    const start = major << 5
    return Buffer.from(
      size < 24 ? [start | size] : size < 256 ? [start | 24, size] : [start | 25, size >> 8, size & 255],
    )
  }
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value)
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)])
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value])
  return Buffer.concat([head(5, value.size), ...[...value].flat().map(encodeCbor)])
}

const FLAGS = { isPresent: 0x01, isVerified: 0x04, hasCredential: 0x40 }

/** Ways in which an authenticator or a browser may deviate from the protocol. */
export interface Deviations {
  readonly origin?: string
  readonly rpId?: string
  readonly type?: string
  readonly challenge?: string
  readonly isVerified?: boolean
  readonly isPresent?: boolean
  readonly isCrossOrigin?: boolean
  readonly counter?: number
  readonly credentialId?: Buffer
  readonly userHandle?: string | null
  /** An attestation statement to send, although none was requested. */
  readonly attestation?: readonly [format: string, statement: Map<string, Cbor>]
  readonly transports?: readonly string[]
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into options freely
type Options = any

/**
 * An authenticator with one ES256 key, together with its browser. `step` is the increment of the signature counter; 0
 * means that the authenticator does not count.
 */
export class Authenticator {
  readonly origin: string
  readonly step: number
  readonly #keys = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  credentialId: Buffer = randomBytes(16)
  counter = 0
  userHandle = ''
  rpId = ''

  constructor(origin: string, step = 0) {
    this.origin = origin
    this.step = step
  }

  /** Does what `navigator.credentials.create(…).toJSON()` does in a browser. */
  create(options: Options, whims: Deviations = {}) {
    this.credentialId = whims.credentialId ?? this.credentialId
    this.userHandle = options.user.id
    this.rpId = options.rp.id
    const { x, y } = this.#keys.publicKey.export({ format: 'jwk' })
    // A COSE_Key of type EC2, for ES256 on the curve P-256 (RFC 9053 §7.1).
    const key: Cbor = new Map<number, Cbor>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, Buffer.from(x!, 'base64url')],
      [-3, Buffer.from(y!, 'base64url')],
    ])
    const size = Buffer.alloc(2)
    size.writeUInt16BE(this.credentialId.length)
    const credential = Buffer.concat([Buffer.alloc(16), size, this.credentialId, encodeCbor(key)])
    const [format, statement] = whims.attestation ?? ['none', new Map()]
    const attestationObject = encodeCbor(
      new Map<string, Cbor>([
        ['fmt', format],
        ['attStmt', statement],
        ['authData', Buffer.concat([this.#data(whims, FLAGS.hasCredential), credential])],
      ]),
    )
    return this.#answer({
      clientDataJSON: this.#clientData('webauthn.create', options.challenge, whims).toString('base64url'),
      attestationObject: attestationObject.toString('base64url'),
      transports: whims.transports ?? ['internal'],
    })
  }

  /** Does what `navigator.credentials.get(…).toJSON()` does in a browser. */
  get(options: Options, whims: Deviations = {}) {
    this.counter += this.step
    const clientData = this.#clientData('webauthn.get', options.challenge, whims)
    const data = this.#data(whims, 0)
    const signature = sign('sha256', Buffer.concat([data, sha256(clientData)]), this.#keys.privateKey)
    const userHandle = whims.userHandle === undefined ? this.userHandle : whims.userHandle
    return this.#answer({
      clientDataJSON: clientData.toString('base64url'),
      authenticatorData: data.toString('base64url'),
      signature: signature.toString('base64url'),
      ...(userHandle === null ? {} : { userHandle }),
    })
  }

  #answer<T extends object>(response: T) {
    const id = this.credentialId.toString('base64url')
    return { id, rawId: id, type: 'public-key', response, clientExtensionResults: {} }
  }

  #clientData(type: string, challenge: string, whims: Deviations): Buffer {
    return Buffer.from(
      JSON.stringify({
        type: whims.type ?? type,
        challenge: whims.challenge ?? challenge,
        origin: whims.origin ?? this.origin,
        crossOrigin: whims.isCrossOrigin ?? false,
      }),
    )
  }

  #data({ rpId = this.rpId, isPresent = true, isVerified = true, counter = this.counter }: Deviations, flags: number) {
    const rest = Buffer.alloc(5)
    rest[0] = flags | (isPresent ? FLAGS.isPresent : 0) | (isVerified ? FLAGS.isVerified : 0)
    rest.writeUInt32BE(counter, 1)
    return Buffer.concat([sha256(rpId), rest])
  }
}

/** Returns a browser in which the person has just signed in. */
export async function signedIn(app: TestApp, person: Person, name: EnvironmentName = 'production') {
  const environment = app.environment(name)
  await app.givePassword(person, name)
  const [row] = await app.sql(`select id::int, epoch from people where handle_key = '${person}'`, name)
  const who = {
    at: environment.clock(),
    requestId: 'test',
    address: '127.0.0.1',
    browserToken: '',
    device: 'test',
    known: openKnownBrowser(environment.keysFor('known-browser'), undefined, environment.clock()),
    person: undefined,
  }
  const what = { personId: Number(row!.id), epoch: Number(row!.epoch), door: 'password', isKept: false } as const
  const { token } = await openBrowser(environment.db, who, what, name)
  const browser = app.visitor(name)
  browser.cookies.set(environment.get(cookie).name, token)
  return browser
}

/** Sends a request like the scripts of the platform's pages do. */
export async function call(browser: TestBrowser, path: string, body: unknown = {}, headers = {}): Promise<Answer> {
  const seen = await browser.send(`${PATH}${path}`, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', ...headers },
  })
  return { ...seen, body: JSON.parse(seen.text) }
}

export async function list(browser: TestBrowser): Promise<Answer> {
  const seen = await browser.get(`${PATH}s`)
  return { ...seen, body: JSON.parse(seen.text) }
}

export async function expectDone(answer: Promise<Answer>) {
  const { status, body, text } = await answer
  assert.equal(status, 200, text)
  return body
}

export const makeAuthenticator = (app: TestApp, step = 0, name: EnvironmentName = 'production'): Authenticator =>
  new Authenticator(new URL(app.environment(name).url).origin, step)

/** Creates a passkey and adds it to the account. */
export async function register(browser: TestBrowser, authenticator: Authenticator, name?: string) {
  const options = await expectDone(call(browser, '/options', PROOF))
  return expectDone(call(browser, '', { response: authenticator.create(options), name }))
}

/** Signs in with a passkey. */
export async function signIn(
  browser: TestBrowser,
  authenticator: Authenticator,
  whims: Deviations = {},
  fields: object = {},
): Promise<Answer> {
  const options = await expectDone(call(browser, '/signin/options'))
  return call(browser, '/signin', { response: authenticator.get(options, whims), ...fields })
}

/** Returns a function that, on each call, returns the audit entries added since the last call, as action and person. */
export function watchAudit(app: TestApp): () => Promise<string[]> {
  let seen = 0
  return async () => {
    const rows = await app.sql(
      `select e.id::int, e.action, p.handle_key as person from audit_entries e left join people p on p.id = e.person_id
        where e.id > ${seen} order by e.id`,
    )
    seen = Number(rows.at(-1)?.id ?? seen)
    return rows.map(({ action, person }) => `${action} ${person}`)
  }
}
