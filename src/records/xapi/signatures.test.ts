import assert from 'node:assert/strict'
import { test } from 'node:test'
import { UNLIMITED } from '../../apps/buckets/testing.ts'
import { assertError, sharedApp } from '../../operations/testing/testing.ts'
import { makeSpeaker, makeStatement, withParts } from './testing.ts'
import { makeForeignCertificate, makeJws, makeSigner, signedBy } from './testing-signatures.ts'

const app = await sharedApp(UNLIMITED)
const key = await makeSpeaker(app)
const [signer, other] = [makeSigner(), makeSigner()]
const x5c = [signer.certificate]
const send = (make: (statement: object) => string, statement?: ReturnType<typeof makeStatement>) => {
  const [signed, part] = signedBy(make, statement)
  return key.post(undefined, withParts(signed, part))
}

test('a statement with a valid signature is accepted and returned with it (XAPI-00115 to 00117)', async () => {
  for (const alg of ['RS256', 'RS384', 'RS512']) {
    const sent = makeStatement()
    const answer = await send((one) => makeJws(one, { alg, x5c }, signer.key), sent)
    assert.equal(answer.status, 200, answer.text)
    const { parts } = await key.parts({ statementId: sent.id, attachments: 'true' })
    const [, payload] = parts[0]!.content.toString().split('.')
    assert.equal(JSON.parse(Buffer.from(payload!, 'base64url').toString()).id, sent.id)
    // In a chain of certificates, the signer's certificate comes first.
    const chain = [signer.certificate, other.certificate]
    assert.equal((await send((one) => makeJws(one, { alg, x5c: chain }, signer.key))).status, 200)
    assert.equal((await send((one) => makeJws(one, { alg }, signer.key))).status, 200, 'without a certificate')
  }
  // The signed payload lacks properties that the store adds, such as `id`; they are ignored in the comparison.
  const bare = (one: object) => makeJws({ ...one, id: undefined, version: '1.0.0' }, { alg: 'RS256', x5c }, signer.key)
  assert.equal((await send(bare)).status, 200)
})

test('a signature by another key, of other content, or with another algorithm is refused (XAPI-00115 to 00117)', async () => {
  const good = { alg: 'RS256', x5c }
  const turn = (jws: string, at: number, change: (part: string) => string) =>
    jws
      .split('.')
      .map((part, i) => (i === at ? change(part) : part))
      .join('.')
  const forged = (header: object) => (one: object) =>
    turn(makeJws(one, good, signer.key), 0, () => Buffer.from(JSON.stringify(header)).toString('base64url'))
  const withoutSignature = (one: object) => makeJws(one, good, signer.key).replace(/[^.]*$/, '')
  for (const [make, words] of [
    [(one) => makeJws(one, good, other.key), /does not match its certificate/],
    [(one) => makeJws(one, { alg: 'RS256', x5c: [other.certificate] }, signer.key), /does not match its certificate/],
    [(one) => makeJws(one, { alg: 'RS512', x5c: [makeForeignCertificate(signer)] }, signer.key), /certificate/],
    [
      (one) => turn(makeJws(one, good, signer.key), 2, (part) => (part[0] === 'A' ? 'B' : 'A') + part.slice(1)),
      /does not match its certificate/,
    ],
    [(one) => turn(makeJws(one, good, signer.key), 2, () => 'AAAA'), /does not match its certificate/],
    [forged({ alg: 'RS384', x5c }), /does not match its certificate/],
    // The signed statement differs from the sent statement.
    [
      (one) => makeJws({ ...one, verb: { id: 'https://example.org/verbs/landed' } }, good, signer.key),
      /another statement/,
    ],
    [(one) => makeJws({ ...one, id: makeStatement().id }, good, signer.key), /another statement/],
    [(one) => makeJws([one], good, signer.key), /another statement/],
    [(one) => makeJws({}, good, signer.key) + String(one).slice(0, 0), /another statement/],
    [(one) => turn(makeJws(one, good, signer.key), 1, () => Buffer.from('{').toString('base64url')), /payload/],
    [(one) => turn(makeJws(one, good, signer.key), 1, () => Buffer.from('7').toString('base64url')), /payload/],
    // The algorithm is `none`, symmetric, or unknown.
    [forged({ alg: 'none' }), /RS256/],
    [forged({ alg: 'HS256' }), /RS256/],
    [forged({ alg: 'ES256', x5c }), /RS256/],
    [forged({ alg: 'toString' }), /RS256/],
    [forged({ alg: ['RS256'] }), /RS256/],
    [forged({}), /RS256/],
    [(one) => turn(makeJws(one, good, signer.key), 0, () => '!'), /header/],
    // The bytes are not a JWS in compact form: no signature, a fourth part, or no valid header.
    [withoutSignature, /compact form/],
    [(one) => withoutSignature(one).slice(0, -1), /compact form/],
    [(one) => `${makeJws(one, good, signer.key)}.more`, /compact form/],
    [() => '', /header/],
    [() => '.'.repeat(1_000_000), /header/],
    [() => `${'['.repeat(100_000)}`, /header/],
    // The certificate cannot be read.
    ...[[], [''], ['x'], [7], [null], {}, 'x', null, 7, [{ length: 2 ** 31 }], [signer.certificate.slice(0, -40)]].map(
      (broken) => [(one: object) => makeJws(one, { alg: 'RS256', x5c: broken }, signer.key), /x5c/] as const,
    ),
  ] as readonly (readonly [(one: object) => string, RegExp])[]) {
    const sent = makeStatement()
    const answer = await send(make, sent)
    assertError(answer, 400, 4003, words)
    assertError(await key.get({ statementId: sent.id }), 404, 4042)
  }
})

test('a signature must be an attachment whose bytes are sent (XAPI-00115)', async () => {
  const [signed] = signedBy((one) => makeJws(one, { alg: 'RS256', x5c }, signer.key))
  const { attachments, ...statement } = signed as { attachments: object[] }
  const [attachment] = attachments
  const elsewhere = { ...attachment, fileUrl: 'https://example.org/signature' }
  assertError(await key.post({ ...statement, attachments: [elsewhere] }), 400, 4003, /without its bytes/)
  const text = { ...attachment, contentType: 'text/plain' }
  assertError(await key.post({ ...statement, attachments: [text] }), 400, 4003, /application\/octet-stream/)
})
