import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import type { EnvironmentName } from '../config.ts'
import type { TestApp } from '../testing.ts'
import { importContent } from './imports.ts'
import { ImportRefused } from './rules.ts'

export const who = () => ({ at: new Date(), requestId: 'test', address: 'test' })
export const readText = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

export const run = (app: TestApp, content: unknown, isDryRun = false) =>
  importContent(app.platform.environments, who(), { content, isDryRun })

export const all = (created: number, updated: number, unchanged: number) => ({ created, updated, unchanged })

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

/** Everything that an import can touch. */
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
