import { createHmac, hash } from 'node:crypto'
import type { EnvironmentName } from '../../kernel/config.ts'
import { service } from '../../kernel/environment.ts'
import { openText, sealText } from '../../kernel/seals.ts'
import { mintToken } from '../../kernel/sessions/tokens.ts'

/** Two, so that a secret can be rotated without downtime. */
export const MAX_SECRETS = 2

/** Creates a client secret. It is shown once, because only its hash is stored. */
export const makeSecret = (environment: EnvironmentName): string => mintToken('secret', environment)

/** Only this keyed hash of a client secret is stored, so a leaked database alone cannot be used to test guesses. */
export const hashSecret = (secret: string, secretHashKey: Buffer): Buffer =>
  createHmac('sha256', secretHashKey).update(secret.normalize('NFC')).digest()

export const secretHashKey = service(({ keyFor }) => keyFor('client-secret'))

/** Each seal starts with the id of its key, so that keys can be rotated. */
const KEY_ID_BYTES = 4
const keyIdOf = (key: Buffer): Buffer => hash('sha256', key, 'buffer').subarray(0, KEY_ID_BYTES)

/**
 * Encrypts secrets that the platform itself must send. The client ID is authenticated too, so a row copied to another
 * app does not open.
 */
export interface SecretSeal {
  seal(clientId: string, secret: string): Buffer
  /** Throws if none of the keys made the seal, or if it was made for another app. */
  open(clientId: string, sealed: Buffer): string
  /** Whether the first key, the current one, made the seal. */
  isCurrent(sealed: Buffer): boolean
}

/** Seals with the first key; opens with any of them. */
export const secretSeal = service(({ name, config, keyFor }): SecretSeal => {
  const given = config.SEAL_KEYS.map((text) => hash('sha256', Buffer.from(text, 'base64url'), 'buffer'))
  const keys = [...given, keyFor('sealed-secrets')]
  const bind = (clientId: string): string => JSON.stringify([name, clientId])
  return {
    seal: (clientId, secret) => Buffer.concat([keyIdOf(keys[0]!), sealText(keys[0]!, secret, bind(clientId))]),
    open: (clientId, sealed) => {
      const key = keys.find((one) => keyIdOf(one).equals(sealed.subarray(0, KEY_ID_BYTES)))
      if (!key) throw new Error(`The secret of ${clientId} was sealed with a key that is not in SEAL_KEYS`)
      return openText(key, sealed.subarray(KEY_ID_BYTES), bind(clientId))
    },
    isCurrent: (sealed) => keyIdOf(keys[0]!).equals(sealed.subarray(0, KEY_ID_BYTES)),
  }
})

export interface SecretKeys {
  readonly environment: EnvironmentName
  readonly hashKey: Buffer
  readonly seal: SecretSeal
}
export const secretKeys = service(
  ({ name, get }): SecretKeys => ({ environment: name, hashKey: get(secretHashKey), seal: get(secretSeal) }),
)
