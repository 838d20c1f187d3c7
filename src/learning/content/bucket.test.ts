import assert from 'node:assert/strict'
import { createHash, createHmac } from 'node:crypto'
import { once } from 'node:events'
import { globSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { call, signInBrowser, UNLIMITED } from '../../apps/account/testing.ts'
import { assertError, testApp } from '../../operations/testing/testing.ts'
import { openSchool } from '../courses/testing.ts'
import { EMPTY_SHA256, encodePath, signedHeaders } from './sigv4.ts'
import { load, upload } from './testing.ts'
import { removeUnused } from './upload.ts'

const hash = (data: string | Buffer) => createHash('sha256').update(data).digest('hex')
const hmac = (key: string | Buffer, data: string) => createHmac('sha256', key).update(data).digest()

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

const KEYS = { S3_ACCESS_KEY: 'KEY', S3_SECRET_KEY: 'secret-of-the-store', S3_REGION: 'eu-north-1' }

/** Checks a signature as the AWS documentation describes it, from the request alone. */
function isSigned(request: IncomingMessage, body: Buffer): boolean {
  const { authorization = '', 'x-amz-date': date = '', 'x-amz-content-sha256': sha256 } = request.headers
  const [, day = '', names = '', signature] =
    /^AWS4-HMAC-SHA256 Credential=KEY\/(\d{8})\/eu-north-1\/s3\/aws4_request,SignedHeaders=([a-z0-9;-]+),Signature=(\w{64})$/.exec(
      authorization,
    ) ?? []
  const lines = names.split(';').map((name) => `${name}:${request.headers[name]}\n`)
  const canonical = `${request.method}\n${request.url}\n\n${lines.join('')}\n${names}\n${sha256}`
  const text = `AWS4-HMAC-SHA256\n${date}\n${day}/eu-north-1/s3/aws4_request\n${hash(canonical)}`
  let key = hmac(`AWS4${KEYS.S3_SECRET_KEY}`, day)
  for (const part of ['eu-north-1', 's3', 'aws4_request']) key = hmac(key, part)
  return (
    sha256 === hash(body) &&
    names.includes('host') &&
    String(date).startsWith(day) &&
    hmac(key, text).toString('hex') === signature
  )
}

/** A store that has one bucket and checks every signature. */
async function openBucket(t: TestContext) {
  const objects = new Map<string, Buffer>()
  const log: string[] = []
  const failures: number[] = []
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await buffer(request)
    const { method = '', url = '' } = request
    log.push(`${method} ${url.replace(/\w{64}$/, 'HASH')}`)
    const failure = failures.shift()
    if (failure !== undefined) return response.writeHead(failure).end()
    if (!isSigned(request, body))
      return response.writeHead(403).end('<Error><Code>SignatureDoesNotMatch</Code></Error>')
    const found = objects.get(url)
    if (method === 'PUT') {
      objects.set(url, body)
      return response.end()
    }
    if (method === 'DELETE') return response.writeHead(objects.delete(url) ? 204 : 404).end()
    if (!found) return response.writeHead(404).end()
    if (method === 'HEAD') return response.writeHead(200, { 'content-length': found.length }).end()
    const [, start, end] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? []
    return response.writeHead(206).end(found.subarray(Number(start), Number(end) + 1))
  }
  const server = createServer(answer)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/bucket`, objects, log, failures }
}

test('files are stored in an S3-compatible bucket if one is set, and on this machine no byte stays', async (t) => {
  const bucket = await openBucket(t)
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
  const bucket = await openBucket(t)
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
