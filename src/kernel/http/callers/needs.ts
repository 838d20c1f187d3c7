import { type AppUser, isRecent, type PersonCaller, RECENT_MINUTES } from '../../caller.ts'
import { fail } from '../../errors.ts'
import type { Need } from '../operation.ts'

/** Not an anonymous user, who is gone with the session. */
export const accountHolder: Need<AppUser> = {
  name: 'an account',
  errors: ['notForAnonymous'],
  check: ({ who }) => {
    if (who.isAnonymous) throw fail('notForAnonymous', 'This is not open to anonymous users; sign in with an account')
  },
}

/** For what a browser that was left open must not be enough for. */
export const recentSignIn: Need<PersonCaller> = {
  name: `a sign-in within the last ${RECENT_MINUTES} minutes`,
  errors: ['notAuthorized'],
  check: ({ who }) => {
    if (!isRecent(who))
      throw fail('notAuthorized', `Sign in again first: this is open for ${RECENT_MINUTES} minutes after that`)
  },
}

/** For what concerns the platform as a whole. */
export const administrator: Need<PersonCaller> = {
  name: 'administrator',
  errors: ['forbidden'],
  check: ({ who }) => {
    if (!who.isAdministrator) throw fail('forbidden', 'Only administrators may do this')
  },
}
