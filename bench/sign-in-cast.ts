import { addApp, ensureAppUser, readApp } from '../src/apps/apps/apps.ts'
import { secretKeys } from '../src/apps/apps/secrets.ts'
import { challengeOf } from '../src/apps/oauth/rules.ts'
import { addPerson, changePassword } from '../src/identity/people/people.ts'
import type { Caller } from '../src/kernel/caller.ts'
import { c, write } from '../src/kernel/database/statement.ts'
import type { Environment } from '../src/kernel/environment.ts'
import { openSession, type TokenPair, tokenPolicy } from '../src/kernel/sessions/sessions.ts'
import { hashToken, mintToken } from '../src/kernel/sessions/tokens.ts'

/** An app with a secret, its users with passwords, and access tokens of these users. */
export interface Cast {
  readonly environment: Environment
  readonly appId: number
  readonly clientId: string
  readonly secret: string
  readonly people: readonly { readonly handle: string; readonly personId: number; readonly userId: string }[]
  /** Access tokens, each from a different session. */
  readonly tokens: readonly string[]
}

export const PASSWORD = 'cleared for take-off'
export const REDIRECT_URI = 'https://app.example.org/callback'
export const VERIFIER = 'v'.repeat(43)

const HOUR_MS = 3_600_000
/** Number of parallel calls. More would only wait for a database connection. */
const AT_ONCE = 32

const caller = (): Caller => ({ at: new Date(), requestId: 'bench', address: '127.0.0.1' })

async function inBatches<T>(count: number, make: (index: number) => Promise<T>): Promise<T[]> {
  const made: T[] = []
  while (made.length < count) {
    const size = Math.min(AT_ONCE, count - made.length)
    made.push(...(await Promise.all(Array.from({ length: size }, (_, i) => make(made.length + i)))))
  }
  return made
}

export async function makeCast(
  environment: Environment,
  count: { readonly people: number; readonly tokens: number },
): Promise<Cast> {
  const { db } = environment
  const { appId, clientId, secret } = await makeApp(environment, 'bench-sign-in')
  const people = await inBatches(count.people, async (index) => {
    const { id: personId, handle } = await addPerson(db, caller(), { handle: `bench-${index}` })
    await changePassword(db, caller(), { handle, password: PASSWORD })
    return { handle, personId, userId: await ensureAppUser(db, caller(), { appId, personId }) }
  })
  const cast = { environment, appId, clientId, secret, people, tokens: [] }
  return { ...cast, tokens: await makeTokens(cast, count.tokens) }
}

async function makeApp({ db, name, get }: Environment, key: string) {
  const { clientId, secret } = await addApp(
    db,
    caller(),
    {
      key,
      name: key,
      redirectUris: [REDIRECT_URI],
      origins: [],
      isBasicEnabled: true,
      isImplicitEnabled: false,
      isDeviceEnabled: false,
      isPublic: false,
    },
    get(secretKeys),
  )
  const { id: appId } = await readApp(db, clientId, name)
  return { appId, clientId, secret: secret! }
}

/**
 * Creates access tokens for another app: in the app of the load, people sign in so often that their older sessions end.
 */
async function makeTokens(cast: Cast, count: number): Promise<string[]> {
  const { environment } = cast
  const { appId } = await makeApp(environment, 'bench-tokens')
  const people = await inBatches(cast.people.length, async (index) => {
    const person = cast.people[index]!
    return { ...person, userId: await ensureAppUser(environment.db, caller(), { appId, personId: person.personId }) }
  })
  const sessions = await openSessions({ ...cast, appId, people }, count)
  return sessions.map(({ accessToken }) => accessToken)
}

/** Opens `count` new sessions, spread over all people. */
export function openSessions({ environment, appId, people }: Cast, count: number): Promise<TokenPair[]> {
  return inBatches(count, (index) => {
    const { personId, userId } = people[index % people.length]!
    const what = { appId, personId, userId, door: 'code', device: 'bench' } as const
    return openSession(environment.db, caller(), what, environment.get(tokenPolicy))
  })
}

/** Inserts authorization codes like those of sign-in, but many at once and valid for a whole round. */
const insertCodes = write('bench.insertCodes', {
  params: {
    app: c.int8,
    people: c.int8Array,
    hashes: c.textArray,
    redirect: c.text,
    challenge: c.text,
    now: c.timestamptz,
    expires: c.timestamptz,
  },
  row: { count: c.int8 },
  text: `
    with inserted as (
      insert into authorization_codes (code_hash, app_id, person_id, person_epoch, consent_epoch, door, redirect_uri,
                                       redirect_given, challenge, device, created_at, expires_at)
      select decode(code.hash, 'hex'), u.app_id, u.person_id, p.epoch, u.epoch, 'code', :redirect, true, :challenge, 'bench', :now, :expires
        from unnest(:people, :hashes) as code(person, hash)
        join people p on p.id = code.person
        join app_users u on u.person_id = p.id and u.app_id = :app
      returning 1
    )
    select count(*) as count from inserted`,
})

/** Creates codes for the people in turn, so that codes redeemed at the same time belong to different people. */
export async function makeCodes({ environment, appId, people }: Cast, count: number): Promise<string[]> {
  const now = new Date()
  const codes = Array.from({ length: count }, () => mintToken('code', environment.name))
  await environment.db.first(insertCodes, {
    app: appId,
    people: codes.map((_, index) => people[index % people.length]!.personId),
    hashes: codes.map((code) => hashToken(code).toString('hex')),
    redirect: REDIRECT_URI,
    challenge: challengeOf(VERIFIER),
    now,
    expires: new Date(now.getTime() + HOUR_MS),
  })
  return codes
}
