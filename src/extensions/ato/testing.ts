import assert from 'node:assert/strict'
import { call } from '../../apps/account/testing.ts'
import type { EnvironmentName } from '../../kernel/config.ts'
import type { TestBrowser } from '../../operations/testing/browser.ts'
import type { AppName, Client, Person, TestApp } from '../../operations/testing/testing.ts'
import { registerTestPlugin, type TestPlugin } from '../plugins/testing.ts'

export const ATO = '/plugin/v1/ato'
export const REDIRECT = 'http://127.0.0.1/callback'

/** Registers an ATO plugin that accepts requests, owned by the organisation `agency`. */
export const registerAtoPlugin = (app: TestApp, key: string, environment?: EnvironmentName): Promise<TestPlugin> =>
  registerTestPlugin(
    app,
    { kind: 'ato', key, organisations: ['agency'], addresses: { request: 'http://127.0.0.1:9/request' } },
    environment,
  )

/**
 * Gives the app `first` to the organisation `school`, and adds these members to the organisations `school`, `other` and
 * `agency`.
 */
export async function setUpSchool(
  app: TestApp,
  members: readonly (readonly [organisation: string, person: Person, role: string])[],
  environment?: EnvironmentName,
): Promise<void> {
  const rows = members.map(([key, person, role]) => `('${key}', '@${person}', '${role}')`)
  await app.sql(
    `insert into organisations (key, name, created_at) values ('school', 'The School', now()), ('other', 'Other', now()), ('agency', 'Agency', now())
     on conflict do nothing;
     update apps set organisation_id = (select id from organisations where key = 'school') where name = 'first';
     insert into organisation_members (organisation_id, person_id, role)
     select o.id, p.id, r.role from (values ${rows.join()}) r(key, handle, role)
       join organisations o on o.key = r.key join people p on p.handle = r.handle on conflict do nothing`,
    environment,
  )
}

/** Returns a client with the token of a person who signed in to a plugin. */
export const signInToPlugin = (
  app: TestApp,
  person: Person,
  key: string,
  environment?: EnvironmentName,
): Promise<Client> => app.as(person, key as AppName, environment)

/** Calls an operation of the console, expects success, and returns the body. */
export async function ask(browser: TestBrowser, method: 'GET' | 'PUT' | 'POST', path: string, body?: object) {
  const answer = await call(browser, method, `${ATO}${path}`, body)
  assert.equal(answer.status, 200, answer.text)
  return answer.body
}

export const makePackage = (browser: TestBrowser, clientId = 'gs-first', name = 'Package') =>
  ask(browser, 'PUT', '/package', { clientId, name })

/** Creates a package with an open request to the plugin, and returns the id of the request. */
export async function startRequest(browser: TestBrowser, pluginClientId: string): Promise<string> {
  const { packageId } = await makePackage(browser)
  return (await ask(browser, 'PUT', '/request', { packageId, pluginClientId })).requestId
}

/** Returns all emitted events, oldest first. */
export const readEvents = async (app: TestApp) =>
  (await app.sql(
    `select kind, subject, payload from (select 0 as n, id, kind, subject, payload from events union all
       select 1, id, kind, subject, payload from event_outbox) e order by n, id`,
  )) as { kind: string; subject: string; payload: { plugin: number; document: Record<string, unknown> } }[]
