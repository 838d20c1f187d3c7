import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { KnownBrowser } from '../caller.ts'

/** So many people who share a browser are remembered in it, those who signed in last. */
const MOST = 10
/** As long as browsers keep a cookie (RFC 6265bis §5.5). */
export const KNOWN_DAYS = 400
const DAY_SECONDS = 24 * 60 * 60

/** An entry: a random id, the person's epoch, when it was given (seconds), and our signature over these and the person, who is not named. */
const ID_BYTES = 16
const CLAIM_BYTES = ID_BYTES + 4 + 4
const MAC_BYTES = 16
const ENTRY_BYTES = CLAIM_BYTES + MAC_BYTES

/** All entries from before the person's epoch moved count together: whoever knew an old password may have any number of them. */
const EARLIER = 'earlier'

/**
 * The device cookie (OWASP, “Slow Down Online Guessing Attacks with Device Cookies”): a browser in which somebody has signed in before has tries of its own, which strangers
 * cannot use up. It opens nothing, stays when the person signs out, and tells nobody who has signed in.
 */
export function openKnownBrowser(key: Buffer, value: string | undefined, now: Date): KnownBrowser {
  const nowSeconds = Math.floor(now.getTime() / 1000)
  const entries = readEntries(value)
  const macOf = (claim: Buffer, personId: number): Buffer =>
    createHmac('sha256', key).update(claim).update(String(personId)).digest().subarray(0, MAC_BYTES)
  const isOf = (personId: number) => (entry: Buffer) =>
    timingSafeEqual(entry.subarray(CLAIM_BYTES), macOf(entry.subarray(0, CLAIM_BYTES), personId))
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
      return Buffer.concat([claim, macOf(claim, id), ...others]).toString('base64url')
    },
  }
}

function readEntries(value: string | undefined): Buffer[] {
  const bytes = Buffer.from(value?.slice(0, 2 * MOST * ENTRY_BYTES) ?? '', 'base64url')
  if (bytes.length % ENTRY_BYTES !== 0) return []
  const count = Math.min(MOST, bytes.length / ENTRY_BYTES)
  return Array.from({ length: count }, (_, i) => bytes.subarray(i * ENTRY_BYTES, (i + 1) * ENTRY_BYTES))
}
