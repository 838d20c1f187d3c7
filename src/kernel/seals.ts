import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

const CIPHER = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16

/**
 * Encrypts a text; the result is nonce, tag and ciphertext. `boundTo` is authenticated but not contained in the result:
 * `openText` needs the same value.
 */
export function sealText(key: Buffer, text: string, boundTo = ''): Buffer {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(boundTo))
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), body])
}

/** Decrypts the result of `sealText`. Throws if no key fits, `boundTo` differs, or the data was changed. */
export function openText([key, ...others]: readonly Buffer[], sealed: Buffer, boundTo = ''): string {
  try {
    return openWith(key!, sealed, boundTo)
  } catch (problem) {
    if (others.length === 0) throw problem
    return openText(others, sealed, boundTo)
  }
}

function openWith(key: Buffer, sealed: Buffer, boundTo: string): string {
  const nonce = sealed.subarray(0, NONCE_BYTES)
  const tag = sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES)
  const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES })
  decipher.setAAD(Buffer.from(boundTo)).setAuthTag(tag)
  return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]).toString('utf8')
}
