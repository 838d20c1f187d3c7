import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { globSync, mkdirSync } from 'node:fs'
import { test } from 'node:test'
import { call, signInBrowser, UNLIMITED } from '../../apps/account/testing.ts'
import { until } from '../../kernel/database/test-database.ts'
import { KEYS, startBucket } from '../../kernel/files/testing.ts'
import type { TestBrowser } from '../../operations/testing/browser.ts'
import { openRaw } from '../../operations/testing/socket.ts'
import { type Answer, assertError, sharedApp, type TestApp, testApp } from '../../operations/testing/testing.ts'
import { removeUnused } from '../content/upload.ts'
import { openSchool } from '../courses/testing.ts'
import { removeExpiredUploads } from './resumable-upload.ts'
import { makePackage, uploadPackage } from './testing.ts'

const MB = 2 ** 20
const PATH = '/edu/v1/package/upload'

/** Opens a school that Finley owns, and in whose class Casey teaches. */
async function openUploads(app: TestApp) {
  await openSchool(app)
  return { finley: await signInBrowser(app, 'finley'), casey: await signInBrowser(app, 'casey') }
}

const app = await sharedApp(UNLIMITED)
const { finley } = await openUploads(app)

const begin = (browser: TestBrowser, bytes: number, more: object = {}) =>
  call(browser, 'POST', PATH, { organisation: 'school', name: 'course.zip', bytes, ...more })
const read = (browser: TestBrowser, uploadId: string) => call(browser, 'GET', `${PATH}?uploadId=${uploadId}`)
const finish = (browser: TestBrowser, uploadId: string) => call(browser, 'POST', `${PATH}/finish`, { uploadId })
const drop = (browser: TestBrowser, uploadId: string) => call(browser, 'POST', `${PATH}/delete`, { uploadId })
async function send(browser: TestBrowser, uploadId: string, offset: number, part: Buffer): Promise<Answer> {
  const query = new URLSearchParams({ uploadId, offset: String(offset) })
  const seen = await browser.send(`${PATH}/part?${query}`, { method: 'PUT', body: part as unknown as string })
  return { ...seen, body: seen.text === '' ? undefined : JSON.parse(seen.text) }
}
const usedBytes = async (browser = finley) =>
  (await call(browser, 'GET', '/edu/v1/file/usage?organisation=school')).body.usedBytes
const packages = async (browser = finley) =>
  (await call(browser, 'GET', '/edu/v1/packages?organisation=school')).body.docs
const temporary = (own = app) => globSync('uploads/*/*', { cwd: own.environment().config.DATA_DIR })
const stored = (own = app) => globSync('files/production/*/*', { cwd: own.environment().config.DATA_DIR })
/** Makes a package of more than three mebibytes, which no other has. */
const makeLarge = () => makePackage({ 'media/video.mp4': randomBytes(3 * MB) })

/** Begins an upload of an archive and sends all of it, in parts of one mebibyte. */
async function sendAll(browser: TestBrowser, archive: Buffer): Promise<string> {
  const { body } = await begin(browser, archive.length)
  for (let offset = 0; offset < archive.length; offset += MB)
    assert.equal((await send(browser, body.uploadId, offset, archive.subarray(offset, offset + MB))).status, 200)
  return body.uploadId
}

test('a package arrives in parts, and becomes visible when the upload is finished', async () => {
  const before = { used: await usedBytes(), packages: (await packages()).length }
  const archive = makeLarge()
  const begun = await begin(finley, archive.length, { name: 'a/b.zip' })
  assert.equal(begun.status, 200, begun.text)
  const { uploadId, expiresDate, ...rest } = begun.body
  assert.deepEqual(rest, {
    ...{ organisation: 'school', name: 'a_b.zip', bytes: archive.length, receivedBytes: 0, packageId: null },
  })
  assert.ok(Date.parse(expiresDate) - Date.now() > 23 * 3_600_000)
  assert.equal(await usedBytes(), before.used + archive.length, 'the storage is reserved')
  assertError(await finish(finley, uploadId), 409, 4091, /0 bytes of the file have arrived: .* at offset 0$/)
  const first = await send(finley, uploadId, 0, archive.subarray(0, MB))
  assert.deepEqual([first.status, first.body.receivedBytes], [200, MB], first.text)
  assert.deepEqual((await read(finley, uploadId)).body, first.body)
  assert.equal((await send(finley, uploadId, 0, archive.subarray(0, MB))).body.receivedBytes, MB, 'a repeat')
  assertError(await send(finley, uploadId, 2 * MB, archive.subarray(0, MB)), 409, 4091, /at offset 1048576$/)
  assertError(await send(finley, uploadId, 0, archive.subarray(1, MB + 1)), 409, 4091, /at offset 1048576$/)
  assertError(await finish(finley, uploadId), 409, 4091, /1048576 bytes of the file/)
  assertError(await send(finley, uploadId, MB, archive.subarray(MB, MB + 1000)), 400, 4003, /at least 1048576 bytes/)
  assertError(
    await send(finley, uploadId, MB, Buffer.concat([archive.subarray(MB), Buffer.alloc(1)])),
    400,
    4003,
    /at most/,
  )
  assertError(await send(finley, uploadId, MB, Buffer.alloc(0)), 400, 4001)
  assertError(await send(finley, uploadId, MB, Buffer.alloc(33 * MB)), 413, 4131)
  assert.equal((await send(finley, uploadId, MB, archive.subarray(MB))).body.receivedBytes, archive.length)
  assert.equal((await packages()).length, before.packages)
  const made = await finish(finley, uploadId)
  assert.equal(made.status, 200, made.text)
  assert.deepEqual([made.body.name, made.body.title, made.body.bytes], ['a_b.zip', 'Walkaround', archive.length])
  assert.equal(await usedBytes(), before.used + made.body.storedBytes)
  assert.deepEqual((await finish(finley, uploadId)).body, made.body)
  assert.equal((await read(finley, uploadId)).body.packageId, made.body.packageId)
  assertError(await send(finley, uploadId, 0, archive.subarray(0, MB)), 400, 4006, /has ended/)
  assert.equal((await uploadPackage(finley, archive)).body.packageId, made.body.packageId)
  assert.equal((await drop(finley, uploadId)).status, 200)
  assert.equal((await packages()).length, before.packages + 1)
  assert.deepEqual(await app.sql('select from package_upload_parts'), [])
  assert.deepEqual(temporary(), [])
})

test('equal parts and finishes that arrive together are one, and different parts are not mixed', async () => {
  const before = await usedBytes()
  const archive = makeLarge()
  const { uploadId } = (await begin(finley, archive.length)).body
  const parts = [archive.subarray(0, 2 * MB), archive.subarray(0, 2 * MB), randomBytes(2 * MB)]
  await send(finley, uploadId, 0, parts[0]!)
  const others = await Promise.all(
    [archive.subarray(2 * MB), archive.subarray(2 * MB), archive.subarray(2 * MB, 3 * MB)].map((part) =>
      send(finley, uploadId, 2 * MB, part),
    ),
  )
  const statuses = others.map(({ status }) => status).sort()
  assert.ok(['200,200,409', '200,409,409'].includes(statuses.join()), statuses.join())
  const { receivedBytes } = (await read(finley, uploadId)).body
  if (receivedBytes < archive.length) await send(finley, uploadId, receivedBytes, archive.subarray(receivedBytes))
  const made = await Promise.all([1, 2, 3].map(() => finish(finley, uploadId)))
  for (const one of made) assert.equal(one.status, 200, one.text)
  assert.equal(new Set(made.map(({ body }) => body.packageId)).size, 1)
  assert.equal(await usedBytes(), before + made[0]!.body.storedBytes)
  assert.deepEqual(temporary(), [])
})

test('a refused package names its faults each time, and gives back its storage', async () => {
  const before = await usedBytes()
  const uploadId = await sendAll(finley, randomBytes(2 * MB))
  for (const _ of [1, 2]) {
    const refusal = await finish(finley, uploadId)
    assertError(refusal, 400, 4003, /neither a zip archive nor an XML document \(cmi5 14\.0\.0\.0-1\)/)
    assert.equal(refusal.body.faults.length, 1)
    assert.equal(await usedBytes(), before)
  }
  assert.deepEqual(await app.sql('select from package_upload_parts'), [])
})

test('only the person who began an upload sees it, while they may use the files of the organisation', async (t) => {
  const own = await testApp(t, UNLIMITED)
  const people = await openUploads(own)
  const avery = await signInBrowser(own, 'avery')
  assertError(await begin(avery, 100), 403, 4032, /no organisation with this key/)
  assertError(await begin(people.casey, 100, { organisation: 'none' }), 403, 4032)
  assertError(await begin(own.visitor(), 100), 401, 4016)
  const { uploadId } = (await begin(people.casey, 100)).body
  for (const browser of [people.finley, avery]) {
    assertError(await read(browser, uploadId), 403, 4032, /no upload with this id/)
    assertError(await send(browser, uploadId, 0, Buffer.alloc(100)), 403, 4032, /no upload with this id/)
    assertError(await finish(browser, uploadId), 403, 4032, /no upload with this id/)
    assertError(await drop(browser, uploadId), 403, 4032, /no upload with this id/)
  }
  await own.sql(`delete from class_staff where person_id = (select id from people where handle = '@casey')`)
  assertError(await send(people.casey, uploadId, 0, Buffer.alloc(100)), 403, 4032, /no organisation with this key/)
  assertError(await finish(people.casey, uploadId), 403, 4032, /no organisation with this key/)
  assert.equal((await drop(people.casey, uploadId)).status, 200)
})

test('an upload is refused at its beginning if it does not fit, and each person has a few at once', async (t) => {
  const own = await testApp(t, { ...UNLIMITED, ORGANISATION_FILES_BYTES: '3000000', PACKAGE_BYTES: '2000000' })
  const people = await openUploads(own)
  assertError(await begin(people.finley, 2_000_001), 413, 4131, /limit is 2000000 bytes/)
  const first = await begin(people.finley, 2_000_000)
  assert.equal(first.status, 200)
  assertError(await begin(people.finley, 1_500_000), 400, 4007, /uses 1.9 MiB of 2.9 MiB/)
  assert.equal((await drop(people.finley, first.body.uploadId)).status, 200)
  assert.equal(await usedBytes(people.finley), 0)
  for (let i = 0; i < 10; i++) assert.equal((await begin(people.finley, 10)).status, 200)
  assertError(await begin(people.finley, 10), 400, 4006, /10 unfinished uploads/)
  assert.equal((await begin(people.casey, 10)).status, 200)
})

test('a package whose contents do not fit can be finished when there is room', async (t) => {
  const own = await testApp(t, { ...UNLIMITED, ORGANISATION_FILES_BYTES: '3000000' })
  const people = await openUploads(own)
  await own.sql(`update people set administrator = true where handle = '@ellis'`)
  const ellis = await signInBrowser(own, 'ellis')
  const archive = makePackage({ 'a.bin': randomBytes(2_000_000) })
  const uploadId = await sendAll(people.finley, archive)
  assertError(await finish(people.finley, uploadId), 400, 4007, /of 2.9 MiB/)
  assert.equal(await usedBytes(people.finley), archive.length)
  // Exactly what the package takes: what the upload has reserved is not counted twice.
  const limitBytes = archive.length + 2_000_000 + 10_000
  await call(ellis, 'POST', '/edu/v1/file/limit', { organisation: 'school', limitBytes })
  const made = await finish(people.finley, uploadId)
  assert.equal(made.status, 200, made.text)
  assert.equal(await usedBytes(people.finley), made.body.storedBytes)
})

test('an upload without a new part for a day is deleted, and its storage and bytes are free again', async (t) => {
  const own = await testApp(t, UNLIMITED)
  const people = await openUploads(own)
  const { uploadId } = (await begin(people.finley, 3 * MB)).body
  const other = (await begin(people.casey, 10)).body
  /** Lets hours pass, after which browsers sign in again. */
  const wait = async (hours: number) => {
    own.advance(hours * 3_600_000)
    await removeExpiredUploads(own.environment())
    await removeUnused(own.environment())
    return { finley: await signInBrowser(own, 'finley'), casey: await signInBrowser(own, 'casey') }
  }
  const later = await wait(20)
  assert.equal((await send(later.finley, uploadId, 0, randomBytes(MB))).status, 200)
  const nextDay = await wait(20)
  assertError(await read(nextDay.casey, other.uploadId), 403, 4032, /expired/)
  assert.equal((await read(nextDay.finley, uploadId)).body.receivedBytes, MB)
  assert.equal(stored(own).length, 1, 'the bytes of a part stay')
  const end = await wait(5)
  assertError(await read(end.finley, uploadId), 403, 4032, /expired/)
  assert.equal(await usedBytes(end.finley), 0)
  assert.deepEqual([stored(own), await own.sql('select from package_uploads')], [[], []])
})

test('a part whose connection is lost leaves nothing, and the upload goes on', async () => {
  const archive = makeLarge()
  const { uploadId } = (await begin(finley, archive.length)).body
  const cookie = [...finley.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const socket = openRaw(app.address)
  socket.write(
    `PUT ${PATH}/part?uploadId=${uploadId}&offset=0 HTTP/1.1\r\nhost: localhost\r\ncookie: ${cookie}\r\ncontent-length: ${2 * MB}\r\n\r\n`,
  )
  socket.write(archive.subarray(0, MB))
  await until('a temporary file', () => temporary().length === 1)
  socket.destroy()
  await until('no temporary file', () => temporary().length === 0)
  assert.equal((await read(finley, uploadId)).body.receivedBytes, 0)
  for (let offset = 0; offset < archive.length; offset += MB)
    await send(finley, uploadId, offset, archive.subarray(offset, offset + MB))
  assert.equal((await finish(finley, uploadId)).status, 200)
})

test('parts that different processes receive are in the store that they share', async (t) => {
  const bucket = await startBucket(t)
  const own = await testApp(t, { ...UNLIMITED, ...KEYS, S3_URL: bucket.url })
  const people = await openUploads(own)
  const archive = makeLarge()
  const uploadId = await sendAll(people.finley, archive)
  assert.equal(bucket.objects.size, 4)
  assert.deepEqual([stored(own), temporary(own)], [[], []], 'nothing is left on the disk of the process')
  bucket.failures.push(403)
  assertError(await finish(people.finley, uploadId), 503, 5030, /file store does not respond/)
  const made = await finish(people.finley, uploadId)
  assert.equal(made.status, 200, made.text)
  assert.deepEqual(temporary(own), [])
})

test('on a full disk, a part gets 503 and leaves nothing', { skip: process.getuid?.() !== 0 }, async (t) => {
  const own = await testApp(t, UNLIMITED)
  const people = await openUploads(own)
  const { DATA_DIR } = own.environment().config
  mkdirSync(DATA_DIR, { recursive: true })
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', DATA_DIR]).status !== 0)
    return t.skip('cannot mount')
  try {
    assertError(await begin(people.finley, 5 * MB), 503, 5030, /disk for files is almost full/)
    assert.equal(await usedBytes(people.finley), 0)
    const archive = makePackage({ 'a.bin': randomBytes(2 * MB) })
    const uploadId = await sendAll(people.finley, archive)
    // The parts, the whole file and its contents do not fit together.
    assertError(await finish(people.finley, uploadId), 503, 5030, /disk for files is almost full/)
    assert.deepEqual([temporary(own), await packages(people.finley)], [[], []])
    assert.equal(await usedBytes(people.finley), archive.length)
    assert.equal((await read(people.finley, uploadId)).body.receivedBytes, archive.length, 'it can be finished later')
    assert.equal((await drop(people.finley, uploadId)).status, 200)
    assert.equal(await usedBytes(people.finley), 0)
    own.advance(2 * 3_600_000)
    await removeUnused(own.environment())
    assert.deepEqual(stored(own), [])
  } finally {
    execFileSync('umount', ['-l', DATA_DIR])
  }
})

test('an upload stays without its author, until it expires', async (t) => {
  const own = await testApp(t, UNLIMITED)
  const people = await openUploads(own)
  assert.equal((await begin(people.casey, 100)).status, 200)
  await own.sql(`update package_uploads set created_by = null`)
  assert.equal(await usedBytes(people.finley), 100)
  own.advance(25 * 3_600_000)
  await removeExpiredUploads(own.environment())
  assert.equal(await usedBytes(await signInBrowser(own, 'finley')), 0)
})
