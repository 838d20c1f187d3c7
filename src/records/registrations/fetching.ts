import type { Caller } from '../../kernel/caller.ts'
import type { Db } from '../../kernel/database/database.ts'
import type { Environment } from '../../kernel/environment.ts'
import { fail } from '../../kernel/errors.ts'
import { hashToken, inspectToken, mintToken } from '../../kernel/sessions/tokens.ts'
import { refuseEnded } from './recording.ts'
import type { LaunchRow } from './registrations.ts'
import * as store from './store.ts'

/** The user name in the Basic credentials of a launch. */
const LAUNCH_USER = 'launch'

/** The response to a fetch request (cmi5 8.2): a credential, or an error that says why there is none. */
export type FetchResponse =
  | { readonly 'auth-token': string }
  | { readonly 'error-code': '1' | '2' | '3'; readonly 'error-text': string }

/** Exchanges the token of a fetch URL for the credential of its session. Each token works once. */
export async function fetchCredential(
  db: Db,
  { at }: Caller,
  token: string,
  { name }: Pick<Environment, 'name'>,
): Promise<FetchResponse> {
  if (inspectToken(token, 'fetch', name) !== 'good')
    return { 'error-code': '2', 'error-text': 'This is no fetch URL of this platform' }
  const secret = mintToken('launch', name)
  const fetchHash = hashToken(token)
  const taken = await db.first(store.takeFetch, { fetchHash, tokenHash: hashToken(secret), now: at })
  if (taken) return { 'auth-token': Buffer.from(`${LAUNCH_USER}:${secret}`).toString('base64') }
  const found = await db.first(store.findFetch, { fetchHash })
  if (!found) return { 'error-code': '2', 'error-text': 'This is no fetch URL of this platform' }
  return {
    'error-code': '1',
    'error-text': found.is_fetched
      ? 'The credential was already fetched: a fetch URL works once'
      : 'The session has ended; open the lesson again',
  }
}

const NO_LAUNCH = 'This is no credential of a launch; POST to the fetch URL of the launch to get one'

/** Finds the open session of a credential. Stores the time of its use at most once a minute. */
export async function findLaunch(
  db: Db,
  { at }: Caller,
  token: string,
  { name }: Pick<Environment, 'name'>,
): Promise<LaunchRow> {
  const form = inspectToken(token, 'launch', name)
  const row = form === 'good' ? await db.first(store.findLaunch, { hash: hashToken(token) }) : undefined
  if (!row) throw fail('wrongCredentials', NO_LAUNCH)
  if (row.ended_at) throw refuseEnded(row)
  if (at.getTime() - row.last_at.getTime() >= 60_000)
    await db.first(store.touchLaunch, { launch: row.launch_id, now: at })
  return row
}

/** Notes that content has asked for the preferences of its learner, which it must do before it starts. */
export const notePreferences = (db: Db, { at }: Caller, launch: number) =>
  db.first(store.notePreferences, { launch, now: at })
