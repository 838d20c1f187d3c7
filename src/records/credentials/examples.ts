import { BASE_URL, DONE, LATER, MOMENT, STORE_KEY, STORE_SECRET } from '../../kernel/samples.ts'
import { SCOPES } from './scopes.ts'

/** Of the key that examples of the record store are sent with. */
export const STORE_KEY_NAME = 'Demo simulator'

const as = 'ellis' as const
const named = { key: STORE_KEY }
const SECRET = { createdDate: MOMENT, lastUsedDate: null }
const scopes = ['statements/write', 'statements/read/mine']
const authority = (name: string) => ({
  objectType: 'Agent',
  name,
  account: { homePage: BASE_URL, name: STORE_KEY },
})
const MADE = {
  ...named,
  name: 'Simulator 3',
  status: 'active',
  scopes,
  authority: authority('Simulator 3'),
  usesLibrary: false,
  createdBy: '@ellis',
  createdDate: MOMENT,
  expiresDate: null,
  suspendedDate: null,
  revokedDate: null,
  secrets: [SECRET],
}

/** What people read about these operations. */
export const examples = {
  readStoreIdentity: {
    description:
      'The key, what it may do, and the authority that its statements get. Call this first if a tool is refused; users of apps and administrators can call it too.',
    example: {
      answer: {
        kind: 'key',
        key: STORE_KEY,
        scopes: [...SCOPES],
        authority: authority(STORE_KEY_NAME),
        usesLibrary: false,
      },
    },
  },
  makeCredential: {
    description:
      'A tool sends key and secret as user name and password (Basic). The secret is shown only once. Give each tool its own key, with no more scopes than it needs.',
    example: { request: { name: 'Simulator 3', scopes }, answer: { ...MADE, secret: STORE_SECRET }, as },
  },
  listCredentials: {
    description:
      'Newest first, including revoked ones. Secrets are not shown, only when each was created and last used, to the minute.',
    example: {
      request: { limit: 1 },
      answer: { docs: [MADE], total: 2, limit: 1, page: 1, pages: 2 },
      as,
    },
  },
  changeCredential: {
    description:
      'Changes the fields that are sent; the rest stays. A suspended key is refused until it is resumed. Changes take effect at once.',
    example: {
      request: { ...named, suspended: true, usesLibrary: true },
      answer: { ...MADE, status: 'suspended', suspendedDate: LATER, usesLibrary: true },
      as,
    },
  },
  revokeCredential: {
    description:
      'It is refused at once, and for good. Statements that it has sent stay, and so does its entry in the list.',
    example: { request: named, answer: DONE, as },
  },
  addCredentialSecret: {
    description:
      'Both secrets work until the old one is dropped, so tools can be switched over one by one. The new secret is shown only once.',
    example: { request: named, answer: { ...named, secret: STORE_SECRET }, as },
  },
  dropOldCredentialSecret: {
    description: 'Only the newest secret keeps working. Tools that still send an old one are refused at once.',
    example: { request: named, answer: MADE, as },
  },
}
