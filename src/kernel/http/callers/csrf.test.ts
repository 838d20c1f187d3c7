import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call, PASSWORD } from '../../../apps/account/testing.ts'
import { TestBrowser } from '../../../operations/testing/browser.ts'
import { assertError, type TestApp, testApp } from '../../../operations/testing/testing.ts'

const portOf = (app: TestApp) => new URL(app.address).port

/** Signs in like a browser that sends `Origin` but not `Sec-Fetch-Site`. */
async function signIn(address: string, origin = address): Promise<number> {
  const browser = new TestBrowser(address)
  const page = await browser.get('/account/signin')
  const key = /name="csrf_token" value="([^"]*)"/.exec(page.text)![1]!
  const seen = await browser.send('/account/signin', {
    method: 'POST',
    body: new URLSearchParams({ csrf_token: key, handle: '@avery', password: PASSWORD }),
    headers: { origin },
  })
  return seen.status
}

test('on a laptop the pages work under every name of loopback', async (t) => {
  const app = await testApp(t, {}, { withSandbox: true })
  await app.givePassword('avery')
  const [byName, byNumber] = ['localhost', '127.0.0.1'].map((name) => `http://${name}:${portOf(app)}`) as [
    string,
    string,
  ]
  for (const address of [byName, byNumber]) assert.equal(await signIn(address), 303, address)

  await t.test('and requests of another origin are refused under each of them', async () => {
    const strangers = [
      'http://127.0.0.1:1',
      'http://localhost:1',
      'http://localhost',
      `https://127.0.0.1:${portOf(app)}`,
      `http://127.0.0.2:${portOf(app)}`,
      `http://127.0.0.1.evil.example:${portOf(app)}`,
      `http://localhost.evil.example:${portOf(app)}`,
      app.sandboxAddress,
      'https://evil.example',
      'null',
    ]
    for (const address of [byName, byNumber])
      for (const origin of strangers) assert.equal(await signIn(address, origin), 403, `${origin} to ${address}`)
    // A page loaded under one name may not post to another name, unless the page was loaded from the platform's own
    // URL.
    assert.equal(await signIn(byNumber, byName), 303)
    assert.equal(await signIn(byName, `http://[::1]:${portOf(app)}`), 403)
    const said = { origin: byNumber, 'sec-fetch-site': 'cross-site' }
    const body = { handle: '@avery', password: PASSWORD }
    assertError(await call(new TestBrowser(byNumber), 'POST', '/account/v1/signin', body, said), 403, 4032)
  })
})

test('a platform with a public address accepts only that one', async (t) => {
  const app = await testApp(t, { BASE_URL: 'https://school.example.org' })
  const send = (origin: string) =>
    call(
      new TestBrowser(app.address),
      'POST',
      '/account/v1/signin',
      { handle: '@avery', password: PASSWORD },
      { origin },
    )
  await app.givePassword('avery')
  for (const origin of [app.address, `http://localhost:${portOf(app)}`, 'https://localhost'])
    assertError(await send(origin), 403, 4032, /only the platform's own pages/)
  assert.equal((await send('https://school.example.org')).status, 200)
})
