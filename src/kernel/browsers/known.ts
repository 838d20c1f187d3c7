import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { KnownBrowser } from '../caller.ts'

/** Number of people that the cookie of one browser can remember: those who signed in last. */
const MOST = 10
/** Lifetime of the cookie: the longest that browsers allow (RFC 6265bis §5.5). */
export const KNOWN_DAYS = 400
const DAY_SECONDS = 24 * 60 * 60

/**
 * Layout of an entry: a random id, the person's epoch, the time of issue in seconds, and a MAC over these three and the
 * person's id. The person's id itself is not contained.
 */
const ID_BYTES = 16
const CLAIM_BYTES = ID_BYTES + 4 + 4
const MAC_BYTES = 16
const ENTRY_BYTES = CLAIM_BYTES + MAC_BYTES

/**
 * Key under which all entries from earlier epochs are counted together. Otherwise an attacker who knew an old password
 * could collect many such entries, and get extra guesses with each.
 */
const EARLIER = 'earlier'

/**
 * Reads the device cookie (OWASP, “Slow Down Online Guessing Attacks with Device Cookies”). In a browser where a person
 * has signed in before, wrong guesses are counted separately, so strangers cannot use up the person's tries. The cookie
 * grants no access, survives sign-out, and does not reveal who has signed in.
 */
export function openKnownBrowser(keys: readonly Buffer[], value: string | undefined, now: Date): KnownBrowser {
  const nowSeconds = Math.floor(now.getTime() / 1000)
  const entries = readEntries(value)
  const macOf = (key: Buffer, claim: Buffer, personId: number): Buffer =>
    createHmac('sha256', key).update(claim).update(String(personId)).digest().subarray(0, MAC_BYTES)
  const isOf = (personId: number) => (entry: Buffer) =>
    keys.some((key) =>
      timingSafeEqual(entry.subarray(CLAIM_BYTES), macOf(key, entry.subarray(0, CLAIM_BYTES), personId)),
    )
  return {
    recognise: ({ id, epoch }) => {
      const entry = entries.find(isOf(id))
      if (!entry || nowSeconds - entry.readUInt32BE(ID_BYTES + 4) > KNOWN_DAYS * DAY_SECONDS) return undefined
      return entry.readUInt32BE(ID_BYTES) === epoch ? entry.toString('hex', 0, ID_BYTES) : EARLIER
    },
    remember: ({ id, epoch }) => {
      const before = entries.find(isOf(id))
      const claim = Buffer.alloc(CLAIM_BYTES)
      const name = before?.subarray(0, ID_BYTES) ?? randomBytes(ID_BYTES)
      name.copy(claim)
      claim.writeUInt32BE(epoch, ID_BYTES)
      claim.writeUInt32BE(nowSeconds, ID_BYTES + 4)
      const others = entries.filter((entry) => entry !== before).slice(0, MOST - 1)
      return Buffer.concat([claim, macOf(keys[0]!, claim, id), ...others]).toString('base64url')
    },
  }
}

function readEntries(value: string | undefined): Buffer[] {
  const bytes = Buffer.from(value?.slice(0, 2 * MOST * ENTRY_BYTES) ?? '', 'base64url')
  if (bytes.length % ENTRY_BYTES !== 0) return []
  const count = Math.min(MOST, bytes.length / ENTRY_BYTES)
  return Array.from({ length: count }, (_, i) => bytes.subarray(i * ENTRY_BYTES, (i + 1) * ENTRY_BYTES))
}
