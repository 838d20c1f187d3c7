import assert from 'node:assert/strict'
import { createPublicKey } from 'node:crypto'
import { test } from 'node:test'
import { calculateJwkThumbprint, compactVerify, decodeProtectedHeader, type JWK } from 'jose'
import { operator } from '../../operations/commands/operator.ts'
import { runOne } from '../../operations/commands/testing.ts'
import { databaseUrl } from '../../operations/testing/machine.ts'
import { Client, SECRET_KEY, type TestApp, testApp } from '../../operations/testing/testing.ts'
import { ALGORITHMS } from '../apps/algorithms.ts'
import { secretSeal } from '../apps/secrets.ts'
import { createDueKeys, makeKey, rotateKeys, showKeys, withdrawKey } from './keys.ts'
import { type KeyDates, planNextKey, stateOf } from './rules.ts'
import { signToken, verifyToken } from './signing.ts'

const DAY_MS = 86_400_000

const readKeys = async (address: string): Promise<JWK[]> => {
  const answer = await new Client(address).get('/oauth/v2/jwks')
  assert.equal(answer.status, 200, answer.text)
  return answer.body.keys
}

const whoAt = (app: TestApp) => ({ ...operator(), at: app.environment().clock() })

/** Returns the kid with which a process signs. */
const signerOf = async (app: TestApp): Promise<string> => {
  const token = await signToken(app.environment(), whoAt(app), { type: 'JWT', claims: { iss: app.address } })
  return decodeProtectedHeader(token).kid!
}

test('the key set has a public key for each algorithm, named by its thumbprint, and nothing private', async (t) => {
  const app = await testApp(t)
  const answer = await app.nobody().get('/oauth/v2/jwks')
  assert.equal(answer.headers.get('cache-control'), 'public, max-age=300')
  assert.deepEqual(answer.body.keys.map(({ alg, kty }: JWK) => [alg, kty]).sort(), [
    ['ES256', 'EC'],
    ['EdDSA', 'OKP'],
    ['RS256', 'RSA'],
  ])
  for (const key of answer.body.keys) {
    assert.equal(key.kid, await calculateJwkThumbprint(key))
    assert.equal(key.use, 'sig')
    for (const name of ['d', 'p', 'q', 'dp', 'dq', 'qi', 'k']) assert.ok(!(name in key))
  }
  const rsa = answer.body.keys.find(({ kty }: JWK) => kty === 'RSA')
  assert.equal(createPublicKey({ key: rsa, format: 'jwk' }).asymmetricKeyDetails?.modulusLength, 2048)
  const [stored] = await app.sql(
    `select bool_or(position('PRIVATE KEY'::bytea in sealed) > 0) as is_plain, bool_or(public_jwk::text like '%"d"%') as has_d
       from signing_keys`,
  )
  assert.deepEqual(stored, { is_plain: false, has_d: false }, 'private keys are encrypted at rest')
})

test('the name of a key never begins with a hyphen, which commands would take for an option', async () => {
  // Of thumbprints, one in 64 does.
  for (let made = 0; made < 600; made++) assert.doesNotMatch((await makeKey('EdDSA')).kid, /^-/)
})

test('a process whose clock is behind uses the same keys', async (t) => {
  const app = await testApp(t)
  const kids = (await readKeys(app.address)).map(({ kid }) => kid)
  const second = await app.startSecond({}, 60_000)
  assert.deepEqual(
    (await readKeys(second.addresses.production)).map(({ kid }) => kid),
    kids,
  )
  const [row] = await app.sql('select count(*)::int as count from signing_keys')
  assert.equal(row!.count, ALGORITHMS.length)
})

test('two processes that start at once on an empty table sign with the same key', async (t) => {
  const app = await testApp(t)
  const second = await app.startSecond()
  const addresses = [app.address, second.addresses.production]
  const [here, there] = await Promise.all(addresses.map(readKeys))
  assert.deepEqual(here, there)
  assert.equal(here!.length, ALGORITHMS.length)
  const environment = second.environments.find(({ name }) => name === 'production')!
  const token = await signToken(environment, whoAt(app), { type: 'JWT', claims: { iss: environment.url } })
  assert.equal(decodeProtectedHeader(token).kid, await signerOf(app))
})

test('keys rotate: published 7 days before they are used, used for 90, published for 30 more, and apps do not notice', async (t) => {
  const app = await testApp(t)
  const { db, get } = app.environment()
  const seal = get(secretSeal)
  const rotate = () => rotateKeys(db, whoAt(app), seal)
  app.holdClock()
  const [first] = (await readKeys(app.address)).filter(({ alg }) => alg === 'RS256').map(({ kid }) => kid!)
  const published = async () =>
    (await readKeys(app.address)).filter(({ alg }) => alg === 'RS256').map(({ kid }) => kid!)
  const token = await signToken(app.environment(), whoAt(app), { type: 'JWT', claims: { iss: app.environment().url } })

  app.advance(82 * DAY_MS - 3_600_000)
  await rotate()
  assert.deepEqual(await published(), [first], 'nothing is due yet')
  app.advance(DAY_MS)
  await Promise.all([rotate(), rotate()])
  const [, next, ...more] = await published()
  assert.ok(next)
  assert.deepEqual(more, [], 'two jobs at once create one key')
  assert.equal(await signerOf(app), first)
  app.advance(7 * DAY_MS)
  assert.equal(await signerOf(app), next)
  assert.deepEqual(await published(), [first, next])
  app.advance(29 * DAY_MS)
  assert.deepEqual(await published(), [first, next])
  app.advance(DAY_MS)
  assert.deepEqual(await published(), [next])
  const claims = await verifyToken(app.environment(), whoAt(app), { token, type: 'JWT' })
  assert.ok(claims, 'a key that is no longer published still verifies hints')
  await rotate()
  const [row] = await app.sql(`select sealed is null as is_gone from signing_keys where kid = '${first}'`)
  assert.equal(row!.is_gone, true, 'its private key is deleted')
})

test('a compromised key is withdrawn at once, in every process, and the next key takes over', async (t) => {
  const app = await testApp(t)
  const second = await app.startSecond()
  const there = second.environments.find(({ name }) => name === 'production')!
  const { db, get, url } = app.environment()
  const bad = await signerOf(app)
  const token = await signToken(app.environment(), whoAt(app), { type: 'JWT', claims: { iss: url } })
  await createDueKeys(db, whoAt(app), get(secretSeal), { algorithms: ['RS256'], isAsked: true })
  const next = (await showKeys(db, whoAt(app).at)).find(({ state }) => state === 'next')!.kid
  assert.equal(await signerOf(app), bad, 'the next key is not used yet')

  await withdrawKey(db, whoAt(app), { kid: bad }, get(secretSeal))
  assert.equal(await signerOf(app), next)
  assert.equal(await verifyToken(app.environment(), whoAt(app), { token, type: 'JWT' }), undefined)
  const deadline = Date.now() + 5000
  let kids: unknown[] = [bad]
  while (kids.includes(bad) && Date.now() < deadline)
    kids = (await readKeys(second.addresses.production)).map(({ kid }) => kid)
  assert.ok(!kids.includes(bad), 'the other process was told')
  assert.equal(await verifyToken(there, whoAt(app), { token, type: 'JWT' }), undefined)

  await withdrawKey(db, whoAt(app), { kid: next }, get(secretSeal))
  const newest = await signerOf(app)
  assert.ok(![bad, next].includes(newest), 'without a next key, one is created')
  await assert.rejects(withdrawKey(db, whoAt(app), { kid: 'no-such-key' }, get(secretSeal)), /no key with this kid/)
})

test('a withdrawn next key leaves the current one in use', async (t) => {
  const app = await testApp(t)
  const { db, get } = app.environment()
  const current = await signerOf(app)
  await createDueKeys(db, whoAt(app), get(secretSeal), { isAsked: true })
  const next = (await showKeys(db, whoAt(app).at)).find(
    ({ state, algorithm }) => state === 'next' && algorithm === 'RS256',
  )
  await withdrawKey(db, whoAt(app), { kid: next!.kid }, get(secretSeal))
  app.advance(8 * DAY_MS)
  assert.equal(await signerOf(app), current)
})

test('what signs is decided by the stored key: another algorithm, another type and another issuer are refused', async (t) => {
  const app = await testApp(t)
  const environment = app.environment()
  const who = whoAt(app)
  const claims = { iss: environment.url, sub: 'x' }
  const token = await signToken(environment, who, { type: 'JWT', claims })
  assert.deepEqual(await verifyToken(environment, who, { token, type: 'JWT' }), claims)
  assert.equal(await verifyToken(environment, who, { token, type: 'logout+jwt' }), undefined)
  const [key] = await readKeys(app.address)
  const { protectedHeader } = await compactVerify(token, createPublicKey({ key: key as never, format: 'jwk' })).catch(
    async () => {
      const keys = await readKeys(app.address)
      const right = keys.find(({ kid }) => kid === decodeProtectedHeader(token).kid)!
      return compactVerify(token, createPublicKey({ key: right as never, format: 'jwk' }))
    },
  )
  assert.equal(protectedHeader.alg, 'RS256')
  const other = await signToken(environment, who, { type: 'JWT', claims: { iss: 'https://attacker.example' } })
  assert.equal(await verifyToken(environment, who, { token: other, type: 'JWT' }), undefined)
  const [, payload, signature] = token.split('.')
  const forge = (header: object, signed = signature) =>
    `${Buffer.from(JSON.stringify(header)).toString('base64url')}.${payload}.${signed}`
  const { kid } = protectedHeader
  for (const forged of [
    forge({ alg: 'none', typ: 'JWT', kid }, ''),
    forge({ alg: 'none', typ: 'JWT', kid }),
    forge({ alg: 'HS256', typ: 'JWT', kid }),
    forge({ alg: 'ES256', typ: 'JWT', kid }),
    forge({ alg: 'RS256', typ: 'JWT', kid: 'other' }),
    forge({ alg: 'RS256', typ: 'JWT', jwk: { kty: 'RSA' } }),
    'x'.repeat(100_000),
    '',
  ])
    assert.equal(await verifyToken(environment, who, { token: forged, type: 'JWT' }), undefined, forged.slice(0, 100))
})

test('`keys` lists, rotates and withdraws them, and a new secret key can read them', async (t) => {
  const app = await testApp(t, {}, { withSandbox: true })
  const kid = await signerOf(app)
  const settings = { DATABASE_URL: databaseUrl(app.connection), SECRET_KEY }
  const run = async (...args: string[]) => {
    const { code, out, err } = await runOne(args, settings)
    assert.equal(code, 0, err)
    return out
  }
  assert.match(await run('keys'), new RegExp(`^${kid}\\tRS256\\tcurrent\\tused from `, 'm'))
  assert.match(await run('keys', '--rotate'), /^New keys are published: RS256, ES256, EdDSA\.$/m)
  assert.match(await run('keys', '--rotate'), /already published/)
  assert.equal(JSON.parse(await run('keys', '--json')).length, 6)
  assert.match(await run('keys', '--withdraw', kid), /is withdrawn/)
  assert.notEqual(await signerOf(app), kid)
  assert.equal((await runOne(['keys', '--withdraw', kid], settings)).code, 1)

  const other = Buffer.alloc(32, 'new').toString('base64url')
  const both = { ...settings, SECRET_KEY: `${other},${SECRET_KEY}` }
  const rotated = await runOne(['key', 'rotate'], both)
  assert.match(rotated.out, /^production\tsigning keys re-encrypted: 5$/m, rotated.err)
  const after = await app.startSecond({ SECRET_KEY: other })
  const there = after.environments.find(({ name }) => name === 'production')!
  const token = await signToken(there, whoAt(app), { type: 'JWT', claims: { iss: there.url } })
  assert.ok(await verifyToken(there, whoAt(app), { token, type: 'JWT' }))
})

test('a key is due seven days before the current one has been used for ninety', () => {
  const day = (n: number) => new Date(Date.UTC(2026, 0, 1) + n * DAY_MS)
  const key = (more: Partial<KeyDates>): KeyDates => ({
    algorithm: 'RS256',
    publishedAt: day(0),
    usedFrom: day(0),
    retiredAt: null,
    withdrawnAt: null,
    ...more,
  })
  const before = (n: number) => new Date(day(n).getTime() - 3_600_000)
  assert.deepEqual(planNextKey([], 'RS256', day(5)), { usedFrom: before(5) })
  assert.deepEqual(planNextKey([key({ algorithm: 'ES256' })], 'RS256', day(5)), { usedFrom: before(5) })
  assert.equal(planNextKey([key({})], 'RS256', day(82)), undefined)
  assert.deepEqual(planNextKey([key({})], 'RS256', day(83)), { usedFrom: day(90) })
  assert.deepEqual(planNextKey([key({})], 'RS256', day(200)), { usedFrom: day(207) }, 'the platform stood still')
  assert.equal(planNextKey([key({}), key({ usedFrom: day(90) })], 'RS256', day(85), true), undefined)
  assert.deepEqual(planNextKey([key({})], 'RS256', day(1), true), { usedFrom: day(8) })
  assert.deepEqual(planNextKey([key({ withdrawnAt: day(1) })], 'RS256', day(1)), { usedFrom: before(1) })
  assert.deepEqual(
    [0, 90, 119, 120].map((n) => stateOf(key({ retiredAt: day(90) }), day(n))),
    ['current', 'retired', 'retired', 'unpublished'],
  )
})
