import { ALGORITHMS, type RelyingParty } from './rules.ts'
import type { Assertion, Registration } from './schema.ts'

/** Loads the library on first use, because it takes 25 MiB and 200 ms, and many processes never handle a passkey. */
const loadLibrary = () => import('@simplewebauthn/server')
const loadHelpers = () => import('@simplewebauthn/server/helpers')

const MIN_CREDENTIAL_ID_LENGTH = 22
const MAX_CREDENTIAL_ID_LENGTH = 1364

export interface NewPasskeyCredential {
  readonly credentialId: string
  readonly publicKey: Buffer<ArrayBuffer>
  readonly counter: number
}

/** Verifies a new credential (WebAuthn §7.1). Returns undefined if it is invalid. */
export async function verifyRegistration(
  party: RelyingParty,
  { id, rawId, type, response }: Registration,
  challenge: string,
): Promise<NewPasskeyCredential | undefined> {
  const { verifyRegistrationResponse } = await loadLibrary()
  const { decodeAttestationObject, isoBase64URL, isoCBOR } = await loadHelpers()
  try {
    // The platform does not request attestation, and removes it: certificates in it could make the library fetch URLs
    // from within our network.
    const authData = decodeAttestationObject(isoBase64URL.toBuffer(response.attestationObject)).get('authData')
    const bare = isoCBOR.encode(
      new Map<string, string | Map<string, string> | Uint8Array>([
        ['fmt', 'none'],
        ['attStmt', new Map()],
        ['authData', authData],
      ]),
    )
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: {
        id,
        rawId,
        type,
        response: { clientDataJSON: response.clientDataJSON, attestationObject: isoBase64URL.fromBuffer(bare) },
        clientExtensionResults: {},
      },
      expectedChallenge: challenge,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      requireUserVerification: true,
      supportedAlgorithmIDs: ALGORITHMS,
    })
    if (!verified) return undefined
    const { credential } = registrationInfo
    // A credential id has 16 to 1023 bytes (WebAuthn §4, Credential ID).
    if (credential.id.length < MIN_CREDENTIAL_ID_LENGTH || credential.id.length > MAX_CREDENTIAL_ID_LENGTH)
      return undefined
    return { credentialId: credential.id, publicKey: Buffer.from(credential.publicKey), counter: credential.counter }
  } catch {
    return undefined
  }
}

/**
 * Verifies an assertion (WebAuthn §7.2) except for its counter, which the caller must check. Returns undefined if the
 * assertion is invalid.
 */
export async function verifyAssertion(
  party: RelyingParty,
  { id, rawId, type, response }: Assertion,
  { challenge, publicKey }: { challenge: string; publicKey: Buffer },
): Promise<{ counter: number } | undefined> {
  const { verifyAuthenticationResponse } = await loadLibrary()
  const { clientDataJSON, authenticatorData, signature } = response
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: {
        id,
        rawId,
        type,
        response: { clientDataJSON, authenticatorData, signature },
        clientExtensionResults: {},
      },
      expectedChallenge: challenge,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      requireUserVerification: true,
      // 0 disables the library's check of the counter, which would take place before the signature is verified.
      credential: { id, publicKey: new Uint8Array(publicKey), counter: 0 },
    })
    return verified ? { counter: authenticationInfo.newCounter } : undefined
  } catch {
    return undefined
  }
}
