import { findSignedIn } from '../../kernel/browsers/browsers.ts'
import { isRecent, type PersonCaller, RECENT_MINUTES } from '../../kernel/caller.ts'
import { fail } from '../../kernel/errors.ts'
import { findBrowserToken } from '../../kernel/http/callers/cookies.ts'
import type { Context } from '../../kernel/http/operation.ts'
import type { StoreCaller } from '../credentials/credentials.ts'

/** For operations that an unattended browser must not be enough for. A key proves itself with each request. */
export async function needRecentSignIn({ environment, request, who }: Context<StoreCaller>): Promise<void> {
  if (who.credentialId !== undefined) return
  const { db, name } = environment
  const found = await findSignedIn(db, findBrowserToken(environment, request) ?? '', name, who.at)
  if (!found || !isRecent({ ...who, ...found } as unknown as PersonCaller))
    throw fail('notAuthorized', `Sign in again first: this is open for ${RECENT_MINUTES} minutes after that`)
}
