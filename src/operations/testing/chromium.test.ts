import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkAccessibility, collectProblems, noChromium, openChromium } from './chromium.ts'
import { findChromium } from './chromium-setup.ts'
import { testApp } from './testing.ts'

const page = (body: string): string =>
  `<!doctype html><html lang="en"><head><title>A page</title></head><body><main>${body}</main></body></html>`

test('the documentation can be read in a real browser, which has nothing to complain about', {
  skip: noChromium,
}, async (t) => {
  const app = await testApp(t)
  const chromium = await openChromium(t)
  const problems = collectProblems(chromium)
  await chromium.goto(`${app.environment().url}/docs`)
  await chromium.getByRole('heading', { level: 1, name: 'Documentation' }).waitFor()
  assert.deepEqual(problems, [])
})

test('a page that some people cannot use is found out, with scripts and without', { skip: noChromium }, async (t) => {
  for (const javaScriptEnabled of [true, false]) {
    const chromium = await openChromium(t, { javaScriptEnabled, colorScheme: 'dark' })
    await chromium.setContent(page('<h1>Pictures</h1><img src="data:,">'))
    await assert.rejects(checkAccessibility(chromium), /image-alt \(critical\).*<img src="data:,">/s)
    await chromium.setContent(page('<h1>Pictures</h1><button>x</button>'))
    await checkAccessibility(chromium)
  }
})

test('an error of a script and a breach of the policy are problems of a page, a refusal is none', {
  skip: noChromium,
}, async (t) => {
  const chromium = await openChromium(t)
  const problems = collectProblems(chromium)
  await chromium.setContent(page('<script>elsewhere()</script>'))
  const headers = { 'content-type': 'text/html', 'content-security-policy': "default-src 'none'" }
  await chromium.route('http://refusal.test/', (route) =>
    route.fulfill({ status: 401, headers, body: page('<script>nowhere()</script>') }),
  )
  await chromium.goto('http://refusal.test/')
  assert.equal(problems.length, 2, problems.join('\n'))
  assert.match(problems[0]!, /elsewhere is not defined/)
  assert.match(problems[1]!, /^http:\/\/refusal\.test\/: .*Content Security Policy/)
})

test('a browser that does not start is as good as none, and the reason says what to do', async () => {
  const found = await findChromium({ CHROMIUM_PATH: '/bin/false' })
  assert.ok('missing' in found)
  assert.match(found.missing, /CHROMIUM_PATH names \/bin\/false, which does not start\. Install it/)
})
