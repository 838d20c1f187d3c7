import { CLIENT_ID, CLIENT_SECRET, MOMENT, USER_IDS } from '../../kernel/samples.ts'

const as = 'ellis' as const
const clientId = 'gs-logbook'
const named = { clientId }
const redirectUris = ['https://logbook.example.org/callback']
const SECRET = { createdDate: MOMENT, lastUsedDate: null }
const PENDING = {
  clientId,
  name: 'Logbook',
  organisation: 'northwind',
  organisationName: 'Northwind Training',
  owner: '@ellis',
  status: 'pending',
  public: false,
  redirectUris,
  launchUri: redirectUris[0]!,
  origins: [],
  secrets: [SECRET],
  users: 0,
  storageUsed: 0,
  storageLimit: 104_857_600,
  createdDate: MOMENT,
  may: { decide: true },
}

/** What people read about these operations. */
export const examples = {
  registerApp: {
    description:
      'Owners and developers of an organisation register apps for it. In the sandbox an app works at once; in production an administrator approves it first. The client secret is shown only once.',
    example: {
      request: {
        organisation: 'northwind',
        name: 'Logbook',
        key: 'logbook',
        redirectUris,
        launchUri: redirectUris[0]!,
      },
      answer: { ...PENDING, clientSecret: CLIENT_SECRET },
      as,
    },
  },
  changeApp: {
    description:
      'Changes the fields that are sent; the rest stays. Redirect URIs and origins replace the whole list: entries that are left out are removed.',
    example: {
      request: { ...named, name: 'Flight log' },
      answer: { ...PENDING, name: 'Flight log' },
      as,
      after: 'registerApp',
    },
  },
  readApp: {
    description:
      'Everything about an app except its secrets, which are listed with their creation and last use. It also has the number of users and the storage in use.',
    example: { request: named, answer: PENDING, as, after: 'registerApp' },
  },
  listApps: {
    description:
      'The apps that the caller works on, by name. Administrators see all of them: with `status=pending` those that wait to be approved.',
    example: {
      request: { status: 'pending' },
      answer: { docs: [PENDING], total: 1, limit: 10, page: 1, pages: 1 },
      as,
      after: 'registerApp',
    },
  },
  listAppUsers: {
    description:
      'People who have allowed the app, newest first. It shows only what the app itself may know: the user id, since when, and when they were last seen.',
    example: {
      request: { clientId: CLIENT_ID },
      answer: {
        docs: [{ userId: USER_IDS.avery, anonymous: false, sinceDate: MOMENT, lastSeenDate: MOMENT }],
        total: 1,
        limit: 10,
        page: 1,
        pages: 1,
      },
      as,
    },
  },
  addAppSecret: {
    description:
      'The new secret is shown only once. Both work until the old one is dropped, so that you can switch servers one by one.',
    example: { request: named, answer: { clientSecret: CLIENT_SECRET }, as, after: 'registerApp' },
  },
  dropOldAppSecret: {
    description: 'Only the newest secret keeps working. Callers that still use another one are refused at once.',
    example: { request: named, answer: { ...PENDING, secrets: [SECRET] }, as, after: 'addAppSecret' },
  },
  setAppStatus: {
    description:
      'People can sign in to an approved app. Tokens of a suspended app are refused at once, until it is approved again.',
    example: {
      request: { ...named, status: 'approved' },
      answer: { ...PENDING, status: 'approved' },
      as,
      after: 'registerApp',
    },
  },
  listChangedApps: {
    description:
      'Developers may change an app that is approved, and the change takes effect at once. Here administrators see what was changed since they approved it or last looked, with who and when; changes of administrators themselves do not count.',
    example: {
      request: {},
      answer: {
        docs: [
          {
            clientId,
            name: 'Flight log',
            organisationName: 'Northwind Training',
            owner: '@casey',
            changedDate: MOMENT,
            changes: [{ date: MOMENT, by: '@casey', field: 'name', before: ['Logbook'], after: ['Flight log'] }],
          },
        ],
        total: 1,
        limit: 10,
        page: 1,
        pages: 1,
      },
      as,
    },
  },
  markAppLookedAt: {
    description:
      'Takes the app off the list of changed apps. Where it was changed once more after `changedDate`, this is refused with 409, so that nothing is waved through unseen.',
    example: { request: { ...named, changedDate: MOMENT }, answer: { success: true }, as },
  },
}
