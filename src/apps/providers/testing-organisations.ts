import type { TestBrowser } from '../../operations/testing/browser.ts'
import { type Person, type TestApp, testApp } from '../../operations/testing/testing.ts'
import { call, signInBrowser, UNLIMITED } from '../account/testing.ts'

interface Lifetime {
  after(end: () => Promise<void> | void): void
}

export const PROVIDER = '/edu/v1/organisation/provider'

/**
 * Opens a platform where Casey and Drew own `school`, Avery is a developer and Finley a member of it, Blake owns
 * `club`, and Ellis is administrator.
 */
export async function openOrganisations(t: Lifetime, settings: Record<string, string> = {}) {
  const app = await testApp(t, { ...UNLIMITED, ...settings })
  await app.sql(
    `update people set administrator = true where handle_key = 'ellis';
     insert into organisations (key, name, created_at) values ('school', 'School', now()), ('club', 'Club', now());
     insert into organisation_members (organisation_id, person_id, role)
     select o.id, p.id, w.role
       from (values ('school', 'casey', 'owner'), ('school', 'drew', 'owner'), ('school', 'avery', 'developer'),
                    ('school', 'finley', 'member'), ('club', 'blake', 'owner')) as w(key, handle, role)
       join organisations o on o.key = w.key join people p on p.handle_key = w.handle`,
  )
  const browsers = new Map<Person, Promise<TestBrowser>>()
  const browserOf = (person: Person): Promise<TestBrowser> => {
    const browser = browsers.get(person) ?? signInBrowser(app, person)
    browsers.set(person, browser)
    return browser
  }
  const send = async (person: Person, method: 'GET' | 'POST', path: string, body?: object) =>
    call(await browserOf(person), method, path, body)
  return {
    app,
    browserOf,
    send,
    read: (person: Person, organisation = 'school') => send(person, 'GET', `${PROVIDER}?organisation=${organisation}`),
    post: (person: Person, path: string, body: object) =>
      send(person, 'POST', `${PROVIDER}${path}`, { organisation: 'school', ...body }),
    /** Pretends that the current settings of the provider were tested. */
    markTested: (key = 'school') => markTested(app, key),
    /** The audit entries about providers, oldest first, as `action {detail}`. */
    audit: async () =>
      (await app.sql(`select action, detail from audit_entries where action like 'provider.%' order by id`)).map(
        ({ action, detail }) => ({
          action,
          detail: (typeof detail === 'string' ? JSON.parse(detail) : detail) as Record<string, unknown>,
        }),
      ),
  }
}

const markTested = (app: TestApp, key: string) =>
  app.sql(
    `update providers v set tested_version = v.version, tested_at = now() from organisations o
      where o.id = v.organisation_id and o.key = '${key}'`,
  )
