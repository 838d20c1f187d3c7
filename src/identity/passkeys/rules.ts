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
   * The keys from which user handles on authenticators are derived; the first for new passkeys. They conceal the ids of
   * people, and give a person different user handles in two environments on one host.
   */
  readonly userKeys: readonly Buffer[]
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
export const userHandleOf = (userKey: Buffer, personId: number) =>
  createHmac('sha256', userKey).update(String(personId)).digest()

/**
 * Whether a passkey's person has this user handle (WebAuthn §7.2, step 6). Older passkeys have no stored handle; theirs
 * is derived.
 */
export function isUserHandleOf(
  { userKeys }: RelyingParty,
  passkey: { readonly person_id: number; readonly user_handle: Buffer | null },
  handle: string | null | undefined,
): boolean {
  const given = Buffer.from(handle ?? '', 'base64url')
  const { person_id, user_handle } = passkey
  const expected = user_handle ? [user_handle] : userKeys.map((key) => userHandleOf(key, person_id))
  return expected.some((one) => given.length === one.length && timingSafeEqual(given, one))
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
    id: userHandleOf(party.userKeys[0]!, who.personId).toString('base64url'),
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
      throw fail('validationFailed', `response${place} is not in the form that browsers send`)
    }
    return value
  }
}

export const readRegistration = readShape(Registration)
export const readAssertion = readShape(Assertion)

export function readClientData(clientDataJSON: string): ClientData {
  const data = parseObject(Buffer.from(clientDataJSON, 'base64url').toString())
  if (typeof data?.challenge !== 'string')
    throw fail('validationFailed', 'response.clientDataJSON is not in the form that browsers send')
  return { challenge: data.challenge, isCrossOrigin: data.crossOrigin === true || data.topOrigin !== undefined }
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    return Object(JSON.parse(text))
  } catch {
    return undefined
  }
}
