import { createHmac, hash, timingSafeEqual } from 'node:crypto'
import type { EnvironmentName } from '../../kernel/config.ts'
import { service } from '../../kernel/environment.ts'
import { openText, sealText } from '../../kernel/seals.ts'
import { mintToken } from '../../kernel/sessions/tokens.ts'

/** An app may have two secrets, so that a secret can be replaced without downtime. */
export const MAX_SECRETS = 2

/** Creates a client secret. It can be shown only once, because only its hash is stored. */
export const makeSecret = (environment: EnvironmentName): string => mintToken('secret', environment)

/**
 * Computes the keyed hash of a client secret. Only this hash is stored; without the key, a leaked database cannot be
 * used to test guesses.
 */
export const hashSecret = (secret: string, secretHashKey: Buffer): Buffer =>
  createHmac('sha256', secretHashKey).update(secret.normalize('NFC')).digest()

/**
 * Finds the stored hash of a secret. `current` is the hash with the current key; it differs from the stored hash if
 * that was computed with the previous key.
 */
export function matchSecret(
  stored: readonly Buffer[],
  secret: string,
  secretHashKeys: readonly Buffer[],
): { index: number; current: Buffer; isCurrent: boolean } | undefined {
  const [current, ...previous] = secretHashKeys.map((key) => hashSecret(secret, key))
  for (const given of [current!, ...previous]) {
    const index = stored.findIndex((one) => timingSafeEqual(one, given))
    if (index >= 0) return { index, current: current!, isCurrent: given === current }
  }
  return undefined
}

export const secretHashKeys = service(({ keysFor }) => keysFor('client-secret'))

/** Each encrypted secret starts with the id of its key, so that keys can be rotated. */
const KEY_ID_BYTES = 4
const keyIdOf = (key: Buffer): Buffer => hash('sha256', key, 'buffer').subarray(0, KEY_ID_BYTES)

/**
 * Encrypts the secrets that the platform itself must send. The client ID is authenticated too, so a row copied to
 * another app cannot be decrypted.
 */
export interface SecretSeal {
  seal(clientId: string, secret: string): Buffer<ArrayBuffer>
  /** Decrypts a secret. Throws if it was encrypted with none of the keys, or for another app. */
  open(clientId: string, sealed: Buffer): string
  /** Whether one of the keys can decrypt the secret. */
  canOpen(sealed: Buffer): boolean
  /** Whether the secret was encrypted with the first key, which is the current one. */
  isCurrent(sealed: Buffer): boolean
}

/** Encrypts with the first key, and decrypts with any of the keys. */
export const secretSeal = service(({ name, config, keysFor }): SecretSeal => {
  const given = config.SEAL_KEYS.map((text) => hash('sha256', Buffer.from(text, 'base64url'), 'buffer'))
  const keys = [...given, ...keysFor('sealed-secrets')]
  const bind = (clientId: string): string => JSON.stringify([name, clientId])
  const keyOf = (sealed: Buffer) => keys.find((one) => keyIdOf(one).equals(sealed.subarray(0, KEY_ID_BYTES)))
  return {
    seal: (clientId, secret) => Buffer.concat([keyIdOf(keys[0]!), sealText(keys[0]!, secret, bind(clientId))]),
    open: (clientId, sealed) => {
      const key = keyOf(sealed)
      if (!key) throw new Error(`The secret of ${clientId} was sealed with a key that is not in SEAL_KEYS`)
      return openText([key], sealed.subarray(KEY_ID_BYTES), bind(clientId))
    },
    canOpen: (sealed) => keyOf(sealed) !== undefined,
    isCurrent: (sealed) => keyIdOf(keys[0]!).equals(sealed.subarray(0, KEY_ID_BYTES)),
  }
})

export interface SecretKeys {
  readonly environment: EnvironmentName
  readonly hashKey: Buffer
  readonly seal: SecretSeal
}
export const secretKeys = service(
  ({ name, get }): SecretKeys => ({ environment: name, hashKey: get(secretHashKeys)[0]!, seal: get(secretSeal) }),
)
