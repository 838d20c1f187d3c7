import { createHash, createHmac, timingSafeEqual } from 'node:crypto'

/** Header fields with their names in lower case, as Node provides them. */
export type HeaderFields = Readonly<Record<string, string | readonly string[] | undefined>>

/**
 * Maximum difference between the timestamp of a message and the clock of the plugin. An older message may be a replay
 * by an attacker.
 */
export const TOLERANCE_SECONDS = 300

const SIGNATURE_HEADERS = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const

/**
 * Compares two values in constant time. The digests have the same length, so not even the length of the values is
 * revealed.
 */
function isSame(one: string | Uint8Array, other: string | Uint8Array): boolean {
  const digest = (value: string | Uint8Array) => createHash('sha256').update(value).digest()
  return timingSafeEqual(digest(one), digest(other))
}

/** Tells whether any item fits. Tests all items, so that the duration does not reveal which one fits. */
const isOneOf = <T>(all: readonly T[], fits: (one: T) => boolean): boolean => all.map(fits).includes(true)

/** Tells whether an Authorization header contains the client ID and one of the secrets. */
export function verifyBasic(
  header: string | undefined,
  { clientId, secrets }: { clientId: string; secrets: readonly string[] },
): boolean {
  const encoded = /^basic +([\w+/=-]+) *$/i.exec(header ?? '')?.[1]
  if (encoded === undefined) return false
  const given = Buffer.from(encoded, 'base64')
  return isOneOf(secrets, (secret) => isSame(given, `${clientId}:${secret}`))
}

/** Computes the header `webhook-signature` for one secret. Useful in your own tests. */
export function signWebhook(
  secret: string,
  what: { id: string; timestamp: number | string; body: string | Uint8Array },
): string {
  return `v1,${createHmac('sha256', secret).update(`${what.id}.${what.timestamp}.`).update(what.body).digest('base64')}`
}

export interface Signed {
  /** The same for every attempt to send the delivery. */
  readonly id: string
  /** Time at which this attempt was sent. */
  readonly at: Date
}

/**
 * Verifies the Standard Webhooks headers, and returns the id and time of the message; undefined if a header is missing
 * or wrong, or the message is too old.
 */
export function verifySignature(
  headers: HeaderFields,
  body: Uint8Array,
  { secrets, now = new Date() }: { secrets: readonly string[]; now?: Date },
): Signed | undefined {
  const [id, sentAt, signatures] = SIGNATURE_HEADERS.map((name) => headers[name])
  if (typeof id !== 'string' || typeof sentAt !== 'string' || typeof signatures !== 'string') return undefined
  if (id === '' || !/^\d{1,12}$/.test(sentAt)) return undefined
  const timestamp = Number(sentAt)
  if (Math.abs(now.getTime() / 1000 - timestamp) > TOLERANCE_SECONDS) return undefined
  const expected = secrets.map((secret) => signWebhook(secret, { id, timestamp: sentAt, body }))
  // While a secret is being rotated, the header contains one signature per secret.
  const given = signatures.split(' ').slice(0, 10)
  return isOneOf(given, (one) => isOneOf(expected, (other) => isSame(one, other)))
    ? { id, at: new Date(timestamp * 1000) }
    : undefined
}

/** Tells whether a request has any signature header. */
export const isSigned = (headers: HeaderFields): boolean =>
  SIGNATURE_HEADERS.some((name) => headers[name] !== undefined)
