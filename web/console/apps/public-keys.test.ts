import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import { findKeysMistake, readPublicKeys } from '../../../src/apps/apps/public-keys.ts'
import { addKeys, algorithmOf, findSecretKey, keysFrom } from './public-keys.ts'

const pairs = (['P-256', 'P-384', 'P-521'] as const).map((namedCurve) => generateKeyPairSync('ec', { namedCurve }))
const [one, two, three] = pairs.map(({ publicKey }, i) => ({
  ...publicKey.export({ format: 'jwk' }),
  kty: 'EC',
  kid: `k${i}`,
}))
const pem = pairs[0]!.publicKey.export({ format: 'pem', type: 'spki' }) as string

test('pasted keys are added in every form, and the keys that an app has are never lost', () => {
  const kids = (pasted: string) => readPublicKeys(addKeys([one!, two!], pasted)).map(({ kid }) => kid)
  const has = ['k0', 'k1']
  const jwk = JSON.stringify(three, null, 2)
  assert.deepEqual(kids(''), has)
  for (const pasted of [jwk, `\n ${jwk}\n`, JSON.stringify({ keys: [three] })])
    assert.deepEqual(kids(pasted), [...has, 'k2'])
  assert.deepEqual(kids(pem), [...has, undefined])
  assert.deepEqual(kids(`${jwk}\n${pem}${pem}`), [...has, 'k2', undefined, undefined])
  assert.deepEqual(kids(`${jwk} ${pem.replaceAll('\n', '\r\n')}`), [...has, 'k2', undefined])
  assert.deepEqual(readPublicKeys(addKeys([], jwk)).length, 1)
  // A text that is no key is refused as a whole.
  for (const pasted of ['keys', '{', '[]', '{}', `{"keys":[]}{`, 'https://app.example.org/jwks.json', `${pem}and more`])
    assert.notEqual(findKeysMistake(addKeys([one!, two!], pasted)), undefined, pasted)
  assert.match(findKeysMistake(addKeys([one!], JSON.stringify(one)))!, /same kid/)
  assert.match(findKeysMistake(addKeys([one!], pem.repeat(10)))!, /at most 10 keys/)
})

test('a private key is recognised in every form', () => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  for (const type of ['pkcs1', 'pkcs8'] as const)
    assert.equal(findSecretKey(privateKey.export({ format: 'pem', type }) as string), 'private')
  for (const key of [privateKey, pairs[0]!.privateKey, generateKeyPairSync('ed25519').privateKey]) {
    const jwk = key.export({ format: 'jwk' })
    for (const space of [0, 2]) assert.equal(findSecretKey(JSON.stringify({ keys: [jwk] }, null, space)), 'private')
  }
  assert.equal(findSecretKey('{"kty":"oct","k":"c2VjcmV0"}'), 'symmetric')
  for (const pasted of ['', pem, JSON.stringify({ keys: [one, two, three] }, null, 2)])
    assert.equal(findSecretKey(pasted), undefined)
})

test('keys in a URL are read without other members, and anything else is ignored', () => {
  assert.deepEqual(keysFrom([{ ...one, use: 'sig' }]), [one])
  for (const value of [
    undefined,
    '',
    [],
    [1],
    [null],
    [{}],
    [{ kty: 'EC', x: 1 }],
    Array(11).fill(one),
    { keys: [one] },
  ])
    assert.equal(keysFrom(value), undefined)
  assert.deepEqual([one!, two!, three!, { kty: 'RSA' }, { kty: 'RSA', alg: 'PS256' }].map(algorithmOf), [
    'ES256',
    'ES384',
    'ES512',
    'RSA',
    'PS256',
  ])
})
