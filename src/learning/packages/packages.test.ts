import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { globSync, mkdirSync } from 'node:fs'
import { test } from 'node:test'
import { call, signInBrowser, UNLIMITED } from '../../apps/account/testing.ts'
import { until } from '../../kernel/database/test-database.ts'
import { KEYS, startBucket } from '../../kernel/files/testing.ts'
import type { TestBrowser } from '../../operations/testing/browser.ts'
import { openRaw } from '../../operations/testing/socket.ts'
import { assertError, sharedApp, type TestApp, testApp } from '../../operations/testing/testing.ts'
import { load, upload } from '../content/testing.ts'
import { removeUnused } from '../content/upload.ts'
import { openSchool } from '../courses/testing.ts'
import { signPackage } from './packages.ts'
import { makePackage, makeScorm, uploadPackage } from './testing.ts'
import { auOf, blockOf, courseOf, objectiveOf } from './testing-cmi5.ts'
import { itemOf, manifestOf, resourceOf, sequencingOf } from './testing-scorm.ts'
import { buildZip } from './testing-zip.ts'

// Finley owns the school, Casey teaches its class alpha, Avery is a student. Drew owns another school, and teaches
// bravo.
async function openPackages(app: TestApp): Promise<Record<'finley' | 'casey' | 'avery' | 'drew', TestBrowser>> {
  await openSchool(app)
  await app.sql(`insert into organisations (key, name, created_at) values ('other', 'Other', now());
    insert into organisation_members (organisation_id, person_id, role)
    select o.id, p.id, 'owner' from organisations o, people p where p.handle = '@drew' and o.key = 'other'`)
  return {
    finley: await signInBrowser(app, 'finley'),
    casey: await signInBrowser(app, 'casey'),
    avery: await signInBrowser(app, 'avery'),
    drew: await signInBrowser(app, 'drew'),
  }
}

const app = await sharedApp({ ...UNLIMITED, PACKAGE_BYTES: '3000000' })
const { finley, casey, avery, drew } = await openPackages(app)

const dataDir = (of: TestApp = app) => of.environment().config.DATA_DIR
const temporary = (of: TestApp = app) => globSync('uploads/*/*', { cwd: dataDir(of) })
const stored = (of: TestApp = app) => globSync('files/production/*/*', { cwd: dataDir(of) })
const usedBytes = async (browser = finley, organisation = 'school') =>
  (await call(browser, 'GET', `/edu/v1/file/usage?organisation=${organisation}`)).body.usedBytes
const read = (browser: TestBrowser, packageId: string) => call(browser, 'GET', `/edu/v1/package?packageId=${packageId}`)
const items = (browser: TestBrowser, packageId: string, more = '') =>
  call(browser, 'GET', `/edu/v1/package/items?packageId=${packageId}${more}`)
const list = async (browser: TestBrowser, query: Record<string, string> = {}) =>
  call(browser, 'GET', `/edu/v1/packages?${new URLSearchParams({ organisation: 'school', ...query })}`)
const remove = (browser: TestBrowser, packageId: string) =>
  call(browser, 'POST', '/edu/v1/package/delete', { packageId })

test('a package is stored with its course, its items and its files', async () => {
  const before = await usedBytes()
  const course = courseOf(
    `<objectives>${objectiveOf('urn:o')}</objectives>` +
      blockOf('urn:b', {
        objectives: ['urn:o'],
        children: auOf('urn:a', {
          attributes: 'moveOn="Passed" masteryScore="0.8"',
          after: '<launchParameters>a=b</launchParameters><x:y xmlns:x="urn:x"/>',
        }),
      }) +
      auOf('urn:c', { url: 'https://example.com/', after: '<requires><require idref="urn:a"/></requires>' }),
  )
  const data = { 'cmi5.xml': course, 'index.html': '<title>Walkaround</title>', 'media/a b.PNG': randomBytes(500) }
  const archive = buildZip(Object.entries(data).map(([name, one]) => ({ name, data: one })))
  const made = await uploadPackage(finley, archive, { name: 'Walk/around.zip', type: 'text/markdown' })
  assert.equal(made.status, 200, made.text)
  const { packageId, url, createdDate: _, ...shown } = made.body
  const unpacked = Object.values(data).reduce((sum, one) => sum + Buffer.byteLength(one), 0)
  const texts = { en: 'Walkaround', 'de-CH': 'Rundgang' }
  assert.deepEqual(shown, {
    ...{ organisation: 'school', kind: 'cmi5', title: 'Walkaround', name: 'Walk_around.zip', bytes: archive.length },
    ...{ storedBytes: archive.length + unpacked, files: 3, units: 2, blocks: 1, author: '@finley' },
    ...{ courses: [], courseCount: 0, may: { delete: true } },
    notes: [],
    course: {
      ...{ id: 'http://example.com/course', title: texts, description: texts },
      objectives: [{ id: 'urn:o', title: texts, description: texts }],
    },
  })
  assert.equal((await usedBytes()) - before, archive.length + unpacked)
  assert.deepEqual((await read(casey, packageId)).body, { ...made.body, may: { delete: false } })
  const common = { title: texts, description: texts, objectives: [], requires: [], collateralCredit: [] }
  assert.deepEqual((await items(casey, packageId)).body, {
    docs: [
      { ...common, position: 0, parent: null, kind: 'block', id: 'urn:b', objectives: ['urn:o'] },
      {
        ...{
          ...common,
          position: 1,
          parent: 0,
          kind: 'unit',
          id: 'urn:a',
          url: 'index.html',
          launchMethod: 'AnyWindow',
        },
        ...{ moveOn: 'Passed', masteryScore: 0.8, launchParameters: 'a=b' },
      },
      {
        ...{ ...common, position: 2, parent: null, kind: 'unit', id: 'urn:c', url: 'https://example.com/' },
        ...{ launchMethod: 'AnyWindow', moveOn: 'NotApplicable', requires: ['urn:a'] },
      },
    ],
    ...{ total: 3, limit: 10, page: 1, pages: 1 },
  })
  const { docs } = (await items(casey, packageId, '&page=3&limit=1')).body
  assert.deepEqual(
    docs.map(({ id }: { id: string }) => id),
    ['urn:c'],
  )
  const original = await load(url)
  assert.deepEqual([original.status, original.bytes.equals(archive)], [200, true])
  assert.match(String(original.headers['content-disposition']), /^attachment; filename\*=UTF-8''Walk_around\.zip$/)
  const files = await app.sql(`
    select f.path, f.bytes::int, f.media_type, f.sha256 from package_files f join packages p on p.id = f.package_id
     where p.key = '${packageId}' order by f.path`)
  const hash = (one: string | Buffer) => createHash('sha256').update(one).digest('hex')
  assert.deepEqual(
    files.map(({ path, media_type, sha256 }) => [path, media_type, sha256]),
    [
      ['cmi5.xml', 'application/xml', hash(course)],
      ['index.html', 'text/html', hash(data['index.html'])],
      ['media/a b.PNG', 'image/png', hash(data['media/a b.PNG'])],
    ],
  )
  assert.deepEqual(temporary(), [])
})

test('a course structure alone is a package, if all its URLs are absolute', async () => {
  const text = courseOf(auOf('urn:a', { url: 'https://example.com/' }), 'urn:alone')
  const made = await uploadPackage(finley, text, { name: 'cmi5.xml', type: 'text/xml' })
  assert.deepEqual([made.status, made.body.files, made.body.units], [200, 0, 1], made.text)
  const utf16 = await uploadPackage(finley, Buffer.from(`\ufeff${text}`, 'utf16le'))
  assert.equal(utf16.status, 200, utf16.text)
  const relative = await uploadPackage(finley, courseOf(auOf('urn:a')), { type: 'text/xml' })
  assertError(relative, 400, 4003, /is relative, but there is no package: "index.html" \(cmi5 14\.2\.0\.0-1\)/)
  assert.deepEqual(relative.body.faults, [
    {
      pointer: '/courseStructure/au/url',
      rule: '14.2.0.0-1',
      must: 'be absolute',
      message: 'The URL of the AU in line 1 is relative, but there is no package: "index.html"',
    },
  ])
})

test('a SCORM package is stored with its version, its items and what was tolerated', async () => {
  const inside = itemOf('module', itemOf('lesson', '', 'identifierref="sco" parameters="page=2"'), '') + itemOf('quiz')
  const modern = makeScorm(manifestOf({ items: inside, resources: resourceOf('sco', 'href="INDEX.html"') }))
  const made = await uploadPackage(finley, modern, { name: 'scorm.zip' })
  assert.equal(made.status, 200, made.text)
  const { packageId, kind, edition, title, units, blocks, files, notes, course } = made.body
  assert.deepEqual(
    { kind, edition, title, units, blocks, files, notes, course },
    {
      ...{ kind: 'scorm2004', edition: '2004 4th Edition', title: 'Walkaround', units: 2, blocks: 1, files: 2 },
      notes: [
        {
          pointer: '/manifest/resources/resource/href',
          message: 'The href of the resource in line 2 names the file index.html in another case: "INDEX.html"',
        },
      ],
      course: { id: 'walkaround', title: { und: 'Walkaround' }, description: {}, objectives: [] },
    },
  )
  const common = { description: {}, objectives: [], requires: [], collateralCredit: [] }
  assert.deepEqual((await items(finley, packageId)).body.docs, [
    { ...common, position: 0, parent: null, kind: 'block', id: 'module', title: { und: 'Title of module' } },
    {
      ...{ ...common, position: 1, parent: 0, kind: 'unit', id: 'lesson', title: { und: 'Title of lesson' } },
      ...{ url: 'index.html?page=2', scormType: 'sco' },
    },
    {
      ...{ ...common, position: 2, parent: null, kind: 'unit', id: 'quiz', title: { und: 'Title of quiz' } },
      ...{ url: 'index.html', scormType: 'sco' },
    },
  ])
  const base = signPackage(app.environment(), { key: packageId })
  assert.equal((await load(`${base}index.html?page=2`)).status, 200)

  const score = '<adlcp:masteryscore>80</adlcp:masteryscore>'
  const old = await uploadPackage(finley, makeScorm(manifestOf({ version: '1.2', items: itemOf('exam', score) })))
  assert.deepEqual([old.body.kind, old.body.edition, old.body.notes], ['scorm12', '1.2', []])
  assert.equal((await items(finley, old.body.packageId)).body.docs[0].masteryscore, 80)
  assert.deepEqual((await list(finley)).body.docs[0].kind, 'scorm12')
})

test('a SCORM package in a folder of the archive is stored as if it was at the root', async () => {
  const archive = buildZip([
    { name: '__MACOSX/course/._index.html', data: 'x' },
    { name: 'course/imsManifest.xml', data: manifestOf({ metadata: '<adlcp:location>lom.xml</adlcp:location>' }) },
    { name: 'course/lom.xml', data: '<lom><general><description><string>Check</string></description></general></lom>' },
    { name: 'course/index.html', data: '<title>Walkaround</title>' },
    { name: 'course/.DS_Store', data: 'x' },
  ])
  const { status, text, body } = await uploadPackage(finley, archive)
  assert.equal(status, 200, text)
  assert.equal(body.files, 3)
  assert.deepEqual(
    body.notes.map(({ message }: { message: string }) => message),
    [
      'All files of the archive are in the folder course, which is left out',
      'The manifest is called imsManifest.xml instead of imsmanifest.xml',
    ],
  )
  assert.deepEqual(body.course.description, { und: 'Check' })
  const base = signPackage(app.environment(), { key: body.packageId })
  assert.equal((await load(`${base}index.html`)).bytes.toString(), '<title>Walkaround</title>')
  assert.equal((await load(`${base}course/index.html`)).status, 404)
})

test('a package that follows both cmi5 and SCORM is read as cmi5', async () => {
  const { body } = await uploadPackage(finley, makePackage({ 'imsmanifest.xml': manifestOf() }))
  assert.equal(body.kind, 'cmi5')
  assert.deepEqual(body.notes, [
    { pointer: '', message: 'The package follows both cmi5 and SCORM. It was read as cmi5' },
  ])
})

/** A small manifest whose 9,000 items share a sequencing of 10,000 bytes. */
const SHARING = manifestOf({
  items: Array.from({ length: 9_000 }, (_, i) => itemOf(`i${i}`, sequencingOf('', 'IDRef="s"'))).join(''),
  after: `<imsss:sequencingCollection>${sequencingOf(
    `<imsss:objectives>${Array.from({ length: 300 }, (_, i) => `<imsss:objective objectiveID="objective ${i}"/>`).join('')}</imsss:objectives>`,
    'ID="s"',
  )}</imsss:sequencingCollection>`,
})

test('a refused package names what it violates, and leaves nothing behind', async () => {
  const before = { bytes: await usedBytes(), files: stored() }
  const wrongFile = [{ name: 'b.txt', data: 'abc', says: { crc: 1 } }]
  const cases: [file: Buffer | string, pattern: RegExp][] = [
    ['# Readme', /neither a zip archive nor an XML document \(cmi5 14\.0\.0\.0-1\)/],
    [Buffer.from('PK\x03\x04 and no more'), /not a zip archive, or it is incomplete \(cmi5 14\.1\.0\.0-1\)/],
    [
      buildZip([{ name: 'README.md', data: 'x' }]),
      /no cmi5\.xml \(cmi5\) and no imsmanifest\.xml \(SCORM\) at its root \(cmi5 14\.1\.0\.0-2\)/,
    ],
    [buildZip([{ name: 'course/cmi5.xml', data: 'x' }]), /is at course\/cmi5\.xml, not at the root/],
    [buildZip([{ name: 'imsmanifest.xml', data: '<manifest/>' }]), /names no version of SCORM/],
    [manifestOf(), /imsmanifest\.xml alone is no SCORM package\. Upload the whole zip archive/],
    [makeScorm(manifestOf(), { 'index.html': null }), /item "item-1" cannot be started\..*no file of the package/],
    [makeScorm('<manifest'), /imsmanifest\.xml is not well-formed XML/],
    [
      makeScorm(`<!DOCTYPE manifest [<!ENTITY a "b">]>${manifestOf().replace(/<\?.*?\?>/, '')}`),
      /imsmanifest\.xml has a document type declaration/,
    ],
    [
      buildZip([
        { name: 'a/b/imsmanifest.xml', data: manifestOf() },
        { name: 'a/b/index.html', data: 'x' },
      ]),
      /imsmanifest\.xml is at a\/b\/imsmanifest\.xml, not at the root\. Zip the contents/,
    ],
    [
      buildZip([
        { name: 'a/imsmanifest.xml', data: manifestOf() },
        { name: 'index.html', data: 'x' },
      ]),
      /imsmanifest\.xml is at a\/imsmanifest\.xml, not at the root/,
    ],
    [makeScorm(SHARING), /items of the package are larger than 7 MiB together/],
    [buildZip([{ name: 'cmi5.xml', data: '<a' }]), /not well-formed XML: .* \(cmi5 13\.2\.0\.0-1\)/],
    [buildZip([{ name: 'cmi5.xml', data: courseOf(auOf('urn:a')) }]), /no file of the package.*14\.1\.0\.0-4/],
    [makePackage({}, [{ name: '../evil', data: 'x' }]), /no relative path: "\.\.\/evil"/],
    [makePackage({}, [{ name: 'link', data: '/etc/passwd', mode: 0o120777 }]), /link or a device/],
    [makePackage({ bomb: Buffer.alloc(2_000_000) }), /more than 100 times its size/],
    // The last file is damaged: those before it were unpacked and stored.
    [makePackage({ 'media/video.mp4': randomBytes(1000) }, wrongFile), /b\.txt of the archive is damaged/],
    [courseOf(auOf('urn:a', { url: 'x', attributes: 'moveOn="no"' }), 'none'), /3\.0\.0\.0-1\), and 2 more faults/],
    [
      courseOf(
        `${auOf('urn:a', { url: 'http://a' })}<x:x xmlns:x="urn:x" a="${'b'.repeat(100_000)}">${'a'.repeat(1_000_000)}</x:x>`,
      ),
      /larger than 1 MiB/,
    ],
    [
      courseOf(auOf('urn:a', { url: 'http://a', after: `<launchParameters>${'a'.repeat(20_000)}</launchParameters>` })),
      /texts of urn:a are larger/,
    ],
  ]
  for (const [file, pattern] of cases) assertError(await uploadPackage(finley, file), 400, 4003, pattern)
  // 50 MB of XML, at a ratio of 30. The size is known before it is read.
  const comments = Array.from({ length: 420 }, () => `<!--${randomBytes(3000).toString('hex')}-->`.repeat(20))
  const large = buildZip([{ name: 'cmi5.xml', data: comments.join('') }])
  assert.ok(large.length < 3_000_000, `${large.length} bytes`)
  assertError(await uploadPackage(finley, large), 400, 4003, /cmi5\.xml is too large: the limit is 10 MiB/)
  const manifest = buildZip([{ name: 'imsmanifest.xml', data: comments.join('') }])
  assertError(await uploadPackage(finley, manifest), 400, 4003, /imsmanifest\.xml is too large: the limit is 10 MiB/)
  assertError(await uploadPackage(finley, ''), 400, 4001)
  assertError(await uploadPackage(finley, Buffer.alloc(3_000_001)), 413, 4131, /limit is 3000000 bytes/)
  assert.equal(await usedBytes(), before.bytes)
  assert.deepEqual(temporary(), [])
  app.advance(2 * 3_600_000)
  await removeUnused(app.environment())
  assert.deepEqual(stored().sort(), before.files.sort())
})

test('owners, administrators and instructors of the organisation use its packages; all others are refused', async () => {
  const { body } = await uploadPackage(casey, makePackage({ 'a.txt': 'rights' }))
  assert.equal(body.may.delete, true)
  const { packageId } = body
  assertError(await uploadPackage(avery, makePackage()), 403, 4032, /no organisation with this key/)
  assertError(await list(avery), 403, 4032)
  const foreign = (await uploadPackage(drew, makePackage({ 'a.txt': 'rights' }), { organisation: 'other' })).body
  for (const [browser, id] of [
    [avery, packageId],
    [finley, foreign.packageId],
  ] as const) {
    assertError(await read(browser, id), 403, 4032, /no package with this id, or you cannot use it/)
    assertError(await items(browser, id), 403, 4032, /no package with this id/)
    assertError(await remove(browser, id), 403, 4032, /no package with this id/)
  }
  assert.equal((await remove(drew, foreign.packageId)).status, 200)
  assertError(await read(finley, 'none'), 403, 4032, /no package with this id/)
  assertError(await uploadPackage(app.visitor(), makePackage()), 401, 4016)
})

test('a list of packages has pages and a search', async () => {
  const titled = (title: string) =>
    courseOf(auOf('urn:a', { url: 'https://example.com/' })).replaceAll('Walkaround', title)
  for (const title of ['Fuel planning', 'Fuel checks', 'Änderungen'])
    assert.equal((await uploadPackage(drew, titled(title), { organisation: 'other' })).status, 200)
  const titles = async (query: Record<string, string>) =>
    (await list(drew, { organisation: 'other', ...query })).body.docs.map(({ title }: { title: string }) => title)
  assert.deepEqual(await titles({}), ['Änderungen', 'Fuel checks', 'Fuel planning'])
  assert.deepEqual(await titles({ query: 'fuel pla' }), ['Fuel planning'])
  assert.deepEqual(await titles({ query: 'anderung' }), ['Änderungen'])
  assert.deepEqual(await titles({ page: '2', limit: '2' }), ['Fuel planning'])
})

test('the same package is stored once in an organisation, also when two uploads of it arrive together', async () => {
  const before = await usedBytes()
  const archive = makePackage({ 'media/video.mp4': randomBytes(200_000) })
  const together = await Promise.all(Array.from({ length: 4 }, () => uploadPackage(finley, archive)))
  const ids = new Set(together.map(({ status, body }) => (status === 200 ? body.packageId : status)))
  assert.equal(ids.size, 1, JSON.stringify([...ids]))
  assert.equal((await uploadPackage(casey, archive, { name: 'again.zip' })).body.packageId, [...ids][0])
  assert.equal(await usedBytes(), before + together[0]!.body.storedBytes)
  const elsewhere = await uploadPackage(drew, archive, { organisation: 'other' })
  assert.equal(elsewhere.status, 200)
  assert.ok(!ids.has(elsewhere.body.packageId))
  assert.deepEqual(temporary(), [])
})

test('owners delete every package, instructors only their own, and its files go when nothing else has them', async (t) => {
  const own = await testApp(t, UNLIMITED)
  const people = await openPackages(own)
  const text = 'the same text in a package and a file'
  const first = (await uploadPackage(people.finley, makePackage({ 'a.txt': text, 'b.txt': 'b' }))).body
  const second = (await uploadPackage(people.casey, makePackage({ 'a.txt': text, 'c.txt': 'c' }))).body
  assert.equal((await upload(people.finley, 'a.txt', text)).status, 200)
  // Two archives, cmi5.xml, index.html and three texts.
  assert.equal(stored(own).length, 7)
  assertError(await remove(people.casey, first.packageId), 403, 4032, /Only the owners/)
  assert.equal((await remove(people.casey, second.packageId)).status, 200)
  assertError(await remove(people.casey, second.packageId), 403, 4032, /no package with this id/)
  own.advance(2 * 3_600_000)
  await removeUnused(own.environment())
  assert.equal(stored(own).length, 5)
  assert.equal((await remove(people.finley, first.packageId)).status, 200)
  await removeUnused(own.environment())
  assert.equal(stored(own).length, 1)
  assert.equal(await usedBytes(people.finley), text.length)
  assert.equal((await load(first.url)).status, 404)
  assert.deepEqual(await own.sql('select from package_items union all select from package_files'), [])
  const removed = await own.sql(`select detail from audit_entries where action = 'package.removed' order by id`)
  assert.deepEqual(
    removed.map(({ detail }) => detail),
    Array.from({ length: 2 }, () => ({ organisation: 'school', before: 'Walkaround', self: true })),
  )
  assert.equal((await uploadPackage(people.finley, makePackage({ 'a.txt': text, 'b.txt': 'b' }))).status, 200)
})

test('packages count towards the storage of the organisation, with what they unpack to', async (t) => {
  const own = await testApp(t, { ...UNLIMITED, ORGANISATION_FILES_BYTES: '100000' })
  const people = await openPackages(own)
  const archive = (i: number) => makePackage({ 'a.txt': String(i).repeat(30_000) })
  const answers = await Promise.all([1, 2, 3, 4].map((i) => uploadPackage(people.finley, archive(i))))
  const refusals = answers.filter(({ status }) => status !== 200)
  assert.equal(refusals.length, 1)
  for (const refusal of refusals) assertError(refusal, 400, 4007, /of 97\.7 KiB\. Delete files/)
  const made = answers.filter(({ status }) => status === 200).map(({ body }) => body)
  const sum = made.reduce((bytes, { storedBytes }) => bytes + storedBytes, 0)
  assert.equal(await usedBytes(people.finley), sum)
  assertError(await upload(people.finley, 'a.txt', 'a'.repeat(20_000)), 400, 4007)
  assert.deepEqual(temporary(own), [])
})

const startUpload = (browser: TestBrowser, framing: string) => {
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  return `POST /edu/v1/package?organisation=school HTTP/1.1\r\nhost: localhost\r\ncookie: ${cookie}\r\n${framing}\r\n\r\n`
}

test('an upload that breaks off leaves nothing', async () => {
  const before = await usedBytes()
  const socket = openRaw(app.address)
  socket.write(`${startUpload(finley, 'content-length: 100000')}${'a'.repeat(50_000)}`)
  await until('a temporary file', () => temporary().length === 1)
  socket.destroy()
  await until('no temporary file', () => temporary().length === 0)
  assert.equal(await usedBytes(), before)
})

test('on a full disk, an upload gets 503 and leaves nothing', { skip: process.getuid?.() !== 0 }, async (t) => {
  const own = await testApp(t, UNLIMITED)
  const people = await openPackages(own)
  mkdirSync(dataDir(own), { recursive: true })
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', dataDir(own)]).status !== 0)
    return t.skip('cannot mount')
  try {
    // It fits, but not what it unpacks to.
    const archive = makePackage({ 'a.bin': 'Check the oil. '.repeat(64_000), 'b.bin': randomBytes(200_000) })
    assertError(await uploadPackage(people.finley, archive), 503, 5030, /disk for files is almost full/)
    // The size is not announced, so the disk is full while the body arrives.
    const socket = openRaw(own.address)
    const answered = new Promise<string>((resolve) => socket.once('data', (data) => resolve(String(data))))
    socket.on('error', () => undefined).write(startUpload(people.finley, 'transfer-encoding: chunked'))
    for (let i = 0; i < 300; i++) socket.write(`2710\r\n${'a'.repeat(10_000)}\r\n`)
    assert.match(await answered, /^HTTP\/1\.1 503 .*disk for files is almost full/s)
    socket.destroy()
    await until('no temporary file', () => temporary(own).length === 0)
    assert.equal(await usedBytes(people.finley), 0)
    assert.deepEqual((await list(people.finley)).body.docs, [])
    const small = await uploadPackage(people.finley, makePackage())
    assert.equal(small.status, 200, small.text)
  } finally {
    execFileSync('umount', ['-l', dataDir(own)])
  }
})

test('the files of a package are in the S3-compatible store if one is set, and go with it', async (t) => {
  const bucket = await startBucket(t)
  const own = await testApp(t, { ...UNLIMITED, ...KEYS, S3_URL: bucket.url })
  const people = await openPackages(own)
  const archive = makePackage({ 'a.txt': 'Check the oil', 'b.txt': 'Check the oil' })
  const { status, text, body } = await uploadPackage(people.finley, archive)
  assert.equal(status, 200, text)
  // The archive, cmi5.xml, index.html and the text, which two files share.
  assert.equal(bucket.objects.size, 4)
  assert.deepEqual(stored(own), [])
  assert.deepEqual(temporary(own), [])
  const base = signPackage(own.environment(), { key: body.packageId })
  assert.equal((await load(`${base}b.txt`)).bytes.toString(), 'Check the oil')
  bucket.failures.push(403)
  assertError(await uploadPackage(people.finley, makePackage()), 503, 5030, /file store does not respond/)
  assert.equal((await list(people.finley)).body.total, 1)
  assert.equal((await remove(people.finley, body.packageId)).status, 200)
  own.advance(2 * 3_600_000)
  await removeUnused(own.environment())
  assert.equal(bucket.objects.size, 0)
})
