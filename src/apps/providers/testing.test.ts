import assert from 'node:assert/strict'
import { Resolver } from 'node:dns/promises'
import { test } from 'node:test'
import * as openid from 'openid-client'
import { TestBrowser } from '../../operations/testing/browser.ts'
import { cancelAt, signInAt, signOutAt, startProvider } from './testing.ts'
import { startDns } from './testing-dns.ts'

const CALLBACK = 'http://127.0.0.1:1/callback'
const DONE = 'http://127.0.0.1:1/done'

for (const hasClaimsInIdToken of [true, false])
  test(`the test provider signs a person in, and out again, with claims in the ID token: ${hasClaimsInIdToken}`, async (t) => {
    const provider = await startProvider(t, {
      redirectUris: [CALLBACK],
      postLogoutRedirectUris: [DONE],
      accounts: { kim: { email: 'kim@example.org', email_verified: true, name: 'Kim Lee', groups: ['staff'] } },
      hasClaimsInIdToken,
    })
    const config = await openid.discovery(
      new URL(provider.issuer),
      provider.clientId,
      provider.clientSecret,
      undefined,
      { execute: [openid.allowInsecureRequests] },
    )
    const pkceCodeVerifier = openid.randomPKCECodeVerifier()
    const checks = { pkceCodeVerifier, expectedNonce: openid.randomNonce(), expectedState: openid.randomState() }
    const address = openid.buildAuthorizationUrl(config, {
      redirect_uri: CALLBACK,
      scope: 'openid profile email',
      code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
      nonce: checks.expectedNonce,
      state: checks.expectedState,
    })
    const browser = new TestBrowser('http://127.0.0.1:1')
    assert.equal((await cancelAt(browser, address.href)).searchParams.get('error'), 'access_denied')
    const tokens = await openid.authorizationCodeGrant(config, await signInAt(browser, address.href, 'kim'), checks)
    const claims = tokens.claims()!
    assert.equal(claims.sub, 'kim')
    assert.deepEqual(claims.groups, hasClaimsInIdToken ? ['staff'] : undefined)
    const info = await openid.fetchUserInfo(config, tokens.access_token, 'kim')
    assert.deepEqual([info.email, info.email_verified, info.name], ['kim@example.org', true, 'Kim Lee'])
    const away = openid.buildEndSessionUrl(config, {
      id_token_hint: tokens.id_token!,
      post_logout_redirect_uri: DONE,
      state: 'xyz',
    })
    assert.equal((await signOutAt(browser, away.href)).href, `${DONE}?state=xyz`)
  })

test('the DNS server answers, and fails when it is told to', async (t) => {
  const dns = await startDns(t, {
    'example.org': { TXT: ['v=spf1 -all', 'x'.repeat(300)], A: ['192.0.2.1'], AAAA: ['2001:db8::1', '::1'] },
  })
  dns.names.set('down.example.org', 'fails').set('silent.example.org', 'silent')
  const resolver = new Resolver({ timeout: 100, tries: 1 })
  resolver.setServers([dns.address])
  assert.deepEqual(
    (await resolver.resolveTxt('Example.org')).map((parts) => parts.join('')),
    ['v=spf1 -all', 'x'.repeat(300)],
  )
  assert.deepEqual(await resolver.resolve4('example.org'), ['192.0.2.1'])
  assert.deepEqual(await resolver.resolve6('example.org'), ['2001:db8::1', '::1'])
  const codeOf = (name: string) => resolver.resolveTxt(name).catch(({ code }) => code)
  assert.equal(await codeOf('nobody.example.org'), 'ENOTFOUND')
  assert.equal(await codeOf('down.example.org'), 'ESERVFAIL')
  assert.equal(await codeOf('silent.example.org'), 'ETIMEOUT')
  dns.names.set('empty.example.org', {})
  assert.equal(await codeOf('empty.example.org'), 'ENODATA')
  assert.equal(dns.asked[0], 'TXT example.org')
})
