import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PATH } from '../buckets/testing.ts'
import { type Answer, assertError, testApp } from '../testing.ts'

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

test('a body', async (t) => {
  const app = await testApp(t)
  const avery = await app.as('avery')
  const form = (path: string, raw: string): Promise<Answer> =>
    (path === PATH ? avery : app.nobody()).send('POST', path, { raw, headers: FORM })

  await t.test('of a form has at most 200 fields, and many more cost nobody any time', async () => {
    const fields = Array.from({ length: 200 }, (_, i) => `f${i}=x`)
    assertError(await form('/oauth/logout', fields.join('&')), 400, 4001)
    assertError(await form('/oauth/logout', [...fields, 'g=x'].join('&')), 400, 4000, /more than 200 fields/)
    const many = Array.from({ length: 250_000 }, (_, i) => i.toString(36)).join('&')
    const startedMs = performance.now()
    assertError(await form(PATH, many), 400, 4000, /more than 200 fields/)
    assert.ok(performance.now() - startedMs < 1_000, 'it was not taken apart')
  })

  await t.test('is small, but for what is kept in buckets', async () => {
    const large = 'x'.repeat(70_000)
    assertError(await avery.post('/oauth/logout', { refresh_token: large }), 413, 4131)
    assertError(await avery.put('/user/v1/my/profile', { deviceToken: large }), 413, 4131)
    assertError(await avery.post(`${PATH}/user`, { id: large }), 413, 4131)
    assert.equal((await avery.put(PATH, { id: 'large', data: large })).status, 200)
    assert.equal((await avery.post(PATH, { id: 'large', key: 'a', value: large })).status, 400)
    const page = await app.visitor().post('/account/signin', { handle: large })
    assert.equal(page.status, 413)
    assert.match(page.headers.get('content-type') ?? '', /^text\/html/)
  })
})
