import type { AppUser } from '../../caller.ts'
import { fail } from '../../errors.ts'
import type { Need } from '../operation.ts'

/** Not an anonymous user, who is gone with the session. */
export const anAccount: Need<AppUser> = {
  name: 'an account',
  errors: ['notForAnonymous'],
  check: ({ who }) => {
    if (who.isAnonymous) throw fail('notForAnonymous', 'This is not open to anonymous users; sign in with an account')
  },
}
