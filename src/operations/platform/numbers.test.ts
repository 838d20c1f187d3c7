import assert from 'node:assert/strict'
import { test } from 'node:test'
import { signInBrowser } from '../../apps/account/testing.ts'
import { PATH as BUCKET } from '../../apps/buckets/testing.ts'
import { registerTestPlugin } from '../../extensions/plugins/testing.ts'
import { openExport, readAll, unzip } from '../../identity/exports/testing.ts'
import { PATH as PROGRESS } from '../../learning/progress/testing.ts'
import { id, make, school, shared, V1, V2 } from '../../records/statements/capture/testing.ts'
import { makeSpeaker, makeStatement, STATEMENTS } from '../../records/xapi/testing.ts'
import { assertError, Client } from '../testing/testing.ts'

/** Numbers as they are sent and as they are read, which differs in writing only where a double holds them exactly. */
const NUMBERS: readonly (readonly [sent: string, read: string])[] = [
  ['0.3333333333333333333333333333', '0.3333333333333333333333333333'],
  ['638679312000000001', '638679312000000001'],
  ['9007199254740993', '9007199254740993'],
  ['123456789012345678901234567890', '123456789012345678901234567890'],
  ['1e-400', '1e-400'],
  ['-0', '-0'],
  ['1E5', '100000'],
  ['1.0', '1'],
  ['0.1', '0.1'],
]
const SENT = `[${NUMBERS.map(([sent]) => sent).join(', ')}]`
const READ = `[${NUMBERS.map(([, read]) => read).join()}]`
const JSON_TYPE = { 'content-type': 'application/json' }

const app = await shared
await school
const avery = await app.as('avery')
const key = await makeSpeaker(app)

/** Sends the body as this text, and returns the text of the response. */
async function send(client: Client, method: string, path: string, raw: string): Promise<string> {
  const answer = await client.send(method, path, { raw, headers: JSON_TYPE })
  assert.equal(answer.status, 200, `${raw} ${answer.text}`)
  return answer.text
}
const read = async (path: string, query: Record<string, unknown>) => {
  const answer = await avery.get(path, query)
  assert.equal(answer.status, 200, answer.text)
  return answer.text
}
const assertHas = (text: string | undefined, what: string) =>
  assert.ok(text?.includes(what), `${what} in ${text?.slice(0, 2000)}`)

/** Reads the change stream of a bucket as text, because parsing would round the numbers. */
async function listen(bucket: string) {
  const response = await fetch(`${app.address}${BUCKET}/events?id=${bucket}`, {
    headers: { authorization: `Bearer ${avery.token}` },
    signal: AbortSignal.timeout(10_000),
  })
  const chunks = response.body!.pipeThrough(new TextDecoderStream())[Symbol.asyncIterator]()
  let text = ''
  const until = async (what: string) => {
    while (!text.includes(what)) text += (await chunks.next()).value ?? assert.fail(`the stream ended: ${text}`)
    await chunks.return?.()
  }
  return { until }
}

test('numbers in a bucket keep every digit: whole, by key, after a write beside them, and in its stream', async () => {
  assertHas(await send(avery, 'PUT', BUCKET, `{"id":"numbers","data":{"all":${SENT}}}`), `"data":{"all":${READ}}`)
  const stream = await listen('numbers')
  assertHas(await read(BUCKET, { id: 'numbers' }), `"all":${READ}`)
  assertHas(await read(BUCKET, { id: 'numbers', key: 'all' }), `"data":{"all":${READ}}`)
  assertHas(await read(BUCKET, { id: 'numbers', key: 'all.0' }), `"data":{"all":{"0":${NUMBERS[0]![1]}}}`)
  assertHas(await send(avery, 'POST', BUCKET, '{"id":"numbers","key":"beside","value":{"a":1}}'), `"all":${READ}`)
  assertHas(
    await send(avery, 'POST', BUCKET, '{"id":"numbers","key":"one","value":9007199254740993}'),
    `{"all":${READ},"beside":{"a":1},"one":9007199254740993}`,
  )
  const below = { raw: '{"id":"numbers","key":"one.rawJSON","value":1}' }
  assertError(await avery.send('POST', BUCKET, below), 400, 4003, /is not an object or array/)
  await stream.until('"value":9007199254740993}')
})

test('numbers in answers keep every digit, and a score is rounded', async () => {
  const where = '"lessonId":"walkaround","classId":"alpha"'
  const score = '79.99999999999999999999'
  const report = `{${where},"startTime":"2026-05-01T10:00:00Z","endTime":"2026-05-01T10:10:00Z","complete":true,"score":${score},"answers":${SENT}}`
  assertHas(await send(avery, 'POST', PROGRESS, report), `"score":80,"answers":${READ}`)
  const query = { lessonId: 'walkaround', classId: 'alpha' }
  assertHas(await read(PROGRESS, query), `"answers":${READ}`)
  const own = JSON.parse(await read(PROGRESS, query)).lessonResultId
  assertHas(await read(`${PROGRESS}/history`, { ...query, lessonResultId: own }), `"answers":${READ}`)
})

test('numbers in extensions of statements keep every digit; a score is rounded; equal numbers are the same', async () => {
  const place = 'https://example.org/numbers'
  const definition = { extensions: { [place]: 'numbers' } }
  const object = { id: 'https://example.org/sorties/numbers', definition }
  const statement = makeStatement({ object, result: { score: { raw: 7.5 }, extensions: { [place]: 'numbers' } } })
  const written = (numbers: string) =>
    JSON.stringify(statement).replaceAll('"numbers"', numbers).replace('7.5', '0.12345678901234567890')
  assert.equal((await key.send('POST', STATEMENTS, { raw: written(SENT), headers: JSON_TYPE })).status, 200)
  for (const format of ['exact', 'canonical', 'ids']) {
    const { text } = await key.get({ statementId: statement.id, format })
    assertHas(text, `"raw":0.12345678901234568`)
    assertHas(text, `"${place}":${READ}`)
  }
  assertHas((await key.send('GET', '/xapi/activities', { query: { activityId: object.id } })).text, READ)
  const again = (numbers: string) => key.put(statement.id, undefined, { raw: written(numbers), headers: JSON_TYPE })
  const otherWords = SENT.replace('9007199254740993', '9007199254740993.0').replace('1e-400', '10e-401')
  assert.equal((await again(otherWords)).status, 204)
  assertError(await again(SENT.replace('9007199254740993', '9007199254740992')), 409, 4091)
  const exported = await key.send('GET', '/lrs/v1/statements/export', { query: { activity: object.id } })
  assertHas(exported.text, READ)

  const v2 = JSON.stringify(make({ context: { extensions: id('x', 'numbers') } })).replace('"numbers"', SENT)
  const v1 = `{"actor":"${avery.userId}","verb":"Counted","object":{"lessonId":"walkaround","all":${SENT}}}`
  for (const [path, raw] of [
    [V2, v2],
    [V1, v1],
  ] as const) {
    const { statementId } = JSON.parse(await send(avery, 'POST', path, raw))
    assertHas((await key.get({ statementId })).text, READ)
  }
})

test('numbers of plugins keep every digit, and so does the download of the person', async () => {
  const plugin = await registerTestPlugin(app, { kind: 'ai', key: 'counting' })
  await app.sql(
    `insert into organisation_members (organisation_id, person_id, role)
     select o.id, p.id, 'member' from organisations o, people p where o.key = 'school' and p.handle = '@avery' on conflict do nothing`,
  )
  const [row] = await app.sql(
    `insert into plugin_users (user_id, plugin_id, person_id) select 'counting-avery', ${plugin.pluginId}, id from people where handle = '@avery' returning user_id`,
  )
  const client = new Client(app.address, plugin.basic)
  const info = `{"userId":"${row!.user_id}","info":${SENT}}`
  assertHas(await send(client, 'POST', '/plugin/v2/ai/additional-info', info), `"info":${READ}`)
  const files = unzip(await readAll(await openExport(await signInBrowser(app, 'avery'))))
  const texts = [...files].filter(([name]) => name.endsWith('.json')).map(([name, bytes]) => [name, String(bytes)])
  const compact = texts.map(([name, text]) => [name, text!.replaceAll(/\s/g, '')] as const)
  const holding = compact.filter(([, text]) => text.includes(READ)).map(([name]) => name!.replace(/\/.*/, ''))
  assert.deepEqual(holding.toSorted(), ['additional-info.json', 'buckets', 'learning.json', 'statements.json'])
})

test('a number beyond the range of doubles is refused everywhere (D4)', async () => {
  for (const raw of ['{"id":"huge","data":1e400}', `{"id":"huge","data":[-1${'0'.repeat(400)}]}`])
    assertError(await avery.send('PUT', BUCKET, { raw }), 400, 4003, /too large/)
})
