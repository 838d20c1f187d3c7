import assert from 'node:assert/strict'
import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { decodeProtectedHeader, SignJWT } from 'jose'
import type { Page } from 'playwright-core'
import { call, signInBrowser } from '../../../src/apps/account/testing.ts'
import { pkcePair } from '../../../src/apps/oauth/testing.ts'
import { verifyIdToken } from '../../../src/apps/openid/testing.ts'
import { readText, run } from '../../../src/kernel/imports/testing.ts'
import { collectProblems, noChromium, openChromium } from '../../../src/operations/testing/chromium.ts'
import { assertError, sharedApp } from '../../../src/operations/testing/testing.ts'
import { SCOPE_WORDS } from '../../parts/consent.ts'
import { enterAs, look } from '../../testing.ts'

const app = await sharedApp({ RATE_ADDRESS_BURST: '100000' })
const { url: address } = app.environment()
await run(app, JSON.parse(readText('demo/demo.json').replaceAll('http://localhost:4000/', `${address}/`)))
const drew = await signInBrowser(app, 'drew')
const CALLBACK = `${address}/demo/callback`

/** Creates an approved app with default settings. */
async function createApp(key: string): Promise<string> {
  const fields = { organisation: 'northwind', name: key, key, redirectUris: [CALLBACK] }
  const made = await call(drew, 'PUT', '/app/v1/app', fields)
  assert.equal(made.status, 200, made.text)
  await app.sql(`update apps set status = 'approved' where client_id = '${made.body.clientId}'`)
  return made.body.clientId
}

const openSettings = (page: Page, clientId: string) =>
  enterAs(page, address, 'Drew', `/console/apps/${clientId}/settings`)

const save = async (page: Page): Promise<void> => {
  // The message of an earlier save may still be shown.
  const saved = page.waitForResponse((response) => response.url().endsWith('/app/v1/app'))
  await page.getByRole('button', { name: 'Save' }).click()
  assert.equal((await saved).status(), 200)
  await page.getByText('App saved').last().waitFor()
  await page.getByRole('button', { name: 'Save', disabled: true }).waitFor()
}

/** Opens the consent page of an app as a person who has not signed in before. */
async function openConsent(page: Page, clientId: string, challenge: string, scope?: string): Promise<void> {
  const fields = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: CALLBACK,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    ...(scope !== undefined && { scope }),
  }
  await page.goto(`${address}/oauth/v2/signin?${new URLSearchParams(fields)}`)
  if (await page.getByLabel('Password').isVisible()) {
    await page.getByLabel('Handle').fill('@avery')
    await page.getByLabel('Password').fill('groundschool')
    await page.keyboard.press('Enter')
  }
  await page.getByRole('button', { name: 'Allow' }).waitFor()
}

test('the scopes that are ticked in the console are those that the consent page asks for', {
  skip: noChromium,
}, async (t) => {
  const clientId = await createApp('ticked')
  const [developer, person] = [await openChromium(t), await openChromium(t)]
  const problems = collectProblems(developer)
  await openSettings(developer, clientId)
  const shown = async () => {
    await openConsent(person, clientId, pkcePair().challenge)
    const text = await person.locator('main').innerText()
    return Object.entries(SCOPE_WORDS).flatMap(([scope, words]) => (text.includes(words) ? [scope] : []))
  }
  for (const scope of ['profile', 'notes', 'statements']) await developer.getByLabel(scope, { exact: true }).check()
  await save(developer)
  assert.deepEqual(await shown(), ['profile', 'notes', 'statements'])
  await developer.getByLabel('notes', { exact: true }).uncheck()
  await save(developer)
  assert.deepEqual(await shown(), ['profile', 'statements'])
  await developer.reload()
  assert.equal(await developer.getByLabel('statements', { exact: true }).isChecked(), true)
  assert.equal(await developer.getByLabel('notes', { exact: true }).isChecked(), false)
  assert.deepEqual(problems, [])
})

test('an app that was set up only in the console signs in with private_key_jwt', { skip: noChromium }, async (t) => {
  const clientId = await createApp('keyed')
  const [first, second] = [generateKeyPairSync('ec', { namedCurve: 'P-256' }), generateKeyPairSync('ed25519')]
  const page = await openChromium(t)
  const problems = collectProblems(page)
  await openSettings(page, clientId)
  assert.equal(await page.getByLabel('Add public keys').count(), 0)
  await page.getByLabel('Private key (private_key_jwt)').check()
  await page.getByText('None. The app needs one').waitFor()
  await page.getByLabel('Add public keys').fill(first.publicKey.export({ format: 'pem', type: 'spki' }) as string)
  await page.getByLabel('ES256', { exact: true }).check()
  await look(page)
  await save(page)
  const keys = page.getByRole('list', { name: 'Public keys' }).getByRole('listitem')
  await keys.filter({ hasText: 'No ID, begins with' }).waitFor()

  // The next key is added beside the first, as a key set.
  const jwk = { ...second.publicKey.export({ format: 'jwk' }), kid: 'next' }
  await page.getByLabel('Add public keys').fill(JSON.stringify({ keys: [jwk] }))
  await save(page)
  await keys.filter({ hasText: 'EdDSA' }).getByText('ID next').waitFor()
  assert.equal(await keys.count(), 2)
  await look(page)

  const signIn = async (alg: string, privateKey: typeof first.privateKey) => {
    const { verifier, challenge } = pkcePair()
    const person = await openChromium(t)
    await openConsent(person, clientId, challenge, 'openid profile')
    await person.getByRole('button', { name: 'Allow' }).click()
    await person.waitForURL(`${CALLBACK}?*`)
    const now = Math.floor(app.environment().clock().getTime() / 1000)
    const assertion = await new SignJWT({
      iss: clientId,
      sub: clientId,
      aud: address,
      exp: now + 60,
      jti: randomUUID(),
    })
      .setProtectedHeader({ alg })
      .sign(privateKey)
    return app.nobody().send('POST', '/oauth/v2/token', {
      raw: String(
        new URLSearchParams({
          grant_type: 'authorization_code',
          code: new URL(person.url()).searchParams.get('code')!,
          code_verifier: verifier,
          redirect_uri: CALLBACK,
          client_assertion: assertion,
          client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
        }),
      ),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
  }
  const { status, body, text } = await signIn('ES256', first.privateKey)
  assert.equal(status, 200, text)
  assert.equal(decodeProtectedHeader(body.id_token).alg, 'ES256')
  assert.equal((await verifyIdToken(app, body.id_token, clientId)).aud, clientId)

  await page.getByRole('button', { name: /^Remove the key No ID/ }).click()
  await save(page)
  assert.equal(await keys.count(), 1)
  await app.sql('update app_users set withdrawn_at = now(), epoch = epoch + 1')
  assert.equal((await signIn('ES256', first.privateKey)).status, 401, 'the first key was removed')
  await app.sql('delete from sign_in_failures')
  await app.sql('update app_users set withdrawn_at = now(), epoch = epoch + 1')
  assert.equal((await signIn('EdDSA', second.privateKey)).status, 200)
  await page.getByRole('link', { name: 'Secrets' }).click()
  await page.getByText('client secrets don’t work').waitFor()
  assert.deepEqual(problems, [])
})

/** Returns the tables in which a text occurs, as it is or as bytes. */
async function tablesWith(text: string): Promise<string[]> {
  const tables = await app.sql(
    `select quote_ident(schemaname) || '.' || quote_ident(tablename) as name from pg_tables
      where schemaname not in ('pg_catalog', 'information_schema')`,
  )
  const found: string[] = []
  for (const { name } of tables) {
    const [row] = await app.sql(
      `select exists (select from ${name} t where t::text like '%${text}%' or t::text like '%${Buffer.from(text).toString('hex')}%') as has`,
    )
    if (row!.has) found.push(name as string)
  }
  return found
}

test('a pasted private key is refused in the browser and by the platform, and is stored nowhere', {
  skip: noChromium,
}, async (t) => {
  const clientId = await createApp('careless')
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const jwk = privateKey.export({ format: 'jwk' })
  const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }) as string
  const page = await openChromium(t)
  const sent: string[] = []
  page.on('request', (request) => {
    if (request.method() === 'POST') sent.push(request.postData() ?? '')
  })
  await openSettings(page, clientId)
  await page.getByLabel('Private key (private_key_jwt)').check()
  const paste = page.getByLabel('Add public keys')
  for (const [pasted, warning] of [
    [pem, 'This is a PRIVATE key. Nothing was sent or saved.'],
    [JSON.stringify({ keys: [jwk] }, null, 2), 'This is a PRIVATE key. Nothing was sent or saved.'],
    [JSON.stringify({ kty: 'oct', k: 'c2VjcmV0c2VjcmV0c2VjcmV0' }), 'This is a symmetric key, which is a secret.'],
  ] as const) {
    await paste.fill('')
    await paste.fill(pasted)
    await page.getByText(warning).waitFor()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText(warning).waitFor()
  }
  await look(page)
  const secret = pem.split('\n')[8]!
  assert.ok(!sent.some((body) => body.includes(secret) || body.includes(jwk.d!)), 'nothing was sent')

  // What the platform finds wrong is shown at the field.
  await paste.fill('https://app.example.org/jwks.json')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Must be a JWKS document, or public keys in PEM', { exact: true }).waitFor()

  for (const publicKeys of [pem, JSON.stringify(jwk)])
    assertError(await call(drew, 'POST', '/app/v1/app', { clientId, publicKeys }), 400, 4003, /private key/)
  assert.deepEqual(await tablesWith(secret), [])
  assert.deepEqual(await tablesWith(jwk.d!.slice(20, 60)), [])
  assert.ok((await tablesWith('careless')).length > 0, 'the search finds what is there')
})
