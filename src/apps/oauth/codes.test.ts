import assert from 'node:assert/strict'
import { test } from 'node:test'
import { messagePolicy } from '../../kernel/messages/messages.ts'
import { FORGETTING } from '../../operations/platform/forgetting.ts'
import { size } from '../../operations/testing/sizes.ts'
import { type TestApp, testApp } from '../../operations/testing/testing.ts'
import { secretKeys } from '../apps/secrets.ts'
import {
  assertOauthError,
  exchange,
  type FieldFormat,
  obtainCode,
  pkcePair,
  REDIRECT_URI,
  type RegisteredApp,
  registerApp,
} from './testing.ts'

const NO_LIMITS = {
  RATE_ADDRESS_PER_SECOND: '100000',
  RATE_ADDRESS_BURST: '1000000',
  RATE_CLIENT_PER_SECOND: '100000',
  RATE_CLIENT_BURST: '1000000',
}

const fieldsOf = ({ clientId, secret }: RegisteredApp, code: string, more: Record<string, string> = {}) => ({
  grant_type: 'authorization_code',
  code,
  client_id: clientId,
  ...(secret === '' ? {} : { client_secret: secret }),
  ...more,
})

/** Registers an old app, for which PKCE is not required, and a new one. */
const registerBoth = async (app: TestApp) => ({
  old: await registerApp(app, { key: 'old', isPkceRequired: false }),
  fresh: await registerApp(app, { key: 'fresh' }),
})

const holds = async (app: TestApp, accessToken: string): Promise<boolean> =>
  (await app.nobody().get('/oauth/token/validate', {}, { authorization: `Bearer ${accessToken}` })).status === 200

const ROUNDS = size(200)

test(`O1: of ten requests that redeem one code at once exactly one succeeds, ${ROUNDS} times over`, async (t) => {
  const app = await testApp(t, NO_LIMITS)
  const { old } = await registerBoth(app)
  const { browser } = await obtainCode(app, { clientId: old.clientId })
  for (let round = 0; round < ROUNDS; round++) {
    const { code } = await obtainCode(app, { clientId: old.clientId, browser })
    const answers = await Promise.all(Array.from({ length: 10 }, () => exchange(app, fieldsOf(old, code))))
    const refused = answers.filter(({ status }) => status !== 200)
    assert.equal(refused.length, 9)
    for (const { status, body } of refused) assert.deepEqual([status, body.error_code], [400, 4008])
  }
  const [count] = await app.sql(`select count(*)::int as opened, count(ended_at)::int as ended from sessions`)
  assert.deepEqual(count, { opened: ROUNDS, ended: ROUNDS }, 'one session for each code, ended by its second use')
})

test('a code', async (t) => {
  const app = await testApp(t, NO_LIMITS, { withSandbox: true })
  const { old, fresh } = await registerBoth(app)
  const { browser } = await obtainCode(app, { clientId: old.clientId })

  await t.test('becomes exactly the four fields of the interface, and headers of both spellings', async () => {
    const { code } = await obtainCode(app, { clientId: old.clientId, browser })
    const answer = await exchange(app, fieldsOf(old, code), 'query')
    assert.equal(answer.status, 200, answer.text)
    assert.deepEqual(Object.keys(answer.body), ['access_token', 'refresh_token', 'expires_in', 'token_type'])
    assert.deepEqual([answer.body.expires_in, answer.body.token_type], ['1d', 'Bearer'])
    for (const name of ['access_token', 'accesstoken']) assert.equal(answer.headers.get(name), answer.body.access_token)
    for (const name of ['refresh_token', 'refreshtoken'])
      assert.equal(answer.headers.get(name), answer.body.refresh_token)
    assert.equal(answer.headers.get('cache-control'), 'no-store')
    assert.match(answer.body.access_token, /^gs_at_/)
    assert.match(answer.body.refresh_token, /^gs_rt_/)
    assert.ok(await holds(app, answer.body.access_token))
  })

  await t.test('is redeemed in the query, in JSON and in a form, with or without a content type', async () => {
    const ways: [FieldFormat, Record<string, string>][] = [
      ['query', {}],
      ['query', { 'content-type': 'application/json' }],
      ['query', { 'content-type': 'application/x-www-form-urlencoded' }],
      ['json', {}],
      ['form', {}],
    ]
    for (const [way, headers] of ways) {
      const { verifier, challenge } = pkcePair()
      const { code } = await obtainCode(app, { clientId: fresh.clientId, browser, challenge })
      const more = { code_verifier: verifier, redirect_uri: REDIRECT_URI }
      const answer = await exchange(app, fieldsOf(fresh, code, more), way, { headers })
      assert.equal(answer.status, 200, `${way} ${JSON.stringify(headers)} ${answer.text}`)
      const refresh = { ...fieldsOf(fresh, ''), grant_type: 'refresh_token', refresh_token: answer.body.refresh_token }
      const refreshed = await exchange(app, { ...refresh, code: '' }, way, { headers })
      assert.equal(refreshed.status, 200, `${way} ${refreshed.text}`)
      const out = await exchange(app, { refresh_token: refreshed.body.refresh_token }, way, {
        path: '/oauth/logout',
        headers,
      })
      assert.deepEqual(out.body, { success: true })
    }
  })

  await t.test('O2: that is replayed by its own client is 4008, and the tokens it gave are dead', async () => {
    const { code } = await obtainCode(app, { clientId: old.clientId, browser })
    const first = await exchange(app, fieldsOf(old, code))
    const refreshed = await exchange(app, {
      ...fieldsOf(old, ''),
      code: '',
      grant_type: 'refresh_token',
      refresh_token: first.body.refresh_token,
    })
    assert.equal(refreshed.status, 200)
    assertOauthError(await exchange(app, fieldsOf(old, code)), 400, 4008, 'invalid_grant')
    assert.equal(await holds(app, first.body.access_token), false)
    assert.equal(await holds(app, refreshed.body.access_token), false)
    const [audit] = await app.sql(
      `select detail->>'reason' as reason from audit_entries where action = 'session.ended' order by id desc limit 1`,
    )
    assert.deepEqual(audit, { reason: 'code used twice' })
  })

  await t.test(
    'O2: that another client tries, used or not, is unknown to it and leaves the session alone',
    async () => {
      const { code } = await obtainCode(app, { clientId: old.clientId, browser })
      assertOauthError(await exchange(app, fieldsOf(fresh, code)), 401, 4015, 'invalid_grant')
      const first = await exchange(app, fieldsOf(old, code))
      assert.equal(first.status, 200)
      assertOauthError(await exchange(app, fieldsOf(fresh, code)), 401, 4015, 'invalid_grant')
      assert.ok(await holds(app, first.body.access_token))
    },
  )

  await t.test('O3: of one app with the secret of another is refused', async () => {
    const { code } = await obtainCode(app, { clientId: old.clientId, browser })
    const mixed = { ...fieldsOf(old, code), client_secret: fresh.secret }
    assertOauthError(await exchange(app, mixed), 401, 4011, 'invalid_client')
    assert.equal((await exchange(app, fieldsOf(old, code))).status, 200, 'and is still good for its own')
  })

  await t.test('that is unknown, malformed or of another kind is 4015', async () => {
    const { code } = await obtainCode(app, { clientId: old.clientId, browser })
    for (const wrong of ['x', `${code}x`, code.slice(0, -1), code.replace('gs_ac_', 'gs_at_'), code.toUpperCase()])
      assertOauthError(await exchange(app, fieldsOf(old, wrong)), 401, 4015, 'invalid_grant')
  })

  await t.test('O14: of the other environment is refused, and says why', async () => {
    const there = await registerApp(app, { key: 'old', isPkceRequired: false }, 'sandbox')
    const { code } = await obtainCode(app, { clientId: there.clientId, environment: 'sandbox' })
    const answer = await exchange(app, fieldsOf(old, code))
    assertOauthError(answer, 401, 4015, 'invalid_grant')
    assert.match(answer.body.error_description, /^This code was issued by the sandbox environment; this is production$/)
  })

  await t.test('with a wrong verifier is recorded in the audit log', async () => {
    const { code } = await obtainCode(app, { clientId: fresh.clientId, browser, challenge: pkcePair().challenge })
    await exchange(app, fieldsOf(fresh, code, { code_verifier: pkcePair().verifier }))
    const [entry] = await app.sql(
      `select action, detail->>'reason' as reason from audit_entries order by id desc limit 1`,
    )
    assert.equal(entry!.action, 'code.refused')
    assert.match(String(entry!.reason), /code_verifier/)
    app.advance(61_000)
    const late = await exchange(app, fieldsOf(fresh, code, { code_verifier: pkcePair().verifier }))
    assertOauthError(late, 401, 4015, 'invalid_grant')
    assert.equal((await app.sql(`select 1 from audit_entries where action = 'code.refused'`)).length, 1)
  })

  await t.test('O3: is valid for 60 seconds', async () => {
    const { code } = await obtainCode(app, { clientId: old.clientId, browser })
    app.advance(61_000)
    assertOauthError(await exchange(app, fieldsOf(old, code)), 401, 4015, 'invalid_grant')
  })
})

test('unredeemed codes do not pile up', async (t) => {
  const app = await testApp(t, NO_LIMITS)
  const { old, fresh } = await registerBoth(app)
  const { browser } = await obtainCode(app, { clientId: old.clientId })
  const mint = async () => {
    app.advance(10)
    return (await obtainCode(app, { clientId: old.clientId, browser })).code
  }
  const countOpen = async () =>
    (
      await app.sql(`select 1 from authorization_codes c join apps a on a.id = c.app_id
                     where a.client_id = '${old.clientId}' and used_at is null`)
    ).length
  const statusOf = async (code: string) => (await exchange(app, fieldsOf(old, code))).status

  await t.test('one more than ten ends the oldest, and the others hold', async () => {
    const codes: string[] = []
    for (let i = 0; i < 15; i++) codes.push(await mint())
    assert.equal(await countOpen(), 10)
    assertOauthError(await exchange(app, fieldsOf(old, codes[4]!)), 401, 4015, 'invalid_grant')
    for (const code of codes.slice(5)) assert.equal(await statusOf(code), 200)
    assert.equal(await countOpen(), 0)
  })

  await t.test('nor do those that have expired; another app and another person lose nothing', async () => {
    const challenge = pkcePair()
    const elsewhere = await obtainCode(app, { clientId: fresh.clientId, challenge: challenge.challenge, browser })
    const { code } = await obtainCode(app, { clientId: old.clientId, person: 'blake' })
    for (let i = 0; i < 12; i++) await mint()
    assert.equal(await countOpen(), 11)
    assert.equal(await statusOf(code), 200)
    const proof = { code_verifier: challenge.verifier }
    assert.equal((await exchange(app, fieldsOf(fresh, elsewhere.code, proof))).status, 200)
    app.advance(120_000)
    for (let i = 0; i < 12; i++) await mint()
    assert.equal(await countOpen(), 10)
  })

  await t.test('nor if they are requested and redeemed in parallel', async () => {
    const answers = await Promise.all(
      Array.from({ length: 60 }, async () => {
        const { code } = await obtainCode(app, { clientId: old.clientId, browser })
        return statusOf(code)
      }),
    )
    // Which codes can still be redeemed is up to chance. A code is refused only because newer codes have replaced it
    // (401).
    assert.deepEqual(
      [...new Set(answers)].filter((status) => status !== 200 && status !== 401),
      [],
    )
    await mint()
    assert.ok((await countOpen()) <= 10)
  })
})

test('O6: PKCE', async (t) => {
  const app = await testApp(t, NO_LIMITS)
  const { old, fresh } = await registerBoth(app)
  const open = await registerApp(app, { key: 'open', isPublic: true })
  const { browser } = await obtainCode(app, { clientId: old.clientId })
  const { verifier, challenge } = pkcePair()

  await t.test(
    'refuses a verifier that is missing, wrong, or of the wrong length, and the code is still good',
    async () => {
      const { code } = await obtainCode(app, { clientId: fresh.clientId, browser, challenge })
      const tries = [
        undefined,
        pkcePair().verifier,
        verifier.slice(0, 42),
        verifier.repeat(3),
        `${verifier}=`,
        challenge,
      ]
      for (const wrong of tries) {
        const answer = await exchange(app, fieldsOf(fresh, code, wrong === undefined ? {} : { code_verifier: wrong }))
        assert.equal(answer.body.error, 'invalid_grant', String(wrong))
        assert.equal(answer.status, 400)
      }
      assert.equal((await exchange(app, fieldsOf(fresh, code, { code_verifier: verifier }))).status, 200)
    },
  )

  await t.test('refuses a verifier for a code without a challenge: somebody may have stripped it', async () => {
    const { code } = await obtainCode(app, { clientId: old.clientId, browser })
    assertOauthError(await exchange(app, fieldsOf(old, code, { code_verifier: verifier })), 400, 4003, 'invalid_grant')
  })

  await t.test('is needed at /oauth/v2/token, also for a code that was made without it', async () => {
    const { code } = await obtainCode(app, { clientId: old.clientId, browser })
    const fields = { ...fieldsOf(old, code), redirect_uri: REDIRECT_URI }
    const answer = await exchange(app, fields, 'form', { path: '/oauth/v2/token' })
    assert.deepEqual([answer.status, answer.body.error], [400, 'invalid_grant'], answer.text)
    assert.match(answer.body.error_description, /without PKCE/)
    assert.equal((await exchange(app, fields)).status, 200)
  })

  await t.test('takes verifiers of 43 to 128 characters', async () => {
    for (const length of [43, 128]) {
      const long = 'aA0-._~'.repeat(20).slice(0, length)
      const { hash } = await import('node:crypto')
      const { code } = await obtainCode(app, {
        clientId: fresh.clientId,
        browser,
        challenge: hash('sha256', long, 'base64url'),
      })
      assert.equal((await exchange(app, fieldsOf(fresh, code, { code_verifier: long }))).status, 200)
    }
  })

  await t.test('lets a public app in without a secret, and never with one', async () => {
    const { code } = await obtainCode(app, { clientId: open.clientId, browser, challenge })
    const fields = fieldsOf(open, code, { code_verifier: verifier })
    assertOauthError(await exchange(app, { ...fields, client_secret: old.secret }), 401, 4011, 'invalid_client')
    const answer = await exchange(app, fields)
    assert.equal(answer.status, 200, answer.text)
    const next = { grant_type: 'refresh_token', refresh_token: answer.body.refresh_token, client_id: open.clientId }
    assert.equal((await exchange(app, next)).status, 200)
  })

  await t.test('does not let a confidential app in without its secret', async () => {
    const { code } = await obtainCode(app, { clientId: fresh.clientId, browser, challenge })
    const { client_secret: _, ...fields } = fieldsOf(fresh, code, { code_verifier: verifier }) as Record<string, string>
    assertOauthError(await exchange(app, fields), 401, 4011, 'invalid_client')
  })
})

test("O11: an app's credentials", async (t) => {
  const app = await testApp(t, NO_LIMITS)
  const { old, fresh } = await registerBoth(app)
  const { browser } = await obtainCode(app, { clientId: old.clientId })
  const { code } = await obtainCode(app, { clientId: old.clientId, browser })
  const { client_secret: _, ...bare } = fieldsOf(old, code) as Record<string, string>
  const send = (query: string, body: Record<string, string>, headers: Record<string, string> = {}) =>
    app.nobody().send('POST', `/oauth/token?${query}`, {
      raw: String(new URLSearchParams(body)),
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    })

  await t.test('are refused when given twice with different values, in query, body or header', async () => {
    assertOauthError(await send('client_secret=other', fieldsOf(old, code)), 400, 4003, 'invalid_request')
    assertOauthError(await send('client_secret=a&client_secret=a', bare), 400, 4003, 'invalid_request')
    assertOauthError(
      await send('grant_type=authorization_code&grant_type=refresh_token', bare),
      400,
      4003,
      'invalid_request',
    )
    const twice = await app.nobody().send('POST', '/oauth/token', {
      raw: 'client_secret=a&client_secret=b',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
    assertOauthError(twice, 400, 4003, 'invalid_request')
    const basic = `Basic ${Buffer.from(`${old.clientId}:${old.secret}`).toString('base64')}`
    assertOauthError(await send('', fieldsOf(old, code), { authorization: basic }), 400, 4000, 'invalid_request')
    const other = `Basic ${Buffer.from(`${fresh.clientId}:${fresh.secret}`).toString('base64')}`
    assertOauthError(await send('', bare, { authorization: other }), 400, 4000, 'invalid_request')
  })

  await t.test("are refused when the secret is empty, missing, another app's or wrong", async () => {
    assertOauthError(await send('client_secret=', bare), 401, 4011, 'invalid_client')
    assertOauthError(await send('', bare), 401, 4011, 'invalid_client')
    assertOauthError(await send('', { ...bare, client_secret: fresh.secret }), 401, 4011, 'invalid_client')
    assertOauthError(await send('', { ...bare, client_secret: `${old.secret}x` }), 401, 4011, 'invalid_client')
    assertOauthError(
      await send('', { ...bare, client_id: 'gs-nobody', client_secret: 'x' }),
      401,
      4012,
      'invalid_client',
    )
  })

  await t.test('are refused in the query of the standard operations, whatever the body says', async () => {
    for (const name of ['client_secret', 'code', 'refresh_token', 'grant_type']) {
      const answer = await app.nobody().send('POST', `/oauth/v2/token?${name}=x`, {
        raw: String(new URLSearchParams(fieldsOf(old, code))),
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      })
      assert.deepEqual([answer.status, answer.body.error], [400, 'invalid_request'], answer.text)
      assert.match(answer.body.error_description, /must be in the body/)
    }
  })

  await t.test('are both valid while a secret is being replaced, and the last use of each is recorded', async () => {
    const { addAppSecret, dropOldAppSecrets } = await import('../apps/apps.ts')
    const { db, get, clock } = app.environment()
    const who = { at: clock(), requestId: 'test', address: '127.0.0.1' }
    const what = { clientId: old.clientId, environment: 'production' as const }
    const second = await addAppSecret(db, who, what, get(secretKeys))
    await assert.rejects(addAppSecret(db, who, what, get(secretKeys)), /already has 2 secrets/)
    for (const secret of [old.secret, second]) {
      const { code: next } = await obtainCode(app, { clientId: old.clientId, browser })
      assert.equal((await exchange(app, { ...fieldsOf(old, next), client_secret: secret })).status, 200)
    }
    const rows = await app.sql(
      `select last_used_at is not null as used from app_secrets s join apps a on a.id = s.app_id where client_id = '${old.clientId}'`,
    )
    assert.deepEqual(rows, [{ used: true }, { used: true }])
    await dropOldAppSecrets(db, who, { clientId: old.clientId })
    assertOauthError(await send('', { ...bare, client_secret: old.secret }), 401, 4011, 'invalid_client')
  })
})

test('a missing field of a token request is named', async (t) => {
  const app = await testApp(t)
  const { old } = await registerBoth(app)
  const { client_id, client_secret } = fieldsOf(old, '') as Record<string, string>
  const client = { client_id: client_id!, client_secret: client_secret! }
  const missing = async (fields: Record<string, string>, name: RegExp) => {
    const answer = await exchange(app, fields, 'json')
    assertOauthError(answer, 400, 4001, 'invalid_request')
    assert.match(answer.body.error_description, name)
  }
  await missing({}, /^grant_type/)
  await missing({ grant_type: 'authorization_code', ...client }, /^code/)
  await missing({ grant_type: 'refresh_token', ...client }, /^refresh_token/)
  await missing({ grant_type: 'refresh_token', refresh_token: 'x' }, /^client_id/)
  const wrong = await exchange(app, { grant_type: 'password', ...client }, 'json')
  assertOauthError(wrong, 400, 4003, 'unsupported_grant_type')
  const headed = await exchange(
    app,
    { grant_type: 'refresh_token', refresh_token: 'x', client_secret: client_secret! },
    'json',
    { headers: { clientId: old.clientId } },
  )
  assertOauthError(headed, 403, 4034, 'invalid_grant')
})

test('O15: credentials from before are worthless after', async (t) => {
  const app = await testApp(t, NO_LIMITS)
  const { old } = await registerBoth(app)
  const { changePassword, disablePerson } = await import('../../identity/people/people.ts')
  const { setAppStatus, withdrawConsent } = await import('../apps/apps.ts')
  const environment = app.environment()
  const { db } = environment
  const who = () => ({ at: environment.clock(), requestId: 'test', address: '127.0.0.1' })

  await t.test('a code, when the password was changed', async () => {
    const { code } = await obtainCode(app, { clientId: old.clientId, person: 'blake' })
    await changePassword(db, who(), { handle: '@blake', password: 'another-password' }, environment.get(messagePolicy))
    assertOauthError(await exchange(app, fieldsOf(old, code)), 401, 4015, 'invalid_grant')
  })

  await t.test('a code, when the person was disabled', async () => {
    const { code } = await obtainCode(app, { clientId: old.clientId, person: 'casey' })
    await disablePerson(db, who(), { handle: '@casey', isDisabled: true }, FORGETTING)
    assertOauthError(await exchange(app, fieldsOf(old, code)), 401, 4015, 'invalid_grant')
  })

  await t.test('a code, when consent was withdrawn, even if it was given again', async () => {
    const { code, browser } = await obtainCode(app, { clientId: old.clientId, person: 'drew' })
    const [row] = await app.sql(`select id::int from people where handle_key = 'drew'`)
    await withdrawConsent(db, who(), { clientId: old.clientId, personId: Number(row!.id) })
    assertOauthError(await exchange(app, fieldsOf(old, code)), 401, 4015, 'invalid_grant')
    const again = await obtainCode(app, { clientId: old.clientId, person: 'drew', browser })
    assertOauthError(await exchange(app, fieldsOf(old, code)), 401, 4015, 'invalid_grant')
    assert.equal((await exchange(app, fieldsOf(old, again.code))).status, 200)
  })

  await t.test('a code and a refresh token, when the app was suspended', async () => {
    const { code, browser } = await obtainCode(app, { clientId: old.clientId, person: 'ellis' })
    const { code: other } = await obtainCode(app, { clientId: old.clientId, person: 'ellis', browser })
    const tokens = await exchange(app, fieldsOf(old, other))
    await setAppStatus(db, who(), { clientId: old.clientId, status: 'suspended' })
    assertOauthError(await exchange(app, fieldsOf(old, code)), 401, 4013, 'invalid_client')
    const refresh = {
      ...fieldsOf(old, ''),
      code: '',
      grant_type: 'refresh_token',
      refresh_token: tokens.body.refresh_token,
    }
    assertOauthError(await exchange(app, refresh), 401, 4013, 'invalid_client')
  })

  await t.test('a session that is being opened while the password changes, in whatever order', async () => {
    await setAppStatus(db, who(), { clientId: old.clientId, status: 'approved' })
    for (let round = 0; round < 10; round++) {
      await app.givePassword('finley')
      const { code } = await obtainCode(app, { clientId: old.clientId, person: 'finley' })
      const [answer] = await Promise.all([
        exchange(app, fieldsOf(old, code)),
        changePassword(db, who(), { handle: '@finley', password: 'another-password' }, environment.get(messagePolicy)),
      ])
      if (answer.status === 200) assert.equal(await holds(app, answer.body.access_token), false)
      else assertOauthError(answer, 401, 4015, 'invalid_grant')
    }
  })
})
