import {
  addPasskey,
  type Passkey,
  removePasskey,
  type Success,
  startPasskey,
  startPasskeyProof,
} from '../../api/operations.ts'
import { accountWords } from '../words.ts'

const { passkeys: say } = accountWords

/** Whether this browser supports the JSON methods of WebAuthn Level 3, which this file calls. */
export const canUsePasskeys =
  'PublicKeyCredential' in globalThis && 'parseCreationOptionsFromJSON' in PublicKeyCredential

/**
 * Runs a WebAuthn ceremony, and turns the DOMException of a failure (WebAuthn §5.1.3, §5.1.4) into a message for
 * people.
 */
async function inWords<T>(ceremony: () => Promise<T>): Promise<T> {
  try {
    return await ceremony()
  } catch (error) {
    throw error instanceof DOMException ? new Error(say.troubles[error.name] ?? say.trouble) : error
  }
}

const signed = (credential: Credential | null): unknown => (credential as PublicKeyCredential | null)?.toJSON()

interface Proof {
  /** Undefined for people without a password: they confirm with a passkey. */
  readonly password?: string
}

async function prove({ password }: Proof): Promise<{ password: string } | { proof: unknown }> {
  if (password !== undefined) return { password }
  const options = (await startPasskeyProof({})) as unknown as PublicKeyCredentialRequestOptionsJSON
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options)
  return { proof: signed(await navigator.credentials.get({ publicKey })) }
}

/** Creates a passkey on this device and registers it. */
export const makePasskey = Object.assign(
  ({ name, ...proof }: Proof & { readonly name: string }): Promise<Passkey> =>
    inWords(async () => {
      const options = (await startPasskey(await prove(proof))) as unknown as PublicKeyCredentialCreationOptionsJSON
      const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options)
      const response = signed(await navigator.credentials.create({ publicKey }))
      return addPasskey({ response, ...(name !== '' && { name }) })
    }),
  { operationName: addPasskey.operationName },
)

/** Removes a passkey after the person has confirmed it with the password or a passkey. */
export const dropPasskey = Object.assign(
  ({ passkeyId, ...proof }: Proof & { readonly passkeyId: string }): Promise<Success> =>
    inWords(async () => removePasskey({ passkeyId, ...(await prove(proof)) })),
  { operationName: removePasskey.operationName },
)
