import { type Static, Type } from 'typebox'
import { Id, Text } from '../../kernel/http/input/fields.ts'
import { PageOf, paging, sorting } from '../../kernel/paging.ts'

const handle = Id('Handle of the person, with or without the @')
const reason = Text('Why, for the audit log; the person finds it in the download of their data', 500)

export const FindPeople = Type.Object({
  query: Type.Optional(Id('How a handle, a name or an e-mail address begins; everybody by default')),
  status: Type.Optional({ ...Id('Only people of this status; all by default'), enum: ['active', 'disabled'] }),
  role: Type.Optional({
    ...Id('Only people with this role on the platform; all by default'),
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

const Moment = Type.String({ format: 'date-time' })
const orNull = (schema: ReturnType<typeof Type.String>, description: string) =>
  Type.Union([schema, Type.Null()], { description })

const found = {
  handle: Type.String(),
  name: Type.String(),
  email: orNull(Type.String(), 'Address for messages to them'),
  status: Type.Enum(['active', 'disabled']),
  administrator: Type.Boolean(),
  developer: Type.Boolean(),
  createdDate: Moment,
}
export const FoundPerson = Type.Object(found, { title: 'FoundPerson' })
export type FoundPerson = Static<typeof FoundPerson>
export const FoundPeople = PageOf(FoundPerson, 'FoundPeople')

export const KnownPerson = Type.Object(
  {
    ...found,
    disabledDate: orNull(Moment, 'Time at which they were disabled'),
    reason: orNull(
      Type.String(),
      'Reason for the last time they were disabled or enabled, while the audit log keeps it',
    ),
    hasPassword: Type.Boolean(),
    passkeys: Type.Integer({ description: 'Number of passkeys' }),
    browsers: Type.Integer({ description: 'Number of browsers in which they are signed in to the platform' }),
    sessions: Type.Integer({ description: 'Number of open sessions in apps' }),
    lastSeenDate: orNull(
      Moment,
      'When they last used the platform in a browser (to ten minutes), or an app renewed its token',
    ),
    organisations: Type.Array(Type.Object({ key: Type.String(), name: Type.String(), role: Type.String() })),
    apps: Type.Array(
      Type.Object({
        clientId: Type.String(),
        name: Type.String(),
        sinceDate: Moment,
        lastSeenDate: orNull(Moment, 'When they last used it'),
      }),
      { description: 'Apps that they use, latest first; at most 100' },
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
      waiting: Type.Integer({ description: 'Calls of this process that wait for a connection' }),
      migrations: Type.Integer({ description: 'Number of migrations applied to this environment' }),
      lastMigration: Type.String(),
    }),
    events: Type.Object({
      unpublishedSeconds: Seconds('Age of the oldest event that consumers cannot read yet'),
      consumers: Type.Array(
        Type.Object({
          name: Type.String(),
          waitingSeconds: Seconds('Age of the oldest event that it has not read'),
          unread: Type.Integer(),
          failed: Type.Integer({ description: 'Events that it skipped after too many tries' }),
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
      failed: Type.Integer({ description: 'Number of deliveries that were given up' }),
    }),
    operations: Type.Array(
      Type.Object({
        operation: Type.String(),
        count: Type.Integer(),
        p50Ms: Type.Number({ description: 'Median duration' }),
        p95Ms: Type.Number(),
        refused: Type.Integer({ description: 'Responses with status 400 or higher' }),
        failed: Type.Integer({ description: 'Responses with status 500 or higher, which also count as refused' }),
        errorRate: Type.Number({ description: 'The share of requests that failed' }),
      }),
      { description: 'Since the process started, busiest first; includes pages' },
    ),
  },
  { title: 'System' },
)
export type System = Static<typeof System>
