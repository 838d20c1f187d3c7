import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import { call, signInBrowser } from '../../../src/apps/account/testing.ts'
import { readText, run } from '../../../src/kernel/imports/testing.ts'
import { collectProblems, noChromium, openChromium } from '../../../src/operations/testing/chromium.ts'
import { sharedApp } from '../../../src/operations/testing/testing.ts'
import { enterAs, look } from '../../testing.ts'

const app = await sharedApp({ RATE_ADDRESS_BURST: '100000' }, { withSandbox: true })
const { url: address } = app.environment()
const demo = JSON.parse(readText('demo/demo.json').replaceAll('http://localhost:4000/', `${address}/`))
await run(app, demo)

test('an app of the sandbox is registered in production with what it has there, and waits for approval', {
  skip: noChromium,
}, async (t) => {
  const callback = 'https://log.example.org/callback?a=1&b=2'
  const fields = { organisation: 'northwind', name: 'Log & <b>book</b>', redirectUris: [callback], launchUri: callback }
  const drew = await signInBrowser(app, 'drew', 'sandbox')
  const key = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' })
  const openId = {
    scopes: ['openid', 'notes'],
    postLogoutRedirectUris: ['https://log.example.org/out'],
    backchannelLogoutUri: 'https://log.example.org/backchannel',
    backchannelLogoutSessionRequired: true,
    publicKeys: JSON.stringify({ ...key, kid: 'key & 1' }),
    tokenEndpointAuthMethod: 'private_key_jwt',
    idTokenAlgorithm: 'EdDSA',
  }
  const made = await call(drew, 'PUT', '/app/v1/app', { ...fields, ...openId, key: 'log' })
  assert.equal(made.status, 200, made.text)

  const page = await openChromium(t)
  const sandbox = app.environment('sandbox').url
  await page
    .context()
    .addCookies([...drew.cookies].map(([name, value]) => ({ name, value, url: sandbox, httpOnly: true })))
  await page.goto(`${sandbox}/console/apps/gs-sbx-log`)
  const target = await page.getByRole('link', { name: 'Create in production' }).getAttribute('href')
  assert.ok(target!.startsWith(`${app.environment().config.BASE_URL}/console/apps/new?`), target!)
  await look(page)

  const problems = collectProblems(page)
  await enterAs(page, address, 'Drew', `/console/apps/new?${target!.split('?', 2)[1]}`)
  await page.getByText('From the sandbox to production').waitFor()
  assert.equal(await page.getByLabel('Name').inputValue(), fields.name)
  assert.equal(await page.getByLabel('Redirect URLs').inputValue(), callback)
  assert.equal(await page.getByLabel('Launch URL').inputValue(), callback)
  await look(page)
  await page.getByRole('button', { name: 'Create app', exact: true }).click()
  // It has no secret to be saved, because it proves itself with its key.
  await page.getByText('Waiting for approval').first().waitFor()
  await page.getByText('Confidential client (private key)').waitFor()
  const [clientId] = new URL(page.url()).pathname.split('/').slice(-1)
  const copy = await call(await signInBrowser(app, 'drew'), 'GET', `/app/v1/app?clientId=${clientId}`)
  assert.deepEqual(Object.fromEntries(Object.keys(openId).map((name) => [name, copy.body[name]])), {
    ...openId,
    publicKeys: [{ ...key, kid: 'key & 1' }],
  })
  assert.deepEqual(await app.sql(`select status, launch_uri from apps where name like 'Log &%'`), [
    { status: 'pending', launch_uri: callback },
  ])
  // Invalid values in the URL are ignored.
  const wrong = new URLSearchParams({
    redirects: '[{"x":1}]',
    public: 'maybe',
    keys: '[1]',
    method: 'none',
    algorithm: 'HS256',
  })
  await page.goto(`${address}/console/apps/new?${wrong}`)
  await page.getByLabel('Redirect URLs').waitFor()
  assert.equal(await page.getByLabel('Redirect URLs').inputValue(), '')
  assert.equal(await page.getByText('Public keys').count(), 0)
  assert.deepEqual(problems, [])
})
