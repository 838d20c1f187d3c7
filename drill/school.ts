import { type Answer, basic, bearer, Client, key } from './client.ts'
import type { Receiver } from './receiver.ts'

/** Production, behind the balancer. */
export interface Target {
  readonly url: string
}

export interface Person {
  readonly handle: string
  /** Access token of the app, or of the plugin for users of the plugin. */
  readonly token: string
  readonly userId: string
  /** Value of the header `Cookie` of a browser in which the person is signed in. */
  readonly cookie: string
}

export interface Setup {
  readonly people: readonly Person[]
  /** Developers of the app, who start requests in a browser. */
  readonly owners: readonly Person[]
  /** The same developers as users of the plugin. */
  readonly pluginUsers: readonly Person[]
  /** Buckets and their versions when they were created. Person n writes to bucket n / WRITERS. */
  readonly buckets: readonly { readonly id: string; readonly version: number }[]
  readonly packageIds: readonly string[]
  /** Base of the ids in xAPI statements: the platform's BASE_URL. */
  readonly xapiBase: string
  readonly receiver: Receiver
}

const PEOPLE = 12
const OWNERS = 3
const PACKAGES = 15
/** Number of people who write to the same bucket. */
export const WRITERS = 2

const SECRET = 'a secret for the drill only'
export const APP = { client_id: 'gs-drill-app', client_secret: SECRET }
export const PLUGIN = { clientId: 'gs-drill-ato', secret: SECRET }
export const REDIRECT_URI = 'https://app.example.org/callback'
export const CLASS = 'drill-class'
export const LESSONS = ['drill-walkaround', 'drill-circuit', 'drill-landing']
/** Headers of a record store key with all scopes. */
export const STORE = {
  ...basic('gs_key_drill-record-store-key', SECRET),
  'x-experience-api-version': '1.0.3',
}

const handles = (name: string, count: number) => Array.from({ length: count }, (_, i) => `@${name}-${i}`)
const students = handles('drill-student', PEOPLE)
const developers = handles('drill-developer', OWNERS)

/**
 * The file that an operator imports before the load (`groundschool import FILE`). `receiverUrl` is the URL at which the
 * platform reaches the receiver: http on the platform's machine, or https on a public address.
 */
export const makeSchool = (receiverUrl: string): object => ({
  organisations: [{ key: 'drill', name: 'Drill' }],
  people: [
    ...students.map((handle) => ({ handle, password: SECRET, organisations: { drill: 'student' } })),
    ...developers.map((handle) => ({ handle, password: SECRET, organisations: { drill: 'developer' } })),
  ],
  apps: [
    {
      key: 'drill-app',
      name: 'Drill app',
      organisation: 'drill',
      redirectUris: [REDIRECT_URI],
      basic: true,
      pkce: false,
      secrets: [SECRET],
    },
    {
      key: 'drill-ato',
      name: 'Drill receiver',
      organisation: 'drill',
      redirectUris: [],
      basic: true,
      secrets: [SECRET],
      plugin: {
        kind: 'ato',
        active: true,
        permissions: ['ato'],
        addresses: { request: `${receiverUrl}/request`, distributions: `${receiverUrl}/distributions` },
      },
    },
  ],
  courses: [
    {
      key: 'drill-course',
      organisation: 'drill',
      name: 'Drill',
      lessons: LESSONS.map((id) => ({ id, name: id, app: 'drill-app' })),
    },
  ],
  classes: [{ key: CLASS, course: 'drill-course', name: 'Drill', students }],
  credentials: [{ key: 'drill-record-store-key', name: 'Drill', scopes: ['all'], secrets: [SECRET] }],
})

/** Time limit of one request of the preparation and of verification. */
export const PATIENCE_MS = 30_000

/** Signs everybody in, and creates what the load writes to. The school must have been imported. */
export async function prepare(target: Target, receiver: Receiver): Promise<Setup> {
  const client = new Client(target.url, PATIENCE_MS)
  const people = await Promise.all(students.map((handle) => enter(client, handle, APP.client_id)))
  const owners = await Promise.all(developers.map((handle) => enter(client, handle, APP.client_id)))
  const pluginUsers = await Promise.all(developers.map((handle) => enter(client, handle, PLUGIN.clientId)))
  const buckets = await Promise.all(
    Array.from({ length: PEOPLE / WRITERS }, async (_, i) => {
      const [first, ...others] = people.slice(i * WRITERS, (i + 1) * WRITERS)
      const body = { id: `drill-${i}`, users: others.map(({ userId }) => userId) }
      const headers = { ...bearer(first!.token), ...key(body.id) }
      const made = await client.readOk({ method: 'PUT', path: '/app/v1/bucket', body, headers })
      return { id: body.id, version: made.body.version }
    }),
  )
  const packageIds = await Promise.all(
    Array.from({ length: PACKAGES }, async (_, i) => {
      const body = { clientId: APP.client_id, name: `Package ${i}` }
      const headers = { cookie: owners[i % OWNERS]!.cookie, ...key(body.name) }
      return (await client.readOk({ method: 'PUT', path: '/plugin/v1/ato/package', body, headers })).body.packageId
    }),
  )
  const identity = await client.readOk({ method: 'GET', path: '/lrs/v1/whoami', headers: STORE })
  const xapiBase = identity.body.authority.account.homePage
  return { people, owners, pluginUsers, buckets, packageIds, xapiBase, receiver }
}

export const signInWithBasic = (handle: string, clientId: string) =>
  ({ method: 'GET', path: '/auth/basic', headers: { ...basic(handle, SECRET), clientid: clientId } }) as const

async function enter(client: Client, handle: string, clientId: string): Promise<Person> {
  const { headers } = await client.readOk(signInWithBasic(handle, clientId))
  const token = headers.get('access_token')!
  const valid = await client.readOk({ method: 'GET', path: '/oauth/token/validate', headers: bearer(token) })
  const body = { handle, password: SECRET }
  const cookie = cookieOf(await client.readOk({ method: 'POST', path: '/account/v1/signin', body }))
  return { handle, token, userId: valid.body.userId, cookie }
}

const cookieOf = ({ headers }: Answer): string =>
  headers
    .getSetCookie()
    .map((line) => line.split(';', 1)[0])
    .join('; ')
