import { findSignedIn } from '../browsers/browsers.ts'
import { isRecent, type PersonCaller, RECENT_MINUTES } from '../caller.ts'
import type { StoreCaller } from '../credentials/credentials.ts'
import { fail } from '../errors.ts'
import { findBrowserToken } from '../http/callers/cookies.ts'
import type { Context } from '../http/operation.ts'

/** For operations that an unattended browser must not be enough for. A key proves itself with each request. */
export async function needRecentSignIn({ environment, request, who }: Context<StoreCaller>): Promise<void> {
  if (who.credentialId !== undefined) return
  const { db, name } = environment
  const found = await findSignedIn(db, findBrowserToken(environment, request) ?? '', name, who.at)
  if (!found || !isRecent({ ...who, ...found } as unknown as PersonCaller))
    throw fail('notAuthorized', `Sign in again first: this is open for ${RECENT_MINUTES} minutes after that`)
}
