import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

const NONCE_BYTES = 12
const TAG_BYTES = 16

interface Letter {
  readonly subject: string
  readonly text: string
}

/** Whom it is for is part of the seal, so that somebody who can only change rows cannot send a link to another address. */
interface Addressee {
  readonly personId: number | null
  readonly recipient: string
}

const bind = ({ personId, recipient }: Addressee): Buffer => Buffer.from(JSON.stringify([personId, recipient]))

export function sealMessage(key: Buffer, to: Addressee, { subject, text }: Letter): Buffer {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES }).setAAD(bind(to))
  const body = Buffer.concat([cipher.update(JSON.stringify({ subject, text }), 'utf8'), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), body])
}

/** Throws where the seal was made with another key or for somebody else. */
export function openMessage(key: Buffer, to: Addressee, sealed: Buffer): Letter {
  const nonce = sealed.subarray(0, NONCE_BYTES)
  const tag = sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES)
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES })
  decipher.setAAD(bind(to)).setAuthTag(tag)
  const body = Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()])
  return JSON.parse(body.toString('utf8')) as Letter
}
