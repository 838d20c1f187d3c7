import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { everything, operations } from '../../app.ts'
import { describeApi } from '../../kernel/http/openapi/openapi.ts'
import type { Operation } from '../../kernel/http/operation.ts'
import * as samples from '../../kernel/samples.ts'
import { MOMENT, USER_IDS } from '../../kernel/samples.ts'
import { testApp } from '../testing/testing.ts'
import { Stage } from './testing-examples.ts'
import type { Scene } from './testing-scene.ts'
import { send, translate } from './testing-sending.ts'

const UNLIMITED = {
  RATE_ADDRESS_BURST: '100000',
  RATE_CLIENT_BURST: '100000',
  RATE_ANONYMOUS_BURST: '100000',
  SIGN_UP: 'on',
}
// biome-ignore lint/suspicious/noExplicitAny: tests look into the document freely
const published = describeApi(everything, { url: 'http://localhost:4000' }) as any

const countSentences = (text = ''): number =>
  text
    .split('\n\nFor: ')[0]!
    .split(/(?<=[.?!])\s+/)
    .filter(Boolean).length

/** Finds gaps in an operation's documentation. Returns one line for each. */
function findGaps({ name, description, example, input, requestHeaders = {} }: Operation): string[] {
  const sentences = countSentences(description)
  const { request = {}, headers = {} } = example ?? {}
  const unknown = [
    ...Object.keys(request).filter((field) => !(field in input.properties)),
    ...Object.keys(headers).filter((header) => !(header in requestHeaders)),
  ]
  return [
    ...(sentences < 2 || sentences > 3
      ? [`${name}: the description has ${sentences} sentences, not two or three`]
      : []),
    ...unknown.map((field) => `${name}: the example sends ${field}, which the operation does not read`),
  ]
}

test('every operation describes its purpose in two or three sentences', () => {
  assert.deepEqual(operations.flatMap(findGaps), [])
})

/** The verbs that summaries begin with: `Get` one thing, `List` many; `Remove` only from a list. */
const VERBS = new Set(
  [
    'Accept Acknowledge Activate Add Aggregate Approve Archive Assert Begin Block Cancel Change Check',
    'Close Complete Count Create Decline Delete Disable Discard Drop Duplicate Enable End Enrol Fetch',
    'Export Get Grade Grant Import Introspect Invite Join Launch Leave List Lock Mark Merge Open',
    'Pause Preview Publish Record Reinstate Remove Rename Reopen',
    'Replace Resend Reset Resume Revoke Save Search Send Set Share Sign Start Stop Store Stream Suspend',
    'Transfer Unblock Update Upload Validate Waive Withdraw',
  ]
    .join(' ')
    .split(' '),
)

const summaries: readonly string[] = Object.values<Record<string, { summary: string }>>(published.paths).flatMap(
  (path) => Object.values(path).map(({ summary }) => summary),
)

test('every summary is a short name that begins with one of the allowed verbs', () => {
  const isName = (summary: string): boolean =>
    VERBS.has(summary.split(' ')[0]!) && summary.length <= 45 && !/[.;]/.test(summary)
  assert.deepEqual(
    summaries.filter((summary) => !isName(summary)),
    [],
  )
  const used = new Set(summaries.map((summary) => summary.split(' ')[0]))
  assert.deepEqual(
    [...VERBS].filter((verb) => !used.has(verb)),
    [],
    'verbs that no summary uses',
  )
})

test('no two operations have the same summary', () => {
  assert.deepEqual(
    summaries.filter((summary, index) => summaries.indexOf(summary) !== index),
    [],
  )
})

test('everything else in the OpenAPI document has a description', () => {
  const silent = Object.entries<Record<string, { description?: string }>>(published.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { description }]) => countSentences(description) < 2)
      .map(([method]) => `${method} ${path}`),
  )
  assert.deepEqual(silent, [])
})

/**
 * File with the recorded responses to the examples. `npm run examples` writes it; a normal test run compares with it.
 */
const RECORD = new URL('../../../docs/examples.json', import.meta.url)
const isRecording = process.env.GROUNDSCHOOL_RECORD === '1'

test('every example is a request that gets the recorded answer', async (t) => {
  const recorded: Record<string, unknown> = JSON.parse(readFileSync(RECORD, 'utf8'))
  const answers: Record<string, unknown> = {}
  const app = await testApp(t, UNLIMITED, { withSandbox: true })
  const stage = await Stage.open(app)
  for (const operation of operations) {
    await t.test(operation.name, async () => {
      const { name, example = {}, output } = operation
      const scene = await stage.set(operation)
      const request = { ...translate(example.request ?? {}, scene), ...scene.request }
      assertAlike(request, example.request ?? {}, scene)
      const answer = await send(operation, request, example.headers ?? {}, scene)
      const statuses = output.kind === 'raw' ? Object.keys(output.answers) : ['status' in output ? output.status : 200]
      assert.equal(String(answer.status), String(statuses[0]), answer.text)
      const type = answer.headers.get('content-type') ?? ''
      if (output.kind === 'json') {
        const actual = JSON.parse(answer.text)
        const compare = () =>
          example.isLive ? assertSameKind(actual, recorded[name]) : assertAlike(actual, recorded[name], scene)
        if (!isRecording) compare()
        // A recorded response that still matches is kept, so that recording again does not change the file.
        answers[name] = isRecording && !passes(compare) ? toSample(actual, scene, name) : recorded[name]
      } else if (output.kind === 'file') assert.ok(type.startsWith(output.mediaType), type)
      else if (output.kind === 'raw') assert.equal(answer.text === '', !output.answers[answer.status]!.mediaTypes)
      else assert.match(type, { image: /^image\//, events: /^text\/event-stream/ }[output.kind])
    })
  }
  const sorted = Object.fromEntries(Object.entries(answers).sort(([a], [b]) => (a < b ? -1 : 1)))
  if (isRecording) writeFileSync(RECORD, `${JSON.stringify(sorted, null, 2)}\n`)
  else assert.deepEqual(Object.keys(recorded), Object.keys(sorted), 'run npm run examples and commit the result')
})

const passes = (check: () => void): boolean => {
  try {
    check()
    return true
  } catch {
    return false
  }
}

/**
 * Converts a response for the documentation: real values are replaced by samples, and other ids by generated ones that
 * are the same in every run.
 */
function toSample(answer: unknown, { real }: Scene, name: string): unknown {
  const samples = Object.entries(real).toSorted(([, a], [, b]) => b.length - a.length)
  let count = 0
  const toText = (text: string): string =>
    samples
      .reduce((text, [sample, one]) => text.replaceAll(one, sample), text)
      .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, MOMENT)
      .replace(/(gs_[a-z]{2}_)?([\w-]{22,})/g, (id, prefix: string | undefined, rest: string) =>
        KNOWN_IDS.some((known) => id.includes(known)) ? id : `${prefix ?? ''}${madeUp(`${name} ${count++}`, rest)}`,
      )
  return JSON.parse(JSON.stringify(answer), (_key, value) => (typeof value === 'string' ? toText(value) : value))
}

const KNOWN_IDS = Object.values(samples).flatMap((sample) =>
  typeof sample === 'string' ? [sample] : Object.values(sample),
)

/** Generates an id of the same length and format, derived from the seed. */
function madeUp(seed: string, id: string): string {
  const text = hash('sha512', seed, 'base64url').replaceAll(/[-_]/g, 'x')
  if (!/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(id)) return text.slice(0, id.length)
  const hex = hash('sha256', seed, 'hex')
  return id.replaceAll(/[\da-f]/g, (_, i: number) => hex[i % hex.length]!)
}

test('endpoints for tools respond as the OpenAPI document shows', async (t) => {
  const app = await testApp(t)
  for (const path of ['/healthz', '/readyz']) {
    const { example } = published.paths[path].get.responses[200].content['application/json']
    assert.deepEqual((await app.nobody().get(path)).body, example)
  }
})

/**
 * Asserts that keys, types and values are equal. Ids, tokens and dates that are new in each run only need the same
 * format.
 */
function assertAlike(actual: unknown, example: unknown, scene: Scene): void {
  const known = [...Object.values(USER_IDS), ...Object.values(scene.real)]
  const mask = (value: unknown) => JSON.parse(JSON.stringify(value), (_key, one) => maskValue(one, known))
  assert.deepEqual(mask(actual), mask(translate(example, scene)))
}

/** Asserts that keys and types are equal. Of lists, only the first items are compared. A value may also be null. */
function assertSameKind(actual: unknown, example: unknown, path = ''): void {
  if (actual === null || example === null) return
  assert.equal(typeof actual, typeof example, path)
  if (Array.isArray(actual) && Array.isArray(example)) {
    if (actual.length > 0 && example.length > 0) assertSameKind(actual[0], example[0], `${path}[]`)
  } else if (typeof actual === 'object' && typeof example === 'object') {
    assert.deepEqual(Object.keys(actual).sort(), Object.keys(example).sort(), path)
    for (const [name, value] of Object.entries(example))
      assertSameKind((actual as Record<string, unknown>)[name], value, `${path}.${name}`)
  }
}

function maskValue(value: unknown, known: readonly string[]): unknown {
  if (typeof value === 'number') return value > 1e9 ? 'seconds since 1970' : value
  if (typeof value !== 'string') return value
  return (
    value
      .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'a date')
      .replace(/\b[B-Z]{4}-[B-Z]{4}\b/g, 'a user code')
      // The end of a link on the content origin, which changes every six hours.
      .replace(/(?<=\/(?:[fop]|player)\/[\w-]{22}\.)[\da-z]+(?=\.)/g, 'an end')
      .replace(/(gs_[a-z]{2}_)?[\w-]{22,}/g, (id, prefix = '') =>
        prefix === '' && known.some((one) => id.includes(one)) ? id : `${prefix}an id`,
      )
  )
}
