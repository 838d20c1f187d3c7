import { CLIENT_ID, CODE, DONE, MOMENT } from '../samples.ts'

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
      'Reports how far a request is; the token is from the sign-in to the plugin. Requests go from `not-started` to `in-progress`, from there to `action-required` or `under-review` and back, and from `under-review` to `completed`, for good. Repeating the status changes nothing but `cancellable`.',
    example: {
      request: { ...NAMED, status: 'in-progress', complete: false, cancellable: true },
      answer: DONE,
      as,
      clientId: 'gs-demo-ato',
    },
  },
  reportAtoAlert: {
    description:
      'Tells those who work on the app something about their request. It stands in the timeline of the request, whose status stays as it is.',
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
      'A package is what a request is about: an app, in one or several distributions. Owners and developers of the app make it.',
    example: {
      request: { clientId: CLIENT_ID, name: PACKAGE.name, companyPhone: PACKAGE.companyPhone },
      answer: { ...PACKAGE, distributions: [] },
      as,
    },
  },
  readAtoPackage: {
    description: 'A package with all its distributions. Those who work on its app may read it.',
    example: { request: { packageId: PACKAGE_ID }, answer: { ...PACKAGE, distributions: [KEPT_DISTRIBUTION] }, as },
  },
  listAtoPackages: {
    description: 'The packages of an app, by name. An app that the caller does not work on seems to have none.',
    example: { request: { clientId: CLIENT_ID }, answer: page(PACKAGE), as, after: 'addAtoPackage' },
  },
  removeAtoPackage: {
    description:
      'The package goes with its distributions and what became of its requests. One that is open has to be cancelled first.',
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
    description:
      'Takes a distribution out of its package. The plugin of every open request is sent all distributions that are left.',
    example: { request: { distributionId: DISTRIBUTION_ID }, answer: { ...PACKAGE, distributions: [] }, as },
  },
  startAtoRequest: {
    description:
      'Asks an ATO plugin to take care of a package; a package has one open request with a plugin. The plugin is sent the name and e-mail address of the caller, the names of organisation, app and package, and the distributions.',
    example: {
      request: { packageId: PACKAGE_ID, pluginClientId: 'gs-demo-ato' },
      answer: { ...REQUEST, timeline: [STARTED] },
      as,
    },
  },
  readAtoRequest: {
    description:
      'A request and what has happened to it: changes of status, alerts, changes of its distributions, with who did it and when. The newest 500 changes and all alerts are kept.',
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
    description:
      'The requests about an app, the newest first. An app that the caller does not work on seems to have none.',
    example: { request: { clientId: CLIENT_ID, packageId: PACKAGE_ID }, answer: page(REQUEST), as, after: 'startAtoRequest' },
  },
  cancelAtoRequest: {
    description:
      'Ends a request that is `cancellable`, which the plugin decides, or whose plugin is not active any more or was removed. The plugin is not told: what it reports afterwards is refused.',
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
      "Gives the address that opens the plugin at this request: its redirect URI, with a code for the caller and the request's id as `state`. A caller who has not allowed the plugin yet gets 401/4019, is asked, and says so with `allow`.",
    example: {
      request: { ...NAMED, allow: true },
      answer: { uri: `http://127.0.0.1/callback?code=${CODE}&state=${REQUEST_ID}` },
      as,
    },
  },
  listAtoPlugins: {
    description: 'The ATO plugins that take requests now, by name. Others are not active, or cannot be reached.',
    example: {
      request: {},
      answer: page({ pluginClientId: 'gs-demo-ato', name: 'demo-ato', description: '' }),
      as,
    },
  },
}
