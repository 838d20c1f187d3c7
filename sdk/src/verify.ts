import { createHash, createHmac, timingSafeEqual } from 'node:crypto'

/** Header names in lower case, as Node gives them. */
export type HeaderFields = Readonly<Record<string, string | readonly string[] | undefined>>

/** How far the clock of the platform may be from the plugin's; what was recorded and is sent again later is older. */
export const TOLERANCE_SECONDS = 300

const SIGNATURE_HEADERS = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const

/** Digests have one length, so comparing them tells nothing of what was compared. */
function isSame(one: string | Uint8Array, other: string | Uint8Array): boolean {
  const digest = (value: string | Uint8Array) => createHash('sha256').update(value).digest()
  return timingSafeEqual(digest(one), digest(other))
}

/** Compares with all of them, whichever one fits. */
const isOneOf = <T>(all: readonly T[], fits: (one: T) => boolean): boolean => all.map(fits).includes(true)

/** Whether an Authorization header holds the client ID and one of its secrets. */
export function verifyBasic(
  header: string | undefined,
  { clientId, secrets }: { clientId: string; secrets: readonly string[] },
): boolean {
  const encoded = /^basic +([\w+/=-]+) *$/i.exec(header ?? '')?.[1]
  if (encoded === undefined) return false
  const given = Buffer.from(encoded, 'base64')
  return isOneOf(secrets, (secret) => isSame(given, `${clientId}:${secret}`))
}

/** The value of `webhook-signature` for one secret; for tests of your own. */
export function signWebhook(
  secret: string,
  what: { id: string; timestamp: number | string; body: string | Uint8Array },
): string {
  return `v1,${createHmac('sha256', secret).update(`${what.id}.${what.timestamp}.`).update(what.body).digest('base64')}`
}

export interface Signed {
  /** The same on every retry of a delivery. */
  readonly id: string
  /** When this try was sent. */
  readonly at: Date
}

/** Who sent a body and when, by its Standard Webhooks headers; undefined where they are missing, wrong, or too old. */
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
  // While secrets are exchanged there is a signature for each of them.
  const given = signatures.split(' ').slice(0, 10)
  return isOneOf(given, (one) => isOneOf(expected, (other) => isSame(one, other)))
    ? { id, at: new Date(timestamp * 1000) }
    : undefined
}

/** Whether a request claims to be signed, even if in part. */
export const isSigned = (headers: HeaderFields): boolean =>
  SIGNATURE_HEADERS.some((name) => headers[name] !== undefined)
