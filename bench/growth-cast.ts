import pg from 'pg'
import { addAppSecret } from '../src/apps/apps/apps.ts'
import { secretKeys } from '../src/apps/apps/secrets.ts'
import { addPlugin } from '../src/extensions/plugins/plugins.ts'
import { changePassword } from '../src/identity/people/people.ts'
import type { Connection } from '../src/kernel/database/database.ts'
import { type Environment, schemaOf } from '../src/kernel/environment.ts'
import { openSession, tokenPolicy } from '../src/kernel/sessions/sessions.ts'
import { hashToken, mintToken } from '../src/kernel/sessions/tokens.ts'
import { openLog } from '../src/operations/platform/log.ts'
import { openEnvironments } from '../src/operations/platform/platform.ts'
import { addCredential } from '../src/records/credentials/managing.ts'
import { STATEMENTS_OF_PERSON } from './growth-load.ts'
import { classNumberOf, instructorNumberOf, organisationNumberOf, personIdOf } from './growth-school.ts'
import { personOfRank } from './growth-statements.ts'
import { benchConfig } from './servers.ts'
import { type Cast, PASSWORD } from './sign-in-cast.ts'

/** A student whose requests are measured, and the instructor of their class. */
export interface Student {
  /** The number of the person in growth-school.ts. */
  readonly n: number
  readonly handle: string
  readonly name: string
  readonly headers: Readonly<Record<string, string>>
  readonly cookie: Readonly<Record<string, string>>
  readonly instructor: {
    readonly handle: string
    readonly headers: Readonly<Record<string, string>>
    readonly cookie: Readonly<Record<string, string>>
  }
}

export interface GrowthCast {
  readonly statements: number
  readonly people: number
  readonly students: readonly Student[]
  /** Ids of statements, spread over all months. */
  readonly ids: readonly string[]
  readonly store: Readonly<Record<string, string>>
  readonly plugin: Readonly<Record<string, string>>
  /** Students and lessons without an attempt, each of them once. */
  readonly unstarted: readonly { readonly student: number; readonly studentId: string; readonly lessonId: string }[]
  /** For signing in: some of the same people, with passwords. */
  readonly signIn: Cast
  close(): Promise<void>
}

const STUDENTS = 60
const IDS = 300
/** People who sign in and refresh tokens, and whose sessions are not used otherwise. */
const SIGNERS = 20
/** The measured students have ranks from 2 % of all people on, so that they are equally common at every size. */
const rankOf = (i: number, people: number): number => Math.floor(people * (0.02 + 0.008 * i))

const caller = () => ({ at: new Date(), requestId: 'bench', address: '127.0.0.1' })
const basic = (user: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
})

/** Creates what callers need in a loaded database. Running it again gives new tokens and secrets. */
export async function makeGrowthCast(connection: Connection, statements: number): Promise<GrowthCast> {
  const people = statements / STATEMENTS_OF_PERSON
  const config = benchConfig()
  const environments = await openEnvironments(config, connection, openLog(config), () => new Date())
  const environment = environments[0]!
  const client = new pg.Client(connection)
  await client.connect()
  await client.query(`set search_path = ${schemaOf('production')}`)
  try {
    const numbers = Array.from({ length: STUDENTS + SIGNERS }, (_, i) => personOfRank(rankOf(i, people), people))
    const students: Student[] = []
    for (const n of numbers.slice(0, STUDENTS)) {
      const [own, instructor] = [
        await signIn(environment, client, n),
        await signIn(environment, client, instructorNumberOf(n)),
      ]
      students.push({ n, ...own, instructor })
    }
    const { rows: ids } = await client.query(
      `select (select s.statement_id from statements s where s.seq >= b.first + (b.last - b.first) * n / ${IDS + 1} order by s.seq limit 1) as id
         from (select min(seq) as first, max(seq) as last from statements) b, generate_series(1, ${IDS}) n`,
    )
    const { rows: unstarted } = await client.query(
      `select e.key as "studentId", l.key as "lessonId", w.place - 1 as student
         from unnest($1::int8[]) with ordinality w(class_id, place) join enrolments e on e.class_id = w.class_id join classes c on c.id = e.class_id
         join lessons l on l.course_id = c.course_id
        where not exists (select from standings s where s.enrolment_id = e.id and s.lesson_id = l.id)
        order by hashint8extended(e.id, l.id)`,
      [students.map(({ n }) => classNumberOf(n)).map((one, i, all) => (all.indexOf(one) === i ? one : null))],
    )
    return {
      ...{ statements, people, students, unstarted },
      ids: ids.map(({ id }) => id as string),
      store: await makeStoreHeaders(environment),
      plugin: await makePluginHeaders(environment, client, organisationNumberOf(numbers[0]!)),
      signIn: await makeSigners(environment, client, numbers.slice(STUDENTS)),
      close: async () => {
        for (const one of environments) await one.close()
      },
    }
  } finally {
    await client.end()
  }
}

/** Signs person number `n` in, to the app and to the platform's pages. */
async function signIn({ db, get }: Environment, client: pg.Client, n: number) {
  const personId = personIdOf(n)
  const { rows } = await client.query('select handle, first_name, last_name from people where id = $1', [personId])
  const session = { appId: 1, personId, userId: `cast-${personId}`, door: 'code', device: 'bench' } as const
  const { accessToken } = await openSession(db, caller(), session, get(tokenPolicy))
  const token = mintToken('browser', 'production')
  await client.query(
    `insert into browsers (id, token_hash, person_id, epoch, door, device, created_at, expires_at)
     select gen_random_uuid(), $1, id, epoch, 'test', '', now(), now() + interval '1 day' from people where id = $2`,
    [hashToken(token), personId],
  )
  const { handle, first_name, last_name } = rows[0]
  return {
    handle: handle as string,
    name: `${first_name} ${last_name}`,
    headers: { authorization: `Bearer ${accessToken}` },
    cookie: { cookie: `gs_browser=${token}` },
  }
}

async function makeStoreHeaders(environment: Environment) {
  const what = { name: 'bench', scopes: ['all'] }
  const { key, secret } = await addCredential(environment.db, caller(), what, environment)
  return { ...basic(key, secret), 'x-experience-api-version': '1.0.3' }
}

/** Gives an app a new secret in place of the old ones. */
async function renewSecret({ db, get }: Environment, client: pg.Client, clientId: string): Promise<string> {
  await client.query('delete from app_secrets where app_id = (select id from apps where client_id = $1)', [clientId])
  return addAppSecret(db, caller(), { clientId }, get(secretKeys))
}

/** Creates an active plugin that reads the records of one organisation. */
async function makePluginHeaders(environment: Environment, client: pg.Client, organisationId: number) {
  const known = await client.query(`select a.client_id from plugins p join apps a on a.id = p.app_id`)
  if (known.rows.length === 0) {
    const what = {
      kind: 'ai',
      key: 'bench-ai',
      name: 'bench',
      description: '',
      ownerId: undefined,
      redirectUris: [],
    } as const
    const { pluginId } = await environment.db.transaction((tx) =>
      addPlugin(tx, caller(), { ...what, organisationId }, environment),
    )
    await client.query(
      `update plugins set is_active = true; update apps set status = 'approved';
       insert into plugin_permissions (plugin_id, permission, asked_at, granted_at) values (${pluginId}, 'user-records', now(), now());
       insert into plugin_organisations (plugin_id, organisation_id, given_at) values (${pluginId}, ${organisationId}, now())`,
    )
  }
  const { rows } = await client.query(`select a.client_id from plugins p join apps a on a.id = p.app_id`)
  const clientId = rows[0].client_id as string
  return basic(clientId, await renewSecret(environment, client, clientId))
}

async function makeSigners(environment: Environment, client: pg.Client, numbers: readonly number[]): Promise<Cast> {
  const people: Cast['people'][number][] = []
  for (const n of numbers) {
    const personId = personIdOf(n)
    const { rows } = await client.query('select handle from people where id = $1', [personId])
    await changePassword(environment.db, caller(), { handle: rows[0].handle, password: PASSWORD })
    people.push({ handle: rows[0].handle, personId, userId: `cast-${personId}` })
  }
  const secret = await renewSecret(environment, client, 'gs-bench')
  return { environment, appId: 1, clientId: 'gs-bench', secret, people, tokens: [] }
}
