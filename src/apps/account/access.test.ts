import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../../kernel/database/test-database.ts'
import { SCOPES, type Scope } from '../../kernel/scopes.ts'
import { openSession, tokenPolicy } from '../../kernel/sessions/sessions.ts'
import { assertError, Client, type Person, sharedApp } from '../../operations/testing/testing.ts'
import { ensureAppUser } from '../apps/apps.ts'
import { exchange, obtainCode, pkcePair, REDIRECT_URI, registerApp } from '../oauth/testing.ts'
import { signInBrowser } from './testing.ts'

const ACCESS = '/account/apps'
const WITHDRAW = '/account/v1/app/scopes/withdraw'
const LIST = '/app/v1/bucket/list'
const WITHIN_MS = 1000

const app = await sharedApp({ RATE_ADDRESS_BURST: '100000' })

/** Opens a session of a person in the first app. */
async function openFor(person: Person, scopes?: readonly Scope[]): Promise<Client> {
  const { db, get, clock } = app.environment()
  const [row] = await app.sql(
    `select a.id::int as app, p.id::int as person from apps a, people p where a.name = 'first' and p.handle_key = '${person}'`,
  )
  const parties = { appId: Number(row?.app), personId: Number(row?.person) }
  const who = { at: clock(), requestId: 'test', address: '127.0.0.1' }
  const userId = await ensureAppUser(db, who, { ...parties, scopes })
  const what = { ...parties, userId, door: 'code' as const, device: 'test', scopes }
  return new Client(app.address, (await openSession(db, who, what, get(tokenPolicy))).accessToken)
}

const cookieOf = async (person: Person) => {
  const { cookies } = await signInBrowser(app, person)
  return { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') }
}

const send = async (person: Person, body: object) =>
  app.nobody().send('POST', WITHDRAW, { body, headers: await cookieOf(person) })

const scopesOf = async (person: Person): Promise<readonly string[]> => {
  const { body } = await app.nobody().send('GET', '/account/v1/apps', { headers: await cookieOf(person) })
  return body.find(({ clientId }: { clientId: string }) => clientId === 'gs-first').scopes
}

test('who withdraws a scope ends the tokens of the app, in every process, and those of nobody else', async () => {
  const second = await app.startSecond()
  const [avery, narrow, blake] = [await openFor('avery'), await openFor('avery', ['buckets']), await openFor('blake')]
  const everywhere = (client: Client) => [client, new Client(second.addresses.production, client.token)]
  const victims = [avery, narrow].flatMap(everywhere)
  for (const client of [...victims, ...everywhere(blake)]) assert.equal((await client.get(LIST)).status, 200)
  assert.deepEqual(await scopesOf('avery'), SCOPES)

  assert.deepEqual((await send('avery', { clientId: 'gs-first', scopes: ['notes'] })).body, { success: true })
  for (const client of victims)
    await until('the token is refused', async () => (await client.get(LIST)).status === 403, WITHIN_MS)
  for (const client of victims) assertError(await client.get(LIST), 403, 4034)
  for (const client of everywhere(blake)) assert.equal((await client.get(LIST)).status, 200)
  assert.deepEqual(
    await scopesOf('avery'),
    SCOPES.filter((scope) => scope !== 'notes'),
  )
  const [audit] = await app.sql(
    `select detail::text from audit_entries where action = 'consent.scopes-withdrawn' order by id desc limit 1`,
  )
  assert.deepEqual(JSON.parse(String(audit?.detail)), { scopes: 'notes' })
})

test('only scopes that the person has allowed can be withdrawn', async () => {
  await openFor('casey', ['buckets', 'profile'])
  for (const body of [
    { clientId: 'gs-first', scopes: ['nonsense'] },
    { clientId: 'gs-first', scopes: [] },
    { clientId: 'gs-nobody', scopes: ['notes'] },
  ])
    assertError(await send('casey', body), 404, 4042)
  assertError(await send('drew', { clientId: 'gs-second', scopes: ['notes'] }), 404, 4042)
  assert.equal((await send('casey', { clientId: 'gs-first', scopes: ['profile', 'buckets'] })).status, 200)
  assert.deepEqual(await scopesOf('casey'), [])
  assertError(await send('casey', { clientId: 'gs-first', scopes: ['profile'] }), 404, 4042)
})

test('after a withdrawal the app has to ask again, in either dialect, and a code from before is worth nothing', async () => {
  const client = await registerApp(app, { key: 'asking', isPkceRequired: false })
  const { verifier, challenge } = pkcePair()
  const { code, browser } = await obtainCode(app, {
    clientId: client.clientId,
    path: '/oauth/v2/signin',
    challenge,
    more: { scope: 'profile notes' },
  })
  const cookies = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const body = { clientId: client.clientId, scopes: ['notes'] }
  assert.equal((await app.nobody().send('POST', WITHDRAW, { body, headers: { cookie: cookies } })).status, 200)
  const fields = {
    grant_type: 'authorization_code',
    code,
    code_verifier: verifier,
    redirect_uri: REDIRECT_URI,
    client_id: client.clientId,
    client_secret: client.secret,
  }
  const refused = await exchange(app, fields, 'form', { path: '/oauth/v2/token' })
  assert.equal(refused.body.error, 'invalid_grant', refused.text)
  const query = (more: object) =>
    new URLSearchParams({ response_type: 'code', client_id: client.clientId, redirect_uri: REDIRECT_URI, ...more })
  const pkce = { code_challenge: challenge, code_challenge_method: 'S256' }
  const open = async (path: string, more: object) => (await browser.get(`${path}?${query(more)}`)).location
  assert.equal(await open('/oauth/v2/signin', { ...pkce, scope: 'profile notes' }), undefined)
  assert.equal(await open('/oauth/signin', {}), undefined)
  assert.ok(await open('/oauth/v2/signin', { ...pkce, scope: 'profile' }))
})

test('of a withdrawal and a sign-in at the same moment, no token keeps the scope', async () => {
  const client = await registerApp(app, { key: 'racing', isPkceRequired: false })
  for (let round = 0; round < 5; round++) {
    const { code, browser } = await obtainCode(app, { clientId: client.clientId })
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const fields = { grant_type: 'authorization_code', code, client_id: client.clientId, client_secret: client.secret }
    const [answer] = await Promise.all([
      exchange(app, fields),
      app.nobody().send('POST', WITHDRAW, {
        body: { clientId: client.clientId, scopes: ['buckets'] },
        headers: { cookie },
      }),
    ])
    if (answer.status !== 200) continue
    const user = new Client(app.address, answer.body.access_token)
    await until('the token is refused', async () => (await user.get(LIST)).status !== 200, WITHIN_MS)
  }
})

test('an open stream ends when its scope is withdrawn', async () => {
  const client = await openFor('drew')
  assert.equal((await client.put('/app/v1/bucket', { id: 'watched' })).status, 200)
  const stream = await fetch(`${app.address}/app/v1/bucket/events?id=watched`, {
    headers: { authorization: `Bearer ${client.token}` },
  })
  assert.equal(stream.status, 200)
  const ended = stream.text()
  assert.equal((await send('drew', { clientId: 'gs-first', scopes: ['buckets'] })).status, 200)
  await ended
})

test('the page shows what each app may do, and withdraws it without JavaScript', async () => {
  await openFor('ellis', ['profile', 'notes'])
  const visitor = await app.visitor().get(ACCESS)
  assert.match(visitor.location!, /^\/account\/signin\?next=/)
  const browser = await signInBrowser(app, 'ellis')
  const page = await browser.get(ACCESS)
  assert.equal(page.status, 200, page.text)
  assert.ok(page.text.includes('value="notes"') && !page.text.includes('value="buckets"'), page.text)
  const done = await browser.submit(page, { scope: 'notes' }, ACCESS)
  assert.equal(done.location, `${ACCESS}?done=access-removed`, done.text)
  assert.deepEqual(await scopesOf('ellis'), ['profile'])
  const wrong = await browser.submit(await browser.get(ACCESS), { scope: 'notes' }, ACCESS)
  assert.equal(wrong.status, 404)
  assert.match(wrong.text, /role="alert"/)

  // The form of one app is useless for another, and without its key nothing happens.
  const csrf = /name="csrf_token" value="([^"]*)"/.exec(page.text)![1]!
  const forged = await browser.post(ACCESS, { clientId: 'gs-second', scope: 'profile', csrf_token: csrf })
  assert.equal(forged.status, 403)
  assert.equal((await browser.post(ACCESS, { clientId: 'gs-first', scope: 'profile' })).status, 403)
  assert.deepEqual(await scopesOf('ellis'), ['profile'])
})
