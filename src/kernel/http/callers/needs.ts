import { type AppUser, isRecent, type Member, type PersonCaller, RECENT_MINUTES } from '../../caller.ts'
import { fail } from '../../errors.ts'
import type { Need } from '../operation.ts'

/** Refuses anonymous users, who only exist as long as their session. */
export const accountHolder: Need<AppUser> = {
  name: 'an account',
  errors: ['notForAnonymous'],
  check: ({ who }) => {
    if (who.isAnonymous) throw fail('notForAnonymous', 'Anonymous users cannot do this; sign in with an account')
  },
}

/** Requires a recent sign-in for sensitive actions, because somebody else may use a browser that was left open. */
export const recentSignIn: Need<PersonCaller> = {
  name: `a sign-in within the last ${RECENT_MINUTES} minutes`,
  errors: ['notAuthorized'],
  check: ({ who }) => {
    if (!isRecent(who))
      throw fail(
        'notAuthorized',
        `Sign in again first: this is allowed only within ${RECENT_MINUTES} minutes of signing in`,
      )
  },
}

/** Refuses calls of apps: the person decides, on the platform's own pages. */
export const ownPages: Need<Member> = {
  name: 'the platform’s own pages',
  errors: ['forbidden'],
  security: 'browser',
  check: ({ who }) => {
    if (who.appId !== undefined) throw fail('forbidden', 'Apps cannot do this; use the pages of the platform')
  },
}

/** Required for actions that concern the whole platform. */
export const administrator: Need<PersonCaller> = {
  name: 'administrator',
  errors: ['forbidden'],
  check: ({ who }) => {
    if (!who.isAdministrator) throw fail('forbidden', 'Only administrators can do this')
  },
}
