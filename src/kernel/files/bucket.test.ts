import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { globSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { test } from 'node:test'
import { call, signInBrowser, UNLIMITED } from '../../apps/account/testing.ts'
import { load, upload } from '../../learning/content/testing.ts'
import { removeUnused } from '../../learning/content/upload.ts'
import { openSchool } from '../../learning/courses/testing.ts'
import { assertError, testApp } from '../../operations/testing/testing.ts'
import { Bucket } from './bucket.ts'
import { EMPTY_SHA256, encodePath, signedHeaders } from './sigv4.ts'
import { KEYS, startBucket } from './testing.ts'

const hash = (data: string | Buffer) => createHash('sha256').update(data).digest('hex')

test('requests are signed as in the examples of the AWS documentation', () => {
  // https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
  const keys = {
    region: 'us-east-1',
    accessKey: 'AKIAIOSFODNN7EXAMPLE',
    secretKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  }
  const common = { host: 'examplebucket.s3.amazonaws.com', at: new Date('2013-05-24T00:00:00.000Z') }
  const get = { method: 'GET', path: '/test.txt', headers: { range: 'bytes=0-9' }, sha256: EMPTY_SHA256, ...common }
  assert.equal(
    signedHeaders(keys, get).authorization,
    'AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,SignedHeaders=host;range;x-amz-content-sha256;x-amz-date,Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
  )
  const put = {
    method: 'PUT',
    path: encodePath('/test$file.text'),
    headers: { date: 'Fri, 24 May 2013 00:00:00 GMT', 'x-amz-storage-class': 'REDUCED_REDUNDANCY' },
    sha256: hash('Welcome to Amazon S3.'),
    ...common,
  }
  assert.equal(
    signedHeaders(keys, put).authorization,
    'AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,SignedHeaders=date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class,Signature=98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
  )
})

test('files are stored in an S3-compatible bucket if one is set, and on this machine no byte stays', async (t) => {
  const bucket = await startBucket(t)
  const app = await testApp(t, { ...UNLIMITED, ...KEYS, S3_URL: bucket.url })
  await openSchool(app)
  const finley = await signInBrowser(app, 'finley')
  const text = 'Check the oil. '.repeat(20_000)
  const made = await upload(finley, 'a.txt', text)
  assert.equal(made.status, 200, made.text)
  const object = `/bucket/production/${hash(text)}`
  assert.deepEqual([...bucket.objects.keys()], [object])
  assert.equal(bucket.objects.get(object)!.toString(), text)
  assert.deepEqual(globSync('{files,uploads}/**/*.*', { cwd: app.environment().config.DATA_DIR }), [])
  assert.equal((await load(made.body.url)).bytes.toString(), text)
  const part = await load(made.body.url, { range: 'bytes=6-12' })
  assert.deepEqual([part.status, part.bytes.toString()], [206, 'the oil'])
  bucket.log.length = 0
  assert.equal((await upload(finley, 'b.txt', text)).status, 200)
  assert.deepEqual(bucket.log, ['HEAD /bucket/production/HASH'], 'equal bytes are stored once')
  for (const { fileId } of [made.body, (await upload(finley, 'b.txt', text)).body])
    assert.equal((await call(finley, 'POST', '/edu/v1/file/remove', { fileId })).status, 200)
  app.advance(2 * 3_600_000)
  await removeUnused(app.environment())
  assert.equal(bucket.objects.size, 0)
})

test('a store that stumbles is asked again; one that refuses or is gone gives 503 and keeps nothing', async (t) => {
  const bucket = await startBucket(t)
  const app = await testApp(t, { ...UNLIMITED, ...KEYS, S3_URL: bucket.url })
  await openSchool(app)
  const finley = await signInBrowser(app, 'finley')
  bucket.failures.push(503, 500)
  const made = await upload(finley, 'a.txt', 'text')
  assert.equal(made.status, 200, made.text)
  for (const failures of [[403], [503, 503, 503]]) {
    bucket.failures.push(...failures)
    assertError(await upload(finley, 'b.txt', 'other text'), 503, 5030, /file store does not respond/)
    bucket.failures.push(...failures)
    assert.equal((await load(made.body.url)).status, 503)
  }
  const { usedBytes } = (await call(finley, 'GET', '/edu/v1/file/usage?organisation=school')).body
  assert.equal(usedBytes, 4)
  assert.ok(!app.log().includes(KEYS.S3_SECRET_KEY))
})

test('a whole object is read only if the store sends it in time and to its end', async (t) => {
  const { url, hook, log } = await startBucket(t)
  let failed = 0
  const keys = { region: KEYS.S3_REGION, accessKey: KEYS.S3_ACCESS_KEY, secretKey: KEYS.S3_SECRET_KEY }
  const bucket = new Bucket({ url, keys, clock: () => new Date(), onFailure: () => failed++ })
  for (const bytes of [Buffer.alloc(300_000, 'oil '), Buffer.alloc(0)]) {
    await bucket.put('one', bytes)
    assert.deepEqual(await bucket.read('one', { most: bytes.length }), bytes)
  }
  await bucket.put('one', Buffer.from('oil'))
  assert.equal(await bucket.read('none', { most: 3 }), undefined)
  const unavailable = { kind: 'notReady', message: /file store does not respond/ }
  await assert.rejects(bucket.read('one', { most: 2 }), unavailable)
  hook.before = (_, response) => response.writeHead(200, { 'content-length': 3 }).write('oi', () => response.destroy())
  await assert.rejects(bucket.read('one', { most: 3 }), unavailable)
  // A store that accepts a request and never answers it, and one that stops in the middle.
  for (const answer of [() => true, (response: ServerResponse) => response.writeHead(200).write('oi')]) {
    const limit = new AbortController()
    hook.before = (_, response) => {
      setTimeout(() => limit.abort(), 50)
      return answer(response)
    }
    log.length = 0
    await assert.rejects(bucket.read('one', { most: 3, signal: limit.signal }), unavailable)
    assert.equal(log.length, 1, 'it is not asked again after the time limit')
  }
  assert.equal(failed, 4)
})
