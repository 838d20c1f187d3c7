import { APP_DEVELOPERS } from '../../apps/organisations/roles.ts'
import { appUser, person } from '../../kernel/http/callers/callers.ts'
import { type Operation, operationsIn } from '../../kernel/http/operation.ts'
import { json, success } from '../../kernel/http/output/output.ts'
import { CLIENT_ID } from '../../kernel/samples.ts'
import { tokenPolicy } from '../../kernel/sessions/sessions.ts'
import {
  addDistribution,
  addPackage,
  listPackages,
  readPackage,
  removeDistribution,
  removePackage,
} from './packages.ts'
import { reportAlert, reportStatus } from './reports.ts'
import { cancelRequest, listAtoPlugins, listRequests, openRequest, readRequest, startRequest } from './requests.ts'
import {
  AddDistribution,
  AddPackage,
  AtoPluginPage,
  ListAtoPlugins,
  ListPackages,
  ListRequests,
  NamePackage,
  NameRequest,
  Opened,
  OpenRequest,
  Package,
  PackagePage,
  RemoveDistribution,
  ReportAlert,
  ReportStatus,
  Request,
  RequestPage,
  StartRequest,
} from './schema.ts'

const op = operationsIn({ area: 'ATO', who: person })

const reportErrors = ['permissionMissing', 'notFound', 'impossibleNow'] as const

export const atoOperations: readonly Operation[] = [
  op('POST /plugin/v1/ato/status', {
    name: 'reportAtoStatus',
    summary: 'Update an ATO request status',
    description:
      'Sets the status of a request, with a token from signing in to the plugin. Requests go from `not-started` to `in-progress`, from there to `action-required` or `under-review` and back, and from `under-review` to `completed`, which is final. Repeating a status changes only `cancellable`.',
    example: {
      request: { requestId: 'x8GnS1rCqE6jFt3HdB9lPw', status: 'in-progress', complete: false, cancellable: true },
      as: 'ellis',
      clientId: 'gs-demo-ato',
    },
    who: appUser,
    scope: null,
    roles: [...APP_DEVELOPERS, 'pluginMember'],
    input: ReportStatus,
    output: success(),
    errors: reportErrors,
    run: ({ db, who }, input) => reportStatus(db, who, input),
  }),
  op('POST /plugin/v1/ato/alert', {
    name: 'reportAtoAlert',
    summary: 'Send an ATO alert',
    description:
      'Sends an alert about a request to the users who work on the app. The alert appears in the timeline; the status does not change.',
    example: {
      request: {
        requestId: 'x8GnS1rCqE6jFt3HdB9lPw',
        title: 'The architecture diagram is missing',
        text: 'Please add it to the report.',
        providerId: 'task-17',
        type: 'warning',
      },
      as: 'ellis',
      clientId: 'gs-demo-ato',
    },
    who: appUser,
    scope: null,
    roles: [...APP_DEVELOPERS, 'pluginMember'],
    input: ReportAlert,
    output: success(),
    errors: reportErrors,
    run: ({ db, who }, input) => reportAlert(db, who, input),
  }),
  op('PUT /plugin/v1/ato/package', {
    name: 'addAtoPackage',
    summary: 'Create an ATO package',
    description:
      'Creates a package, which is what a request is about: an app, in one or more distributions. Owners and developers of the app can create one.',
    example: {
      request: { clientId: CLIENT_ID, name: 'Demo app for schools', companyPhone: '+1 555 0100' },
      as: 'ellis',
    },
    roles: APP_DEVELOPERS,
    input: AddPackage,
    output: json(Package),
    errors: ['impossibleNow'],
    run: ({ db, who }, input) => addPackage(db, who, input),
  }),
  op('GET /plugin/v1/ato/package', {
    name: 'readAtoPackage',
    summary: 'Get an ATO package',
    description: 'Returns a package with all its distributions. Users who work on its app can read it.',
    example: { request: { packageId: 'Vt6wLk3NfQ9yRb1XsM8cZg' }, as: 'ellis' },
    roles: APP_DEVELOPERS,
    input: NamePackage,
    output: json(Package),
    errors: ['forbidden'],
    run: ({ db, who }, input) => readPackage(db, who, input),
  }),
  op('GET /plugin/v1/ato/package/list', {
    name: 'listAtoPackages',
    summary: 'List ATO packages',
    description:
      'Returns the packages of an app, sorted by name. If the caller does not work on the app, the list is empty.',
    example: { request: { clientId: CLIENT_ID }, as: 'ellis', after: 'addAtoPackage' },
    roles: APP_DEVELOPERS,
    input: ListPackages,
    output: json(PackagePage),
    run: ({ db, who }, input) => listPackages(db, who, input),
  }),
  op('POST /plugin/v1/ato/package/remove', {
    name: 'removeAtoPackage',
    summary: 'Delete an ATO package',
    description:
      'Deletes a package with its distributions and the history of its requests. An open request has to be cancelled first.',
    example: { request: { packageId: 'Vt6wLk3NfQ9yRb1XsM8cZg' }, as: 'ellis' },
    roles: APP_DEVELOPERS,
    input: NamePackage,
    output: success(),
    errors: ['impossibleNow'],
    run: ({ db, who }, input) => removePackage(db, who, input),
  }),
  op('PUT /plugin/v1/ato/distribution', {
    name: 'addAtoDistribution',
    summary: 'Create an ATO distribution',
    description:
      'Adds a distribution to a package. The plugin of every open request receives the current list of distributions.',
    example: {
      request: {
        packageId: 'Vt6wLk3NfQ9yRb1XsM8cZg',
        name: 'Windows installer',
        platform: 'Windows 11',
        version: '2.4.0',
        uri: 'https://downloads.example.org/demo-app-2.4.0.msi',
      },
      as: 'ellis',
    },
    roles: APP_DEVELOPERS,
    input: AddDistribution,
    output: json(Package),
    errors: ['impossibleNow'],
    run: ({ db, who }, input) => addDistribution(db, who, input),
  }),
  op('POST /plugin/v1/ato/distribution/remove', {
    name: 'removeAtoDistribution',
    summary: 'Delete an ATO distribution',
    description:
      'Deletes a distribution from its package. The plugin of every open request receives the distributions that are left.',
    example: { request: { distributionId: 'hD4pUe7TzJ0mAo5KiW2vYq' }, as: 'ellis' },
    roles: APP_DEVELOPERS,
    input: RemoveDistribution,
    output: json(Package),
    run: ({ db, who }, input) => removeDistribution(db, who, input),
  }),
  op('PUT /plugin/v1/ato/request', {
    name: 'startAtoRequest',
    summary: 'Start an ATO request',
    description:
      "Asks an ATO plugin to handle a package; a package can have one open request per plugin. The plugin receives the caller's name and e-mail address, the names of organisation, app and package, and the distributions.",
    example: { request: { packageId: 'Vt6wLk3NfQ9yRb1XsM8cZg', pluginClientId: 'gs-demo-ato' }, as: 'ellis' },
    roles: APP_DEVELOPERS,
    input: StartRequest,
    output: json(Request),
    errors: ['notFound', 'impossibleNow', 'conflict'],
    run: ({ db, who, environment }, input) => startRequest(db, who, input, environment.url),
  }),
  op('GET /plugin/v1/ato/request', {
    name: 'readAtoRequest',
    summary: 'Get an ATO request',
    description:
      'Returns a request with its timeline: status changes, alerts and changes of its distributions, each with who and when. The newest 500 changes and all alerts are kept.',
    example: { request: { requestId: 'x8GnS1rCqE6jFt3HdB9lPw' }, as: 'ellis' },
    roles: APP_DEVELOPERS,
    input: NameRequest,
    output: json(Request),
    errors: ['forbidden'],
    run: ({ db, who }, input) => readRequest(db, who, input),
  }),
  op('GET /plugin/v1/ato/request/list', {
    name: 'listAtoRequests',
    summary: 'List ATO requests',
    description:
      'Returns the requests about an app, newest first. If the caller does not work on the app, the list is empty.',
    example: {
      request: { clientId: CLIENT_ID, packageId: 'Vt6wLk3NfQ9yRb1XsM8cZg' },
      as: 'ellis',
      after: 'startAtoRequest',
    },
    roles: APP_DEVELOPERS,
    input: ListRequests,
    output: json(RequestPage),
    run: ({ db, who }, input) => listRequests(db, who, input),
  }),
  op('POST /plugin/v1/ato/request/cancel', {
    name: 'cancelAtoRequest',
    summary: 'Cancel an ATO request',
    description:
      'Cancels a request that is `cancellable`, which the plugin decides, or whose plugin is inactive or was deleted. The plugin is not told: its later reports are refused.',
    example: { request: { requestId: 'x8GnS1rCqE6jFt3HdB9lPw' }, as: 'ellis' },
    roles: APP_DEVELOPERS,
    input: NameRequest,
    output: json(Request),
    errors: ['impossibleNow'],
    run: ({ db, who }, input) => cancelRequest(db, who, input),
  }),
  op('POST /plugin/v1/ato/request/open', {
    name: 'openAtoRequest',
    summary: 'Open an ATO request',
    description:
      "Returns the URL that opens the plugin at a request: the plugin's redirect URI, with a code for the caller and the request's id as `state`. A caller who has not allowed the plugin yet gets 401/4019: ask them, then send `allow`.",
    example: { request: { requestId: 'x8GnS1rCqE6jFt3HdB9lPw', allow: true }, as: 'ellis' },
    roles: APP_DEVELOPERS,
    input: OpenRequest,
    // With an idempotency key the response would be stored, and it contains an authorization code.
    refusesIdempotencyKey: true,
    output: json(Opened),
    errors: ['impossibleNow', 'appNotUsable', 'consentMissing', 'noSuchApp'],
    run: ({ db, who, environment }, input) => openRequest(db, who, input, environment.get(tokenPolicy)),
  }),
  op('GET /plugin/v1/ato/plugins', {
    name: 'listAtoPlugins',
    summary: 'List ATO plugins',
    description:
      'Returns the ATO plugins that accept requests, sorted by name. Plugins that are inactive or cannot be reached are not listed.',
    example: { request: {}, as: 'ellis' },
    input: ListAtoPlugins,
    output: json(AtoPluginPage),
    run: ({ db }, input) => listAtoPlugins(db, input),
  }),
]
