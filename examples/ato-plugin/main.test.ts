import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { signWebhook } from 'groundschool-sdk'
import { TestBrowser } from '../../src/testing/browser.ts'
import { assertUsable, collectProblems, noChromium, openChromium } from '../../src/testing/chromium.ts'
import { findFreePort } from '../../src/testing/ports.ts'
import { startExample } from '../testing.ts'

const START = {
  requestId: 'request-1',
  companyName: 'Northwind <Training>',
  appName: 'Demo app',
  packageName: 'Preflight & more',
  status: 'not-started',
  cancellable: true,
  distributions: [
    {
      id: 'd1',
      name: 'Windows',
      platform: 'windows',
      version: '1.0',
      uri: 'https://example.org/1',
      addedDate: '2026-01-01',
    },
  ],
}

/** What the example calls of the platform; the real one is asked in src/platform. Its first access token has expired. */
async function standIn(t: TestContext) {
  const calls: unknown[] = []
  let grantedTo = ''
  const server = createServer(async (request, response) => {
    const text = Buffer.concat(await request.toArray()).toString()
    const answer = (status: number, body: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    if (request.url === '/oauth/token') {
      const grant = new URLSearchParams(text)
      if (grant.get('code') === 'used') return answer(400, { error_code: 4008, error_description: 'Already used.' })
      grantedTo = grant.get('code') ?? grantedTo
      return answer(200, { access_token: grant.has('refresh_token') ? 'fresh' : 'old', refresh_token: 'again' })
    }
    if (request.headers.authorization !== 'Bearer fresh')
      return answer(401, { error_code: 4010, error_description: 'Token refresh required' })
    if (grantedTo === 'stranger') return answer(403, { error_code: 4032, error_description: 'You do not work on it.' })
    calls.push([request.url, JSON.parse(text)])
    if (text.includes('under-review')) return answer(400, { error_code: 4006, error_description: 'Not from <here>.' })
    answer(200, { success: true })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  return { calls, address: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

test('the ATO example keeps requests over a restart, knows a delivery again, and does what signed-in people ask for', async (t) => {
  const platform = await standIn(t)
  const folder = mkdtempSync(join(tmpdir(), 'gs-ato-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const settings = {
    PLATFORM_URL: platform.address,
    PORT: String(await findFreePort()),
    DATA_FILE: join(folder, 'new/requests.json'),
    CLIENT_SECRET: 'new,old',
  }
  let example = await startExample(t, 'ato-plugin', settings)
  const deliver = async (path: string, id: string, document: object, secret = 'old') => {
    const [body, timestamp] = [JSON.stringify(document), Math.floor(Date.now() / 1000)]
    const { status } = await fetch(example.address + path, {
      method: 'POST',
      body,
      headers: {
        authorization: `Basic ${Buffer.from(`gs-demo-ato:${secret}`).toString('base64')}`,
        'webhook-id': id,
        'webhook-timestamp': String(timestamp),
        'webhook-signature': signWebhook(secret, { id, timestamp, body }),
      },
    })
    return status
  }
  assert.equal(await deliver('/request', 'e1', START), 200)
  assert.equal(await deliver('/request', 'e0', START, 'wrong'), 401)
  const distributions = [{ ...START.distributions[0]!, name: 'Headset', version: '2.0' }]
  assert.equal(await deliver('/distributions', 'e2', { requestId: 'request-1', distributions }), 200)
  await example.wrote(
    /request started: Preflight & more of Demo app, distributions: 1; open \S+\/requests\/request-1 \[e1\]/,
  )
  await example.wrote(/distributions changed: request request-1 has Headset 2\.0 \[e2\]/)

  // Killed in the middle; what was acknowledged is there, and the older delivery undoes nothing.
  await example.stop('SIGKILL')
  example = await startExample(t, 'ato-plugin', settings)
  assert.equal(await deliver('/request', 'e1', START), 200)
  await example.wrote(/request started \(sent again\)/)

  const browser = new TestBrowser(example.address)
  const asked = await browser.send('/requests/request-1')
  const query = `response_type=code&client_id=gs-demo-ato&redirect_uri=${encodeURIComponent(`${example.address}/callback`)}&state=request-1`
  assert.equal(asked.location, `${platform.address}/oauth/signin?${query}`)
  assert.match((await browser.send('/callback?error=access_denied&error_description=Denied+it')).text, /Denied it/)
  assert.match((await browser.send('/callback?code=used&state=request-1')).text, /Already used\./)
  assert.equal((await browser.send('/callback?code=good&state=request-2')).status, 404)
  const strange = await browser.send('/callback?code=stranger&state=request-1')
  assert.deepEqual([strange.status, strange.headers.get('set-cookie')], [403, null])
  assert.equal((await browser.send('/callback?code=good&state=request-1')).location, '/requests/request-1')
  let page = await browser.send('/requests/request-1')
  assert.match(page.text, /<h1>Preflight &amp; more<\/h1>/)
  assert.match(page.text, /Northwind &lt;Training&gt;/)
  assert.match(page.text, /Headset/)
  assert.doesNotMatch(page.text, /Windows/)
  // Signed in for one request is not signed in for another.
  assert.match((await browser.send('/requests/request-2')).location!, /\/oauth\/signin\?/)

  const move = (fields: Record<string, string>) => browser.submit(page, fields, '/requests/request-1/status')
  assert.equal((await move({ key: 'wrong', status: 'in-progress' })).status, 403)
  assert.equal((await move({ status: 'in-progress' })).location, '/requests/request-1')
  page = await browser.send('/requests/request-1')
  assert.match(page.text, /<p role="status"[^>]*>The status is in-progress now\./)
  await move({ status: 'under-review', cancellable: 'true' })
  page = await browser.send('/requests/request-1')
  assert.match(page.text, /<p role="alert"[^>]*>Not from &lt;here&gt;\./)
  await browser.submit(page, { type: 'warning', title: 'Report', text: 'Send it.' }, '/requests/request-1/alert')
  assert.deepEqual(platform.calls, [
    ['/plugin/v1/ato/status', { requestId: 'request-1', status: 'not-started' }],
    ['/plugin/v1/ato/status', { requestId: 'request-1', status: 'in-progress', complete: false, cancellable: false }],
    ['/plugin/v1/ato/status', { requestId: 'request-1', status: 'under-review', complete: false, cancellable: true }],
    ['/plugin/v1/ato/alert', { requestId: 'request-1', title: 'Report', text: 'Send it.', type: 'warning' }],
  ])

  await t.test('everybody can use its page', { skip: noChromium }, async (t) => {
    const page = await openChromium(t, { javaScriptEnabled: false })
    const problems = collectProblems(page)
    await page.goto(`${example.address}/callback?code=good&state=request-1`)
    await assertUsable(page, 'the page of a request')
    await page.getByLabel('Title').fill('Report')
    await page.getByLabel('Text').fill('Send it.')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByRole('status').filter({ hasText: 'The alert “Report” was sent.' }).waitFor()
    assert.deepEqual(problems, [])
  })
  assert.equal(await example.stop(), 0)
})
