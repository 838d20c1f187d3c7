import { BASE_URL, STORE_KEY } from '../samples.ts'
import { SCOPES } from './scopes.ts'

/** What people read about these operations. */
export const examples = {
  readStoreIdentity: {
    description:
      'Which key the record store sees, what it may do, and the authority that its statements get: the first thing to ask when a tool is refused. Users of apps and administrators may ask too.',
    example: {
      answer: {
        kind: 'key',
        key: STORE_KEY,
        scopes: [...SCOPES],
        authority: {
          objectType: 'Agent',
          name: 'Demo simulator',
          account: { homePage: BASE_URL, name: STORE_KEY },
        },
        usesLibrary: false,
      },
    },
  },
}
