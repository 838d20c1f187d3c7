import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PATH } from '../../../apps/buckets/testing.ts'
import { rawRequest, readRaw, sendRaw } from '../../../operations/testing/socket.ts'
import { type Answer, assertError, sharedApp } from '../../../operations/testing/testing.ts'
import { assertWithin } from '../../../operations/testing/time-limits.ts'

const app = await sharedApp()
const FORM = 'content-type: application/x-www-form-urlencoded'

test('JSON that an old client sends with another media type', async (t) => {
  const avery = await app.as('avery')
  await avery.put(PATH, { id: 'old' })
  const send = async (method: string, type: string, body: string) => {
    const headers = [`authorization: Bearer ${avery.token}`, type]
    return readRaw(await sendRaw(app.address, rawRequest(method, PATH, headers, body)))
  }
  const value = 'a+b & 100%25 = é {"x"}'
  const json = JSON.stringify({ id: 'old', key: 'a', value })

  await t.test('as octet-stream is parsed as strictly as JSON', async () => {
    for (const type of ['application/octet-stream', 'Application/Octet-Stream; charset=utf-8']) {
      const answer = await send('POST', `content-type: ${type}`, json)
      assert.deepEqual([answer.status, answer.body?.data], [200, { a: value }])
    }
    const octets = 'content-type: application/octet-stream'
    assertError((await send('POST', octets, '{"id":"old","id":"x"}')) as Answer, 400, 4003, /twice/)
    assertError((await send('POST', octets, 'id=old&key=a&value=b')) as Answer, 400, 4000, /JSON/)
    assertError((await send('POST', octets, 'null')) as Answer, 400, 4001)
  })

  await t.test('as a form without other fields is parsed as JSON', async () => {
    const encoded = encodeURIComponent(json)
    const bodies: Record<string, string> = {
      'as it is': json,
      'as it is, with a line behind it': `${json}\r\n`,
      'as it is, as a name without a value': `${json}=`,
      encoded,
      'encoded in lower case': encoded.replaceAll(/%../g, (code) => code.toLowerCase()),
      'encoded, with spaces as forms have them': encoded.replaceAll('%20', '+'),
      'encoded, as a name without a value': `${encoded}=`,
      'encoded behind its first =': json.replace(/=(.*)$/s, (_, rest) => `=${encodeURIComponent(rest)}`),
      'encoded behind its first =, with a line behind it': json.replace(
        /=(.*)$/s,
        (_, rest) => `=${encodeURIComponent(`${rest}\n`)}`,
      ),
      'encoded but for its braces': encoded.replaceAll('%7B', '{').replaceAll('%7D', '}'),
    }
    for (const [what, body] of Object.entries(bodies)) {
      const answer = await send('POST', FORM, body)
      assert.deepEqual([answer.status, answer.body?.data], [200, { a: value }], `${what}: ${answer.text}`)
      await avery.post(PATH, { id: 'old', key: '', value: {} })
    }
    const types = await send('POST', FORM, encodeURIComponent('{"id":"old","key":"t","value":[1,null,true]}'))
    assert.deepEqual(types.body.data.t, [1, null, true], 'values have their types, as in JSON')
  })

  await t.test('and is refused as JSON is', async () => {
    for (const body of ['{"id":"old",}', '%7B%22id%22%3A%22old%22%2C%7D', '{id:old}'])
      assertError((await send('POST', FORM, body)) as Answer, 400, 4000, /JSON/)
    assertError((await send('POST', FORM, '{"id":"old","id":"x"}')) as Answer, 400, 4003, /twice/)
    assertError((await send('POST', FORM, '%7B%22id%22%3A%22%ff%22%7D')) as Answer, 400, 4000, /UTF-8/)
    const startedMs = performance.now()
    assert.equal((await send('POST', FORM, `{}${' '.repeat(1_000_000)}x`)).status, 400)
    assertWithin(performance.now() - startedMs, 2_000)
  })

  await t.test('a form that has other fields is a form, whatever its values are', async () => {
    for (const value of ['{"a":1}', '%7B%22a%22%3A1%7D']) {
      const answer = await send('POST', FORM, `id=old&key=f&value=${value}`)
      assert.equal(answer.body.data.f, '{"a":1}')
    }
    const odd = await send('POST', FORM, '%7Bx=1&id=old&key=g&value=2')
    assert.equal(odd.body.data.g, '2')
    assertError((await send('POST', FORM, 'null')) as Answer, 400, 4001)
  })

  await t.test('reaches the token operation too', async () => {
    const fields = encodeURIComponent(
      JSON.stringify({ grant_type: 'refresh_token', refresh_token: 'x', client_id: 'gs-none' }),
    )
    const answer = readRaw(await sendRaw(app.address, rawRequest('POST', '/oauth/token', [FORM], fields)))
    assertError(answer as Answer, 401, 4012, undefined, 'oauth')
  })
})
