import { createHmac, timingSafeEqual } from 'node:crypto'
import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import type { PersonCaller } from '../../kernel/caller.ts'
import { fail } from '../../kernel/errors.ts'
import { Assertion, type CreationOptions, Registration, type RequestOptions } from './schema.ts'

/** The relying party in terms of WebAuthn: the site for which passkeys are created. */
export interface RelyingParty {
  readonly id: string
  readonly name: string
  readonly origin: string
  /**
   * The key from which user handles on authenticators are derived. It conceals the ids of people, and gives a person
   * different user handles in two environments on one host.
   */
  readonly userKey: Buffer
  /** The key for the MAC of challenges. */
  readonly challengeKey: Buffer
  /**
   * Appended to the names that authenticators show. If both environments share a host name, an authenticator offers the
   * passkeys of both side by side, and the suffix tells them apart.
   */
  readonly nameSuffix: string
}

export const CHALLENGE_MS = 5 * 60_000
/**
 * The permitted signature algorithms: EdDSA, ES256 and RS256 (IANA COSE Algorithms), which cover the authenticators in
 * use.
 */
export const ALGORITHMS = [-8, -7, -257]

export const isPasskeyId = (text: string): boolean => /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(text)

/** Derives the person's user handle on authenticators. */
const userIdOf = ({ userKey }: RelyingParty, personId: number): Buffer =>
  createHmac('sha256', userKey).update(String(personId)).digest()

/** Whether this user handle of a passkey is that of the person (WebAuthn §7.2, step 6). */
export function isUserHandleOf(party: RelyingParty, personId: number, handle: string | null | undefined): boolean {
  const given = Buffer.from(handle ?? '', 'base64url')
  const expected = userIdOf(party, personId)
  return given.length === expected.length && timingSafeEqual(given, expected)
}

/**
 * Whether the counter has grown since the last use. If not, the passkey was probably copied (WebAuthn §6.1.1). Both
 * counters are 0 if the authenticator does not count.
 */
export const hasCounted = (kept: number, given: number): boolean => given > kept || (given === 0 && kept === 0)

export interface KnownPasskey {
  readonly credentialId: string
  readonly transports: readonly string[]
}

/**
 * Returns the options for creating a passkey. They require a resident key, so that signing in needs no handle, and user
 * verification (fingerprint, face or PIN), so that a passkey counts as two factors.
 */
export const creationOptions = (
  party: RelyingParty,
  who: Pick<PersonCaller, 'personId' | 'handle' | 'name'>,
  { challenge, known }: { challenge: string; known: readonly KnownPasskey[] },
): CreationOptions => ({
  rp: { id: party.id, name: party.name },
  user: {
    id: userIdOf(party, who.personId).toString('base64url'),
    name: who.handle + party.nameSuffix,
    displayName: (who.name || who.handle) + party.nameSuffix,
  },
  challenge,
  pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key', alg })),
  timeout: CHALLENGE_MS,
  excludeCredentials: known.map(({ credentialId: id, transports }) => ({
    type: 'public-key',
    id,
    transports: [...transports],
  })),
  authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
  attestation: 'none',
})

export const requestOptions = (party: RelyingParty, challenge: string): RequestOptions => ({
  challenge,
  timeout: CHALLENGE_MS,
  rpId: party.id,
  userVerification: 'required',
})

/** The browser's client data (WebAuthn §5.8.1). */
export interface ClientData {
  readonly challenge: string
  /** Whether the assertion was made in a frame inside another site's page, where our pages never appear. */
  readonly isCrossOrigin: boolean
}

const readShape = <T extends TSchema>(schema: T) => {
  const check = Compile(schema)
  return (value: unknown) => {
    if (!check.Check(value)) {
      const place = check.Errors(value)[0]?.instancePath.replaceAll('/', '.') ?? ''
      throw fail('validationFailed', `response${place} is not what a browser sends`)
    }
    return value
  }
}

export const readRegistration = readShape(Registration)
export const readAssertion = readShape(Assertion)

export function readClientData(clientDataJSON: string): ClientData {
  const data = parseObject(Buffer.from(clientDataJSON, 'base64url').toString())
  if (typeof data?.challenge !== 'string')
    throw fail('validationFailed', 'response.clientDataJSON is not what a browser sends')
  return { challenge: data.challenge, isCrossOrigin: data.crossOrigin === true || data.topOrigin !== undefined }
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    return Object(JSON.parse(text))
  } catch {
    return undefined
  }
}
