import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertError, testApp } from '../../operations/testing/testing.ts'
import { Authenticator, call, expectDone, PROOF, register, signedIn, signIn } from './testing.ts'

const nested = (depth: number) => Buffer.alloc(depth, 0x81).toString('base64url')
const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

/** Yields copies of the base64url text, each with one bit flipped, in every seventh byte. */
function* damaged(text: string): Generator<string> {
  const bytes = Buffer.from(text, 'base64url')
  for (let i = 0; i < bytes.length; i += 7) {
    const changed = Buffer.from(bytes)
    changed[i]! ^= 1 << (i % 8)
    yield changed.toString('base64url')
  }
}

test('what is sent as a passkey', async (t) => {
  const app = await testApp(t)
  const { url } = app.environment()

  await t.test('whatever else is sent as a new passkey is 400, never 500', async () => {
    const browser = await signedIn(app, 'avery')
    const good = new Authenticator(url).create(await expectDone(call(browser, '/options', PROOF)))
    const part = (fields: object) => ({ ...good, response: { ...good.response, ...fields } })
    const wrong: unknown[] = [
      null,
      5,
      'text',
      [],
      {},
      { ...good, id: 5 },
      { ...good, id: '' },
      { ...good, id: 'x y' },
      { ...good, id: 'x'.repeat(1365) },
      { ...good, type: 'password' },
      { ...good, response: null },
      { ...good, response: [] },
      part({ clientDataJSON: undefined }),
      part({ clientDataJSON: 'x'.repeat(10_000) }),
      part({ clientDataJSON: 'AAAA' }),
      part({ clientDataJSON: encoded(null) }),
      part({ clientDataJSON: encoded([]) }),
      part({ clientDataJSON: encoded({ challenge: 5 }) }),
      part({ attestationObject: 5 }),
      part({ attestationObject: 'A'.repeat(40_000) }),
      part({ transports: 'usb' }),
      part({ transports: [5] }),
      part({ transports: Array(17).fill('usb') }),
      part({ transports: ['x'.repeat(33)] }),
    ]
    for (const response of wrong) assertError(await call(browser, '', { response }), 400, 4003)
    assertError(await call(browser, '', {}), 400, 4001)
    assertError(await call(browser, '', { response: good, name: 'x'.repeat(101) }), 400, 4003)

    const { attestationObject } = good.response
    const cut = attestationObject.slice(0, 80)
    const broken = [nested(1000), nested(24_000), 'AAAA', encoded('x'), cut, ...damaged(attestationObject)]
    for (const object of broken) {
      const options = await expectDone(call(browser, '/options', PROOF))
      const fresh = new Authenticator(url).create(options)
      const response = { ...fresh, response: { ...fresh.response, attestationObject: object } }
      const answer = await call(browser, '', { response })
      if (answer.status === 200)
        await expectDone(call(browser, '/remove', { passkeyId: answer.body.passkeyId, ...PROOF }))
      else assert.ok([4002, 4003].includes(answer.body.error_code), answer.text)
    }
    assert.doesNotMatch(app.log(), /unhandled error/)
  })

  await t.test('whatever else is sent at sign-in is 400 or 401, never 500', async () => {
    const authenticator = new Authenticator(url)
    await register(await signedIn(app, 'blake'), authenticator)
    const visitor = app.visitor()
    const options = await expectDone(call(visitor, '/signin/options'))
    const good = authenticator.get(options)
    const part = (fields: object) => ({ ...good, response: { ...good.response, ...fields } })
    const wrong: unknown[] = [
      null,
      5,
      'text',
      [],
      {},
      { ...good, id: null },
      { ...good, id: 'x y' },
      { ...good, rawId: 'x'.repeat(1365) },
      { ...good, type: 'password' },
      { ...good, response: undefined },
      part({ clientDataJSON: 5 }),
      part({ clientDataJSON: 'AAAA' }),
      part({ clientDataJSON: encoded('text') }),
      part({ authenticatorData: undefined }),
      part({ authenticatorData: 'A'.repeat(4097) }),
      part({ signature: [] }),
      part({ signature: 'A'.repeat(4097) }),
      part({ userHandle: 5 }),
      part({ userHandle: 'A'.repeat(87) }),
    ]
    for (const response of wrong) assertError(await call(visitor, '/signin', { response }), 400, 4003)
    assertError(await call(visitor, '/signin', {}), 400, 4001)
    assertError(await call(visitor, '/signin', { response: good, keep: 'perhaps' }), 400, 4005)

    for (const field of ['authenticatorData', 'signature', 'userHandle'] as const) {
      for (const value of ['AAAA', nested(3000), ...damaged(good.response[field]!)]) {
        const asked = await expectDone(call(visitor, '/signin/options'))
        const fresh = authenticator.get(asked)
        // A value longer than any user handle already fails the validation of the request.
        const expected = field === 'userHandle' && value.length > 86 ? [400, 4003] : [401, 4011]
        const response = { ...fresh, response: { ...fresh.response, [field]: value } }
        const answer = await call(visitor, '/signin', { response })
        assert.deepEqual([answer.status, answer.body.error_code], expected, `${field} ${value}`)
      }
    }
    assert.equal((await signIn(visitor, authenticator)).status, 200)
    assert.doesNotMatch(app.log(), /unhandled error/)
  })
})
