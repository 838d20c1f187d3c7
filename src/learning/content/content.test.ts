import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { existsSync, globSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { call, signInBrowser, UNLIMITED } from '../../apps/account/testing.ts'
import { until } from '../../kernel/database/test-database.ts'
import type { TestBrowser } from '../../operations/testing/browser.ts'
import { openRaw } from '../../operations/testing/socket.ts'
import { assertError, sharedApp, type TestApp, testApp } from '../../operations/testing/testing.ts'
import { openSchool } from '../courses/testing.ts'
import { makePackage, uploadPackage } from '../packages/testing.ts'
import { findFiles } from './content.ts'
import { removeAbandoned } from './temporary.ts'
import { load, makeImage, makeMp4, makePdf, makeZip, upload } from './testing.ts'
import { removeUnused } from './upload.ts'

// Finley owns the school, Casey teaches its class alpha, Ellis is an administrator, Avery is a student. Drew owns
// another school and teaches bravo.
async function openFiles(app: TestApp): Promise<Record<'finley' | 'casey' | 'ellis' | 'avery' | 'drew', TestBrowser>> {
  await openSchool(app)
  await app.sql(`update people set administrator = true where handle = '@ellis'`)
  await app.sql(`insert into organisations (key, name, created_at) values ('other', 'Other', now());
    insert into organisation_members (organisation_id, person_id, role)
    select o.id, p.id, 'owner' from organisations o, people p where p.handle = '@drew' and o.key = 'other'`)
  return {
    finley: await signInBrowser(app, 'finley'),
    casey: await signInBrowser(app, 'casey'),
    ellis: await signInBrowser(app, 'ellis'),
    avery: await signInBrowser(app, 'avery'),
    drew: await signInBrowser(app, 'drew'),
  }
}

const KB = 1000
const app = await sharedApp({ ...UNLIMITED, FILE_BYTES: String(200 * KB) })
const { finley, casey, ellis, avery, drew } = await openFiles(app)
const { DATA_DIR } = app.environment().config

const list = async (browser: TestBrowser, query: Record<string, string> = {}) =>
  (await call(browser, 'GET', `/edu/v1/file/list?${new URLSearchParams({ organisation: 'school', ...query })}`)).body
const usage = async (browser = finley, organisation = 'school') =>
  (await call(browser, 'GET', `/edu/v1/file/usage?organisation=${organisation}`)).body
const remove = (browser: TestBrowser, fileId: string) => call(browser, 'POST', '/edu/v1/file/remove', { fileId })
const temporary = (dir = DATA_DIR) => globSync('uploads/*/*', { cwd: dir })
const stored = (sha256: string, dir = DATA_DIR) => join(dir, 'files/production', sha256.slice(0, 2), sha256)
const hashOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

const startUpload = (framing: string) => {
  const cookie = [...finley.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  return `POST /edu/v1/file?organisation=school&name=a.txt HTTP/1.1\r\nhost: localhost\r\ncookie: ${cookie}\r\n${framing}\r\n\r\n`
}

const webm = Buffer.concat([
  Buffer.from('1a45dfa39f4286810142f7810142f2810442f381084282847765626d42878104428581', 'hex'),
  Buffer.alloc(500),
])
const docx = { '[Content_Types].xml': '<Types/>', 'word/document.xml': '<w:document/>' }
const odt = { mimetype: 'application/vnd.oasis.opendocument.text', 'content.xml': '<x/>' }
const OFFICE = 'application/vnd.openxmlformats-officedocument'

test('the content of a file decides its type, and the name gets an ending that fits', async () => {
  const cases: [name: string, file: Buffer | string, mediaType: string, stored?: string][] = [
    ['a.png', await makeImage('png'), 'image/png'],
    ['a.jpeg', await makeImage('jpeg'), 'image/jpeg'],
    ['a.gif', await makeImage('gif'), 'image/gif'],
    ['a.webp', await makeImage('webp'), 'image/webp'],
    ['a.avif', await makeImage('avif'), 'image/avif'],
    ['a.pdf', makePdf(), 'application/pdf'],
    ['a.mp4', makeMp4('isom'), 'video/mp4'],
    ['a.m4a', makeMp4('M4A '), 'audio/mp4'],
    ['a.webm', webm, 'video/webm'],
    ['a.mp3', Buffer.concat([Buffer.from('ID3\x04'), Buffer.alloc(300)]), 'audio/mpeg'],
    ['b.mp3', Buffer.concat([Buffer.from([0xff, 0xfb, 0x90, 0x64]), Buffer.alloc(300)]), 'audio/mpeg'],
    ['a.ogg', Buffer.concat([Buffer.from('OggS'), Buffer.alloc(24), Buffer.from('\x01vorbis')]), 'audio/ogg'],
    ['a.ogv', Buffer.concat([Buffer.from('OggS'), Buffer.alloc(24), Buffer.from('\x80theora')]), 'video/ogg'],
    ['a.vtt', 'WEBVTT\n\n00:00.000 --> 00:02.000\nCheck the oil\n', 'text/vtt'],
    ['a.txt', 'Grüße\n', 'text/plain'],
    ['a.md', '# Fuel < 40 litres', 'text/plain'],
    ['a.csv', 'tail,litres\r\nN1,40\r\n', 'text/csv'],
    ['a.docx', makeZip(docx), `${OFFICE}.wordprocessingml.document`],
    ['a.xlsx', makeZip({ 'xl/workbook.xml': '', '[Content_Types].xml': '' }), `${OFFICE}.spreadsheetml.sheet`],
    ['a.odt', makeZip(odt), 'application/vnd.oasis.opendocument.text'],
    ['photo.exe', await makeImage('png'), 'image/png', 'photo.exe.png'],
    ['../../etc/passwd', 'text', 'text/plain', '.._.._etc_passwd.txt'],
  ]
  for (const [name, file, mediaType, storedName = name] of cases) {
    const made = await upload(finley, name, file, { type: 'text/html' })
    assert.equal(made.status, 200, `${name}: ${made.text}`)
    const bytes = Buffer.from(file)
    assert.deepEqual(
      { name: made.body.name, mediaType: made.body.mediaType, bytes: made.body.bytes, author: made.body.author },
      { name: storedName, mediaType, bytes: bytes.length, author: '@finley' },
    )
    const seen = await load(made.body.url)
    assert.deepEqual([seen.status, seen.bytes.equals(bytes)], [200, true], name)
    assert.equal(seen.headers['content-type']!.toString().split(';')[0], mediaType)
    assert.ok(existsSync(stored(hashOf(bytes))), 'the bytes are stored under their hash')
  }
  assert.deepEqual(temporary(), [])
})

test('files that a browser could run, and unknown types, are refused with the types that are accepted', async () => {
  const before = await usage()
  const cases: [name: string, file: Buffer | string][] = [
    ['a.svg', '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'],
    ['a.png', '<?xml version="1.0"?><svg/>'],
    ['a.txt', '\ufeff \n<!DOCTYPE html><script>alert(1)</script>'],
    ['a.txt', 'text <script src=x></script>'],
    ['a.vtt', 'WEBVTT\n\n<script>'],
    ['a.txt', 'null\0byte'],
    ['a.txt', Buffer.from('Grüße', 'latin1')],
    ['a.exe', Buffer.from('MZ\x90\0\x03')],
    ['a.zip', makeZip({ 'a.txt': 'a' })],
    ['a.docm', makeZip({ ...docx, 'word/vbaProject.bin': 'x' })],
    ['a.mov', makeMp4('qt  ')],
    ['a.heic', makeMp4('heic')],
    ['a.bin', randomBytes(5000)],
  ]
  for (const [name, file] of cases) {
    const refusal = await upload(finley, name, file, { type: 'image/png' })
    assertError(refusal, 415, 4151, /not accepted\. Upload an image \(PNG/)
  }
  for (const script of [
    '/OpenAction << /S /JavaScript /JS (app.alert) >>',
    '/AA << /S /J#61vaScript >>',
    '/OpenAction << /S /Launch /F (calc) >>',
  ])
    assertError(await upload(finley, 'a.pdf', makePdf(script)), 415, 4151, /JavaScript or starts a program/)
  assertError(await upload(finley, 'a.txt', ''), 400, 4001)
  assertError(await upload(finley, ' ', 'text'), 400, 4001)
  assert.deepEqual(await usage(), before)
  assert.deepEqual(temporary(), [])
})

test('a file that is too large is refused: at once if it says so, else as soon as it is', async () => {
  assertError(await upload(finley, 'big.txt', 'a'.repeat(200 * KB + 1)), 413, 4131, /limit is 200000 bytes/)
  const talk = async (framing: string, more = '') => {
    const socket = openRaw(app.address)
    const answered = new Promise<string>((resolve) => socket.once('data', (data) => resolve(String(data))))
    socket.on('error', () => undefined).write(startUpload(framing))
    // The client goes on sending and never ends.
    for (let i = 0; i < 100; i++) socket.write(more)
    return answered.finally(() => socket.destroy())
  }
  // Two gigabytes are announced, and not a byte of them is sent.
  assert.match(await talk('content-length: 2147483648'), /^HTTP\/1\.1 413 .*limit is 200000/s)
  const chunk = `2710\r\n${'a'.repeat(10_000)}\r\n`
  assert.match(await talk('transfer-encoding: chunked', chunk), /^HTTP\/1\.1 413 .*limit is 200000/s)
  await until('no temporary file', () => temporary().length === 0)
})

test('owners, administrators and instructors of the organisation use its files; all others are refused', async () => {
  for (const browser of [finley, casey, ellis])
    assert.equal((await upload(browser, 'shared.txt', 'shared')).status, 200)
  const { docs } = await list(casey, { query: 'shared' })
  assert.equal(docs.length, 1, 'the same file is stored once')
  assertError(await upload(avery, 'a.txt', 'a'), 403, 4032, /no organisation with this key, or you cannot use/)
  assertError(await call(avery, 'GET', '/edu/v1/file/list?organisation=school'), 403, 4032)
  assertError(await call(avery, 'GET', '/edu/v1/file/usage?organisation=school'), 403, 4032)
  assertError(await remove(avery, docs[0].fileId), 403, 4032)
  assertError(await upload(finley, 'a.txt', 'a', { organisation: 'other' }), 403, 4032)
  assertError(await upload(finley, 'a.txt', 'a', { organisation: 'missing' }), 403, 4032)
  assertError(await upload(app.visitor(), 'a.txt', 'a'), 401, 4016)
  const foreign = await finley.send('/edu/v1/file?organisation=school&name=a.txt', {
    method: 'POST',
    body: 'a',
    headers: { origin: 'https://evil.example' },
  })
  assert.equal(foreign.status, 403, 'a page of another site cannot upload with the cookie')
})

test('a list of files has pages, a search, types and an order', async () => {
  const other = (name: string, file: Buffer | string) => upload(drew, name, file, { organisation: 'other' })
  const file = (await upload(finley, 'of-another-school.txt', 'text')).body
  await other('Cockpit.png', await makeImage('png'))
  await other('checklist.pdf', makePdf())
  await other('Änderungen.txt', 'text')
  const names = async (query: Record<string, string>) =>
    (await list(drew, { organisation: 'other', ...query })).docs.map(({ name }: { name: string }) => name)
  assert.deepEqual(await names({ sort: 'name' }), ['Änderungen.txt', 'checklist.pdf', 'Cockpit.png'])
  assert.deepEqual(await names({ sort: 'bytes', limit: '1' }), ['Änderungen.txt'])
  assert.deepEqual(await names({ query: 'anderung' }), ['Änderungen.txt'])
  assert.deepEqual(await names({ type: 'image' }), ['Cockpit.png'])
  assert.deepEqual(await names({ type: 'pdf' }), ['checklist.pdf'])
  assert.deepEqual(await names({ type: 'document' }), ['Änderungen.txt'])
  assert.deepEqual(await names({ page: '2', limit: '2', sort: 'name' }), ['Cockpit.png'])
  assertError(await call(drew, 'GET', '/edu/v1/file/list?organisation=other&type=exe'), 400, 4003)
  const [first, , third] = (await list(drew, { organisation: 'other', sort: 'name' })).docs
  const fileIds = [first.fileId, third.fileId, file.fileId].join()
  assert.deepEqual(await names({ fileIds, sort: 'name' }), ['Änderungen.txt', 'Cockpit.png'])
  const { docs } = await list(drew, { organisation: 'other', type: 'pdf' })
  const found = await findFiles(app.environment().db, {
    organisation: 'other',
    keys: [docs[0].fileId, 'x'],
  })
  assert.deepEqual(
    found.map(({ name }) => name),
    ['checklist.pdf'],
  )
})

test('owners delete every file, instructors only their own, and the bytes go when no file has them', async (t) => {
  const own = await testApp(t, UNLIMITED)
  const people = await openFiles(own)
  const dir = own.environment().config.DATA_DIR
  const bytes = Buffer.from('the same bytes')
  const first = (await upload(people.finley, 'first.txt', bytes)).body
  const second = (await upload(people.casey, 'second.txt', bytes)).body
  assert.equal(second.may.delete, true)
  const { docs } = await list(people.casey, { query: 'first' })
  assert.equal(docs[0].may.delete, false)
  assertError(await remove(people.casey, first.fileId), 403, 4032, /Only the owners/)
  assert.equal((await remove(people.casey, second.fileId)).status, 200)
  own.advance(2 * 3_600_000)
  await removeUnused(own.environment())
  assert.ok(existsSync(stored(hashOf(bytes), dir)), 'another file has the same bytes')
  assert.equal((await remove(people.finley, first.fileId)).status, 200)
  assertError(await remove(people.finley, first.fileId), 403, 4032)
  assert.equal((await load(first.url)).status, 404)
  await removeUnused(own.environment())
  assert.ok(!existsSync(stored(hashOf(bytes), dir)))
  const answer = await call(people.finley, 'GET', '/edu/v1/file/usage?organisation=school')
  assert.equal(answer.body.usedBytes, 0)
  const again = await upload(people.finley, 'again.txt', bytes)
  assert.equal((await load(again.body.url)).bytes.toString(), 'the same bytes')
  const removed = await own.sql(`select detail from audit_entries where action = 'file.removed' order by id`)
  assert.deepEqual(
    removed.map(({ detail }) => detail),
    [
      { organisation: 'school', before: 'second.txt', self: true },
      { organisation: 'school', before: 'first.txt', self: true },
    ],
  )
})

test('uploads that arrive together never exceed the storage of the organisation', async (t) => {
  const own = await testApp(t, { ...UNLIMITED, ORGANISATION_FILES_BYTES: '10000' })
  const people = await openFiles(own)
  const file = (i: number) => `${i}`.repeat(4000)
  const answers = await Promise.all([1, 2, 3, 4].map((i) => upload(people.finley, `${i}.txt`, file(i))))
  const refusals = answers.filter(({ status }) => status !== 200)
  assert.equal(refusals.length, 2)
  for (const refusal of refusals) assertError(refusal, 400, 4007, /uses (?:[37]\.\d|0) ?\w+ of 9\.8 KiB\. Delete files/)
  const used = async () => (await call(people.finley, 'GET', '/edu/v1/file/usage?organisation=school')).body
  assert.deepEqual(await used(), {
    organisation: 'school',
    usedBytes: 8000,
    limitBytes: 10_000,
    largestFileBytes: 209_715_200,
  })
  const limit = (browser: TestBrowser, limitBytes?: number) =>
    call(browser, 'POST', '/edu/v1/file/limit', { organisation: 'school', limitBytes })
  assertError(await limit(people.finley, 20_000), 403, 4032)
  assert.equal((await limit(people.ellis, 20_000)).body.limitBytes, 20_000)
  assert.equal((await upload(people.finley, '5.txt', file(5))).status, 200)
  assert.equal((await limit(people.ellis)).body.limitBytes, 10_000)
  assertError(await upload(people.finley, '6.txt', '6'), 400, 4007)
  const dir = own.environment().config.DATA_DIR
  assert.deepEqual(temporary(dir), [])
  own.advance(2 * 3_600_000)
  await removeUnused(own.environment())
  assert.equal(globSync('files/production/*/*', { cwd: dir }).length, 3, 'refused files leave no bytes')
})

test('administrators list the storage of organisations, with what files and packages use', async (t) => {
  const own = await testApp(t, { ...UNLIMITED, ORGANISATION_FILES_BYTES: '10000' })
  const people = await openFiles(own)
  const listStorage = (browser: TestBrowser, query: Record<string, string> = {}) =>
    call(browser, 'GET', `/edu/v1/file/storage?${new URLSearchParams(query)}`)
  const usual = { limitBytes: 10_000, ownLimit: false, files: 0, packages: 0 }
  assert.equal((await upload(people.drew, 'a.txt', 'a'.repeat(300), { organisation: 'other' })).status, 200)
  assert.equal((await upload(people.finley, 'a.txt', 'a'.repeat(100))).status, 200)
  assert.equal((await upload(people.finley, 'b.txt', 'b'.repeat(100))).status, 200)
  const made = await uploadPackage(people.finley, makePackage())
  assert.equal(made.status, 200, made.text)
  await call(people.ellis, 'POST', '/edu/v1/file/limit', { organisation: 'other', limitBytes: 0 })
  const school = { ...usual, organisation: 'school', name: 'School', files: 2, packages: 1 }
  const other = {
    ...usual,
    organisation: 'other',
    name: 'Other',
    usedBytes: 300,
    limitBytes: 0,
    ownLimit: true,
    files: 1,
  }
  const { docs, total } = (await listStorage(people.ellis)).body
  const usedBytes = 200 + made.body.storedBytes
  assert.deepEqual(docs.slice(0, 2), [{ ...school, usedBytes }, other])
  assert.equal(docs.length, total)
  assert.deepEqual((await listStorage(people.ellis, { query: 'oth' })).body.docs, [other])
  const names = async (query: Record<string, string>) =>
    (await listStorage(people.ellis, query)).body.docs.map(({ organisation }: { organisation: string }) => organisation)
  assert.deepEqual(
    (await names({ sort: 'name' })).filter((one: string) => /^(?:school|other)$/.test(one)),
    ['other', 'school'],
  )
  assert.deepEqual(await names({ limit: '1', page: '2' }), ['other'])
  assert.equal((await names({ sort: 'used' })).at(-1), 'school')
  for (const browser of [people.finley, people.avery]) assertError(await listStorage(browser), 403, 4032)
})

test('an upload that breaks off leaves nothing, and upkeep deletes what a killed process left', async () => {
  const before = await usage()
  const socket = openRaw(app.address)
  socket.write(`${startUpload('content-length: 100000')}${'a'.repeat(50_000)}`)
  await until('a temporary file', () => temporary().length === 1)
  socket.destroy()
  await until('no temporary file', () => temporary().length === 0)
  assert.deepEqual(await usage(), before)
  const folder = join(DATA_DIR, 'uploads/production')
  mkdirSync(folder, { recursive: true })
  for (const name of ['old.part', 'new.part']) writeFileSync(join(folder, name), 'half')
  const old = new Date(Date.now() - 2 * 3_600_000)
  utimesSync(join(folder, 'old.part'), old, old)
  await removeAbandoned(app.environment())
  assert.deepEqual(globSync('*', { cwd: folder }), ['new.part'])
  utimesSync(join(folder, 'new.part'), old, old)
  await removeAbandoned(app.environment())
})
