import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formsOf, type Seen, type TestBrowser } from '../../operations/testing/browser.ts'
import { sharedApp } from '../../operations/testing/testing.ts'
import { exchange, obtainCode, PASSWORD, pkcePair, type RegisteredApp, registerApp } from './testing.ts'

const app = await sharedApp()
const TYPED = { handle: '@avery', password: PASSWORD }
const PATHS = ['/oauth/signin', '/oauth/v2/signin']
const UNOWNED = [
  'http://127.0.0.1:5050/cb',
  'http://[::1]:5050/cb',
  'http://localhost:4000/cb',
  'https://localhost/cb',
  'https://x.localhost/cb',
  'https://localhost./cb',
  'https://[::ffff:127.0.0.1]/cb',
  'https://0.0.0.0/cb',
  'https://[::]/cb',
  'demo://callback',
  'org.example.app:/callback',
]
const CLAIMED = 'https://app.example.org/callback'
const redirectUris = [...UNOWNED.map((uri) => uri.replace(':5050', '')), CLAIMED]

const phone = await registerApp(app, { key: 'phone', isPublic: true, isImplicitEnabled: true, redirectUris })
const site = await registerApp(app, { key: 'site', redirectUris })

const queryOf = ({ clientId }: RegisteredApp, redirect_uri: string, more: Record<string, string> = {}) => ({
  response_type: 'code',
  client_id: clientId,
  redirect_uri,
  state: 'xyz',
  code_challenge: pkcePair().challenge,
  code_challenge_method: 'S256',
  ...more,
})

/** Signs a person in to the app with this redirect URI, and returns the browser in which they have allowed it. */
async function allowed({ clientId, secret }: RegisteredApp, redirectUri: string): Promise<TestBrowser> {
  const { verifier, challenge } = pkcePair()
  const { code, browser } = await obtainCode(app, { clientId, redirectUri, challenge, more: { prompt: 'consent' } })
  const fields = { grant_type: 'authorization_code', code, client_id: clientId, code_verifier: verifier }
  const answer = await exchange(app, secret ? { ...fields, client_secret: secret } : fields)
  assert.equal(answer.status, 200, answer.text)
  return browser
}

const assertAsked = ({ status, location, text }: Seen): void => {
  assert.deepEqual([status, location], [200, undefined], text)
  assert.match(text, /value="allow"/)
}

const countCodes = async (): Promise<number> => (await app.sql('select 1 from authorization_codes')).length

for (const uri of UNOWNED)
  test(`O20: a public app at ${uri} asks for a code with another's challenge, consent given before: consent is shown again`, async () => {
    const browser = await allowed(phone, uri)
    const count = await countCodes()
    for (const path of PATHS) {
      assertAsked(await browser.get(path, queryOf(phone, uri)))
      for (const prompt of ['login', 'x', ''])
        assert.equal((await browser.get(path, queryOf(phone, uri, { prompt }))).location, undefined, prompt)
      const silent = await browser.get(path, queryOf(phone, uri, { prompt: 'none' }))
      assert.ok(silent.location!.startsWith(`${uri}?error=consent_required&`), silent.location)
      // A person who has just signed in is asked for consent too, even if the sign-in form is submitted again.
      const fresh = app.visitor()
      const page = await fresh.get(path, queryOf(phone, uri))
      assertAsked(await fresh.submit(page, TYPED))
      assertAsked(await fresh.submit(page, TYPED))
      // Consent to a request with one challenge is not valid for a request with another.
      const [mine] = formsOf((await browser.get(path, queryOf(phone, uri))).text)
      const [theirs] = formsOf((await browser.get(path, queryOf(phone, uri))).text)
      const mixed = await browser.post(theirs!.action, { ...mine!.hidden, decision: 'allow' })
      assert.deepEqual([mixed.status, mixed.location], [403, undefined])
      assertAsked(await browser.get(theirs!.action))
    }
    assertAsked(await browser.get('/oauth/signin', queryOf(phone, uri, { response_type: 'implicit' })))
    assert.equal(await countCodes(), count, 'no code was made')
    const ask = await browser.get('/oauth/signin', queryOf(phone, uri))
    const seen = await browser.submit(ask, { decision: 'allow' })
    assert.ok(seen.location!.startsWith(`${uri}?code=`), seen.location)
  })

test('a public app at an https address of its own, and an app with a secret anywhere, lead straight through', async () => {
  for (const [client, uri] of [[phone, CLAIMED], ...[...UNOWNED, CLAIMED].map((one) => [site, one])] as const) {
    const browser = await allowed(client as RegisteredApp, uri as string)
    for (const path of PATHS)
      for (const prompt of ['', 'none']) {
        const seen = await browser.get(path, queryOf(client as RegisteredApp, uri as string, { prompt }))
        assert.ok(seen.location?.startsWith(`${uri}?code=`), `${uri} ${seen.location}`)
      }
  }
})
