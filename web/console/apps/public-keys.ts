import type { AppPublicKey } from '../../api/operations.ts'

/** What an app's public keys may look like, without their private members. */
const MEMBERS = ['kty', 'kid', 'alg', 'n', 'e', 'crv', 'x', 'y'] as const

export const MAX_KEYS = 10

/** The algorithm that keys of a curve sign with. RSA keys have several. */
const CURVES: Readonly<Record<string, string>> = {
  'P-256': 'ES256',
  'P-384': 'ES384',
  'P-521': 'ES512',
  Ed25519: 'EdDSA',
}

export const algorithmOf = ({ alg, crv, kty }: AppPublicKey): string => alg ?? CURVES[crv ?? ''] ?? kty

/** The start of a key's own value, which tells keys without an id apart. */
export const startOf = ({ n, x }: AppPublicKey): string => (n ?? x ?? '').slice(0, 8)

const PRIVATE = /PRIVATE KEY|"(?:d|p|q|dp|dq|qi|oth)"\s*:/
const SYMMETRIC = /"k"\s*:|"kty"\s*:\s*"oct"/

/** Tells whether a pasted text contains a key that must not leave the browser. */
export const findSecretKey = (pasted: string): 'private' | 'symmetric' | undefined =>
  PRIVATE.test(pasted) ? 'private' : SYMMETRIC.test(pasted) ? 'symmetric' : undefined

const PEM = '-----BEGIN '

/**
 * Adds pasted keys to those that the app has. The platform replaces all keys, and reads a document with keys in PEM
 * after it. A text that is neither is passed on, so that the platform says what is wrong with it.
 */
export function addKeys(keys: readonly AppPublicKey[], pasted: string): string {
  const text = pasted.trim()
  if (keys.length === 0) return text
  if (text === '') return JSON.stringify({ keys })
  const pem = text.indexOf(PEM)
  const document = (pem < 0 ? text : text.slice(0, pem)).trim()
  const rest = pem < 0 ? '' : `\n${text.slice(pem)}`
  if (document === '') return JSON.stringify({ keys }) + rest
  try {
    const parsed = JSON.parse(document)
    return JSON.stringify({ keys: [...keys, ...(Array.isArray(parsed.keys) ? parsed.keys : [parsed])] }) + rest
  } catch {
    return `${JSON.stringify({ keys })}\n${text}`
  }
}

/** Reads the public keys in the URL of the form that creates an app; undefined if the value is anything else. */
export const keysFrom = (value: unknown): AppPublicKey[] | undefined =>
  Array.isArray(value) && value.length > 0 && value.length <= MAX_KEYS && value.every(isKey)
    ? value.map(
        (key) =>
          Object.fromEntries(MEMBERS.flatMap((name) => (name in key ? [[name, key[name]]] : []))) as AppPublicKey,
      )
    : undefined

const isKey = (value: unknown): value is Record<string, string> =>
  typeof value === 'object' &&
  value !== null &&
  typeof (value as AppPublicKey).kty === 'string' &&
  Object.values(value).every((member) => typeof member === 'string' && member.length <= 2000)
