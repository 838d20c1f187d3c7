import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../../kernel/database/test-database.ts'
import { mintToken } from '../../kernel/sessions/tokens.ts'
import { testApp } from '../testing/testing.ts'
import { openLog } from './log.ts'

const capture = (level: 'info' | 'trace' = 'trace') => {
  const lines: string[] = []
  const log = openLog({ LOG_LEVEL: level }, { write: (line) => void lines.push(line) })
  return { log, lines, read: () => lines.map((line) => JSON.parse(line)) }
}

test('a line is one JSON object with level, time, process and message', () => {
  const { log, lines, read } = capture('info')
  log.info({ requestId: 'r1', ms: 5 }, 'request')
  log.debug('too much')
  log.child({ environment: 'sandbox' }).error({ error: { message: 'with\na line "break"' } }, 'failed')
  assert.equal(lines.length, 2)
  for (const line of lines) assert.match(line, /^\{[^\n]*\}\n$/)
  const [first, second] = read()
  assert.deepEqual(
    { ...first, time: '' },
    { level: 'info', time: '', pid: process.pid, requestId: 'r1', ms: 5, msg: 'request' },
  )
  assert.match(first.time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  assert.deepEqual(
    [second.level, second.environment, second.error.message],
    ['error', 'sandbox', 'with\na line "break"'],
  )
})

test('secrets are redacted anywhere in a line, which stays valid JSON (O16)', () => {
  const password = 'hunter2, or hunter3'
  const secrets = [
    mintToken('access', 'production'),
    mintToken('refresh', 'sandbox'),
    mintToken('secret', 'production'),
    Buffer.from(`@avery:${password}`).toString('base64'),
    'opaque-foreign-token-0123456789',
    password,
  ] as const
  const [access, refresh, secret, basic, foreign] = secrets
  const ways = [
    `token ${access} is wrong`,
    `xx${access}`,
    `refresh_token=${refresh}&x=1`,
    `{"client_secret":"${secret}"}`,
    `Basic ${basic}`,
    `authorization: basic ${basic}`,
    `Authorization: Bearer ${foreign}`,
    `Bearer%20${foreign}`,
    `/image/v1/static/1?authorization=Bearer%20${foreign}`,
    `/image/v1/static/1?authorization=Bearer+${foreign}&size=2`,
    `/image?authorization=${foreign}`,
    `password=${encodeURIComponent(password)}`,
    `{"password":"${password}"}`,
    JSON.stringify(JSON.stringify({ password })),
  ]
  const { log, lines, read } = capture()
  for (const text of ways) {
    log.info(text)
    log.error({ error: { name: 'Error', message: text, stack: `Error: ${text}\n    at x` } }, 'failed')
    log.warn({ deep: [{ headers: { authorization: text } }] }, 'odd')
    log.error(new Error(text))
  }
  assert.equal(read().length, ways.length * 4)
  for (const line of lines) {
    for (const value of [...secrets, encodeURIComponent(password)]) assert.ok(!line.includes(value), line)
    assert.match(line, /\[secret\]/)
  }
})

test('a header or field that holds a secret is redacted by its name', () => {
  const { log, lines } = capture()
  log.info(
    { headers: { authorization: 'Negotiate a b, c' }, body: { password: 'two words', client_secret: 'x' } },
    'odd',
  )
  const { headers, body, msg } = JSON.parse(lines[0]!)
  assert.deepEqual(headers, { authorization: '[secret]' })
  assert.deepEqual(body, { password: '[secret]', client_secret: '[secret]' })
  assert.equal(msg, 'odd')
})

test('other values are not redacted', () => {
  const { log, read } = capture()
  const plain = { operation: 'signInWithBasic', status: 401, code: '4016', ms: 12, problem: 'The password was changed' }
  log.info(plain, 'basic sign-in is not enabled; the access token expired')
  const [line] = read()
  for (const [name, value] of Object.entries(plain)) assert.equal(line[name], value)
  assert.equal(line.msg, 'basic sign-in is not enabled; the access token expired')
})

test('requests and failures are logged without their content (O16)', async (t) => {
  const app = await testApp(t, { SLOW_REQUEST_MS: '1' })
  const avery = await app.as('avery')
  const secret = 'a-password-nobody-should-read'
  const query = { authorization: `Bearer ${avery.token}`, id: 'x', password: secret }
  await app.nobody().get('/app/v1/bucket/events', query)
  await app.nobody().get('/nowhere', query)
  await app.nobody().get('/auth/basic', query, {
    authorization: `Basic ${Buffer.from(`@avery:${secret}`).toString('base64')}`,
    clientid: 'gs-first',
  })
  // The database error quotes the value that caused it, so the error message contains the token.
  await app.sql(
    `create function fail() returns trigger language plpgsql as $$ begin raise exception 'choked on % and %', '${avery.token}', 'password=${secret}'; end $$;
     create trigger fail before insert on buckets execute function fail()`,
  )
  const failed = await avery.put('/app/v1/bucket', { id: 'x' })
  assert.equal(failed.status, 500)
  await until('the failure is logged', () => app.log().includes('choked on'))
  const lines = app
    .log()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
  assert.ok(lines.some(({ msg, operation }) => msg === 'request' && operation === 'watchBucket'))
  assert.match(lines.find(({ error }) => error)?.error.message, /choked on \[secret\] and password=\[secret\]/)
  for (const value of [avery.token!, secret, Buffer.from(`@avery:${secret}`).toString('base64')])
    assert.ok(!app.log().includes(value))
})
