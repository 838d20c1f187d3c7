import { registerApp } from '../../apps/oauth/testing.ts'
import { registerTestPlugin } from '../../extensions/plugins/testing.ts'
import { yearsAgo } from '../../identity/families/testing.ts'
import { SEARCH_VERSION, searchKeys } from '../../identity/people/search-keys.ts'
import { filesOrigin } from '../../kernel/content-hosts.ts'
import type { Operation } from '../../kernel/http/operation.ts'
import {
  ACCESS_TOKEN,
  BASE_URL,
  BIRTH,
  CLIENT_ID,
  CLIENT_SECRET,
  CONTENT_URL,
  PASSWORD,
  REDIRECT_URI,
  REFRESH_TOKEN,
  STORE_KEY_NAME,
  USER_IDS,
} from '../../kernel/samples.ts'
import { makeTestKey } from '../../records/credentials/testing.ts'
import { Client, type TestApp } from '../testing/testing.ts'
import { ACCOUNT_ADDITIONS, ACCOUNT_PREPARATIONS } from './testing-preparations-accounts.ts'
import { APP_PREPARATIONS } from './testing-preparations-apps.ts'
import { LEARNING_ADDITIONS, LEARNING_PREPARATIONS } from './testing-preparations-learning.ts'
import { ORGANISATION_PREPARATIONS } from './testing-preparations-organisations.ts'
import { PACKAGE_ADDITIONS, PACKAGE_PREPARATIONS } from './testing-preparations-packages.ts'
import { PLUGIN_ADDITIONS, PLUGIN_PREPARATIONS } from './testing-preparations-plugins.ts'
import { type Addition, DEVICES, type Prepare, type Scene, signIn } from './testing-scene.ts'
import { sendFirst } from './testing-sending.ts'
import { Snapshot } from './testing-snapshot.ts'

const PEOPLE = [
  { handle: 'avery', firstName: 'Avery', lastName: 'Lindqvist', country: 'SE', born: '2001-03-14' },
  { handle: 'blake', firstName: 'Blake', lastName: 'Moreau', country: 'FR', born: '1999-11-02' },
  { handle: 'casey', firstName: 'Casey', lastName: 'Okafor', country: 'NG', born: '1984-07-21' },
  { handle: 'drew', firstName: 'Drew', lastName: 'Castellanos', country: 'MX', born: '1990-01-30' },
  { handle: 'ellis', firstName: 'Ellis', lastName: 'Haverford', country: 'GB', born: '1978-05-09' },
  { handle: 'leo.marchand', firstName: 'Léo', lastName: 'Marchand', country: 'FR', born: yearsAgo(6) },
  { handle: 'noa.okafor', firstName: 'Noa', lastName: 'Okafor', country: 'NG', born: '2018-03-02' },
  { handle: 'sam.okafor', firstName: 'Sam', lastName: 'Okafor', country: 'NG', born: '2020-11-20' },
]

/**
 * Registers the app and the plugins of the demo data. Returns the app's client secret and the credentials of the AI
 * plugin.
 */
async function registerDemoApp(app: TestApp): Promise<Pick<Scene, 'basic' | 'storeKey'> & { secret: string }> {
  const { secret } = await registerApp(app, {
    key: 'demo-app',
    name: 'Demo app',
    redirectUris: [REDIRECT_URI],
    isBasicEnabled: true,
    isDeviceEnabled: true,
    isPkceRequired: false,
  })
  await app.sql(
    `insert into organisations (key, name, created_at) values ('sandhills', 'Sandhills Aviation School', now()), ('northwind', 'Northwind Training', now());
     update apps set organisation_id = o.id from organisations o where o.key = 'northwind' and client_id = '${CLIENT_ID}'`,
  )
  const organisations = ['northwind', 'sandhills']
  const ai = await registerTestPlugin(app, { kind: 'ai', key: 'demo-ai', organisations })
  const addresses = { request: 'http://localhost:4102/request' }
  await registerTestPlugin(app, { kind: 'ato', key: 'demo-ato', organisations, addresses })
  const store = await makeTestKey(app, { name: STORE_KEY_NAME })
  return { secret, basic: ai.basic, storeKey: store.basic }
}

/** Replaces the people that every test database has with those of the demo data. */
async function insertPeople(app: TestApp): Promise<void> {
  const rows = PEOPLE.map(({ handle, firstName, lastName, country, born }) => {
    const keys = searchKeys({ handle, firstName, lastName }).join()
    return `('@${handle}', '${handle}', '${firstName}', '${lastName}', '${handle}@example.org', '${country}', '${born}', true, '{${keys}}', ${SEARCH_VERSION}, now())`
  })
  const users = Object.entries(USER_IDS).map(([name, userId]) => `('${name}', '${userId}')`)
  await app.sql('delete from people; delete from retired_handles')
  await app.sql(
    `insert into people (handle, handle_key, first_name, last_name, email, country, date_of_birth, public_search, search_keys, search_version, created_at) values ${rows.join()};
     insert into organisation_members (organisation_id, person_id, role)
     select o.id, p.id, 'student' from organisations o, people p where o.key = 'sandhills' and p.handle = '@avery';
     update people set administrator = true where handle = '@ellis';
     insert into app_users (user_id, app_id, person_id, consented_at)
     select u.user_id, a.id, p.id, now() from (values ${users.join()}) u (handle, user_id), people p, apps a
      where p.handle_key = u.handle and a.client_id = '${CLIENT_ID}'`,
  )
}

type DemoApp = Awaited<ReturnType<typeof registerDemoApp>>

const doNothing = async (_app: TestApp): Promise<void> => {}

const SENDERS = ['avery', 'blake', 'casey', 'ellis'] as const

/** The additions of all areas, which are added in this order. */
const ADDITIONS: readonly Addition[] = [
  ...ACCOUNT_ADDITIONS,
  ...LEARNING_ADDITIONS,
  ...PACKAGE_ADDITIONS,
  ...PLUGIN_ADDITIONS,
]

/** The preparations of all areas, keyed by the name of the operation whose example needs them. */
const PREPARATIONS: Readonly<Record<string, Prepare>> = {
  ...ACCOUNT_PREPARATIONS,
  ...ORGANISATION_PREPARATIONS,
  ...APP_PREPARATIONS,
  ...LEARNING_PREPARATIONS,
  ...PACKAGE_PREPARATIONS,
  ...PLUGIN_PREPARATIONS,
}

/** Provides the demo data. Each example is sent to freshly restored data, as if no request had been sent before. */
export class Stage {
  readonly #app: TestApp
  readonly #demo: DemoApp
  readonly #senders = new Map<string, { tokens: Headers; cookies: ReadonlyMap<string, string> }>()
  readonly #addRoles: typeof doNothing
  #base!: Snapshot
  /** The snapshot that was taken or restored last. */
  #latest!: Snapshot
  /** Snapshots, keyed by the names of the ADDITIONS that they contain. */
  readonly #snapshots = new Map<string, Snapshot>()

  private constructor(app: TestApp, demo: DemoApp, addRoles: typeof doNothing) {
    this.#app = app
    this.#demo = demo
    this.#addRoles = addRoles
  }

  /** Creates a stage. A test can add people to the demo data, and roles to the data of each area. */
  static async open(app: TestApp, { addPeople = doNothing, addRoles = doNothing } = {}): Promise<Stage> {
    const stage = new Stage(app, await registerDemoApp(app), addRoles)
    await insertPeople(app)
    await addPeople(app)
    for (const person of SENDERS) {
      await app.givePassword(person)
      const authorization = `Basic ${Buffer.from(`@${person}:${PASSWORD}`).toString('base64')}`
      const headers = { authorization, clientid: CLIENT_ID, ...DEVICES.app }
      const { headers: tokens } = await app.nobody().get('/auth/basic', {}, headers)
      stage.#senders.set(person, { tokens, cookies: (await signIn(app, person)).cookies })
    }
    stage.#base = stage.#latest = await Snapshot.take(app)
    return stage
  }

  /** Restores the data, and adds what the example of this operation needs. */
  async set(operation: Operation): Promise<Scene> {
    const snapshot = await this.#restore(operation)
    const { tokens, cookies } = this.#senders.get(operation.example?.as ?? 'avery')!
    const app = this.#app
    const browser = app.visitor()
    for (const [name, value] of cookies) browser.cookies.set(name, value)
    const [accessToken, refreshToken] = [tokens.get('access_token')!, tokens.get('refresh_token')!]
    const scene: Scene = {
      app,
      user: new Client(app.address, accessToken),
      browser,
      visitor: app.visitor(),
      basic: this.#demo.basic,
      storeKey: this.#demo.storeKey,
      launchKey: '',
      real: {
        [BASE_URL]: app.environment().url,
        [CONTENT_URL]: filesOrigin(app.environment().contentUrl!),
        [CLIENT_SECRET]: this.#demo.secret,
        [ACCESS_TOKEN]: accessToken,
        [REFRESH_TOKEN]: refreshToken,
        [BIRTH]: yearsAgo(7),
      },
      request: {},
      snapshot,
    }
    const { name, example = {} } = operation
    if (name in PREPARATIONS) await PREPARATIONS[name]!(scene)
    // An operation with a preparation needs no `after`: the preparation does the same.
    else await sendFirst(example.after, scene)
    return scene
  }

  async #restore({ name, area }: Operation): Promise<Snapshot> {
    const additions = ADDITIONS.filter(({ isFor }) => isFor(area, name))
    const key = additions.map((one) => one.name).join(' ')
    const known = this.#snapshots.get(key)
    await (known ?? this.#base).restore(this.#latest)
    if (known === undefined) {
      for (const { add } of additions) await add(this.#app)
      await this.#addRoles(this.#app)
      this.#snapshots.set(key, await Snapshot.take(this.#app))
    }
    this.#latest = this.#snapshots.get(key)!
    return this.#latest
  }
}
