import { createHash, createHmac, timingSafeEqual } from 'node:crypto'

/** Header names in lower case, as Node gives them. */
export type HeaderFields = Readonly<Record<string, string | readonly string[] | undefined>>

/** Allowed difference between the clocks of the platform and the plugin. Older messages may be replays. */
export const TOLERANCE_SECONDS = 300

const SIGNATURE_HEADERS = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const

/** Compares digests in constant time. Their equal length reveals nothing about the inputs. */
function isSame(one: string | Uint8Array, other: string | Uint8Array): boolean {
  const digest = (value: string | Uint8Array) => createHash('sha256').update(value).digest()
  return timingSafeEqual(digest(one), digest(other))
}

/** Tests all items, so that the time does not reveal which one matches. */
const isOneOf = <T>(all: readonly T[], fits: (one: T) => boolean): boolean => all.map(fits).includes(true)

/** Tells whether an Authorization header holds the client ID and one of its secrets. */
export function verifyBasic(
  header: string | undefined,
  { clientId, secrets }: { clientId: string; secrets: readonly string[] },
): boolean {
  const encoded = /^basic +([\w+/=-]+) *$/i.exec(header ?? '')?.[1]
  if (encoded === undefined) return false
  const given = Buffer.from(encoded, 'base64')
  return isOneOf(secrets, (secret) => isSame(given, `${clientId}:${secret}`))
}

/** Computes `webhook-signature` for one secret. Useful in your own tests. */
export function signWebhook(
  secret: string,
  what: { id: string; timestamp: number | string; body: string | Uint8Array },
): string {
  return `v1,${createHmac('sha256', secret).update(`${what.id}.${what.timestamp}.`).update(what.body).digest('base64')}`
}

export interface Signed {
  /** The same on every retry of a delivery. */
  readonly id: string
  /** Send time of this try. */
  readonly at: Date
}

/**
 * Verifies Standard Webhooks headers, and returns the id and time of the message; undefined if they are missing, wrong
 * or too old.
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
  // During rotation there is one signature per secret.
  const given = signatures.split(' ').slice(0, 10)
  return isOneOf(given, (one) => isOneOf(expected, (other) => isSame(one, other)))
    ? { id, at: new Date(timestamp * 1000) }
    : undefined
}

/** Tells whether a request has any signature header. */
export const isSigned = (headers: HeaderFields): boolean =>
  SIGNATURE_HEADERS.some((name) => headers[name] !== undefined)
