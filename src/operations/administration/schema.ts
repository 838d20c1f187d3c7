import { type Static, Type } from 'typebox'
import { MEMBER_ROLES } from '../../apps/organisations/schema.ts'
import { PERSON_STATUSES, STATUS_MEANING } from '../../identity/people/status.ts'
import { Id, IdList, Text } from '../../kernel/http/input/fields.ts'
import { PageOf, paging, sorting } from '../../kernel/paging.ts'

const handle = Id('Handle of the user, with or without the @')
const reason = Text('The reason, for the audit log; the user finds it in the export of their data', 500)

export const FindPeople = Type.Object({
  query: Type.Optional(Id('The beginning of a handle, a name or an e-mail address; all users by default')),
  status: Type.Optional({ ...Id('Only users with this status; all by default'), enum: PERSON_STATUSES }),
  role: Type.Optional({
    ...Id('Only users with this role on the platform; all by default'),
    enum: ['administrator', 'developer'],
  }),
  sort: sorting(['handle', 'name', 'created'], 'handle'),
  ...paging,
})
export type FindPeople = Static<typeof FindPeople>
export const NamePerson = Type.Object({ handle })
export type NamePerson = Static<typeof NamePerson>
export const DecideAboutPerson = Type.Object({ handle, reason })
export type DecideAboutPerson = Static<typeof DecideAboutPerson>

const firstName = Text('Given name', 100)
const lastName = Text('Family name', 100)
const allowSameAddress = Type.Optional(
  Type.Boolean({ description: 'Whether another account may have the same e-mail address; false by default' }),
)
export const CreatePerson = Type.Object({
  handle: Type.Optional(Id('Handle of the new user; derived from the name or the e-mail address by default')),
  firstName: Type.Optional(firstName),
  lastName: Type.Optional(lastName),
  email: Type.Optional(Text('E-mail address of the new user; needed to invite them', 254)),
  organisation: Type.Optional(Id('Key of the organisation that the user belongs to and that manages the account')),
  role: Type.Optional({ ...Id('Role in the organisation; member by default'), enum: MEMBER_ROLES }),
  invite: Type.Optional(
    Type.Boolean({ description: 'Whether to send the invitation now; true by default if there is an e-mail address' }),
  ),
  allowSameAddress,
})
export type CreatePerson = Static<typeof CreatePerson>
export const CorrectPerson = Type.Object({
  handle,
  newHandle: Type.Optional(Id('The new handle; unchanged by default')),
  firstName: Type.Optional(firstName),
  lastName: Type.Optional(lastName),
  email: Type.Optional(Text('The new e-mail address, or an empty text for none; unchanged by default', 254)),
  allowSameAddress,
})
export type CorrectPerson = Static<typeof CorrectPerson>
export const SetAdministrator = Type.Object({
  handle,
  administrator: Type.Boolean({ description: 'Whether the user is an administrator of the platform' }),
  reason,
})
export type SetAdministrator = Static<typeof SetAdministrator>
export const Deletion = Type.Object(
  {
    handle: Type.String(),
    classesTaught: Type.Integer({ description: 'Classes of which they are an instructor or an observer' }),
    classesAttended: Type.Integer({ description: 'Classes of which they are a student' }),
    appsOwned: Type.Integer({ description: 'Apps that they own; the apps stay' }),
    organisationsOwned: Type.Integer({ description: 'Organisations of which they are an owner' }),
    organisationsWithoutOwner: Type.Array(Type.String(), {
      description: 'Names of organisations of which they are the only owner; at most 20',
    }),
  },
  { title: 'PersonDeletion' },
)
export type Deletion = Static<typeof Deletion>

const MOST_NAMES = 200
export const ReadNames = Type.Object({
  handles: Type.Optional(IdList('Handles of users, with or without the @', MOST_NAMES)),
  activities: Type.Optional(IdList('IRIs of activities', MOST_NAMES)),
})
export type ReadNames = Static<typeof ReadNames>
export const Names = Type.Object(
  {
    people: Type.Record(Type.String(), Type.String(), { description: 'Names of users, by handle' }),
    activities: Type.Record(Type.String(), Type.String(), {
      description: 'Names of lessons, courses, objectives and classes, by the IRI of the activity',
    }),
  },
  { title: 'Names' },
)
export type Names = Static<typeof Names>

const Moment = Type.String({ format: 'date-time' })
const orNull = (schema: ReturnType<typeof Type.String>, description: string) =>
  Type.Union([schema, Type.Null()], { description })

const found = {
  handle: Type.String(),
  name: Type.String(),
  firstName: Type.String(),
  lastName: Type.String(),
  email: orNull(Type.String(), 'E-mail address of the user'),
  status: Type.Enum(PERSON_STATUSES, { description: STATUS_MEANING }),
  administrator: Type.Boolean(),
  developer: Type.Boolean(),
  managedBy: orNull(Type.String(), 'Key of the organisation that manages the account'),
  invitationExpiresDate: orNull(Moment, 'When the invitation expires or has expired; null if none is pending'),
  createdDate: Moment,
}
export const FoundPerson = Type.Object(found, { title: 'FoundPerson' })
export type FoundPerson = Static<typeof FoundPerson>
export const FoundPeople = PageOf(FoundPerson, 'FoundPeople')

export const KnownPerson = Type.Object(
  {
    ...found,
    disabledDate: orNull(Moment, 'When they were disabled'),
    reason: orNull(
      Type.String(),
      'Reason for the last time they were disabled or enabled, as long as the audit log has it',
    ),
    hasPassword: Type.Boolean(),
    passkeys: Type.Integer({ description: 'Number of passkeys' }),
    browsers: Type.Integer({ description: 'Number of browsers in which they are signed in to the platform' }),
    sessions: Type.Integer({ description: 'Number of open sessions in apps' }),
    lastSeenDate: orNull(
      Moment,
      'When they last used the platform in a browser (within ten minutes), or an app refreshed its token',
    ),
    organisations: Type.Array(Type.Object({ key: Type.String(), name: Type.String(), role: Type.String() })),
    apps: Type.Array(
      Type.Object({
        clientId: Type.String(),
        name: Type.String(),
        sinceDate: Moment,
        lastSeenDate: orNull(Moment, 'When they last used it'),
      }),
      { description: 'Apps that they use, last used first; at most 100' },
    ),
  },
  { title: 'KnownPerson' },
)
export type KnownPerson = Static<typeof KnownPerson>

const Seconds = (description: string) => Type.Number({ description })
export const System = Type.Object(
  {
    environment: Type.String(),
    version: Type.String({ description: 'Version of Groundschool' }),
    node: Type.String(),
    startedDate: Moment,
    uptimeSeconds: Type.Integer(),
    memoryBytes: Type.Integer({ description: 'Memory that the process uses' }),
    database: Type.Object({
      version: Type.String(),
      sizeBytes: Type.Integer({ description: 'Size of the whole database, both environments together' }),
      connections: Type.Integer({ description: 'Connections of all processes' }),
      connectionLimit: Type.Integer(),
      waiting: Type.Integer({ description: 'Calls of this process that are waiting for a connection' }),
      migrations: Type.Integer({ description: 'Number of migrations applied to this environment' }),
      lastMigration: Type.String(),
    }),
    storage: Type.Object({
      recordsBytes: Type.Integer({ description: 'Records that count for people and keys, in this environment' }),
      freeBytes: Type.Union([Type.Integer(), Type.Null()], {
        description: 'Free space on the disk of the database; null if the platform does not know that disk',
      }),
      reserveBytes: Type.Integer({ description: 'Free space below which large writes are refused' }),
    }),
    events: Type.Object({
      unpublishedSeconds: Seconds('Age of the oldest event that consumers cannot read yet'),
      consumers: Type.Array(
        Type.Object({
          name: Type.String(),
          waitingSeconds: Seconds('Age of the oldest event that it has not read'),
          unread: Type.Integer(),
          failed: Type.Integer({ description: 'Events that it skipped after too many attempts' }),
        }),
      ),
    }),
    jobs: Type.Array(
      Type.Object({
        kind: Type.String(),
        due: Type.Integer(),
        waitingSeconds: Seconds('Age of the oldest due job'),
        givenUp: Type.Integer(),
      }),
    ),
    deliveries: Type.Object({
      waiting: Type.Integer(),
      overdueSeconds: Seconds('Age of the oldest due delivery'),
      failed: Type.Integer({ description: 'Number of failed deliveries' }),
    }),
    operations: Type.Array(
      Type.Object({
        operation: Type.String(),
        count: Type.Integer(),
        p50Ms: Type.Number({ description: 'Median duration' }),
        p95Ms: Type.Number(),
        refused: Type.Integer({ description: 'Responses with status 400 or higher' }),
        failed: Type.Integer({ description: 'Responses with status 500 or higher, which are also in `refused`' }),
        errorRate: Type.Number({ description: 'The share of requests with status 500 or higher' }),
      }),
      { description: 'Since the process started, busiest first; includes pages' },
    ),
  },
  { title: 'System' },
)
export type System = Static<typeof System>

const counted = (description: string) => Type.Integer({ description })
const Growth = Type.Object(
  { total: counted('How many there are'), last7Days: counted('New ones'), last30Days: counted('New ones') },
  { title: 'Growth' },
)
const PROBLEMS = [
  'diskLow',
  'emailOff',
  'emailFailed',
  'jobsFailed',
  'deliveriesFailed',
  'eventsSkipped',
  'jobsLate',
  'deliveriesLate',
  'eventsLate',
] as const
export const OverviewProblem = Type.Object(
  {
    problem: Type.Enum([...PROBLEMS]),
    value: counted('How many failed in the last 7 days; free bytes for `diskLow`; seconds of delay for `…Late`'),
    name: Type.Union([Type.String(), Type.Null()], {
      description: 'Name of the job, the event consumer or the plugin',
    }),
    clientId: Type.Union([Type.String(), Type.Null()], { description: 'The client ID of the plugin' }),
  },
  { title: 'OverviewProblem' },
)
export type OverviewProblem = Static<typeof OverviewProblem>
export const Overview = Type.Object(
  {
    waiting: Type.Object({
      apps: counted('Apps to approve'),
      changedApps: counted('Approved apps whose changes nobody has reviewed'),
      permissions: counted('Permissions that plugins have requested'),
      invited: counted('Users who have not accepted their invitation'),
      expired: counted('Users whose invitation has expired'),
      uninvited: counted('Accounts without a password whose users were not invited'),
    }),
    growth: Type.Object({
      people: Growth,
      organisations: Growth,
      classes: Growth,
      activePeople: Type.Object({
        last7Days: counted('Users who used a page or an app'),
        last30Days: counted('Users who used a page or an app'),
      }),
    }),
    problems: Type.Array(OverviewProblem, { description: 'Empty if nothing is wrong' }),
  },
  { title: 'Overview' },
)
export type Overview = Static<typeof Overview>
