import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { SCOPE_WORDS } from '../../../web/parts/consent.ts'
import { until } from '../../kernel/database/test-database.ts'
import { SCOPES } from '../../kernel/scopes.ts'
import { formsOf, type Seen, type TestBrowser } from '../../operations/testing/browser.ts'
import { type Answer, type Person, sharedApp } from '../../operations/testing/testing.ts'
import { AUTHORIZE, decide, GRANT } from '../devices/testing.ts'
import {
  assertRfcError,
  exchange,
  obtainCode,
  pkcePair,
  REDIRECT_URI,
  type RegisteredApp,
  registerApp,
} from './testing.ts'

const SIGN_IN = '/oauth/v2/signin'
const TOKEN = '/oauth/v2/token'

const app = await sharedApp({ RATE_ADDRESS_BURST: '100000' })

interface Tokens {
  readonly access_token: string
  readonly refresh_token: string
  readonly scope: string
}

/** Registers an app with these scopes; without a list, with all. */
async function register(key: string, scopes?: readonly string[], more = {}): Promise<RegisteredApp> {
  const registered = await registerApp(app, { key, ...more })
  if (scopes) await app.sql(`update apps set scopes = '{${scopes}}' where client_id = '${registered.clientId}'`)
  return registered
}

const credentials = ({ clientId, secret }: RegisteredApp) => ({ client_id: clientId, client_secret: secret })

interface SignIn {
  readonly scope?: string
  readonly person?: Person
  readonly browser?: TestBrowser
}

async function redeem(client: RegisteredApp, { scope, person, browser }: SignIn, path = TOKEN): Promise<Answer> {
  const { verifier, challenge } = pkcePair()
  const { code } = await obtainCode(app, {
    clientId: client.clientId,
    challenge,
    path: SIGN_IN,
    ...(scope === undefined ? {} : { more: { scope } }),
    ...(person && { person }),
    ...(browser && { browser }),
  })
  return exchange(
    app,
    {
      grant_type: 'authorization_code',
      code,
      code_verifier: verifier,
      redirect_uri: REDIRECT_URI,
      ...credentials(client),
    },
    'form',
    { path },
  )
}

async function signIn(client: RegisteredApp, what: SignIn): Promise<Tokens> {
  const answer = await redeem(client, what)
  assert.equal(answer.status, 200, answer.text)
  return answer.body
}

const refresh = (client: RegisteredApp, { refresh_token }: Tokens, scope?: string, path = TOKEN): Promise<Answer> =>
  exchange(
    app,
    { grant_type: 'refresh_token', refresh_token, ...(scope === undefined ? {} : { scope }), ...credentials(client) },
    'form',
    { path },
  )

const introspect = async (client: RegisteredApp, token: string) =>
  (await exchange(app, { token, ...credentials(client) }, 'form', { path: '/oauth/v2/introspect' })).body

/** Returns the scopes that the platform reports for a token. */
const scopeOf = async (client: RegisteredApp, token: string): Promise<string> => (await introspect(client, token)).scope

/** Opens the sign-in page with these parameters, and returns the parameters of the redirect to the app, if any. */
async function ask(client: RegisteredApp, params: Record<string, string>, browser = app.visitor()) {
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: client.clientId,
    redirect_uri: REDIRECT_URI,
    code_challenge: pkcePair().challenge,
    code_challenge_method: 'S256',
    ...params,
  })
  const { status, location, text } = await browser.get(`${SIGN_IN}?${query}`)
  return { status, text, params: location === undefined ? undefined : new URL(location).searchParams }
}

test('a token has the scopes that the app asked for, and the response says so', async () => {
  const client = await register('asks')
  const tokens = await signIn(client, { scope: 'notes  profile notes' })
  assert.equal(tokens.scope, 'profile notes')
  for (const token of [tokens.access_token, tokens.refresh_token])
    assert.equal(await scopeOf(client, token), 'profile notes')
})

test('introspection names the user only for tokens with profile, or with everything', async () => {
  const client = await register('nameless')
  for (const [scope, username] of [
    ['buckets', undefined],
    ['openid email offline_access', undefined],
    ['profile', '@avery'],
    [undefined, '@avery'],
  ] as const) {
    const tokens = await signIn(client, scope === undefined ? {} : { scope })
    for (const token of [tokens.access_token, tokens.refresh_token]) {
      const facts = await introspect(client, token)
      assert.deepEqual([facts.active, facts.username], [true, username], `${scope}`)
    }
  }
  const limited = await register('nameless-limited', ['buckets'])
  assert.equal((await introspect(limited, (await signIn(limited, {})).access_token)).username, undefined)
})

test('an app that asks for nothing, or for user, gets all that it has registered', async () => {
  const free = await register('free')
  const limited = await register('limited', ['profile', 'buckets'])
  for (const scope of [undefined, '', ' ', 'user', 'user user']) {
    const asked = scope === undefined ? {} : { scope }
    assert.equal((await signIn(free, asked)).scope, 'user')
    assert.equal((await signIn(limited, asked)).scope, 'profile buckets')
  }
  assert.equal((await signIn(free, { scope: 'user openid' })).scope, SCOPES.join(' '))
  assert.equal((await signIn(limited, { scope: 'user profile' })).scope, 'profile buckets')
})

test('a scope that is unknown or not registered is refused with invalid_scope, before the user is asked', async () => {
  const client = await register('curious', ['profile', 'buckets'])
  const words = Array.from({ length: 200 }, () => 'profile').join(' ')
  for (const scope of [
    'notes',
    'profile notes',
    'Profile',
    'email',
    'user notes',
    'profile\tbuckets',
    'profile\nbuckets',
    'profile\u0001',
    'profile,buckets',
    '__proto__',
    'constructor',
    words,
  ]) {
    const { params } = await ask(client, { scope, state: 's1' })
    assert.equal(params?.get('error'), 'invalid_scope', scope)
    assert.equal(params.get('state'), 's1')
    // RFC 6749 §4.1.2.1 limits the characters of the description.
    assert.match(params.get('error_description')!, /^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/)
  }
  // The server accepts no NUL in any field, and no field of this length.
  assert.equal((await ask(client, { scope: 'profile\u0000' })).status, 400)
  assert.equal((await ask(client, { scope: Array.from({ length: 10_000 }, () => 'profile').join(' ') })).status, 400)
  assert.equal((await ask(client, { scope: `profile${' '.repeat(900)}` })).status, 200)
})

test('the old dialect ignores scope', async () => {
  const client = await register('veteran', ['profile', 'buckets'], { isPkceRequired: false })
  const { code } = await obtainCode(app, { clientId: client.clientId, more: { scope: 'nonsense profile' } })
  const { body } = await exchange(app, { grant_type: 'authorization_code', code, ...credentials(client) })
  assert.deepEqual(Object.keys(body), ['access_token', 'refresh_token', 'expires_in', 'token_type'])
  assert.equal(await scopeOf(client, body.access_token), 'profile buckets')
  const next = await refresh(client, body, 'nonsense', '/oauth/token')
  assert.equal(next.status, 200, next.text)
  assert.equal(await scopeOf(client, next.body.access_token), 'profile buckets')
})

test('a code that was issued for scopes is not redeemed at the old dialect, which cannot say what was granted', async () => {
  const client = await register('mixer')
  const answer = await redeem(client, { scope: 'openid profile' }, '/oauth/token')
  assert.equal(answer.status, 400, answer.text)
  assert.equal(answer.body.error, 'invalid_grant')
})

test('a refresh may ask for fewer scopes, never for more', async () => {
  const client = await register('modest', ['profile', 'buckets', 'notes'])
  const first = await signIn(client, { scope: 'profile buckets' })
  for (const more of ['notes', 'profile notes', 'user notes', 'email', 'profile\u0001'])
    assertRfcError(await refresh(client, first, more), 400, 'invalid_scope', 4003)

  // The refused requests did not use up the refresh token.
  const fewer = await refresh(client, first, 'profile')
  assert.equal(fewer.body.scope, 'profile', fewer.text)
  assert.equal(await scopeOf(client, fewer.body.access_token), 'profile')
  // A repeat gets the same token, and therefore the same scopes.
  const again = await refresh(client, first, 'buckets')
  assert.deepEqual(again.body, fewer.body)

  // The refresh token keeps the scopes of the session (RFC 6749 §6).
  assert.equal(await scopeOf(client, fewer.body.refresh_token), 'profile buckets')
  const all = await refresh(client, fewer.body)
  assert.equal(all.body.scope, 'profile buckets')
  const alias = await refresh(client, all.body, 'user')
  assert.equal(alias.body.scope, 'profile buckets')
})

test('a refresh cannot ask for what the app has not registered, even if the session asked for everything', async () => {
  const client = await register('narrow', ['profile'])
  const tokens = await signIn(client, {})
  assertRfcError(await refresh(client, tokens, 'notes'), 400, 'invalid_scope', 4003)
  assert.equal((await refresh(client, tokens, 'profile')).body.scope, 'profile')
})

test('a session of which the app has dropped every scope ends at the next refresh, with invalid_grant', async () => {
  const client = await register('shrinking', ['openid', 'offline_access', 'profile'])
  const tokens = await signIn(client, { scope: 'openid offline_access' })
  const other = await signIn(client, { scope: 'profile' })
  const lost = await signIn(client, { scope: 'openid offline_access' })
  await refresh(client, lost)
  await setScopes(client, ['profile'])
  const answer = await refresh(client, tokens)
  assertRfcError(answer, 400, 'invalid_grant', 4034)
  assert.ok(!('scope' in answer.body), answer.text)
  // A repeat of a refresh whose response was lost is refused, too.
  assertRfcError(await refresh(client, lost), 400, 'invalid_grant', 4034)
  assert.equal((await refresh(client, other)).body.scope, 'profile')
  await setScopes(client, ['openid', 'offline_access', 'profile'])
  assertRfcError(await refresh(client, tokens), 400, 'invalid_grant', 4034)
  assert.equal((await introspect(client, tokens.access_token)).active, false)
})

test('parallel refreshes for different scopes give one token with one list', async () => {
  const client = await register('parallel')
  const tokens = await signIn(client, { scope: 'profile buckets' })
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, i) => refresh(client, tokens, i % 2 === 0 ? 'profile' : 'buckets')),
  )
  assert.equal(new Set(answers.map(({ text }) => text)).size, 1)
  const { access_token: token, scope } = answers[0]!.body
  assert.equal(await scopeOf(client, token), scope)
})

test('a device gets the scopes that it asked for', async () => {
  const client = await register('screen', ['profile', 'buckets'], { isDeviceEnabled: true })
  const start = (scope: string) => exchange(app, { scope, ...credentials(client) }, 'form', { path: AUTHORIZE })
  for (const scope of ['notes', 'profile notes', 'profile\tbuckets', 'x'.repeat(1001)])
    assertRfcError(await start(scope), 400, 'invalid_scope', 4003)
  const { body } = await start('profile')
  const browser = app.visitor()
  await obtainCode(app, {
    clientId: (await register('helper')).clientId,
    browser,
    path: SIGN_IN,
    challenge: pkcePair().challenge,
  })
  await decide(browser, body, 'allow')
  // The device cannot ask for more than the person saw.
  const answer = await exchange(
    app,
    { grant_type: GRANT, device_code: body.device_code, scope: 'profile buckets', ...credentials(client) },
    'form',
    { path: TOKEN },
  )
  assert.equal(answer.body.scope, 'profile', answer.text)
})

test('a person is asked again only for scopes that they have not allowed', async () => {
  const client = await register('growing', ['profile', 'buckets', 'notes'])
  const browser = app.visitor()
  await signIn(client, { scope: 'profile buckets', browser })
  assert.ok((await ask(client, { scope: 'buckets' }, browser)).params?.has('code'))
  for (const scope of ['notes', 'profile notes', 'user']) {
    const { status, params } = await ask(client, { scope }, browser)
    assert.equal(status, 200)
    assert.equal(params, undefined)
    const silent = await ask(client, { scope, prompt: 'none' }, browser)
    assert.equal(silent.params?.get('error'), 'consent_required')
  }
  await signIn(client, { scope: 'notes', browser })
  assert.ok((await ask(client, { scope: 'profile buckets notes' }, browser)).params?.has('code'))
  // All that the app has registered has been allowed, so nothing is new.
  assert.ok((await ask(client, {}, browser)).params?.has('code'))
})

test('a session keeps the scopes that it asked for when the person allows more in another tab', async () => {
  const client = await register('tabs')
  const browser = app.visitor()
  const few = await signIn(client, { scope: 'profile', browser })
  const many = await signIn(client, { scope: 'profile notes', browser })
  assert.equal(await scopeOf(client, many.access_token), 'profile notes')
  assert.equal(await scopeOf(client, few.access_token), 'profile')
  assertRfcError(await refresh(client, few, 'notes'), 400, 'invalid_scope', 4003)
  assert.equal((await refresh(client, few)).body.scope, 'profile')
})

test('an app that registers more gets no more until the person was asked', async () => {
  const client = await register('widening', ['profile'])
  const browser = app.visitor()
  const tokens = await signIn(client, { browser })
  await app.sql(`update apps set scopes = '{profile,notes}' where client_id = '${client.clientId}'`)
  assert.equal(await scopeOf(client, tokens.access_token), 'profile')
  assert.equal((await ask(client, {}, browser)).params, undefined)
  assert.equal((await signIn(client, { browser })).scope, 'profile notes')
})

test('the consent form allows exactly what its page showed', async () => {
  const client = await register('sly', ['profile', 'notes'])
  const browser = app.visitor()
  await signIn(client, { scope: 'profile', browser })
  const query = (scope: string) =>
    new URLSearchParams({
      response_type: 'code',
      client_id: client.clientId,
      redirect_uri: REDIRECT_URI,
      scope,
      code_challenge: pkcePair().challenge,
      code_challenge_method: 'S256',
      prompt: 'consent',
    })
  const page = await browser.get(`${SIGN_IN}?${query('profile')}`)
  const csrf = /name="csrf_token" value="([^"]*)"/.exec(page.text)![1]!
  const answer = await browser.post(`/oauth/v2/consent?${query('profile notes')}`, {
    decision: 'allow',
    csrf_token: csrf,
  })
  assert.equal(answer.status, 403)
  const [row] = await app.sql(
    `select u.scopes from app_users u join apps a on a.id = u.app_id where client_id = '${client.clientId}'`,
  )
  assert.deepEqual(row?.scopes, ['profile'])
})

const setScopes = (client: RegisteredApp, scopes: readonly string[]) =>
  app.sql(`update apps set scopes = '{${scopes}}' where client_id = '${client.clientId}'`)

/** The scopes that are stored as allowed; undefined if the person has not allowed the app. */
const allowedScopes = async (client: RegisteredApp): Promise<unknown> =>
  (
    await app.sql(
      `select u.scopes from app_users u join apps a on a.id = u.app_id where client_id = '${client.clientId}'`,
    )
  )[0]?.scopes

/**
 * Submits the form of a page that lists the scope `profile` alone, in the middle of which the app registers `notes`
 * as well: the transaction that records the consent waits for the person, whom another one has locked.
 */
async function submitWhileWidening(client: RegisteredApp, submit: () => Promise<Seen>): Promise<Seen> {
  const other = new pg.Client(app.connection)
  await other.connect()
  try {
    await other.query(
      `begin; set local search_path to gs_production; select from people where handle_key = 'avery' for update`,
    )
    const answer = submit()
    await until('the consent waits', async () => {
      const { rowCount } = await other.query("select from pg_stat_activity where wait_event_type = 'Lock'")
      return rowCount! > 0
    })
    await other.query(`update apps set scopes = '{profile,notes}' where client_id = '${client.clientId}'; commit`)
    return await answer
  } finally {
    await other.end()
  }
}

for (const path of ['/oauth/signin', SIGN_IN])
  test(`${path} without scope: the form allows what its page listed, whatever the app registers meanwhile`, async () => {
    const name = `shown${path.replaceAll('/', '-')}`
    const browser = app.visitor()
    await signIn(await register(`${name}-door`), { browser })
    const { challenge } = pkcePair()
    const query = (client: RegisteredApp) =>
      new URLSearchParams({
        response_type: 'code',
        client_id: client.clientId,
        redirect_uri: REDIRECT_URI,
        code_challenge: challenge,
        code_challenge_method: 'S256',
      })
    const client = await register(name, ['profile'])
    const page = await browser.get(`${path}?${query(client)}`)
    assert.ok(!page.text.includes(SCOPE_WORDS.notes), page.text)
    await setScopes(client, ['profile', 'notes'])
    const again = await browser.submit(page, { decision: 'allow' })
    assert.equal(again.status, 403, again.text)
    assert.ok(again.text.includes('This page had expired.') && again.text.includes(SCOPE_WORDS.notes), again.text)
    assert.equal(await allowedScopes(client), undefined)
    const done = await browser.submit(again, { decision: 'allow' })
    assert.ok(new URL(done.location!).searchParams.has('code'), done.text)
    assert.deepEqual(await allowedScopes(client), ['profile', 'notes'])

    const racing = await register(`${name}-racing`, ['profile'])
    const shown = await browser.get(`${path}?${query(racing)}`)
    const next = await submitWhileWidening(racing, () => browser.submit(shown, { decision: 'allow' }))
    assert.deepEqual(await allowedScopes(racing), ['profile'])
    assert.deepEqual([next.status, next.location], [403, undefined])
    assert.ok(next.text.includes(SCOPE_WORDS.notes), next.text)
  })

test('a device without scope: the form allows what its page listed, whatever the app registers meanwhile', async () => {
  const browser = app.visitor()
  await signIn(await register('shown-device-door'), { browser })
  const show = async (key: string) => {
    const client = await register(key, ['profile'], { isDeviceEnabled: true })
    const { body } = await exchange(app, credentials(client), 'form', { path: AUTHORIZE })
    const page = await browser.submit(await browser.get('/device'), { user_code: body.user_code })
    const poll = async () =>
      (
        await exchange(app, { grant_type: GRANT, device_code: body.device_code, ...credentials(client) }, 'form', {
          path: TOKEN,
        })
      ).body
    return { client, page, poll }
  }
  const { client, page, poll } = await show('shown-device')
  await setScopes(client, ['profile', 'notes'])
  const [form] = formsOf(page.text)
  const forged = await browser.post(form!.action, { ...form!.hidden, shown: 'profile notes', decision: 'allow' })
  assert.equal(forged.status, 403)
  const again = await browser.submit(page, { decision: 'allow' })
  assert.equal(again.status, 403, again.text)
  assert.ok(again.text.includes('The app has changed what it asks for.') && again.text.includes(SCOPE_WORDS.notes))
  assert.equal(await allowedScopes(client), undefined)
  assert.equal((await poll()).error, 'authorization_pending')
  assert.equal((await browser.submit(again, { decision: 'allow' })).status, 303)
  assert.deepEqual(await allowedScopes(client), ['profile', 'notes'])
  app.advance(5_000)
  assert.equal((await poll()).scope, 'profile notes')

  const racing = await show('shown-device-racing')
  const done = await submitWhileWidening(racing.client, () => browser.submit(racing.page, { decision: 'allow' }))
  assert.equal(done.status, 303, done.text)
  assert.deepEqual(await allowedScopes(racing.client), ['profile'])
  assert.equal((await racing.poll()).scope, 'profile')
})

test('two consents at the same moment add up', async () => {
  const client = await register('both', ['profile', 'notes', 'buckets'])
  const [one, other] = [app.visitor(), app.visitor()]
  await signIn(client, { scope: 'profile', browser: one })
  await signIn(client, { scope: 'profile', browser: other })
  await Promise.all([
    signIn(client, { scope: 'notes', browser: one }),
    signIn(client, { scope: 'buckets', browser: other }),
  ])
  assert.ok((await ask(client, { scope: 'profile notes buckets' }, one)).params?.has('code'))
})

test('the consent page says each requested scope in words, and which of them are new', async () => {
  const client = await register('wordy', ['profile', 'notes', 'statements'])
  const browser = app.visitor()
  await signIn(await register('wordy-door'), { browser })
  const first = await ask(client, { scope: 'profile notes' }, browser)
  assert.ok(first.text.includes('It asks to:</p>'), first.text)
  for (const scope of ['profile', 'notes'] as const) assert.ok(first.text.includes(SCOPE_WORDS[scope]), scope)
  assert.ok(!first.text.includes(SCOPE_WORDS.statements))
  assert.ok(!first.text.includes('already allowed'))
  await signIn(client, { scope: 'profile notes', browser })
  const next = await ask(client, { scope: 'profile statements' }, browser)
  const [added, known] = next.text.split('already allowed')
  assert.ok(added!.includes(SCOPE_WORDS.statements) && !added!.includes(SCOPE_WORDS.profile), next.text)
  assert.ok(known!.includes(SCOPE_WORDS.profile) && !known!.includes(SCOPE_WORDS.statements))
  const again = await ask(client, { scope: 'profile', prompt: 'consent' }, browser)
  assert.ok(!again.text.includes('It asks to:') && again.text.includes(SCOPE_WORDS.profile), again.text)
})

test('the page of an app that asks for everything lists every scope, as if each had been asked for', async () => {
  const browser = app.visitor()
  await signIn(await register('classic-door'), { browser })
  const lines = SCOPES.map((scope) => `<li>${SCOPE_WORDS[scope]}</li>`).join('')
  for (const [key, params] of [
    ['classic', {}],
    ['classic-user', { scope: 'user' }],
    ['classic-all', { scope: SCOPES.join(' ') }],
  ] as const) {
    const { text } = await ask(await register(key), params, browser)
    assert.ok(text.includes(`<bdi>@avery</bdi>. It asks to:</p>\n<ul>${lines}</ul>`), text)
  }
})

test('with openid, only offline_access gives a refresh token', async () => {
  const client = await register('oidc')
  const keys = async (scope: string | undefined) =>
    Object.keys(await signIn(client, scope === undefined ? {} : { scope })).includes('refresh_token')
  assert.equal(await keys('openid'), false)
  assert.equal(await keys('openid profile'), false)
  assert.equal(await keys('openid offline_access'), true)
  assert.equal(await keys('profile'), true)
  assert.equal(await keys(undefined), true)

  // A refresh for fewer scopes returns a refresh token with all scopes of the session.
  const session = await signIn(client, { scope: 'openid profile offline_access' })
  const fewer = await refresh(client, session, 'openid')
  assert.equal(fewer.body.scope, 'openid')
  assert.equal((await refresh(client, fewer.body)).body.scope, 'openid profile offline_access')
})
