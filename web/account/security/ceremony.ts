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

/** Whether this browser can make and ask for passkeys by the names that operations use (WebAuthn Level 3). */
export const canUsePasskeys =
  'PublicKeyCredential' in globalThis && 'parseCreationOptionsFromJSON' in PublicKeyCredential

/** What browsers call what went wrong (WebAuthn §5.1.3, §5.1.4), in words. */
async function inWords<T>(ceremony: () => Promise<T>): Promise<T> {
  try {
    return await ceremony()
  } catch (error) {
    throw error instanceof DOMException ? new Error(say.troubles[error.name] ?? say.trouble) : error
  }
}

const signed = (credential: Credential | null): unknown => (credential as PublicKeyCredential | null)?.toJSON()

interface Proof {
  /** Undefined where there is none: a passkey proves who it is. */
  readonly password?: string
}

async function prove({ password }: Proof): Promise<{ password: string } | { proof: unknown }> {
  if (password !== undefined) return { password }
  const options = (await startPasskeyProof({})) as unknown as PublicKeyCredentialRequestOptionsJSON
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options)
  return { proof: signed(await navigator.credentials.get({ publicKey })) }
}

/** Makes a passkey on this device, and adds it. */
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

/** Removes one, for the password or another passkey. */
export const dropPasskey = Object.assign(
  ({ passkeyId, ...proof }: Proof & { readonly passkeyId: string }): Promise<Success> =>
    inWords(async () => removePasskey({ passkeyId, ...(await prove(proof)) })),
  { operationName: removePasskey.operationName },
)
