import { CLIENT_ID, CODE, DONE, MOMENT } from '../../kernel/samples.ts'

export const PACKAGE_ID = 'Vt6wLk3NfQ9yRb1XsM8cZg'
export const DISTRIBUTION_ID = 'hD4pUe7TzJ0mAo5KiW2vYq'
export const REQUEST_ID = 'x8GnS1rCqE6jFt3HdB9lPw'

const as = 'ellis' as const
const NAMED = { requestId: REQUEST_ID }
const DISTRIBUTION = {
  name: 'Windows installer',
  platform: 'Windows 11',
  version: '2.4.0',
  uri: 'https://downloads.example.org/demo-app-2.4.0.msi',
}
const KEPT_DISTRIBUTION = { id: DISTRIBUTION_ID, ...DISTRIBUTION, addedDate: MOMENT }
const PACKAGE = {
  packageId: PACKAGE_ID,
  clientId: CLIENT_ID,
  name: 'Demo app for schools',
  companyPhone: '+1 555 0100',
  createdDate: MOMENT,
}
const REQUEST = {
  requestId: REQUEST_ID,
  packageId: PACKAGE_ID,
  packageName: PACKAGE.name,
  clientId: CLIENT_ID,
  appName: 'Demo app',
  pluginClientId: 'gs-demo-ato',
  pluginName: 'demo-ato',
  pluginRemoved: false,
  startedBy: '@ellis',
  status: 'not-started',
  cancellable: true,
  startedDate: MOMENT,
  changedDate: MOMENT,
  completedDate: null,
  cancelledDate: null,
}
const ENTRY = { date: MOMENT, by: '@ellis', status: null, alert: null, distribution: null }
const STARTED = { ...ENTRY, kind: 'started', status: 'not-started' }
const page = (...docs: object[]) => ({ docs, total: docs.length, limit: 10, page: 1, pages: 1 })

/** What people read about these operations. */
export const examples = {
  reportAtoStatus: {
    description:
      'Reports progress on a request, with a token from signing in to the plugin. Requests go from `not-started` to `in-progress`, from there to `action-required` or `under-review` and back, and from `under-review` to `completed`, which is final. Repeating a status changes only `cancellable`.',
    example: {
      request: { ...NAMED, status: 'in-progress', complete: false, cancellable: true },
      answer: DONE,
      as,
      clientId: 'gs-demo-ato',
    },
  },
  reportAtoAlert: {
    description:
      'Tells the people who work on the app something about their request. The alert appears in the timeline; the status does not change.',
    example: {
      request: {
        ...NAMED,
        title: 'The architecture diagram is missing',
        text: 'Please add it to the report.',
        providerId: 'task-17',
        type: 'warning',
      },
      answer: DONE,
      as,
      clientId: 'gs-demo-ato',
    },
  },
  addAtoPackage: {
    description:
      'A package is what a request is about: an app, in one or more distributions. Owners and developers of the app create it.',
    example: {
      request: { clientId: CLIENT_ID, name: PACKAGE.name, companyPhone: PACKAGE.companyPhone },
      answer: { ...PACKAGE, distributions: [] },
      as,
    },
  },
  readAtoPackage: {
    description: 'The package with all its distributions. People who work on its app can read it.',
    example: { request: { packageId: PACKAGE_ID }, answer: { ...PACKAGE, distributions: [KEPT_DISTRIBUTION] }, as },
  },
  listAtoPackages: {
    description: 'The packages of an app, by name. If the caller does not work on the app, the list is empty.',
    example: { request: { clientId: CLIENT_ID }, answer: page(PACKAGE), as, after: 'addAtoPackage' },
  },
  removeAtoPackage: {
    description:
      'Its distributions and the history of its requests are removed too. An open request has to be cancelled first.',
    example: { request: { packageId: PACKAGE_ID }, answer: DONE, as },
  },
  addAtoDistribution: {
    description:
      'Adds a distribution to a package. The plugin of every open request is sent the current list of distributions.',
    example: {
      request: { packageId: PACKAGE_ID, ...DISTRIBUTION },
      answer: { ...PACKAGE, distributions: [KEPT_DISTRIBUTION] },
      as,
    },
  },
  removeAtoDistribution: {
    description: 'Removes one distribution. The plugin of every open request is sent the distributions that are left.',
    example: { request: { distributionId: DISTRIBUTION_ID }, answer: { ...PACKAGE, distributions: [] }, as },
  },
  startAtoRequest: {
    description:
      'Asks an ATO plugin to handle a package; a package can have one open request per plugin. The plugin receives the caller’s name and e-mail address, the names of organisation, app and package, and the distributions.',
    example: {
      request: { packageId: PACKAGE_ID, pluginClientId: 'gs-demo-ato' },
      answer: { ...REQUEST, timeline: [STARTED] },
      as,
    },
  },
  readAtoRequest: {
    description:
      'The request and its history: status changes, alerts and changes of its distributions, each with who and when. The newest 500 changes and all alerts are kept.',
    example: {
      request: NAMED,
      answer: {
        ...REQUEST,
        timeline: [STARTED, { ...ENTRY, kind: 'distribution-added', distribution: KEPT_DISTRIBUTION }],
      },
      as,
    },
  },
  listAtoRequests: {
    description: 'The requests about an app, newest first. If the caller does not work on the app, the list is empty.',
    example: {
      request: { clientId: CLIENT_ID, packageId: PACKAGE_ID },
      answer: page(REQUEST),
      as,
      after: 'startAtoRequest',
    },
  },
  cancelAtoRequest: {
    description:
      'Ends a request that is `cancellable`, which the plugin decides, or whose plugin is inactive or was removed. The plugin is not told: its later reports are refused.',
    example: {
      request: NAMED,
      answer: {
        ...REQUEST,
        cancellable: false,
        cancelledDate: MOMENT,
        timeline: [STARTED, { ...ENTRY, kind: 'cancelled' }],
      },
      as,
    },
  },
  openAtoRequest: {
    description:
      "The address is the plugin's redirect URI, with a code for the caller and the request's id as `state`. A caller who has not allowed the plugin yet gets 401/4019: ask them, then send `allow`.",
    example: {
      request: { ...NAMED, allow: true },
      answer: { uri: `http://127.0.0.1/callback?code=${CODE}&state=${REQUEST_ID}` },
      as,
    },
  },
  listAtoPlugins: {
    description: 'Sorted by name. Plugins that are inactive or cannot be reached are not listed.',
    example: {
      request: {},
      answer: page({ pluginClientId: 'gs-demo-ato', name: 'demo-ato', description: '' }),
      as,
    },
  },
}
