import { type Static, Type } from 'typebox'
import { Flag, Id, inBody, Text } from '../../kernel/http/input/fields.ts'
import { PageOf, paging } from '../../kernel/paging.ts'
import { ALERT_TYPES, MAX_DISTRIBUTIONS, STATUSES } from './rules.ts'

const requestId = Id('Id of the request')
const packageId = Id('Id of the package')
const clientId = Id('Client ID of the app')

// Status and alert reports that plugins send

export const ReportStatus = Type.Object({
  requestId,
  status: Type.Optional({ ...Id('The new status of the request'), enum: [...STATUSES] }),
  complete: Type.Optional(Flag('True with the status `completed`, or instead of it')),
  cancellable: Type.Optional(Flag('Whether it can be cancelled from now on; unchanged if left out')),
})
export type ReportStatus = Static<typeof ReportStatus>

export const ReportAlert = Type.Object({
  requestId,
  title: Text('One line', 200),
  text: Type.Optional(Text('What users should know or do', 5000)),
  providerId: Type.Optional(Id("The plugin's own id of the alert", 200)),
  status: Type.Optional(Id('Free text; the status of the request does not change', 200)),
  type: Type.Optional({ ...Id('Severity; `info` by default'), enum: [...ALERT_TYPES] }),
})
export type ReportAlert = Static<typeof ReportAlert>

// Operations that people use in the console

export const AddPackage = Type.Object({
  clientId,
  name: Text('Name of the package', 200),
  companyPhone: Type.Optional(Text('Phone number at which plugins reach the people behind the app', 50)),
})
export type AddPackage = Static<typeof AddPackage>
export const NamePackage = Type.Object({ packageId })
export type NamePackage = Static<typeof NamePackage>
export const ListPackages = Type.Object({ clientId, ...paging })
export type ListPackages = Static<typeof ListPackages>
export const AddDistribution = Type.Object({
  packageId,
  name: Text('Name of the distribution', 200),
  platform: Type.Optional(Text('The platform it runs on', 100)),
  version: Type.Optional(Text('Its version', 100)),
  uri: Id('Download URL: https or http', 1000),
})
export type AddDistribution = Static<typeof AddDistribution>
export const RemoveDistribution = Type.Object({ distributionId: Id('Id of the distribution') })
export type RemoveDistribution = Static<typeof RemoveDistribution>
export const StartRequest = Type.Object({ packageId, pluginClientId: Id('Client ID of the ATO plugin') })
export type StartRequest = Static<typeof StartRequest>
export const NameRequest = Type.Object({ requestId })
export type NameRequest = Static<typeof NameRequest>
export const OpenRequest = Type.Object({
  requestId,
  allow: Type.Optional(
    inBody(
      Flag(
        'Allows the plugin, as the consent page does, if the caller has not done so yet: send it only after asking them',
      ),
    ),
  ),
})
export type OpenRequest = Static<typeof OpenRequest>
export const ListRequests = Type.Object({ clientId, packageId: Type.Optional(packageId), ...paging })
export type ListRequests = Static<typeof ListRequests>
export const ListAtoPlugins = Type.Object(paging)
export type ListAtoPlugins = Static<typeof ListAtoPlugins>

const Moment = Type.String({ format: 'date-time' })
const OrNull = (description: string) => Type.Union([Type.String(), Type.Null()], { description })
const MomentOrNull = (description: string) => Type.Union([Moment, Type.Null()], { description })

export const Distribution = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    platform: OrNull('Null if not set'),
    version: OrNull('Null if not set'),
    uri: Type.String(),
    addedDate: Moment,
  },
  { title: 'AtoDistribution' },
)
export type Distribution = Static<typeof Distribution>

const packageFields = {
  packageId: Type.String(),
  clientId: Type.String({ description: 'Client ID of the app' }),
  name: Type.String(),
  companyPhone: OrNull('Null if not set'),
  createdDate: Moment,
}
export const PackageEntry = Type.Object(packageFields, { title: 'AtoPackageEntry' })
export type PackageEntry = Static<typeof PackageEntry>
export const PackagePage = PageOf(PackageEntry, 'AtoPackagePage')
export const Package = Type.Object(
  {
    ...packageFields,
    distributions: Type.Array(Distribution, {
      description: `In the order in which they were added, at most ${MAX_DISTRIBUTIONS}`,
    }),
  },
  { title: 'AtoPackage' },
)
export type Package = Static<typeof Package>

const requestFields = {
  requestId: Type.String(),
  packageId: Type.String(),
  packageName: Type.String(),
  clientId: Type.String({ description: 'Client ID of the app' }),
  appName: Type.String(),
  pluginClientId: Type.String(),
  pluginName: Type.String({
    description: 'Name of the plugin; if it was deleted, its name when the request started',
  }),
  pluginRemoved: Type.Boolean({ description: 'Whether the plugin was deleted, so that nobody handles the request' }),
  startedBy: OrNull('Handle; null if the account was deleted'),
  status: Type.String({ enum: [...STATUSES] }),
  cancellable: Type.Boolean({ description: 'Whether it can be cancelled now' }),
  startedDate: Moment,
  changedDate: Moment,
  completedDate: MomentOrNull('Null until it is completed'),
  cancelledDate: MomentOrNull('Null unless it was cancelled'),
}
export const RequestEntry = Type.Object(requestFields, { title: 'AtoRequestEntry' })
export type RequestEntry = Static<typeof RequestEntry>
export const RequestPage = PageOf(RequestEntry, 'AtoRequestPage')

const Alert = Type.Object({
  title: Type.String(),
  text: Type.String(),
  providerId: OrNull("The plugin's own id of the alert"),
  status: OrNull('As the plugin sent it'),
  type: Type.String({ enum: [...ALERT_TYPES] }),
})
export type Alert = Static<typeof Alert>
const AtoEntry = Type.Object(
  {
    kind: Type.String({
      description: '`started`, `status`, `alert`, `distribution-added`, `distribution-removed` or `cancelled`',
    }),
    date: Moment,
    by: OrNull('Handle of the user who did it, or for whom the plugin reported it; null if the account was deleted'),
    status: OrNull('The new status of the request'),
    alert: Type.Union([Alert, Type.Null()]),
    distribution: Type.Union([Distribution, Type.Null()]),
  },
  { title: 'AtoEntry' },
)
export type AtoEntry = Static<typeof AtoEntry>
export const Request = Type.Object(
  { ...requestFields, timeline: Type.Array(AtoEntry, { description: 'What happened, oldest first' }) },
  { title: 'AtoRequest' },
)
export type Request = Static<typeof Request>

export const AtoPlugin = Type.Object(
  { pluginClientId: Type.String(), name: Type.String(), description: Type.String() },
  { title: 'AtoPlugin' },
)
export type AtoPlugin = Static<typeof AtoPlugin>
export const AtoPluginPage = PageOf(AtoPlugin, 'AtoPluginPage')

export const Opened = Type.Object(
  {
    uri: Type.String({
      description: 'URL of the plugin, with `code` and `state`; works once, for the caller, within a minute',
    }),
  },
  { title: 'AtoRequestOpened' },
)
