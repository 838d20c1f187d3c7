import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { createWriteStream, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { finished } from 'node:stream/promises'
import { after, test } from 'node:test'
import { deflateRawSync } from 'node:zlib'
import { ZipFile } from 'yazl'
import { PlatformError } from '../../kernel/errors.ts'
import { size } from '../../operations/testing/sizes.ts'
import { buildZip, type TestEntry } from './testing-zip.ts'
import { readContents, readZip, type ZipEntry } from './zip.ts'

const folder = mkdtempSync(join(tmpdir(), 'groundschool-zip-'))
after(() => rmSync(folder, { recursive: true }))

/** Reads a whole archive: its paths with their contents. */
async function readAll(archive: Buffer | string): Promise<Record<string, Buffer>> {
  const path = typeof archive === 'string' ? archive : join(folder, 'archive.zip')
  if (typeof archive !== 'string') writeFileSync(path, archive)
  const file = await open(path)
  try {
    const found: [string, Buffer][] = []
    for (const entry of await readZip(file)) found.push([entry.path, await buffer(readContents(file, entry))])
    return Object.fromEntries(found)
  } finally {
    await file.close()
  }
}

const texts = async (archive: Buffer | string) =>
  Object.fromEntries(Object.entries(await readAll(archive)).map(([path, bytes]) => [path, bytes.toString()]))

test('files of a zip archive are read, whether stored or deflated, with folders, comments and a prefix', async () => {
  const archive = buildZip(
    [
      { name: 'cmi5.xml', data: '<courseStructure/>' },
      { name: 'media/', mode: 0o040755 },
      { name: 'media/Prüfung 1.html', data: 'oil'.repeat(100), mode: 0o100644, flags: 0x0808 },
      { name: 'media/stored.bin', data: 'stored', method: 0 },
      { name: 'empty.txt' },
      { name: 'none.txt', method: 0 },
      { name: Buffer.from('M\x81ll.txt', 'latin1'), data: 'ü' },
      { name: 'nested.zip', data: buildZip([{ name: '../../evil', data: 'x' }]) },
    ],
    { comment: 'PK\x05\x06 is no end', prefix: Buffer.from('#!/bin/sh\n') },
  )
  const { 'nested.zip': nested, ...found } = await texts(archive)
  assert.deepEqual(found, {
    'cmi5.xml': '<courseStructure/>',
    'media/Prüfung 1.html': 'oil'.repeat(100),
    'media/stored.bin': 'stored',
    'empty.txt': '',
    'none.txt': '',
    'Müll.txt': 'ü',
  })
  assert.match(nested!, /evil/, 'an archive in an archive is a file like others')
  assert.deepEqual(await texts(buildZip([])), {})
})

test('a Zip64 archive is read, also one that a common library writes', async () => {
  const entry: TestEntry = { name: 'a.txt', data: 'Check the oil', isZip64: true }
  assert.deepEqual(await texts(buildZip([entry, { ...entry, name: 'b.txt' }], { isZip64: true })), {
    'a.txt': 'Check the oil',
    'b.txt': 'Check the oil',
  })
  const path = join(folder, 'yazl.zip')
  const zip = new ZipFile()
  const bytes = randomBytes(3_000_000)
  zip.addBuffer(bytes, 'a/random.bin', { forceZip64Format: true })
  zip.addBuffer(Buffer.from('text'), 'ä.txt', { forceZip64Format: true, compress: false })
  zip.addEmptyDirectory('empty')
  zip.end({ forceZip64Format: true, comment: '' })
  await finished(zip.outputStream.pipe(createWriteStream(path)))
  const found = await readAll(path)
  assert.deepEqual(Object.keys(found), ['a/random.bin', 'ä.txt'])
  const hash = (data: Buffer) => createHash('sha256').update(data).digest('hex')
  assert.equal(hash(found['a/random.bin']!), hash(bytes))
})

const refused = (archive: Buffer, pattern: RegExp) =>
  assert.rejects(readAll(archive), (error: PlatformError) => {
    assert.ok(error instanceof PlatformError, String((error as Error).stack))
    assert.match(error.message, pattern)
    return true
  })

test('an archive that does not follow the format is refused with the requirement of cmi5', async () => {
  const good = buildZip([{ name: 'a.txt', data: 'a'.repeat(500) }])
  const cases: [archive: Buffer, pattern: RegExp][] = [
    [Buffer.alloc(0), /not a zip archive.*\(cmi5 14\.1\.0\.0-1\)/],
    [Buffer.from('This is a text'), /not a zip archive/],
    [good.subarray(0, -30), /not a zip archive/],
    [Buffer.concat([good, Buffer.from('more')]), /not a zip archive/],
    [buildZip([{ name: 'a.txt' }], { says: { entries: 2 } }), /directory of the archive is damaged/],
    [buildZip([{ name: 'a.txt' }, { name: 'b.txt' }], { says: { entries: 1 } }), /more bytes than its entries/],
    [buildZip([{ name: 'a.txt' }], { says: { start: 3 } }), /not where its end says/],
    [buildZip([{ name: 'a.txt' }], { says: { disk: 1 } }), /several files/],
    [buildZip([{ name: 'a.txt' }], { isZip64: true, says: { start: 2 ** 50 } }), /not where its end says/],
    [buildZip([{ name: 'a.txt' }], { isZip64: true, says: { entries: 2 ** 60 } }), /impossible size/],
    [buildZip([{ name: 'a.txt', data: 'abc', says: { crc: 1 } }]), /a\.txt of the archive is damaged/],
    [buildZip([{ name: 'a.txt', data: 'abc', says: { bytes: 2 } }]), /damaged/],
    [buildZip([{ name: 'a.txt', data: 'abc', says: { bytes: 4 } }]), /damaged/],
    [buildZip([{ name: 'a.txt', data: 'abc', method: 0, says: { bytes: 4 } }]), /damaged/],
    [buildZip([{ name: 'a.txt', data: 'abc', says: { packedBytes: 4 } }]), /damaged/],
    [buildZip([{ name: 'a.txt', data: 'abc', tail: Buffer.alloc(10) }]), /damaged/],
    [buildZip([{ name: 'a.txt', data: 'abc', tail: Buffer.alloc(900_000) }]), /damaged/],
    [buildZip([{ name: 'a.txt', data: 'abc', says: { start: 10_000 } }]), /damaged/],
    [buildZip([{ name: 'a.txt', data: 'abc', local: { name: 'b.txt' } }]), /damaged/],
    [buildZip([{ name: 'a.txt', data: 'abc', local: { method: 0 } }]), /damaged/],
    [buildZip([{ name: 'a.txt', data: 'abc', local: { signature: 1 } }]), /damaged/],
    [buildZip([{ name: 'folder/', data: 'abc' }]), /folder folder\/ of the archive has contents/],
    [buildZip([{ name: Buffer.from([0x61, 0xff]), flags: 0x0800 }]), /not UTF-8/],
  ]
  for (const [archive, pattern] of cases) await refused(archive, pattern)
})

test('encrypted files and other compression methods are refused', async () => {
  for (const flags of [1, 0x20, 0x41, 0x2000])
    await refused(buildZip([{ name: 'a.txt', data: 'abc', flags }]), /a\.txt of the archive is encrypted/)
  for (const method of [1, 6, 9, 12, 14, 93, 99])
    await refused(buildZip([{ name: 'a.txt', data: 'abc', method }]), /method other than Deflate/)
})

test('names that lead out of the package, links and devices are refused', async () => {
  const names = ['../a', 'a/../../b', '..', '/etc/passwd', '//a', 'C:a', 'c:/a', 'a\\b', '..\\a', 'a\0b', 'a\nb']
  for (const name of [...names, './a', 'a/./b', 'a//b', '', '/'])
    await refused(buildZip([{ name, data: 'x' }]), /no relative path/)
  await refused(buildZip([{ name: 'a'.repeat(1001) }]), /very long name/)
  for (const mode of [0o120777, 0o020666, 0o060666, 0o010666, 0o140777])
    await refused(buildZip([{ name: 'a', data: '/etc/passwd', mode }]), /link or a device/)
})

test('two entries with one name are refused, also in other letters or as the folder of another', async () => {
  for (const [one, other] of [
    ['a.txt', 'a.txt'],
    ['a.txt', 'A.TXT'],
    ['straße', 'STRASSE'],
    ['e\u0301', '\u00e9'],
  ] as const)
    await refused(buildZip([{ name: one }, { name: other }]), /two entries with the name/)
  await refused(buildZip([{ name: 'a/b' }, { name: 'A' }]), /folder of a\/b/)
})

test('archives that unpack to too much are refused before anything is unpacked', async () => {
  const zeros = (bytes: number) => Buffer.alloc(bytes)
  await refused(buildZip([{ name: 'a', data: zeros(1_000_001) }]), /a of the archive unpacks to more than 100 times/)
  const small = Array.from({ length: 50 }, (_, i) => ({ name: `${i}`, data: zeros(900_000) }))
  await refused(buildZip(small), /The archive unpacks to more than 100 times/)
  const huge = { name: 'a', data: 'x', says: { bytes: 1_100_000_000, packedBytes: 20_000_000 } }
  await refused(
    buildZip([
      { ...huge, tail: zeros(20_000_000) },
      { ...huge, name: 'b', tail: zeros(20_000_000) },
    ]),
    /2 GB/,
  )
  // An entry that says less than it unpacks to.
  const bomb = { name: 'a', data: zeros(5_000_000), says: { bytes: 100 } }
  await refused(buildZip([bomb]), /damaged/)
  const many = Array.from({ length: 20_001 }, (_, i) => ({ name: `${i}`, method: 0 }))
  await refused(buildZip(many), /more than 20000 entries/)
  assert.equal(Object.keys(await readAll(buildZip(many.slice(1)))).length, 20_000)
})

test('files that share bytes are refused, as in the bombs of David Fifield', async () => {
  const data = randomBytes(2000)
  const first = { name: 'a', data, method: 0 }
  await refused(buildZip([first, { name: 'b', data, method: 0, says: { start: 0 } }]), /overlaps another/)
  // The second header is quoted in the data of the first: the local header is at a place of its own.
  const inner = buildZip([{ name: 'b', data: 'x'.repeat(100) }])
  const outer = buildZip([
    { name: 'a', data: inner, method: 0 },
    { name: 'b', data: '', says: { start: 31, bytes: 100, packedBytes: deflateRawSync('x'.repeat(100)).length } },
  ])
  await refused(outer, /overlaps another/)
  // The extra field of the local header pushes the data into the next file.
  const pushed = { name: 'b', data: 'abc', method: 0, says: { packedBytes: 7, bytes: 7 } }
  await refused(
    buildZip([{ ...pushed, local: { extra: Buffer.alloc(4) } }, first]),
    /b of the archive overlaps another/,
  )
})

test('an archive with flipped bytes is read or refused, and never fails in another way', async () => {
  const good = buildZip(
    [
      { name: 'cmi5.xml', data: '<courseStructure/>'.repeat(20), isZip64: true },
      { name: 'media/a.bin', data: randomBytes(300), method: 0 },
      { name: 'media/b.html', data: 'Check the oil. '.repeat(50), mode: 0o100644 },
    ],
    { isZip64: true, comment: 'comment' },
  )
  let refusals = 0
  for (let i = 0; i < size(2000); i++) {
    const broken = Buffer.from(good)
    for (let n = 0; n <= i % 3; n++) broken[Math.floor(Math.random() * broken.length)] = Math.floor(Math.random() * 256)
    try {
      await readAll(i % 7 === 0 ? broken.subarray(0, Math.floor(Math.random() * broken.length)) : broken)
    } catch (error) {
      assert.ok(error instanceof PlatformError, `${(error as Error).stack}\n${broken.toString('base64')}`)
      assert.equal(error.status, 400)
      refusals++
    }
  }
  assert.ok(refusals > size(2000) / 3, `${refusals} refusals`)
})

test('a large file is read in chunks of at most 256 KiB', async () => {
  const path = join(folder, 'large.zip')
  const zip = new ZipFile()
  const part = randomBytes(1_000_000)
  zip.addBuffer(Buffer.concat(Array.from({ length: 10 }, () => part)), 'video.mp4', { compress: true })
  zip.end()
  await finished(zip.outputStream.pipe(createWriteStream(path)))
  const file = await open(path)
  try {
    const [entry] = (await readZip(file)) as [ZipEntry]
    let bytes = 0
    for await (const chunk of readContents(file, entry)) {
      assert.ok(chunk.length <= 256 * 1024)
      bytes += chunk.length
    }
    assert.equal(bytes, 10_000_000)
  } finally {
    await file.close()
  }
})
