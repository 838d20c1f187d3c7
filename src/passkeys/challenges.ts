import { randomBytes } from 'node:crypto'
import type { Visitor } from '../caller.ts'
import type { Age } from '../database/age.ts'
import type { Db } from '../database/database.ts'
import { hashToken } from '../sessions/tokens.ts'
import { CHALLENGE_MS } from './rules.ts'
import * as store from './store.ts'

/** Something to sign, for this browser alone, and for this person where they add a passkey. */
export async function issueChallenge(db: Db, who: Visitor, personId: number | null): Promise<string> {
  const challenge = randomBytes(32).toString('base64url')
  await db.first(store.insertChallenge, {
    hash: hashToken(challenge),
    browser: hashToken(who.browserToken),
    person: personId,
    expires: new Date(who.at.getTime() + CHALLENGE_MS),
  })
  return challenge
}

/** Whether it was given to this browser, for this purpose, and not answered before. The first answer takes it, even a wrong one. */
export async function takeChallenge(
  db: Db,
  who: Visitor,
  what: { challenge: string; personId: number | null },
): Promise<boolean> {
  const taken = await db.first(store.takeChallenge, {
    hash: hashToken(what.challenge),
    browser: hashToken(who.browserToken),
    person: what.personId,
    now: who.at,
  })
  return taken !== undefined
}

export const passkeyAges: readonly Age[] = [{ days: 0, remove: store.deleteOldChallenges }]
