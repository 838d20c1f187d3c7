import { createHmac } from 'node:crypto'
import type { EnvironmentName } from '../config.ts'
import { service } from '../environment.ts'
import { mintToken } from '../sessions/tokens.ts'

/** So that a secret can be replaced without a moment in which none is right. */
export const MAX_SECRETS = 2

/** A new client secret, to be shown once. */
export const makeSecret = (environment: EnvironmentName): string => mintToken('secret', environment)

/** Client secrets are kept only as this: who reads the database alone can neither use nor guess them. */
export const hashSecret = (secret: string, secretHashKey: Buffer): Buffer =>
  createHmac('sha256', secretHashKey).update(secret.normalize('NFC')).digest()

export const secretHashKey = service(({ keyFor }) => keyFor('client-secret'))
