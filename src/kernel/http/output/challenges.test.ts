import assert from 'node:assert/strict'
import { test } from 'node:test'
import { join } from '../../../apps/anonymous/testing.ts'
import { PATH } from '../../../apps/buckets/testing.ts'
import { rawRequest, readRaw, sendRaw } from '../../../operations/testing/socket.ts'
import { testApp } from '../../../operations/testing/testing.ts'

const NOTHING_SENT = 'Bearer realm="groundschool"'
const BASIC = 'Basic realm="groundschool"'
const DAY_MS = 24 * 3600 * 1000

test('a refusal says how to authenticate (RFC 6750, RFC 6749 §5.2)', async (t) => {
  const app = await testApp(t)
  const avery = await app.as('avery')
  const send = async (method: string, path: string, headers: string[] = [], body = '') => {
    const answer = readRaw(await sendRaw(app.address, rawRequest(method, path, headers, body)))
    return [answer.status, Number(answer.headers.get('errorcode')), answer.headers.get('www-authenticate')]
  }
  const bearer = (token: string) => [`authorization: Bearer ${token}`]
  const wrong = (name: string, description: string) =>
    `${NOTHING_SENT}, error="${name}", error_description="${description}"`

  await t.test('a request without a token gets a challenge, and no error code', async () => {
    for (const path of [`${PATH}?id=x`, '/user/v1/my/profile', '/user/v1/my/profile/picture', `${PATH}/events?id=x`])
      assert.deepEqual(await send('GET', path), [401, 4016, NOTHING_SENT], path)
    assert.deepEqual(await send('GET', '/oauth/session/validate', ['authorization: ']), [400, 4001, null])
  })

  await t.test('a wrong token is reported as such, in the header or in the query', async () => {
    const revoked = 'This token is invalid or was revoked; sign in again'
    const invented = `gs_at_${'x'.repeat(43)}`
    const [status, code, challenge] = await send('GET', '/user/v1/my/profile', bearer(invented))
    assert.deepEqual([status, code], [403, 4034])
    assert.match(String(challenge), /^Bearer realm="groundschool", error="invalid_token", error_description="[^"\\]+"$/)
    const inAddress = await send('GET', `/user/v1/my/profile/picture?authorization=Bearer%20${invented}`)
    assert.match(String(inAddress[2]), /error="invalid_token"/)
    assert.deepEqual(await send('GET', `${PATH}?id=x`, ['authorization: Bearer a b']), [
      401,
      4016,
      wrong('invalid_token', 'The Authorization header must be: Bearer <access token>'),
    ])
    const blake = await app.as('blake')
    assert.equal((await blake.post('/oauth/logout')).status, 200)
    assert.deepEqual(await send('GET', '/user/v1/my/profile', bearer(blake.token!)), [
      403,
      4034,
      wrong('invalid_token', revoked),
    ])
  })

  await t.test('an insufficient token is reported as such', async () => {
    const anonymous = await join(app)
    const [status, code, challenge] = await send(
      'POST',
      '/user/v1/my/friends/request',
      [...bearer(anonymous.client.token!), 'content-type: application/json'],
      JSON.stringify({ userId: avery.userId }),
    )
    assert.deepEqual([status, code], [403, 4035])
    assert.match(String(challenge), /error="insufficient_scope", error_description="Anonymous users cannot do this/)
  })

  await t.test('an error that is not about the token has no such header', async () => {
    await avery.put(PATH, { id: 'own' })
    const casey = await app.as('casey')
    assert.deepEqual(await send('GET', `${PATH}?id=own`, bearer(casey.token!)), [403, 4032, null])
    assert.deepEqual(await send('GET', '/account/v1/me'), [401, 4016, null], 'a cookie cannot be asked for')
    const signIn = await send(
      'POST',
      '/account/v1/signin',
      ['content-type: application/json'],
      '{"handle":"x","password":"y"}',
    )
    assert.deepEqual(signIn, [401, 4011, null], 'a browser would open a dialog of its own')
    const form = ['content-type: application/x-www-form-urlencoded']
    assert.deepEqual(await send('POST', '/oauth/logout', form, 'refresh_token=x'), [403, 4034, null], 'a refresh token')
    assert.deepEqual(await send('GET', '/oauth/session/validate?refresh_token=x'), [403, 4034, null])
  })

  await t.test('where Basic is accepted, the challenge is Basic', async () => {
    const form = 'content-type: application/x-www-form-urlencoded'
    const basic = `authorization: Basic ${Buffer.from('gs-none:secret').toString('base64')}`
    const token = 'grant_type=refresh_token&refresh_token=x'
    assert.deepEqual(await send('GET', '/auth/basic', ['clientId: gs-first']), [401, 4016, BASIC])
    assert.deepEqual(await send('GET', '/auth/basic', ['clientId: gs-first', basic]), [401, 4011, BASIC])
    assert.deepEqual(await send('POST', '/oauth/token', [form, basic], token), [401, 4012, BASIC])
    assert.deepEqual(await send('POST', `/oauth/token?${token}&client_id=gs-none`), [401, 4012, BASIC])
    for (const path of ['/oauth/v2/token', '/oauth/v2/introspect', '/oauth/v2/revoke', '/oauth/v2/device/authorize'])
      assert.deepEqual(await send('POST', path, [form, basic], `${token}&token=x`), [401, 4012, BASIC], path)
  })

  await t.test('where Basic and Bearer are accepted, a token is refused as a token', async () => {
    const version = 'X-Experience-API-Version: 2.0.0'
    for (const path of ['/xapi/statements', '/lrs/v1/whoami']) {
      assert.deepEqual(await send('GET', path, [version]), [401, 4016, BASIC], path)
      assert.deepEqual(await send('GET', path, [version, 'authorization: Basic eDp5']), [401, 4012, BASIC], path)
      const [status, code, challenge] = await send('GET', path, [version, ...bearer(`gs_at_${'x'.repeat(43)}`)])
      assert.deepEqual([status, code], [403, 4034])
      assert.match(String(challenge), /^Bearer realm="groundschool", error="invalid_token"/, path)
    }
  })

  await t.test('an expired token says so', async () => {
    app.advance(DAY_MS)
    assert.deepEqual(await send('GET', '/user/v1/my/profile', bearer(avery.token!)), [
      401,
      4010,
      wrong('invalid_token', 'Token refresh required'),
    ])
  })
})
