/** Tests which claims and errors of a provider the platform believes, shows and stores. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { sharedApp } from '../../operations/testing/testing.ts'
import { signInBrowser } from '../account/testing.ts'
import { addOrganisation, connectProvider, listFailures, signInThrough, WITH_PROVIDERS } from './testing-connected.ts'
import { type Lies, passThrough, startLiar } from './testing-liar.ts'

const app = await sharedApp(WITH_PROVIDERS)
const liar = await startLiar({ after })
await addOrganisation(app, 'school', { casey: 'owner' })
const domains = ['school.example', 'xn--bcher-kva.example']
await connectProvider(app, 'school', liar, { domains, createsAccounts: true, groupsClaim: 'groups' })

const answer = (error: string, more: Record<string, string> = {}): Lies => ({
  response: ({ state }) => ({ state, iss: liar.issuer, error, ...more }),
})

test('an address and whether it is verified come from the same source', async () => {
  const email = 'sam@school.example'
  const dropEmail: Lies['claims'] = ({ email: _, ...right }) => right
  const dropVerified: Lies['claims'] = ({ email_verified: _, ...right }) => right
  const cases: [string, Lies, string | null][] = [
    ['b-1', { claims: dropEmail, userinfo: (right) => ({ ...right, email_verified: false }) }, null],
    ['b-2', { claims: dropEmail, userinfo: dropVerified }, null],
    ['b-3', { claims: dropVerified }, null],
    ['b-4', { claims: (right) => ({ ...right, email_verified: false }) }, null],
    ['b-5', { claims: (right) => ({ ...right, email: undefined, email_verified: undefined }) }, email],
  ]
  for (const [sub, lies, expected] of cases) {
    liar.person = { sub, email, email_verified: true }
    liar.lies = lies
    assert.equal((await signInThrough(app.visitor(), 'school')).status, 303, sub)
    const [row] = await app.sql(
      `select p.email from people p join provider_identities i on i.person_id = p.id where i.subject = '${sub}'`,
    )
    assert.equal(row!.email, expected, sub)
  }
})

test('of an error of the provider only its registered code is stored, and never its description', async () => {
  const found = async (lies: Lies) => {
    liar.lies = lies
    assert.equal((await signInThrough(app.visitor(), 'school')).status, 400)
    const [failure] = await listFailures(app, 'school')
    assert.doesNotMatch(JSON.stringify(failure), /call us|0800|constructor/)
    return failure!.found
  }
  const description = { error_description: 'Please call us: 0800' }
  assert.equal(await found(answer('server_error', description)), 'server_error')
  assert.equal(await found(answer('invalid_request', description)), 'invalid_request')
  for (const error of ['call us', 'constructor'])
    assert.equal(await found(answer(error, description)), 'an error that is not registered')
  const token = JSON.stringify({ error: 'invalid_grant', ...description })
  const headers = { 'content-type': 'application/json' }
  assert.equal(
    await found({ answers: { token: (response) => response.writeHead(400, headers).end(token) } }),
    'invalid_grant',
  )
})

test('a test that has failed leads back to the settings', async () => {
  liar.lies = answer('server_error')
  const browser = await signInBrowser(app, 'casey')
  const page = await browser.get('/account/provider/test', { organisation: 'school' })
  const sent = await browser.submit(page, {}, '/account/provider/test')
  const seen = await browser.send((await passThrough(browser, sent.location!)).href)
  assert.equal(seen.status, 400)
  assert.match(seen.text, /href="\/console\/organisations\/school\/provider">Back to the settings/)
  assert.doesNotMatch(seen.text, /not signed in|tell an owner|Sign in another way/i)
})

test('a typed address with an international domain leads to the provider of its ASCII form', async () => {
  liar.lies = {}
  for (const handle of ['sam@Bücher.example', 'sam@xn--bcher-kva.example', 'sam@bu\u0308cher.example']) {
    const browser = app.visitor()
    const page = await browser.get('/account/signin')
    const sent = await browser.submit(page, { handle, password: '', way: 'organisation' })
    assert.equal(new URL(sent.location!, 'http://nowhere').origin, liar.issuer, sent.text)
  }
})
