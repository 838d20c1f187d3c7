import type { Tx } from '../../kernel/database/database.ts'
import { fail } from '../../kernel/errors.ts'
import { ALGORITHMS, type Algorithm } from './algorithms.ts'
import { type PublicJwk, readPublicKeys } from './public-keys.ts'
import * as store from './store.ts'

/** How an app proves that it is the app, and how the platform proves to the app who has signed in. */
export interface ProofSettings {
  /** A JWKS document, one JWK, or keys in PEM. An empty text removes all keys. */
  readonly publicKeys?: string | undefined
  readonly tokenEndpointAuthMethod?: string | undefined
  readonly idTokenAlgorithm?: string | undefined
}

/**
 * Sets the given fields of an app that the caller has locked. Returns the details for the audit log, which does not
 * contain the keys.
 */
export async function setProof(tx: Tx, appId: number, what: ProofSettings): Promise<{ publicKeys?: number }> {
  const { publicKeys, tokenEndpointAuthMethod: method, idTokenAlgorithm: algorithm } = what
  if (publicKeys === undefined && method === undefined && algorithm === undefined) return {}
  const keys = publicKeys === undefined ? null : JSON.stringify(readPublicKeys(publicKeys))
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

interface ProofRow {
  readonly public_client: boolean
  readonly token_auth_method: string | null
  readonly public_keys: string | null
  readonly id_token_algorithm: string | null
}

/** Reads the settings from a row of an app, with the values of apps that have none. */
export const proofOf = (row: ProofRow) => ({
  tokenEndpointAuthMethod: row.public_client
    ? ('none' as const)
    : row.token_auth_method === 'private_key_jwt'
      ? ('private_key_jwt' as const)
      : ('client_secret' as const),
  publicKeys: row.public_keys === null ? [] : (JSON.parse(row.public_keys) as PublicJwk[]),
  idTokenAlgorithm: (row.id_token_algorithm ?? ALGORITHMS[0]) as Algorithm,
})
