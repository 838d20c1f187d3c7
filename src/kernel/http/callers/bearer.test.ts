import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { size } from '../../../operations/testing/sizes.ts'
import { rawRequest, readRaw, sendRaw } from '../../../operations/testing/socket.ts'
import { type Answer, assertError, Client, testApp } from '../../../operations/testing/testing.ts'
import { tokenPolicy } from '../../sessions/sessions.ts'
import { mintRefreshToken, mintToken } from '../../sessions/tokens.ts'

const LIST = '/app/v1/bucket/list'
const HOUR_MS = 3_600_000
const TOKENS = size(10_000)
const PLENTY = { RATE_ADDRESS_PER_SECOND: '1000000', RATE_ADDRESS_BURST: '1000000' }

test('the Authorization header', async (t) => {
  const app = await testApp(t, PLENTY, { withSandbox: true })
  const avery = await app.as('avery')
  const token = avery.token!

  /** Sends the header lines exactly as given. */
  const withHeaders = async (...headers: string[]): Promise<Answer> => {
    const {
      status,
      body,
      text,
      headers: answered,
    } = readRaw(await sendRaw(app.address, rawRequest('GET', LIST, headers)))
    return { status, body, text, headers: answered }
  }

  await t.test('a bearer token is read whatever the case of its words, and bare (O17)', async () => {
    const good = [
      `Authorization: Bearer ${token}`,
      `authorization: Bearer ${token}`,
      `AUTHORIZATION: BEARER ${token}`,
      `Authorization: bearer ${token}`,
      `Authorization: bEaReR ${token}`,
      `Authorization:Bearer ${token}`,
      `Authorization: \t Bearer ${token}  `,
      `Authorization: ${token}`,
    ]
    for (const header of good) assert.equal((await withHeaders(header)).status, 200, header.slice(0, 30))
    const tolerated = await withHeaders(good[0]!, 'clientId: gs-other', 'client_id: gs-first')
    assert.equal(tolerated.status, 200)
  })

  await t.test('anything else is a 401, never a 500 (O17)', async () => {
    const bad = [
      '',
      'Bearer',
      'Bearer ',
      'bearer',
      `Bearer  ${token}`,
      `Bearer\t${token}`,
      `Bearer \t${token}`,
      `Bearer ${token} ${token}`,
      `Bearer ${token},Bearer ${token}`,
      `Bearer ${token}\u00e9`,
      `Bearer \u00a0${token}`,
      `Bearer ${Buffer.from('\u{1f600}').toString('latin1')}`,
      `Bearer "${token}"`,
      `Bearer: ${token}`,
      `Bearer${token.replace(/_/g, ':')}`,
      `Basic ${Buffer.from('@avery:password').toString('base64')}`,
      `Digest ${token}`,
      `Token ${token}`,
      "Bearer ' or 1=1 --",
      'Bearer {{token}}',
    ]
    for (const value of bad) assertError(await withHeaders(`Authorization: ${value}`), 401, 4016)
    assertError(await withHeaders(), 401, 4016, /has no authorization/)
    assertError(await app.nobody().get(LIST), 401, 4016)
  })

  await t.test('a header that is sent twice is a 400 (O17)', async () => {
    const header = `Authorization: Bearer ${token}`
    assertError(await withHeaders(header, header), 400, 4000, /sent twice/)
    assertError(await withHeaders(header, 'AUTHORIZATION: Bearer other'), 400, 4000, /sent twice/)
    assertError(await withHeaders('authorization:', header), 400, 4000, /sent twice/)
  })

  await t.test('a header of 100 KB is a 400, and one of 10 KB is no valid token (O17)', async () => {
    assertError(await withHeaders(`Authorization: Bearer ${'x'.repeat(100_000)}`), 400, 4000)
    assertError(await withHeaders(`Authorization: Bearer ${token}${'x'.repeat(10_000)}`), 403, 4034)
  })

  await t.test('a token in the query counts only where browsers can send no header', async () => {
    assertError(await app.nobody().get(LIST, { authorization: `Bearer ${token}` }), 401, 4016)
    const stream = await app.nobody().get('/app/v1/bucket/events', { id: 'none', authorization: `Bearer ${token}` })
    assertError(stream, 404, 4042)
    const twice = await app.nobody().get(`/app/v1/bucket/events?id=x&authorization=${token}&authorization=${token}`)
    assertError(twice, 401, 4016)
  })

  await t.test('no byte of a token can be changed (O10)', async () => {
    const other = (c: string) => (c === 'A' ? 'B' : 'A')
    for (let i = 0; i < token.length; i++) {
      const changed = token.slice(0, i) + other(token[i]!) + token.slice(i + 1)
      assertError(await new Client(app.address, changed).get(LIST), 403, 4034)
    }
    for (const changed of [token.slice(1), token.slice(0, -1), `${token}A`, `${token}=`, token.toUpperCase()])
      assertError(await new Client(app.address, changed).get(LIST), 403, 4034)
  })

  await t.test(`none of ${TOKENS} random tokens is accepted (O10)`, async () => {
    const makers = [
      () => mintToken('access', 'production'),
      () => mintToken('refresh', 'production'),
      () => randomBytes(32).toString('base64url'),
      () => `gs_at_${randomBytes(32).toString('base64url')}`,
    ]
    const sendMany = (count: number) => {
      const requests = Array.from({ length: count }, (_, i) => {
        const end = i === count - 1 ? 'connection: close\r\n' : ''
        return `GET ${LIST} HTTP/1.1\r\nhost: localhost\r\n${end}authorization: Bearer ${makers[i % 4]!()}\r\n\r\n`
      })
      return sendRaw(app.address, requests.join(''), 60_000)
    }
    const sent: string[] = []
    while (sent.length < TOKENS / 100)
      sent.push(...(await Promise.all(Array.from({ length: 10 }, () => sendMany(100)))))
    const statuses = sent.flatMap((answers) => answers.match(/HTTP\/1\.1 \d+/g) ?? [])
    assert.equal(statuses.length, TOKENS)
    assert.deepEqual([...new Set(statuses)], ['HTTP/1.1 403'])
  })

  await t.test('a token of another kind is not an access token', async () => {
    const [refreshKey] = app.environment().get(tokenPolicy).refreshKeys
    const [session] = await app.sql('select id from sessions limit 1')
    const refresh = mintRefreshToken(refreshKey!, 'production', {
      sessionId: String(session?.id),
      counter: 0,
    })
    assertError(await new Client(app.address, refresh).get(LIST), 403, 4034)
  })

  await t.test('a token is valid only in its own environment, and the other says why (O14)', async () => {
    const inSandbox = await app.as('avery', 'first', 'sandbox')
    assert.equal((await inSandbox.get(LIST)).status, 200)
    const crossings: [Client, RegExp][] = [
      [new Client(app.address, inSandbox.token), /issued by the sandbox environment; this is production/],
      [new Client(app.sandboxAddress, token), /issued by the production environment; this is sandbox/],
    ]
    for (const [client, why] of crossings) {
      for (const [method, path] of [
        ['GET', '/app/v1/bucket'],
        ['PUT', '/app/v1/bucket'],
        ['POST', '/app/v1/bucket'],
        ['DELETE', '/app/v1/bucket'],
        ['POST', '/app/v1/bucket/user'],
        ['POST', '/app/v1/bucket/user/remove'],
        ['GET', LIST],
        ['GET', '/app/v1/bucket/events'],
      ] as const) {
        const body = method === 'GET' ? {} : { body: { id: 'x', key: '', value: 1, userId: 'x' } }
        assertError(await client.send(method, path, { query: { id: 'x' }, ...body }), 403, 4034, why)
      }
    }
    assert.deepEqual((await inSandbox.get(LIST)).body, [])
  })

  await t.test('an access token is valid for 24 hours, cached or not, and then has to be refreshed', async () => {
    const remembered = await app.as('blake')
    const unused = await app.as('blake')
    assert.equal((await remembered.get(LIST)).status, 200)
    app.advance(24 * HOUR_MS - 60_000)
    assert.equal((await remembered.get(LIST)).status, 200)
    app.advance(60_000)
    for (const client of [remembered, unused])
      assertError(await client.get(LIST), 401, 4010, /^Token refresh required$/)
  })
})
