import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { lockPeople } from '../../identity/people/import-store.ts'
import type { TestApp } from '../../operations/testing/testing.ts'
import type { EnvironmentName } from '../config.ts'
import type { Tx } from '../database/database.ts'
import { until } from '../database/test-database.ts'
import { type ImportTarget, importContent } from './imports.ts'
import { ImportRefused } from './rules.ts'
import * as store from './store.ts'

export const who = () => ({ at: new Date(), requestId: 'test', address: 'test' })
export const readText = (path: string): string => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8')

export const run = (app: TestApp, content: unknown, isDryRun = false) =>
  importContent(app.platform.environments, who(), { content, isDryRun })

export const all = (created: number, updated: number, unchanged: number) => ({ created, updated, unchanged })

/** Returns the expected report, with zeros for the sections that are not given. */
export const reportOf = (counts: Record<string, ReturnType<typeof all>>) => ({
  files: all(0, 0, 0),
  questions: all(0, 0, 0),
  courses: all(0, 0, 0),
  classes: all(0, 0, 0),
  badges: all(0, 0, 0),
  credentials: all(0, 0, 0),
  plans: all(0, 0, 0),
  ...counts,
})

export const school = (changes: { organisation?: object; person?: object; app?: object } = {}) => ({
  organisations: [{ key: 'hangar', name: 'Hangar Seven', ...changes.organisation }],
  people: [
    {
      handle: '@Noor',
      firstName: 'Noor',
      lastName: 'Ækström',
      email: 'noor@example.org',
      country: 'SE',
      dateOfBirth: '1996-02-29',
      publicSearch: true,
      developer: true,
      organisations: { hangar: 'instructor' },
      password: 'noor-has-a-password',
      ...changes.person,
    },
  ],
  apps: [
    {
      key: 'logbook',
      name: 'Logbook',
      organisation: 'hangar',
      owner: 'noor',
      redirectUris: ['https://logbook.example.org/callback', 'logbook://callback'],
      origins: ['https://logbook.example.org'],
      basic: true,
      secrets: ['a-secret-of-the-logbook'],
      storageBytes: 2_097_152,
      ...changes.app,
    },
  ],
})

/** Reads all tables that an import can change. */
export const snapshot = async (app: TestApp) =>
  Object.fromEntries(
    await Promise.all(
      (['production', 'sandbox'] as const).flatMap((environment) =>
        [
          'organisations',
          'people',
          'organisation_members',
          'apps',
          'app_secrets',
          'app_redirect_uris',
          'app_origins',
          'app_storage',
          'app_users',
          'guardians',
          'friendships',
          'audit_entries',
        ].map(async (table) => {
          const rows = await app.sql(`select to_json(t)::text as row from ${table} t order by 1`, environment)
          return [`${environment}.${table}`, rows]
        }),
      ),
    ),
  )

export const signIn = (
  app: TestApp,
  clientId: string,
  credentials: string,
  environment: EnvironmentName = 'production',
) =>
  app.nobody(environment).get('/auth/basic', undefined, {
    authorization: `Basic ${Buffer.from(credentials).toString('base64')}`,
    clientid: clientId,
  })

export const bearer = (answer: { headers: Headers }) => ({
  authorization: `Bearer ${answer.headers.get('access_token')}`,
})

export async function refused(work: Promise<unknown>): Promise<readonly string[]> {
  const problem = await work.then(
    () => assert.fail('the import was not refused'),
    (error) => error,
  )
  assert.ok(problem instanceof ImportRefused, String(problem))
  return problem.mistakes
}

export const runPeople = (app: TestApp, people: readonly object[], more: object = {}) => run(app, { people, ...more })

/** Imports people and returns the counts for people in production. */
export const countPeople = async (app: TestApp, people: readonly object[], more: object = {}) =>
  (await runPeople(app, people, more)).production!.people

export const readPerson = async (app: TestApp, handle: string) =>
  (await app.sql(`select * from people where handle_key = '${handle}'`))[0]!

export const idOf = async (app: TestApp, handle: string) => Number((await readPerson(app, handle)).id)

export const friendships = (app: TestApp, environment: EnvironmentName = 'production') =>
  app.sql(
    `select least(a.handle_key, b.handle_key) as one, greatest(a.handle_key, b.handle_key) as other,
            f.accepted_at is not null as accepted, f.is_quiet as quiet
       from friendships f join people a on a.id = f.asker_id join people b on b.id = f.asked_id order by 1, 2`,
    environment,
  )

export const untilSomebodyWaits = (app: TestApp): Promise<void> =>
  until('somebody waits for somebody else', async () => {
    const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    return (await app.sql(waiting)).length > 0
  })

/** Imports while this person's row in production is locked, and runs `work` once the import waits for the lock. */
export async function importBehind<T>(app: TestApp, handle: string, content: object, work: () => Promise<T>) {
  const { result } = await app.environment().db.transaction(async (tx) => {
    await tx.all(lockPeople, { handles: [handle] })
    const result = run(app, content)
    await untilSomebodyWaits(app)
    await work()
    return { result }
  })
  return result
}

/**
 * Imports while another transaction holds the import lock, and runs `work` once the import has read everything and
 * waits to be accepted.
 */
export async function importAfter<T>(app: TestApp, content: object, work: () => Promise<T>) {
  const { result } = await app.environment().db.transaction(async (tx) => {
    await tx.first(store.takeTurn, {})
    const result = run(app, content)
    await untilSomebodyWaits(app)
    await work()
    return { result }
  })
  return result
}

/** Wraps a target so that the statements sent in its transactions are counted. */
export function countStatements({ db, ...rest }: ImportTarget) {
  let statements = 0
  const count = (tx: Tx): Tx => ({
    ...tx,
    all: (statement, params) => {
      statements++
      return tx.all(statement, params)
    },
  })
  const target = {
    ...rest,
    db: { ...db, transaction: <T>(work: (tx: Tx) => Promise<T>) => db.transaction((tx) => work(count(tx))) },
  }
  return { target, counted: () => statements }
}
