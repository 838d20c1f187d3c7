import { createHmac, hash } from 'node:crypto'
import type { EnvironmentName } from '../../kernel/config.ts'
import { service } from '../../kernel/environment.ts'
import { openText, sealText } from '../../kernel/seals.ts'
import { mintToken } from '../../kernel/sessions/tokens.ts'

/** So that a secret can be replaced without a moment in which none is right. */
export const MAX_SECRETS = 2

/** A new client secret, to be shown once. */
export const makeSecret = (environment: EnvironmentName): string => mintToken('secret', environment)

/** Client secrets are kept only as this: who reads the database alone can neither use nor guess them. */
export const hashSecret = (secret: string, secretHashKey: Buffer): Buffer =>
  createHmac('sha256', secretHashKey).update(secret.normalize('NFC')).digest()

export const secretHashKey = service(({ keyFor }) => keyFor('client-secret'))

/** Says which key sealed it, so that keys can be changed one after the other. */
const KEY_ID_BYTES = 4
const keyIdOf = (key: Buffer): Buffer => hash('sha256', key, 'buffer').subarray(0, KEY_ID_BYTES)

/** Seals secrets that the platform itself must send. Whose a secret is, is part of its seal: a row that was moved to another app does not open. */
export interface SecretSeal {
  seal(clientId: string, secret: string): Buffer
  /** Throws where none of the keys made the seal, or it was made for another app. */
  open(clientId: string, sealed: Buffer): string
  /** Whether the first key made it. */
  isCurrent(sealed: Buffer): boolean
}

/** The first key seals, all of them open. */
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

/** What secrets are made and kept with. */
export interface SecretKeys {
  readonly environment: EnvironmentName
  readonly hashKey: Buffer
  readonly seal: SecretSeal
}
export const secretKeys = service(
  ({ name, get }): SecretKeys => ({ environment: name, hashKey: get(secretHashKey), seal: get(secretSeal) }),
)
