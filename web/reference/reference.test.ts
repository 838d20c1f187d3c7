import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { call, signInBrowser } from '../../src/apps/account/testing.ts'
import { until } from '../../src/kernel/database/test-database.ts'
import { readText, run } from '../../src/kernel/imports/testing.ts'
import { collectProblems, noChromium, openChromium } from '../../src/operations/testing/chromium.ts'
import { sharedApp } from '../../src/operations/testing/testing.ts'
import { makeTestKey } from '../../src/records/credentials/testing.ts'
import type { Here } from '../api/operations.ts'
import { SCOPE_WORDS } from '../parts/consent.ts'
import { enterAs, look, signInAs } from '../testing.ts'
import { type ApiDocument, findEntries, readReference } from './document.ts'
import { draftOf, findFaults, findMaker, learnIds, prepare, waysOf } from './request.ts'
import { fieldsOf, sayBounds, sayType } from './schema.ts'
import { LANGUAGES, writeSnippet } from './snippets.ts'

const app = await sharedApp({ RATE_ADDRESS_BURST: '100000' }, { withSandbox: true })
const address = app.environment().url
const sandbox = app.environment('sandbox').url
const demo = readText('demo/demo.json')
  .replaceAll('http://localhost:4000/', `${address}/`)
  .replaceAll('http://localhost:4001/', `${sandbox}/`)
await run(app, JSON.parse(demo))

const document = JSON.parse(readText('docs/openapi.json')) as ApiDocument
const reference = readReference(document)
const here = { environment: 'production', production: address, sandbox } as Here
const all = [...reference.byId.values()]

test('every operation of the description is listed in one area, can be said, and its example can be sent as it is', () => {
  assert.ok(all.length > 250)
  assert.deepEqual(
    reference.areas.flatMap(({ entries }) => entries.map(({ id }) => id)).sort(),
    all.map(({ id }) => id).sort(),
  )
  for (const entry of all) {
    assert.ok(waysOf(entry).length > 0, entry.id)
    const faults = findFaults(entry, draftOf(entry, reference.samples, here))
    assert.deepEqual(faults, { missing: [] }, entry.id)
    for (const { schema } of entry.parameters) assert.notEqual(sayType(schema, reference.follow), '')
    for (const { schema } of Object.values(entry.body?.content ?? {}))
      for (const { field } of schema ? fieldsOf(schema, reference.follow) : [])
        assert.ok(sayType(field, reference.follow) !== '' && Array.isArray(sayBounds(field)), entry.id)
  }
})

test('examples have the address of this platform, also where it stands alone', () => {
  const elsewhere = { ...here, production: 'https://school.example.org' }
  for (const entry of all) {
    const draft = JSON.stringify(draftOf(entry, reference.samples, elsewhere))
    assert.ok(!draft.includes(reference.samples.baseUrl), entry.id)
  }
  const { actor } = JSON.parse(draftOf(reference.byId.get('captureStatement')!, reference.samples, elsewhere).body)
  assert.equal(actor.account.homePage, elsewhere.production)
})

test('a search finds operations by path, summary, name and description, all words at once', () => {
  const find = (typed: string) =>
    findEntries(reference.areas, typed).flatMap(({ entries }) => entries.map(({ id }) => id))
  assert.equal(find('').length, all.length)
  assert.ok(find('/app/v1/bucket').includes('createBucket'))
  assert.deepEqual(find('createBUCKET'), ['createBucket'])
  assert.ok(find('bucket creates').includes('createBucket'))
  assert.ok(find('shares between some of its users').includes('createBucket'))
  assert.deepEqual(find('no such thing at all'), [])
})

test('the code of each language sends the request of the form, whatever is in it', async () => {
  const avery = await app.as('avery')
  const entry = reference.byId.get('createBucket')!
  // Skip the Python snippet if Python is not installed.
  const hasPython = spawnSync('python3', ['--version']).status === 0
  for (const language of LANGUAGES.filter((one) => one !== 'python' || hasPython)) {
    const data = { text: `it's "quoted" \\ $HOME \`id\` \n \${x} é`, none: null, yes: true, list: [1.5, {}] }
    const body = JSON.stringify({ id: `from ${language}`, data })
    const draft = { ...draftOf(entry, reference.samples, here), body }
    const code = writeSnippet[language]({ ...prepare(entry, draft), origin: app.address, way: 'bearer' })
    const env = { ...process.env, TOKEN: avery.token! }
    const [program, ...args] = {
      curl: ['sh', '-c', code],
      typescript: [
        process.execPath,
        '--input-type=module-typescript',
        '-e',
        `const token = process.env.TOKEN\n${code}`,
      ],
      python: ['python3', '-c', `import os\ntoken = os.environ["TOKEN"]\n${code}`],
    }[language]
    const { stdout } = await promisify(execFile)(program!, args, { env })
    assert.deepEqual(JSON.parse(stdout).data, data, language)
  }
})

test('ids are learned from where an answer has others than its example', () => {
  const [sample, real] = ['pR7sKd2VwXq9BnT4mHz1Lg', 'aaaaaaaaaaaaaaaaaaaaaa']
  assert.deepEqual(
    learnIds({ noteId: sample, text: sample, classId: 'class-alpha' }, { noteId: real, text: real, classId: 'b' }),
    {
      [sample]: real,
    },
  )
  assert.deepEqual(learnIds({ docs: [{ id: sample }] }, { docs: [{ id: real }, { id: 'x' }] }), { [sample]: real })
  for (const other of [null, 'text', [], { noteId: 5 }, { noteId: sample }])
    assert.deepEqual(learnIds({ noteId: sample }, other), {})
})

test('an example that is about something names the operation that makes it', () => {
  const makers = all.flatMap((entry) => findMaker(entry, reference)?.id ?? [])
  assert.ok(makers.length > 80, String(makers.length))
  const makerOf = (id: string) => findMaker(reference.byId.get(id)!, reference)?.id
  assert.deepEqual(['revokeCredential', 'removeNote', 'readPlan', 'createBucket', 'makeCredential'].map(makerOf), [
    'makeCredential',
    'createNote',
    'savePlan',
    undefined,
    undefined,
  ])
})

const send = (page: Page) => page.getByRole('button', { name: 'Send', exact: true }).click()
const answer = (page: Page) => page.getByRole('region', { name: 'Response', exact: true })
const statusIs = (page: Page, status: number) => answer(page).getByText(`Status ${status}`).waitFor()

/** Opens another operation through the search, without loading a new document. */
const turnTo = async (page: Page, id: string) => {
  await page.getByLabel('Search the documentation').fill(id)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: reference.byId.get(id)!.summary }).waitFor()
}

const DRAWN = `document.querySelector('section img').naturalWidth > 0`

test('somebody finds an operation, signs in, sends its default body, and a reload keeps the token', {
  skip: noChromium,
}, async (t) => {
  const page = await openChromium(t)
  const problems = collectProblems(page)
  await page.goto(`${address}/docs/reference`)
  await page.getByRole('heading', { level: 1, name: 'API reference' }).waitFor()
  await page.keyboard.press('/')
  await page.keyboard.type('createbucket')
  await page.getByText(/^\d+ results?$/).waitFor()
  await page.keyboard.press('Enter')
  await page.waitForURL(`${address}/docs/createBucket`)
  await page.getByRole('heading', { level: 1, name: /^Create a bucket/ }).waitFor()

  await page.getByRole('button', { name: 'Sign in to try operations' }).click()
  const dialog = page.getByRole('dialog')
  assert.equal(await dialog.getByLabel('Client ID').inputValue(), 'gs-demo-app')
  await dialog.getByText(`${address}/docs/callback`).waitFor()
  await look(page)
  await dialog.getByRole('button', { name: 'Go to sign-in' }).click()
  await page.getByLabel('Handle').fill('@avery')
  await page.getByLabel('Password').fill('groundschool')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Allow' }).click()
  await page.waitForURL(`${address}/docs/createBucket`)
  await page.getByText('Signed in as @avery in app gs-demo-app').waitFor()

  await send(page)
  await statusIs(page, 200)
  await answer(page)
    .getByText(/"flight-plan"/)
    .waitFor()
  await answer(page).getByText('Request id').waitFor()
  await look(page)

  await page.reload()
  await page.getByText('Signed in as @avery in app gs-demo-app').waitFor()
  const kept = (await page.evaluate(
    '[JSON.stringify(sessionStorage), JSON.stringify(localStorage), document.cookie]',
  )) as string[]
  const token = /gs_at_[\w-]+/.exec(kept[0]!)![0]
  assert.doesNotMatch(kept[0]!, /gs-demo-secret|verifier/)
  assert.doesNotMatch(kept.slice(1).join(), /gs_at_|gs_rt_/)

  // If the body is not valid JSON, no request is sent.
  let sent = 0
  page.on('request', (request) => {
    if (request.url().includes('/app/v1/bucket')) sent++
  })
  await page.getByLabel('Body').fill('{"id": ')
  await send(page)
  await page.getByText(/^Invalid JSON/).waitFor()
  await page.getByRole('button', { name: 'Reset to example' }).click()
  assert.match(await page.getByLabel('Body').inputValue(), /flight-plan/)
  assert.equal(sent, 0)

  await turnTo(page, 'watchBucket')
  await send(page)
  await answer(page)
    .getByText(/event: ready/)
    .waitFor()
  await page.getByRole('button', { name: 'Stop' }).click()
  await answer(page).getByText('The stream ended.').waitFor()

  await turnTo(page, 'readMyPicture')
  await send(page)
  await statusIs(page, 200)
  const picture = page.getByRole('img', { name: 'Image in the response' })
  await picture.waitFor()
  await until('the picture is drawn', () => page.evaluate<boolean>(DRAWN))
  assert.deepEqual(problems, [])

  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('button', { name: 'Sign in to try operations' }).waitFor()
  assert.equal(await page.evaluate('sessionStorage.getItem("reference.session")'), null)
  const after = await fetch(`${address}/user/v1/my/profile`, { headers: { authorization: `Bearer ${token}` } })
  assert.equal((await after.json()).error_code, 4034, 'the session is over')
})

test('what the page holds ends with the sign-in to the platform, and with a sign-in that is given up', {
  skip: noChromium,
}, async (t) => {
  const page = await openChromium(t)
  await signInAs(page, address, 'Casey')
  const isOver = async (token: string) =>
    (await fetch(`${address}/user/v1/my/profile`, { headers: { authorization: `Bearer ${token}` } })).status === 403
  const kept = () => page.evaluate<string>('JSON.stringify(sessionStorage)')
  const keep = async () => {
    await page.goto(`${address}/docs/readOwnProfile`)
    await page.getByRole('button', { name: 'Sign in to try operations' }).click()
    await page.getByRole('button', { name: 'Go to sign-in' }).click()
  }
  await keep()
  await page.getByRole('button', { name: 'Allow' }).waitFor()
  assert.match(await kept(), /gs-demo-secret/)
  await page.goBack()
  await page.getByRole('button', { name: 'Sign in to try operations' }).waitFor()
  await until('the secret is gone', async () => !/gs-demo-secret|verifier/.test(await kept()))

  await keep()
  await page.getByRole('button', { name: 'Allow' }).click()
  await page.getByText('Signed in as @casey in app').waitFor()
  const first = /gs_at_[\w-]+/.exec(await kept())![0]
  // Imitates another person who signs in to the platform in another tab.
  await signInAs(page, address, 'Drew')
  await page.reload()
  await page.getByRole('button', { name: 'Sign in to try operations' }).waitFor()
  await until('the session is over', () => isOver(first))

  await keep()
  await page.getByRole('button', { name: 'Allow' }).click()
  await page.getByText('Signed in as @drew in app').waitFor()
  const second = /gs_at_[\w-]+/.exec(await kept())![0]
  await page
    .getByRole('banner')
    .getByRole('button', { name: /^Account menu of Drew/ })
    .click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.waitForURL(`${address}/`)
  assert.doesNotMatch(await kept(), /gs_at_/)
  assert.ok(await isOver(second))
})

test('the sandbox signs in at its own address', { skip: noChromium }, async (t) => {
  const page = await openChromium(t)
  await page.goto(`${sandbox}/docs/readOwnProfile`)
  await page.getByRole('button', { name: 'Sign in to try operations' }).click()
  await page.getByRole('button', { name: 'Go to sign-in' }).click()
  await page.getByLabel('Handle').fill('@blake')
  await page.getByLabel('Password').fill('groundschool')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Allow' }).click()
  await page.getByText('Signed in as @blake in app gs-sbx-demo-app').waitFor()
  await send(page)
  await statusIs(page, 200)
})

test('an answer that this tab did not ask for is no sign-in', { skip: noChromium }, async (t) => {
  const page = await openChromium(t)
  let exchanged = 0
  page.on('request', (request) => {
    if (request.url().includes('/oauth/v2/token')) exchanged++
  })
  const refused = async (query: string) => {
    await page.goto(`${address}/docs/callback?${query}`)
    await page.getByRole('heading', { level: 1, name: 'Couldn’t sign in' }).waitFor()
    assert.equal(new URL(page.url()).search, '')
  }
  await refused('code=gs_ac_x&state=y')
  const pending = { state: 'mine', verifier: 'v', clientId: 'gs-demo-app', next: '/docs' }
  for (const query of [
    'code=gs_ac_x&state=other',
    'code=gs_ac_x',
    'code=gs_ac_x&state=mine&iss=https%3A%2F%2Fevil.example',
  ]) {
    await page.evaluate(`sessionStorage.setItem('reference.sign-in', ${JSON.stringify(JSON.stringify(pending))})`)
    await refused(query)
    assert.equal(await page.evaluate('sessionStorage.getItem("reference.sign-in")'), null)
  }
  assert.equal(exchanged, 0)
})

test('a key of the record store sends statements, and is forgotten with a reload', { skip: noChromium }, async (t) => {
  const { key, secret } = await makeTestKey(app, { name: 'Reference' })
  const page = await openChromium(t)
  await page.goto(`${address}/docs/sendStatements`)
  await page.getByRole('button', { name: 'Sign in to try operations' }).click()
  await page.getByText('With a key').click()
  await page.getByLabel('Key or client ID').fill(key)
  await page.getByRole('dialog').getByLabel('Secret').fill(secret)
  await page.getByRole('button', { name: 'Use key' }).click()
  await page.getByRole('dialog').waitFor({ state: 'hidden' })
  assert.equal(await page.getByLabel('Send as').inputValue(), 'basic')
  await send(page)
  await statusIs(page, 200)
  await answer(page)
    .getByText(/5e2f6d3a-8f41-4b0e-9a53-1c1d7a3f9d10/)
    .waitFor()
  assert.doesNotMatch(
    String(await page.evaluate('JSON.stringify({ ...sessionStorage, ...localStorage })')),
    new RegExp(secret),
  )
  await page.reload()
  await page.getByRole('button', { name: 'Sign in to try operations' }).waitFor()
})

test('operations for browsers use the sign-in of the browser, and nothing is sent by itself', {
  skip: noChromium,
}, async (t) => {
  const page = await openChromium(t)
  await signInAs(page, address, 'Avery')
  const sent: string[] = []
  page.on('request', (request) => sent.push(new URL(request.url()).pathname))
  await page.goto(`${address}/docs/readMe`)
  await page.getByText('signed in as @avery.').waitFor()
  assert.deepEqual(
    sent.filter(
      (path) =>
        !/^\/(?:docs|web|openapi|account\/v1\/(?:here|profile\/picture|notifications\/events)|favicon)/.test(path),
    ),
    [],
  )
  await send(page)
  await statusIs(page, 200)
  await answer(page)
    .getByText(/"handle": "@avery"/)
    .waitFor()
})

test('what was made by one example is what the next one is about', { skip: noChromium }, async (t) => {
  const page = await openChromium(t)
  await enterAs(page, address, 'Ellis', '/docs/revokeCredential')
  await page
    .getByRole('link', { name: reference.byId.get('makeCredential')!.summary })
    .last()
    .click()
  await page.waitForURL(`${address}/docs/makeCredential`)
  await send(page)
  await statusIs(page, 200)
  const { key } = JSON.parse((await answer(page).locator('pre').textContent())!)
  await turnTo(page, 'revokeCredential')
  assert.match(await page.getByLabel('Body').inputValue(), new RegExp(key))
  await send(page)
  await statusIs(page, 200)
})

test('the page says who sends an example, where it works, and what to put in', { skip: noChromium }, async (t) => {
  const page = await openChromium(t)
  await enterAs(page, address, 'Avery', '/docs/listAudit')
  await page.getByText('Sign in as Ellis Haverford, an administrator, to try the example.').waitFor()
  await turnTo(page, 'readMe')
  await page.getByText('signed in as @avery.').waitFor()
  assert.equal(await page.getByText('The example is sent by').count(), 0)
  await turnTo(page, 'requestTokens')
  await page.getByText(/^code: The code from the redirect to your redirect URI/).waitFor()
  await look(page)
  await turnTo(page, 'validateSession')
  await page.getByText('A refresh token of your app; in the query').waitFor()
  await turnTo(page, 'makeTestPeople')
  await page.getByText('Available only in the sandbox.').waitFor()
  const there = page.getByRole('link', { name: 'Open in the sandbox' })
  assert.equal(await there.getAttribute('href'), `${sandbox}/docs/makeTestPeople`)
  await turnTo(page, 'reportAtoStatus')
  await page.getByText('Sign in to the app gs-demo-ato to try the example.').waitFor()
  await page.getByRole('button', { name: 'Sign in to try operations' }).click()
  assert.equal(await page.getByLabel('Client ID').inputValue(), 'gs-demo-ato')
  await page.goto(`${address}/docs/readRecords`)
  await page.getByRole('button', { name: 'Sign in to try operations' }).click()
  await page.getByRole('button', { name: 'Use key' }).click()
  await page.getByRole('dialog').waitFor({ state: 'hidden' })
  await send(page)
  await statusIs(page, 200)
})

test('what an example has made is remembered over a sign-in, which leaves the page', {
  skip: noChromium,
}, async (t) => {
  const page = await openChromium(t)
  await enterAs(page, address, 'Ellis', '/docs/addAtoPackage')
  await send(page)
  await statusIs(page, 200)
  await turnTo(page, 'startAtoRequest')
  await send(page)
  await statusIs(page, 200)
  await turnTo(page, 'reportAtoStatus')
  await page.getByRole('button', { name: 'Sign in to try operations' }).click()
  await page.getByRole('button', { name: 'Go to sign-in' }).click()
  await page.getByRole('button', { name: 'Allow' }).click()
  await page.getByText('Signed in as @ellis in app gs-demo-ato').waitFor()
  await send(page)
  await statusIs(page, 200)
})

test('a sign-in from an operation asks for its scope, and for the profile that the page shows, and for nothing else', {
  skip: noChromium,
}, async (t) => {
  const fields = {
    organisation: 'northwind',
    name: 'Tried out',
    redirectUris: [`${address}/docs/callback`],
    public: true,
  }
  const made = await call(await signInBrowser(app, 'drew'), 'PUT', '/app/v1/app', fields)
  assert.equal(made.status, 200, made.text)
  const { clientId } = made.body
  await app.sql(`update apps set status = 'approved' where client_id = '${clientId}'`)

  const page = await openChromium(t)
  const signIn = async (button: string): Promise<string[]> => {
    await page.getByRole('button', { name: button }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Client ID').fill(clientId)
    await dialog.getByLabel('Client secret').fill('')
    await dialog.getByRole('button', { name: 'Go to sign-in' }).click()
    await page.getByRole('button', { name: 'Allow' }).waitFor()
    const [asked = ''] = (await page.locator('main').innerText()).split('already allowed')
    return Object.entries(SCOPE_WORDS).flatMap(([scope, words]) => (asked.includes(words) ? [scope] : []))
  }
  const allow = async (): Promise<string> => {
    await page.getByRole('button', { name: 'Allow' }).click()
    await page.getByText(`Signed in as @blake in app ${clientId}`).waitFor()
    return page.evaluate<string>('JSON.parse(sessionStorage.getItem("reference.session")).scope')
  }
  await enterAs(page, address, 'Blake', '/docs/listBuckets')
  assert.deepEqual(await signIn('Sign in to try operations'), ['profile', 'buckets'])
  assert.equal(await allow(), 'profile buckets')
  await send(page)
  await statusIs(page, 200)

  // The next operation needs another scope. The token keeps what it could do.
  await turnTo(page, 'getStatements')
  await send(page)
  await statusIs(page, 401)
  await answer(page).getByText(/4017/).first().waitFor()
  assert.deepEqual(await signIn('Change'), ['statements'])
  assert.equal(await allow(), 'profile buckets statements')
  await send(page)
  await statusIs(page, 200)
})

test('hostile text in a description or an answer is text', { skip: noChromium }, async (t) => {
  const hostile = '<img src=x onerror="window.hit=1"><script>window.hit=1</script> [x](javascript:hit=1) `<b>` **<i>**'
  const page = await openChromium(t)
  await page.route('**/openapi.json', async (route) => {
    const changed = structuredClone(document) as unknown as Record<string, never>
    const one = changed.paths['/healthz']!.get as Record<string, unknown>
    Object.assign(one, { summary: hostile, description: hostile, tags: ['Platform'] })
    await route.fulfill({ json: changed })
  })
  await page.goto(`${address}/docs/healthz`)
  await page.getByRole('heading', { level: 1, name: /<img src=x/ }).waitFor()
  for (const contentType of ['application/json', 'text/html', 'image/svg+xml']) {
    const body =
      contentType === 'image/svg+xml'
        ? `<svg xmlns="http://www.w3.org/2000/svg"><script>window.hit=1</script></svg>`
        : hostile
    await page.route('**/healthz', (route) =>
      route.fulfill({ contentType, body, headers: { 'x-request-id': hostile } }),
    )
    await send(page)
    await statusIs(page, 200)
    if (contentType !== 'image/svg+xml')
      await answer(page)
        .locator('pre')
        .getByText(/<script>/)
        .waitFor()
    await page.unroute('**/healthz')
  }
  assert.equal(await page.evaluate('window.hit'), undefined)
  assert.equal(await page.locator('img[src="x"], main script, a[href^="javascript"], main b, main i').count(), 0)
})
