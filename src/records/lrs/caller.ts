import { findSignedIn } from '../../kernel/browsers/browsers.ts'
import { isRecent, type PersonCaller, RECENT_MINUTES } from '../../kernel/caller.ts'
import { fail } from '../../kernel/errors.ts'
import { findBrowserToken } from '../../kernel/http/callers/cookies.ts'
import type { Context } from '../../kernel/http/operation.ts'
import type { StoreCaller } from '../credentials/credentials.ts'

/**
 * Requires that an administrator has signed in recently, so that an unattended browser is not enough for this
 * operation. Keys are exempt, because every request sends their secret.
 */
export async function needRecentSignIn({ environment, request, who }: Context<StoreCaller>): Promise<void> {
  if (who.credentialId !== undefined) return
  const { db, name } = environment
  const found = await findSignedIn(db, findBrowserToken(environment, request) ?? '', name, who.at)
  if (!found || !isRecent({ ...who, ...found } as unknown as PersonCaller))
    throw fail(
      'notAuthorized',
      `Sign in again first: this is allowed only within ${RECENT_MINUTES} minutes of signing in`,
    )
}
