import { createCipheriv, createDecipheriv, hash, randomBytes } from 'node:crypto'
import { type Environment, service } from '../environment.ts'

const NONCE_BYTES = 12
const TAG_BYTES = 16
/** Says which key sealed it, so that keys can be changed one after the other. */
const KEY_ID_BYTES = 4

interface Key {
  readonly id: Buffer
  readonly key: Buffer
}

/** The first seals, all of them open. */
export const pluginKeys = service(({ config, keyFor }): readonly Key[] => {
  const given = config.PLUGIN_KEYS.map((text) => hash('sha256', Buffer.from(text, 'base64url'), 'buffer'))
  return [...given, keyFor('plugin-secrets')].map((key) => ({
    id: hash('sha256', key, 'buffer').subarray(0, KEY_ID_BYTES),
    key,
  }))
})

type Parts = Pick<Environment, 'name' | 'get'>

/** Whose it is, is part of the seal: a row that was moved to another plugin does not open. */
const bind = ({ name }: Parts, clientId: string): Buffer => Buffer.from(JSON.stringify([name, clientId]))

export function sealSecret(parts: Parts, clientId: string, secret: string): Buffer {
  const { id, key } = parts.get(pluginKeys)[0]!
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES }).setAAD(bind(parts, clientId))
  const body = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()])
  return Buffer.concat([id, nonce, cipher.getAuthTag(), body])
}

/** Throws where none of the keys made the seal, or it was made for another plugin. */
export function openSecret(parts: Parts, clientId: string, sealed: Buffer): string {
  const keyId = sealed.subarray(0, KEY_ID_BYTES)
  const found = parts.get(pluginKeys).find(({ id }) => id.equals(keyId))
  if (!found) throw new Error(`The secret of ${clientId} was sealed with a key that is not in PLUGIN_KEYS`)
  const nonce = sealed.subarray(KEY_ID_BYTES, KEY_ID_BYTES + NONCE_BYTES)
  const rest = sealed.subarray(KEY_ID_BYTES + NONCE_BYTES)
  const decipher = createDecipheriv('aes-256-gcm', found.key, nonce, { authTagLength: TAG_BYTES })
  decipher.setAAD(bind(parts, clientId)).setAuthTag(rest.subarray(0, TAG_BYTES))
  return Buffer.concat([decipher.update(rest.subarray(TAG_BYTES)), decipher.final()]).toString('utf8')
}

export const isSealedWithFirst = (parts: Parts, sealed: Buffer): boolean =>
  parts.get(pluginKeys)[0]!.id.equals(sealed.subarray(0, KEY_ID_BYTES))
