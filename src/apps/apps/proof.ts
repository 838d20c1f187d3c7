import type { Tx } from '../../kernel/database/database.ts'
import { fail } from '../../kernel/errors.ts'
import { readPublicKeys } from './public-keys.ts'
import * as store from './store.ts'

/** How an app proves that it is the app, and how the platform proves to the app who has signed in. */
export interface ProofSettings {
  /** A JWKS document, one JWK, or keys in PEM. An empty text removes all keys. */
  readonly publicKeys?: string | undefined
  readonly tokenEndpointAuthMethod?: string | undefined
  readonly idTokenAlgorithm?: string | undefined
}

/** Ten RSA keys of 4,096 bits are half as long. */
const MAX_LENGTH = 16_000

/**
 * Sets the given fields of an app that the caller has locked. Returns the details for the audit log, which does not
 * contain the keys.
 */
export async function setProof(tx: Tx, appId: number, what: ProofSettings): Promise<{ publicKeys?: number }> {
  const { publicKeys, tokenEndpointAuthMethod: method, idTokenAlgorithm: algorithm } = what
  if (publicKeys === undefined && method === undefined && algorithm === undefined) return {}
  const keys = publicKeys === undefined ? null : JSON.stringify(readPublicKeys(publicKeys))
  if (keys !== null && keys.length > MAX_LENGTH) throw fail('validationFailed', 'publicKeys are too long')
  const row = (await tx.first(store.changeProof, {
    app: appId,
    keys,
    method: method ?? null,
    algorithm: algorithm ?? null,
  }))!
  if (row.public_client && (row.keys > 0 || row.token_auth_method === 'private_key_jwt'))
    throw fail('impossibleNow', 'A public client cannot keep a private key; it uses PKCE')
  if (row.token_auth_method === 'private_key_jwt' && row.keys === 0)
    throw fail('impossibleNow', 'The app uses private_key_jwt, so it needs a public key')
  return publicKeys === undefined ? {} : { publicKeys: row.keys }
}
