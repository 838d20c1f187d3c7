import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { startExample } from '../../examples/testing.ts'
import { call } from '../../src/apps/account/testing.ts'
import { obtainCode } from '../../src/apps/oauth/testing.ts'
import { plain } from '../../src/identity/pictures/testing.ts'
import type { EnvironmentName } from '../../src/kernel/config.ts'
import { until } from '../../src/kernel/database/test-database.ts'
import { readText, run } from '../../src/kernel/imports/testing.ts'
import type { TestBrowser } from '../../src/operations/testing/browser.ts'
import { findFreePort } from '../../src/operations/testing/ports.ts'
import { type Person, sharedApp } from '../../src/operations/testing/testing.ts'
import type { Here } from '../api/operations.ts'
import type { HeldCredentials, Session } from './credentials.ts'
import { type ApiDocument, type OperationEntry, readReference } from './document.ts'
import {
  answerExampleOf,
  bodyKindOf,
  chooseWay,
  draftOf,
  findMaker,
  findUserIds,
  learnIds,
  prepare,
  proofOf,
} from './request.ts'

/** Operations whose examples cannot contain a valid value, with the reason. The page tells people what to enter. */
const NEEDS_A_VALUE: Readonly<Record<string, string>> = {
  requestTokens: 'a code is used once',
  requestStandardTokens: 'a code is used once',
  validateSession: 'the page keeps no refresh token',
  signUp: 'the code is in a message',
  resetPassword: 'the code is in a message',
  resendInvitation: 'an invitation has to be sent first',
  withdrawInvitation: 'an invitation has to be sent first',
  correctInvitation: 'an invitation has to be sent first',
  acceptInvitation: 'another person has to send an invitation first',
  declineInvitation: 'another person has to send an invitation first',
  removeOrganisationMember: 'the person has to accept an invitation first',
  setProvider: 'it takes a provider',
  setProviderMode: 'it takes a provider',
  removeProvider: 'it takes a provider',
  proveProviderDomain: 'it takes a record of DNS',
  unlinkProviderIdentity: 'it takes a provider',
  removeConnection: 'it takes a provider',
  uploadPackage: 'it takes a file that is a package',
  addCoursePackage: 'a package has to be uploaded first',
  storePackagePart: 'it takes a file that is a package',
  readPackageUpload: 'an upload has to be begun first',
  finishPackageUpload: 'a package has to be uploaded first',
  deletePackageUpload: 'an upload has to be begun first',
  readPackage: 'a package has to be uploaded first',
  listPackageItems: 'a package has to be uploaded first',
  deletePackage: 'a package has to be uploaded first',
  launchPackageLesson: 'a package has to be uploaded first',
  previewPackageItem: 'a package has to be uploaded first',
  readPackageLesson: 'a package has to be uploaded first',
  waivePackageLesson: 'a package has to be uploaded first',
  endPackageSession: 'a lesson of a package has to be launched first',
  addPasskey: 'an authenticator signs it',
  signInWithPasskey: 'an authenticator signs it',
  renamePasskey: 'it takes an authenticator to have one',
  removePasskey: 'it takes an authenticator to have one',
  addFirstPasskey: 'the code is in a message, and an authenticator signs it',
  startFirstPasskey: 'the code is in a message',
  askToJoin: 'an owner has to open the sign-up first',
  joinOrganisation: 'an owner has to open the sign-up first',
  joinWithLink: 'the code is in a message',
  readCalendarFile: 'the address is secret, and shown once',
}
/** Operations that only content calls, with the credential of its launch. */
const FOR_CONTENT = ['readScormSession', 'commitScorm']
/**
 * Read operations that find nothing in the demo data, even after the example that should be sent first, with the
 * reason.
 */
const EMPTY: Readonly<Record<string, string>> = {
  listNotifications: 'nothing has happened yet',
  listPasskeys: 'it takes an authenticator to have one',
  listChildPasskeys: 'it takes an authenticator to have one',
  listFailedLogouts: 'it takes an app that did not take a logout token',
  listProviderFailures: 'no sign-in with a provider has failed yet',
  listConnections: 'no organisation has a provider yet',
  listPackages: 'a package has to be uploaded first',
  listPackageSessions: 'no lesson shows a package yet',
  listInvitations: 'nobody has been invited yet',
  listSentInvitations: 'nobody has been invited yet',
  listChangedApps: 'no developer has changed an approved app yet',
}
/** Operations that remove what other examples need. They run last, in this order. */
const LATE = [
  /^(?:remove|delete(?!Child|Account)|end|leaveClass|drop|withdraw|reset|revoke|unshare|signOut|logOut)/,
  /^cancel/,
  /^decline/,
  /^(?:transferStudent|signInAsTestPerson|signInAsDemo|changePassword|leaveOrganisation|leaveChild|deleteChild|deleteAccount)$/,
]

const app = await sharedApp(
  {
    RATE_ADDRESS_BURST: '100000',
    RATE_CLIENT_BURST: '100000',
    RATE_ANONYMOUS_BURST: '100000',
    RATE_TOKEN_BURST: '100000',
    SIGN_UP: 'on',
  },
  { withSandbox: true },
)
const [production, sandbox] = [app.environment().url, app.environment('sandbox').url]
const enginePort = String(await findFreePort())
const demo = readText('demo/demo.json')
  .replaceAll('http://localhost:4000/', `${production}/`)
  .replaceAll('http://localhost:4001/', `${sandbox}/`)
  .replaceAll('http://localhost:4101/', `http://localhost:${enginePort}/`)
await run(app, JSON.parse(demo))

const { text } = await app.visitor().get('/openapi.json')
const reference = readReference(JSON.parse(text) as ApiDocument)

/** Stands for a browser tab in which a demo person is signed in to the platform and to an app. */
interface Tab {
  readonly browser: TestBrowser
  readonly here: Here
  readonly session: Session
}

/** Signs in with the same requests as `leaveToSignIn` and `finishSignIn`. */
async function openTab(handle: string, clientId: string, environment: EnvironmentName): Promise<Tab> {
  const browser = app.visitor(environment)
  await call(browser, 'POST', '/account/v1/demo/signin', { handle })
  const here: Here = (await call(browser, 'GET', '/account/v1/here')).body
  const verifier = 'v'.repeat(43)
  const redirectUri = `${here[environment]}/docs/callback`
  const { code } = await obtainCode(app, {
    ...{ clientId, redirectUri, environment, person: handle.slice(1) as Person },
    path: '/oauth/v2/signin',
    challenge: createHash('sha256').update(verifier).digest('base64url'),
  })
  const asked = { grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri: redirectUri }
  const client = { client_id: clientId, client_secret: 'gs-demo-secret' }
  const nobody = app.nobody(environment)
  const { access_token: token } = (await nobody.post('/oauth/v2/token', { ...asked, ...client })).body
  const get = async (path: string, query: object) =>
    (await nobody.get(path, { ...query }, { authorization: `Bearer ${token}` })).body
  const { userId } = await get('/user/v1/my/profile', {})
  const userIds = await findUserIds(
    reference.samples,
    { handle, userId },
    async (term) => (await get('/user/v1/search', { term, limit: 5 })).docs,
  )
  return { browser, here, session: { token, handle, keeper: handle, userIds } }
}

const tabs = new Map<string, Promise<Tab>>()
const ids: Record<string, string> = {}
/** Operations that have succeeded, including those that only ran because another one needs them first. */
const worked = new Set<string>()

interface SentAnswer {
  readonly status: number
  readonly text: string
  readonly json?: unknown
}

/** Sends the example of an operation like the Send button, as the person whom the page names. */
async function press(entry: OperationEntry, isAgain = false): Promise<SentAnswer> {
  const { as = '@avery', clientId = 'gs-demo-app', environment = 'production', pair } = entry.example
  const client = environment === 'sandbox' ? clientId.replace('gs-', 'gs-sbx-') : clientId
  const who = `${as} ${client}`
  const opened = (!isAgain && tabs.get(who)) || openTab(as, client, environment)
  tabs.set(who, opened)
  const { browser, here, session } = await opened
  const held: HeldCredentials = { session, pair, ids }
  const way = chooseWay(entry, held, here)
  const draft = draftOf(entry, reference.samples, here, { ...ids, ...session.userIds })
  const file = new File([new Uint8Array(await plain().png().toBuffer())], 'picture.png', { type: 'image/png' })
  const { method, path, headers, body } = prepare(entry, { ...draft, file })
  const sender = way === 'browser' ? browser : app.visitor(environment)
  const cookie = [...sender.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const proof = proofOf(way, held)
  if (entry.answers.some(({ answer }) => answer.content?.['text/event-stream'])) {
    const stream = await fetch(new URL(path, here[environment]), { headers: { ...headers, ...proof, cookie } })
    await stream.body?.cancel()
    if (stream.status === 200) worked.add(entry.id)
    return { status: stream.status, text: '' }
  }
  const bytes = body instanceof File ? Buffer.from(await body.arrayBuffer()) : body
  const seen = await sender.send(path, {
    method,
    headers: { ...headers, ...proof },
    ...(bytes !== undefined && { body: bytes }),
  })
  const isOver = seen.status === 401 || seen.headers.get('errorcode') === '4034'
  // If the person's session has ended, sign in again and send the example once more.
  if (isOver && !isAgain && !(entry.id in NEEDS_A_VALUE)) return press(entry, true)
  const json = seen.headers.get('content-type')?.startsWith('application/json') ? JSON.parse(seen.text) : undefined
  if (seen.status < 400) worked.add(entry.id)
  if (seen.status < 300) Object.assign(ids, learnIds(answerExampleOf(entry, seen.status), json))
  return { ...seen, json }
}

/** Sends the examples that have to come before this one, recursively. */
async function pressBefore(entry: OperationEntry, above: readonly string[] = []): Promise<void> {
  const maker = findMaker(entry, reference)
  if (!maker || above.includes(maker.id)) return
  await pressBefore(maker, [...above, maker.id])
  // This request may fail, because the record may already exist.
  await press(maker)
}

const hasData = (json: unknown): boolean => {
  const list = (json as { docs?: unknown } | undefined)?.docs ?? json
  return !Array.isArray(list) || list.length > 0
}

const areRequestsLogged = async (): Promise<boolean> =>
  (await app.sql(`select from app_requests r join apps a on a.id = r.app_id where a.client_id = 'gs-demo-app' limit 1`))
    .length > 0

const rankOf = ({ id }: OperationEntry): number => LATE.findIndex((one) => one.test(id)) + 1

test('the example of every operation works as the page shows it, and what is read has something in it', async (t) => {
  await startExample(t, 'ai-plugin', {
    PLATFORM_URL: production,
    CLIENT_ID: 'gs-demo-ai',
    CLIENT_SECRET: 'gs-demo-secret',
    PORT: enginePort,
  })
  const tried = [...reference.byId.values()].filter(
    (entry) => bodyKindOf(entry) !== 'form' && !FOR_CONTENT.includes(entry.id),
  )
  const inOrder = tried.sort((one, other) => rankOf(one) - rankOf(other))
  const refused: string[] = []
  const empty: string[] = []
  const problems: string[] = []
  for (const entry of inOrder) {
    await pressBefore(entry)
    // The platform writes its log of requests to the database some seconds after the requests.
    if (entry.id === 'listAppRequests') await until('requests are logged', areRequestsLogged, 20_000)
    const { status, text, json } = await press(entry)
    const isDone = worked.has(entry.id) && (status >= 400 || entry.answers.some((one) => one.status === String(status)))
    if (isDone && status < 300 && entry.method === 'GET' && !hasData(json)) empty.push(entry.id)
    if (isDone) continue
    refused.push(entry.id)
    const isExpected = entry.id in NEEDS_A_VALUE && status < 500 && entry.example.fill !== undefined
    if (!isExpected) problems.push(`${entry.id} as ${entry.example.as}: ${status} ${text}`)
  }
  assert.deepEqual(problems, [])
  assert.deepEqual(refused.sort(), Object.keys(NEEDS_A_VALUE).sort())
  assert.deepEqual(empty.sort(), Object.keys(EMPTY).sort())
})
