/** How long ago somebody has shown who they are, if a provider says so: it may remember people for weeks. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { sharedApp } from '../../operations/testing/testing.ts'
import { REDIRECT_URI, registerApp } from '../oauth/testing.ts'
import { addOrganisation, connectPerson, connectProvider, signInThrough, WITH_PROVIDERS } from './testing-connected.ts'
import { startLiar } from './testing-liar.ts'

const app = await sharedApp(WITH_PROVIDERS)
const liar = await startLiar({ after }, { sub: 'a-1' })
await addOrganisation(app, 'school', { casey: 'owner', avery: 'member' })
await connectProvider(app, 'school', liar, {})
await connectPerson(app, 'school', 'avery', 'a-1')

const MINUTE = 60
const sayAge = (seconds: number | undefined) => {
  const authTime = seconds === undefined ? undefined : Math.floor(Date.now() / 1000) - seconds
  liar.lies = { claims: (right) => ({ ...right, auth_time: authTime }) }
}
const CONNECT = '/account/provider?organisation=school&connect=true'

for (const [words, age, isRecent] of [
  ['just now', 0, true],
  ['a minute ago', MINUTE, true],
  ['in an hour, because its clock is wrong', -60 * MINUTE, true],
  ['an hour ago', 60 * MINUTE, false],
  ['weeks ago', 30_000 * MINUTE, false],
  ['at a time that the provider does not say', undefined, false],
] as const)
  test(`who signed in at the provider ${words} counts as recently signed in: ${isRecent}`, async () => {
    sayAge(age)
    const browser = app.visitor()
    assert.equal((await signInThrough(browser, 'school')).status, 303)
    const asksAgain = /^\/account\/signin\?again=true/
    const page = await browser.send(CONNECT)
    assert.equal(page.status, isRecent ? 200 : 303)
    if (isRecent) return
    assert.match(page.location!, asksAgain)
    // Signing in again asks the provider to ask, and that counts. A clock that is a little behind does not matter.
    sayAge(age === undefined ? undefined : MINUTE / 2)
    assert.equal((await signInThrough(browser, 'school')).status, 303)
    assert.equal((await browser.send(CONNECT)).status, 200)
    // A provider that does not ask although it was told to does not pass.
    sayAge(60 * MINUTE)
    assert.equal((await signInThrough(browser, 'school')).status, 303)
    assert.match((await browser.send(CONNECT)).location!, asksAgain)
  })

test('an old sign-in at the provider passes neither for prompt=login of an app nor for its max_age', async () => {
  const { clientId } = await registerApp(app, { key: 'logbook', name: 'Logbook', isPkceRequired: false })
  const request = `/oauth/v2/signin?response_type=code&client_id=${clientId}&redirect_uri=${encodeURIComponent(REDIRECT_URI)}&scope=openid&state=s`
  for (const more of ['&prompt=login', '&max_age=600']) {
    const browser = app.visitor()
    sayAge(60 * MINUTE)
    const form = await browser.send(request + more)
    const path = /<a href="(\/account\/provider\?[^"]+)"/.exec(form.text)?.[1]?.replaceAll('&amp;', '&')
    const next = new URLSearchParams(path?.split('?')[1]).get('next') ?? request + more
    const seen = await signInThrough(browser, 'school', next)
    assert.equal(seen.status, 303, seen.text)
    assert.match((await browser.send(seen.location!)).text, /name="password"/, more)
    sayAge(0)
    const again = await signInThrough(browser, 'school', `${request}&max_age=600`)
    assert.match((await browser.send(again.location!)).text, /Allow <bdi>Logbook<\/bdi>\?/)
  }
})
