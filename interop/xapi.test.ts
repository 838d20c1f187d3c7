import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { test } from 'node:test'
import { createContext, runInContext } from 'node:vm'
import { UNLIMITED } from '../src/apps/buckets/testing.ts'
import { readPages } from '../src/operations/testing/pages.ts'
import { sharedApp } from '../src/operations/testing/testing.ts'
import { makeTestKey } from '../src/records/credentials/testing.ts'
import { attachmentOf, makeStatement, Speaker, sha2 } from '../src/records/xapi/testing.ts'

const app = await sharedApp(UNLIMITED)
const { key, secret, basic, client } = await makeTestKey(app)
const own = new Speaker(client)
const require = createRequire(import.meta.url)
// Loaded with `require`, because the package's type declarations do not fit an import.
const XAPI: typeof import('@xapi/xapi')['default'] = require('@xapi/xapi')
const LOG = 'The flight took an hour, and Zoë flew.'
const agent = { objectType: 'Agent' as const, mbox: 'mailto:ada@example.org' }
/**
 * Creates five statements with a verb and an activity of their own, so that each client finds only its own statements.
 */
const makeFive = () => {
  const verb = { id: `https://example.org/verbs/${randomUUID()}`, display: { en: 'flew' } }
  const activityId = `https://example.org/sorties/${randomUUID()}`
  const five = Array.from({ length: 5 }, () =>
    makeStatement({ actor: agent, verb, object: { id: activityId, objectType: 'Activity' } }),
  )
  return { verb, activityId, five, ids: five.map(({ id }) => id) }
}

interface StatementPage {
  readonly statements: readonly { readonly id: string }[]
  readonly more?: string
}
/** Reads page after page and returns the ids of all statements. `read` gets an empty text for the first page. */
const findIds = async (read: (more: string) => Promise<StatementPage>): Promise<string[]> =>
  (await readPages('', read, ({ more }) => more || undefined)).flatMap(({ statements }) =>
    statements.map(({ id }) => id),
  )

test('@xapi/xapi (xAPI.js): statements, more, attachments, voiding, documents, by both of its adapters', async (t) => {
  for (const adapter of ['axios', 'fetch'] as const)
    await t.test(adapter, async () => {
      const xapi = new XAPI({ endpoint: `${app.address}/xapi/`, auth: basic, version: '1.0.3', adapter })
      assert.deepEqual((await xapi.getAbout()).data.version, ['2.0.0', '1.0.3'])
      const { verb, activityId, five, ids } = makeFive()
      const sent = await xapi.sendStatements({ statements: five as never })
      assert.deepEqual(sent.data, ids)
      const query = { verb: verb.id, agent, limit: 2, ascending: true }
      const read = async (more: string) =>
        (more === '' ? await xapi.getStatements(query) : await xapi.getMoreStatements({ more })).data as StatementPage
      assert.deepEqual(await findIds(read), ids)
      assert.equal((await xapi.getStatement({ statementId: ids[0]! })).data.id, ids[0])
      // With axios, this library loses the media type of the body in Node and sends application/octet-stream.
      if (adapter === 'fetch') {
        const withLog = makeStatement({ actor: agent, attachments: [attachmentOf(LOG)] })
        const bytes = new Uint8Array(Buffer.from(LOG)).buffer
        assert.deepEqual((await xapi.sendStatement({ statement: withLog as never, attachments: [bytes] })).data, [
          withLog.id,
        ])
        const back = await xapi.getStatement({ statementId: withLog.id, attachments: true })
        assert.equal(back.data[0].id, withLog.id)
        assert.equal(Buffer.from(back.data[1] as never).toString(), LOG)
      }
      await xapi.voidStatement({ actor: agent, statementId: ids[0]! })
      await assert.rejects(xapi.getStatement({ statementId: ids[0]! }), /404|no statement/)
      assert.equal((await xapi.getVoidedStatement({ voidedStatementId: ids[0]! })).data.id, ids[0])
      assert.equal((await xapi.getActivity({ activityId })).data.id, activityId)
      assert.deepEqual((await xapi.getAgent({ agent })).data.mbox, [agent.mbox])
      const place = { agent, activityId, stateId: 'bookmark' }
      await xapi.createState({ ...place, state: { page: 1 } })
      await xapi.createState({ ...place, state: { seen: true } })
      assert.deepEqual((await xapi.getState(place)).data, { page: 1, seen: true })
      await xapi.setState({ ...place, state: { page: 2 } })
      assert.deepEqual((await xapi.getStates({ agent, activityId })).data, ['bookmark'])
      await xapi.deleteState(place)
      await assert.rejects(xapi.getState(place))
      const profile = { activityId, profileId: 'about' }
      await xapi.createActivityProfile({ ...profile, profile: { a: 1 } })
      const etag = (await xapi.getActivityProfile(profile)).headers.etag as string
      await xapi.setActivityProfile({ ...profile, profile: { a: 2 }, etag, matchHeader: 'If-Match' })
      assert.deepEqual((await xapi.getActivityProfile(profile)).data, { a: 2 })
      await assert.rejects(xapi.setActivityProfile({ ...profile, profile: { a: 3 }, etag, matchHeader: 'If-Match' }))
      const ofAgent = { agent, profileId: randomUUID() }
      await xapi.createAgentProfile({ ...ofAgent, profile: { a: 1 } })
      assert.deepEqual((await xapi.getAgentProfile(ofAgent)).data, { a: 1 })
    })
})

test('tincanjs: statements, more, attachments, voiding, documents', async () => {
  const TinCan = require('tincanjs')
  const lrs = new TinCan.LRS({ endpoint: `${app.address}/xapi/`, username: key, password: secret, version: '1.0.1' })
  // biome-ignore lint/suspicious/noExplicitAny: the client has no types
  const call = (method: string, ...args: any[]): Promise<any> =>
    new Promise((resolve, reject) => {
      const cfg = typeof args.at(-1) === 'object' && !('id' in args.at(-1)) && args.at(-1).isCfg ? args.pop() : {}
      const callback = (err: unknown, result: unknown) =>
        err ? reject(new Error(`${method}: ${err}`)) : resolve(result)
      lrs[method](...args, { ...cfg, callback })
    })
  const isCfg = true
  assert.deepEqual((await call('about')).version, ['2.0.0', '1.0.3'])
  const { verb, activityId, five, ids } = makeFive()
  await call(
    'saveStatements',
    five.map((one) => new TinCan.Statement(one)),
  )
  const params = { verb: new TinCan.Verb(verb), limit: 2, ascending: true }
  const read = (more: string): Promise<StatementPage> =>
    more === '' ? call('queryStatements', { isCfg, params }) : call('moreStatements', { isCfg, url: more })
  assert.deepEqual(await findIds(read), ids)
  const one = new TinCan.Statement(makeStatement({ actor: agent }))
  await call('saveStatement', one)
  assert.equal((await call('retrieveStatement', one.id)).id, one.id)
  const attachment = new TinCan.Attachment(attachmentOf(LOG))
  attachment.setContentFromString(LOG)
  const withLog = new TinCan.Statement(makeStatement({ actor: agent }))
  withLog.attachments = [attachment]
  await call('saveStatement', withLog)
  const back = await call('retrieveStatement', withLog.id, { isCfg, params: { attachments: true } })
  assert.equal(back.attachments[0].getContentAsString(), LOG)
  const voiding = new TinCan.Statement({
    actor: agent,
    verb: { id: 'http://adlnet.gov/expapi/verbs/voided' },
    target: { objectType: 'StatementRef', id: one.id },
  })
  await call('saveStatement', voiding)
  await assert.rejects(call('retrieveStatement', one.id), /404/)
  assert.equal((await call('retrieveVoidedStatement', one.id)).id, one.id)
  const cfg = {
    isCfg,
    agent: new TinCan.Agent(agent),
    activity: new TinCan.Activity({ id: activityId }),
    contentType: 'application/json',
  }
  await call('saveState', 'bookmark', { page: 1 }, cfg)
  assert.deepEqual((await call('retrieveState', 'bookmark', cfg)).contents, { page: 1 })
  assert.deepEqual(await call('retrieveStateIds', cfg), ['bookmark'])
  await call('dropState', 'bookmark', cfg)
  assert.equal(await call('retrieveState', 'bookmark', cfg), null)
  for (const resource of ['ActivityProfile', 'AgentProfile']) {
    const id = randomUUID()
    await call(`save${resource}`, id, { a: 1 }, { ...cfg, method: 'POST' })
    const kept = await call(`retrieve${resource}`, id, cfg)
    assert.deepEqual(kept.contents, { a: 1 })
    await call(`save${resource}`, id, { a: 2 }, { ...cfg, lastSHA1: kept.etag.replaceAll('"', '') })
    await assert.rejects(
      call(`save${resource}`, id, { a: 3 }, { ...cfg, lastSHA1: kept.etag.replaceAll('"', '') }),
      /412/,
    )
    await call(`drop${resource}`, id, cfg)
  }
})

/** A minimal XMLHttpRequest with the members that the xAPI wrapper uses. */
class Xhr {
  status = 0
  readyState = 0
  responseText = ''
  response = ''
  #method = ''
  #url = ''
  #sent: Record<string, string> = {}
  #got = new Headers()
  onreadystatechange?: () => void

  open(method: string, url: string, isAsync: boolean): void {
    assert.ok(isAsync)
    this.#method = method
    this.#url = url
  }

  setRequestHeader(name: string, value: string): void {
    this.#sent[name] = value
  }

  getResponseHeader = (name: string) => this.#got.get(name)

  async send(body?: string | Blob | null): Promise<void> {
    const headers = Object.fromEntries(Object.entries(this.#sent).filter(([, value]) => value != null))
    const answer = await fetch(this.#url, { method: this.#method, headers, ...(body ? { body } : {}) })
    this.#got = answer.headers
    this.responseText = await answer.text()
    this.response = this.responseText
    this.status = answer.status
    this.readyState = 4
    this.onreadystatechange?.()
  }
}

test('ADL’s xAPI wrapper (npm xapiwrapper): statements, more, an attachment, voiding, documents', async () => {
  // The wrapper is written for web pages. These are the globals of a page that it needs.
  const page: Record<string, unknown> = {
    ...{ XMLHttpRequest: Xhr, Blob, TextEncoder, TextDecoder, ArrayBuffer, Uint8Array, URL, console: { log() {} } },
    location: new URL(`${app.address}/course`),
    document: { createElement: () => new URL(app.address), addEventListener() {} },
    addEventListener() {},
  }
  page.window = page
  const path = require.resolve('xapiwrapper/dist/xapiwrapper.min.js')
  const context = createContext(page)
  runInContext(readFileSync(path, 'utf8'), context)
  /**
   * Copies a value into the wrapper's context, which has its own classes and would not recognise objects from outside.
   */
  const inside = (value: unknown) =>
    typeof value === 'object' ? (page.JSON_parse as typeof JSON.parse)(JSON.stringify(value)) : value
  page.JSON_parse = runInContext('JSON.parse', context)
  // biome-ignore lint/suspicious/noExplicitAny: the client has no types
  const { ADL } = page as any
  const wrapper = ADL.XAPIWrapper
  wrapper.changeConfig({ endpoint: `${app.address}/xapi/`, user: key, password: secret, strictCallbacks: true })
  /** Calls a function of the wrapper and returns a promise. Each of its functions takes the callback last. */
  // biome-ignore lint/suspicious/noExplicitAny: the same
  const call = (method: string, ...args: any[]): Promise<{ xhr: Xhr; body: any }> =>
    new Promise((resolve, reject) => {
      wrapper[method](...args.map(inside), (error: Error | null, xhr: Xhr, body: unknown) =>
        error
          ? reject(new Error(`${error.message} ${xhr?.responseText}`))
          : resolve({ xhr, body: structuredClone(body) }),
      )
    })
  const { verb, activityId, five, ids } = makeFive()
  assert.deepEqual([...(await call('sendStatements', five)).body], ids)
  const query = { verb: verb.id, agent: JSON.stringify(agent), limit: 2, ascending: true }
  const read = async (more: string): Promise<StatementPage> =>
    (await (more === '' ? call('getStatements', query, null) : call('getStatements', null, more))).body
  assert.deepEqual(await findIds(read), ids)
  const withLog = makeStatement({ actor: agent })
  const type = { usageType: 'https://example.org/usages/log', display: { en: 'Log' }, contentType: 'text/plain' }
  await new Promise<void>((resolve, reject) =>
    wrapper.sendStatement(
      withLog,
      (error: Error | null, xhr: Xhr) => (error ? reject(new Error(xhr.responseText)) : resolve()),
      [{ type, value: LOG }],
    ),
  )
  const { parts } = await own.parts({ statementId: withLog.id, attachments: 'true' })
  assert.deepEqual(
    parts.map(({ headers, content }) => [headers.get('x-experience-api-hash'), content.toString()]),
    [[sha2(LOG), LOG]],
  )
  const voiding = makeStatement({ actor: agent, verb: { id: 'http://adlnet.gov/expapi/verbs/voided' } })
  await call('sendStatement', { ...voiding, object: { objectType: 'StatementRef', id: ids[0] } })
  await assert.rejects(call('getStatements', { statementId: ids[0] }, null), /404/)
  assert.equal((await call('getStatements', { voidedStatementId: ids[0] }, null)).body.id, ids[0])
  assert.equal((await call('getActivities', activityId)).body.id, activityId)
  assert.equal((await call('getAgents', agent)).body.objectType, 'Person')
  await call('sendState', activityId, agent, 'bookmark', null, { page: 1 }, null, null)
  assert.deepEqual((await call('getState', activityId, agent, 'bookmark', null, null)).body, { page: 1 })
  await call('deleteState', activityId, agent, 'bookmark', null, null, null)
  for (const [resource, of] of [
    ['ActivityProfile', activityId],
    ['AgentProfile', agent],
  ] as const) {
    const id = randomUUID()
    await call(`send${resource}`, of, id, { a: 1 }, null, '*')
    const { xhr, body: kept } = await call(`get${resource}`, of, id, null)
    assert.deepEqual(kept, { a: 1 })
    const hash = xhr.getResponseHeader('etag')!.replaceAll('"', '')
    await call(`send${resource}`, of, id, { a: 2 }, hash, null)
    await assert.rejects(call(`send${resource}`, of, id, { a: 3 }, hash, null), /412/)
    await call(`delete${resource}`, of, id, null, null)
  }
})
