/** Organisations that are connected to a provider, for tests of signing in. */
import assert from 'node:assert/strict'
import type { TestBrowser } from '../../operations/testing/browser.ts'
import type { Person, TestApp } from '../../operations/testing/testing.ts'
import { call, UNLIMITED } from '../account/testing.ts'
import { secretSeal } from '../apps/secrets.ts'
import { discover, sealName } from './discovery.ts'
import { passThrough } from './testing-liar.ts'

/** Settings of a platform that may talk to providers on this machine. */
export const WITH_PROVIDERS = { ...UNLIMITED, PLUGIN_ADDRESSES: 'loopback' }

const quote = (value: string): string => `'${value.replaceAll("'", "''")}'`

export interface ProviderSettings {
  readonly mode?: 'off' | 'allowed' | 'enforced'
  readonly createsAccounts?: boolean
  readonly groupsClaim?: string
  readonly groupRoles?: readonly { readonly group: string; readonly role: string }[]
  /** Domains that the organisation has proven. */
  readonly domains?: readonly string[]
  readonly breakGlass?: readonly Person[]
}

/** Adds an organisation with its members. */
export async function addOrganisation(
  app: TestApp,
  key: string,
  members: Readonly<Partial<Record<Person, 'owner' | 'developer' | 'instructor' | 'member'>>>,
): Promise<void> {
  await app.sql(
    `insert into organisations (key, name, created_at) values (${quote(key)}, ${quote(`The ${key}`)}, now())`,
  )
  for (const [person, role] of Object.entries(members))
    await app.sql(
      `insert into organisation_members (organisation_id, person_id, role)
       select o.id, p.id, '${role}' from organisations o, people p where o.key = ${quote(key)} and p.handle_key = '${person}'`,
    )
}

/** Gives a person an e-mail address, by default a confirmed one. */
export const giveAddress = (app: TestApp, person: string, email: string | null, isConfirmed = true) =>
  app.sql(
    `update people set email = ${email === null ? 'null' : quote(email)}, email_confirmed_at = ${isConfirmed && email !== null ? 'now()' : 'null'}
      where handle_key = ${quote(person)}`,
  )

/** Connects a provider to an organisation as if its owner had tested it. */
export async function connectProvider(
  app: TestApp,
  organisation: string,
  provider: { readonly issuer: string; readonly clientId: string; readonly clientSecret: string },
  settings: ProviderSettings = {},
): Promise<void> {
  const environment = app.environment()
  const metadata = JSON.stringify(await discover(environment, provider.issuer))
  const sealed = environment.get(secretSeal).seal(sealName(organisation), provider.clientSecret).toString('hex')
  const { mode = 'allowed', createsAccounts = false, groupsClaim, groupRoles = [], domains = [] } = settings
  await app.sql(
    `insert into providers (organisation_id, issuer, client_id, sealed_secret, metadata, read_at, mode, creates_accounts, groups_claim,
                            group_roles, version, tested_version, tested_at, created_at, changed_at)
     select id, ${quote(JSON.parse(metadata).issuer)}, ${quote(provider.clientId)}, '\\x${sealed}', ${quote(metadata)}, now(), '${mode}',
            ${createsAccounts}, ${groupsClaim === undefined ? 'null' : quote(groupsClaim)}, ${quote(JSON.stringify(groupRoles))}, 1, 1,
            now(), now(), now()
       from organisations where key = ${quote(organisation)}`,
  )
  for (const domain of domains)
    await app.sql(
      `insert into organisation_domains (organisation_id, domain, challenge, proven_at, created_at)
       select id, ${quote(domain)}, 'challenge', now(), now() from organisations where key = ${quote(organisation)}`,
    )
  for (const person of settings.breakGlass ?? [])
    await app.sql(
      `insert into break_glass_accounts (organisation_id, person_id)
       select o.id, p.id from organisations o, people p where o.key = ${quote(organisation)} and p.handle_key = '${person}'`,
    )
}

/** Connects a person to a subject of the organisation's provider. */
export const connectPerson = (app: TestApp, organisation: string, person: string, subject: string) =>
  app.sql(
    `insert into provider_identities (organisation_id, issuer, subject, person_id, linked_at, last_used_at)
     select v.organisation_id, v.issuer, ${quote(subject)}, p.id, now(), now()
       from providers v join organisations o on o.id = v.organisation_id, people p
      where o.key = ${quote(organisation)} and p.handle_key = ${quote(person)}`,
  )

/** Who is connected to which subject, such as `kim @avery`. */
export const listConnected = async (app: TestApp, organisation: string): Promise<string[]> =>
  (
    await app.sql(
      `select i.subject, p.handle from provider_identities i join organisations o on o.id = i.organisation_id
         join people p on p.id = i.person_id where o.key = ${quote(organisation)} order by i.subject`,
    )
  ).map(({ subject, handle }) => `${subject} ${handle}`)

/** The failures that the owners of an organisation see, newest first. */
export const listFailures = (app: TestApp, organisation: string) =>
  app.sql(
    `select f.reference, f.problem, f.claim, f.found, f.expected from provider_failures f
       join organisations o on o.id = f.organisation_id where o.key = ${quote(organisation)} order by f.id desc`,
  ) as Promise<
    { reference: string; problem: string; claim: string | null; found: string | null; expected: string | null }[]
  >

/** Starts a sign-in at the platform, and returns the authorization URL of the provider to which it redirects. */
export async function startAt(browser: TestBrowser, organisation: string, next?: string): Promise<string> {
  const page = await browser.get('/account/provider', { organisation, ...(next !== undefined && { next }) })
  assert.equal(page.status, 200, page.text)
  const seen = await browser.submit(page, {}, '/account/provider')
  assert.equal(seen.status, 303, seen.text)
  return seen.location!
}

/** Signs in through the provider of an organisation, and returns how the platform responds to the callback. */
export async function signInThrough(browser: TestBrowser, organisation: string, next?: string) {
  const authorizationUrl = await startAt(browser, organisation, next)
  return browser.send((await passThrough(browser, authorizationUrl)).href)
}

/** Returns the handle of the person who is signed in with a browser; undefined if nobody is. */
export async function findHandle(browser: TestBrowser): Promise<string | undefined> {
  const { status, body } = await call(browser, 'GET', '/account/v1/me')
  return status === 200 ? body.handle : undefined
}

/** Asserts that a sign-in through a provider was refused with a page, and that nobody is signed in. */
export async function assertRefused(
  browser: TestBrowser,
  seen: { readonly status: number; readonly text: string; readonly location: string | undefined },
  status?: number,
): Promise<void> {
  assert.equal(seen.location, undefined)
  if (status === undefined) assert.ok(seen.status >= 400 && seen.status <= 504 && seen.status !== 500, seen.text)
  else assert.equal(seen.status, status, seen.text)
  assert.match(seen.text, /<h1/)
  assert.equal(await findHandle(browser), undefined)
}
