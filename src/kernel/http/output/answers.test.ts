import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openRaw, readRaw, sendRaw } from '../../../operations/testing/socket.ts'
import { type Answer, assertError, testApp } from '../../../operations/testing/testing.ts'
import { until } from '../../database/test-database.ts'
import { PlatformError } from '../../errors.ts'

const PATH = '/app/v1/bucket'

const SECURITY_HEADERS: Record<string, string> = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
}

function assertSafe(what: string, { headers, text }: { headers: Headers; text: string }): void {
  for (const [name, value] of Object.entries(SECURITY_HEADERS))
    assert.equal(headers.get(name), value, `${what}: ${name}`)
  assert.match(headers.get('content-security-policy') ?? '', /frame-ancestors 'none'/, what)
  assert.match(headers.get('x-request-id') ?? '', /^[\w.-]{8,64}$/, what)
  assert.equal(headers.get('x-powered-by'), null)
  // The response must not contain stack traces, SQL, or file paths of the server.
  assert.doesNotMatch(
    text,
    /\bat .+:\d+:\d+|\.ts\b|node_modules|\/(?:home|root|usr|tmp|work)\/|\bselect\b|\binsert\b|relation/i,
    what,
  )
}

const assertRawError = (answer: string, status: number, code: number): void => {
  const read = readRaw(answer)
  assertError({ ...read, headers: read.headers } as Answer, status, code)
  assertSafe(answer, read)
}

test('answers', async (t) => {
  const app = await testApp(t)
  const avery = await app.as('avery')

  await t.test('every answer carries the security headers and a request id', async () => {
    const nobody = app.nobody()
    const answers: Record<string, Answer> = {
      success: await avery.put(PATH, { id: 'safe' }),
      head: await avery.send('HEAD', PATH, { query: { id: 'safe' } }),
      health: await nobody.get('/healthz'),
      ready: await nobody.get('/readyz'),
      metrics: await nobody.get('/metrics'),
      'no token': await nobody.get(PATH, { id: 'safe' }),
      'bad input': await avery.put(PATH, { id: 5 }),
      'bad JSON': await avery.send('PUT', PATH, { raw: '{' }),
      'unknown path': await nobody.get('/nowhere'),
      'unknown method': await nobody.send('PATCH', PATH),
      options: await nobody.send('OPTIONS', PATH),
      'bad path': await nobody.get('/%zz'),
      'sign-in': await nobody.get('/auth/basic'),
    }
    for (const [what, answer] of Object.entries(answers)) assertSafe(what, answer)
    const ids = Object.values(answers).map((answer) => answer.headers.get('x-request-id'))
    assert.equal(new Set(ids).size, ids.length)
  })

  await t.test("a client's own request id is kept where it is safe, and replaced where it is not", async () => {
    const withId = async (id: string) =>
      (await avery.get(PATH, { id: 'safe' }, { 'x-request-id': id })).headers.get('x-request-id')
    assert.equal(await withId('trace-0123456789.abc_DEF'), 'trace-0123456789.abc_DEF')
    for (const unsafe of [
      'short',
      'x'.repeat(65),
      'with space here',
      '<script>alert(1)</script>',
      '{"level":"error"}',
      'ünïcödé-id',
    ]) {
      const id = await withId(unsafe)
      assert.notEqual(id, unsafe)
      assert.match(id ?? '', /^[\w-]{8,64}$/)
    }
    const refused = await avery.get(PATH, { id: 'none' }, { 'x-request-id': 'trace-of-an-error' })
    assert.equal(refused.headers.get('x-request-id'), 'trace-of-an-error')
  })

  await t.test('a description that is not ASCII is whole in the body and safe in the headers', async () => {
    const keys = ['naïve-ключ-😀', 'a\r\nset-cookie: x=1', 'x'.repeat(4_000)]
    await avery.put(PATH, { id: 'ascii', data: Object.fromEntries(keys.map((key) => [key, 1])) })
    // Nothing can be written below a key whose value is not an object, and the error message names the key.
    const [answer, split, long] = await Promise.all(
      keys.map((key) => avery.post(PATH, { id: 'ascii', key: `${key}.below`, value: 1 })),
    )
    assertError(answer!, 400, 4003, /naïve-ключ-😀/)
    for (const name of ['errordescription', 'error_description'])
      assert.match(answer!.headers.get(name)!, /^[\x20-\x7e]+$/)
    assertError(split!, 400, 4003)
    assert.equal(split!.headers.get('set-cookie'), null)
    assertError(long!, 400, 4003)
    assert.ok(long!.headers.get('errordescription')!.length <= 500)
  })

  await t.test('an unknown path is a 404 that says where to look', async () => {
    const nobody = app.nobody()
    assertError(
      await nobody.get('/app/v1/buckets'),
      404,
      4042,
      /There is no operation GET \/app\/v1\/buckets; .*\/docs/,
    )
    assertError(await nobody.get(`${PATH}//`), 404, 4042)
    assertError(await nobody.get('/x', { authorization: 'Bearer secret' }), 404, 4042, /GET \/x;/)
    assertError(await nobody.post('/nowhere', { a: 1 }), 404, 4042)
    assertError(await nobody.get('/%zz'), 400, 4000)
    assertError(await nobody.get('/%00'), 404, 4042)
  })

  await t.test('malformed HTTP is a 400 in our own format', async () => {
    const broken: Record<string, string> = {
      'no HTTP': 'hello\r\n\r\n',
      'an unknown method': 'FLY / HTTP/1.1\r\nhost: localhost\r\n\r\n',
      'a header without a name': 'GET / HTTP/1.1\r\nhost: localhost\r\n: x\r\n\r\n',
      'a NUL in a header': 'GET / HTTP/1.1\r\nhost: localhost\r\nx-a: a\0b\r\n\r\n',
      'two lengths': `PUT ${PATH} HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nxx`,
      'a length and chunks': `PUT ${PATH} HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
      'headers of 100 KB': `GET / HTTP/1.1\r\nhost: localhost\r\nx-large: ${'x'.repeat(100_000)}\r\n\r\n`,
      'a path in raw bytes': 'GET /\xff\xfe HTTP/1.1\r\nhost: localhost\r\n\r\n',
      'no host': 'GET /healthz HTTP/1.1\r\nconnection: close\r\n\r\n',
    }
    for (const [what, bytes] of Object.entries(broken)) {
      const answer = await sendRaw(app.address, bytes)
      assert.ok(answer, what)
      assertRawError(answer, 400, 4000)
    }
  })

  await t.test('a client that leaves in the middle of its body is not logged as a failure', async () => {
    const before = app.log().length
    for (let i = 0; i < 5; i++) {
      const socket = openRaw(app.address)
      socket.on('error', () => {})
      socket.write(
        `PUT ${PATH} HTTP/1.1\r\nhost: localhost\r\nauthorization: ${avery.token}\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n{"id":`,
      )
      await new Promise((resolve) => setTimeout(resolve, 50))
      socket.destroy()
    }
    await new Promise((resolve) => setTimeout(resolve, 200))
    assert.doesNotMatch(app.log().slice(before), /unhandled error|"status":500/)
    assert.equal((await app.nobody().get('/healthz')).status, 200)
  })
})

test('an unexpected failure is a 5000 without its cause, and the log has the cause once', async (t) => {
  const app = await testApp(t)
  const avery = await app.as('avery')
  await avery.put(PATH, { id: 'here' })
  await app.sql('alter table buckets rename to secret_stash')
  const answer = await avery.get(PATH, { id: 'here' }, { 'x-request-id': 'the-one-that-failed' })
  assertError(answer, 500, 5000, /include the request id/)
  assertSafe('500', answer)
  assert.doesNotMatch(answer.text, /bucket/i)
  await until('the failure is logged', () => app.log().includes('the-one-that-failed'))
  const lines = app
    .log()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
  const causes = lines.filter((line) => line.error)
  assert.equal(causes.length, 1)
  assert.equal(causes[0].level, 'error')
  assert.equal(causes[0].requestId, 'the-one-that-failed')
  assert.equal(causes[0].operation, 'readBucket')
  assert.match(causes[0].error.message, /relation "buckets" does not exist/)
  const requests = lines.filter((line) => line.msg === 'request' && line.requestId === 'the-one-that-failed')
  assert.deepEqual(
    requests.map(({ status, code }) => [status, code]),
    [[500, 5000]],
  )

  await app.sql('alter table secret_stash rename to buckets')
  assert.equal((await avery.get(PATH, { id: 'here' })).status, 200)
})

test('the catalogue gives every error its status, its code and a sentence', async () => {
  const { fail, listErrors } = await import('../../errors.ts')
  const errors = listErrors()
  assert.equal(new Set(errors.map(({ code }) => code)).size, errors.length)
  for (const { kind, status, code, text } of errors) {
    assert.equal(Math.floor(code / 10), status)
    assert.match(text, /^[A-Z][\x20-\x7e]+[^.]$/)
    const error = fail(kind)
    assert.ok(error instanceof PlatformError)
    assert.deepEqual([error.status, error.code, error.message], [status, code, text])
  }
})
