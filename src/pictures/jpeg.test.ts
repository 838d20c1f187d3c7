import assert from 'node:assert/strict'
import { test } from 'node:test'
import { signedIn } from '../passkeys/testing.ts'
import { assertError, testApp } from '../testing/testing.ts'
import { readJpeg } from './jpeg-parts.ts'
import { PICTURE, plain, segment, sendImage } from './testing.ts'

/** A grey progressive JPEG of 16 by 16 with so many scans; in each, a few bits say that nothing is in it. */
function scanned(scans: number, between: Buffer = Buffer.alloc(0)): Buffer {
  const sixteen = Array<number>(16).fill(0)
  return Buffer.concat([
    Buffer.from('ffd8', 'hex'),
    between,
    segment(0xdb, 0, ...Array<number>(64).fill(1)),
    segment(0xc2, 8, 0, 16, 0, 16, 1, 1, 0x11, 0),
    // Of codes, one each: `0` for "as before", and `0` for "nothing in the next 4 to 7 blocks".
    segment(0xc4, 0x00, ...sixteen.with(0, 1), 0x00),
    segment(0xc4, 0x10, ...sixteen.with(0, 1), 0x20),
    segment(0xda, 1, 1, 0, 0, 0, 0),
    Buffer.from([0x0f]),
    ...Array.from({ length: scans - 1 }, (_, i) =>
      Buffer.concat([segment(0xda, 1, 1, 0, i + 1, i + 1, 0), Buffer.from([0x1f])]),
    ),
    Buffer.from('ffd9', 'hex'),
  ])
}

test('a JPEG of a thousand scans, each a walk over all pixels, is refused unread', async (t) => {
  const app = await testApp(t)
  const avery = await signedIn(app, 'avery')
  const send = (jpeg: Buffer) => sendImage(avery, PICTURE, jpeg)
  for (const scans of [1, 10, 50]) {
    const answer = await send(scanned(scans))
    assert.equal(answer.status, 200, `${scans} ${answer.text}`)
  }
  assertError(await send(scanned(51)), 400, 4003, /too many scans/)
  // However it is written: bytes to fill up before a marker, segments without content.
  for (const between of [Buffer.from('ffffff', 'hex'), segment(0xfe), segment(0xe1, 0xff, 0xd9)])
    assertError(await send(scanned(51, between)), 400, 4003, /too many scans/)
  // What only looks like one, in a thumbnail or behind the end, is none.
  const looks = Buffer.from('ffda'.repeat(100), 'hex')
  assert.equal((await send(scanned(50, segment(0xe1, ...looks)))).status, 200)
  assert.equal((await send(Buffer.concat([scanned(50), looks]))).status, 200)
  const progressive = await plain(300, 200).jpeg({ progressive: true, mozjpeg: true }).toBuffer()
  assert.equal((await send(progressive)).status, 200)
})

test('large images have fewer scans, and each counts', async (t) => {
  const app = await testApp(t, { RATE_IMAGE_BURST: '110', RATE_IMAGE_PER_SECOND: '1' })
  const [avery, blake] = [await signedIn(app, 'avery'), await signedIn(app, 'blake')]
  const usual = await plain(6320, 6320).jpeg({ progressive: true, quality: 40 }).toBuffer()
  const inked = await plain(64, 64).toColourspace('cmyk').jpeg({ progressive: true }).toBuffer()
  assert.deepEqual([readJpeg(usual).scans, readJpeg(inked).scans], [10, 18])
  assert.equal((await sendImage(blake, PICTURE, inked)).status, 200)
  const many = scanned(19)
  const frame = many.indexOf(Buffer.from('ffc2', 'hex'))
  for (const at of [5, 7]) many.writeUInt16BE(6320, frame + at)
  assertError(await sendImage(blake, PICTURE, many), 400, 4003, /too many scans/)
  // What has ten scans counts for 100 megapixels, not for 40.
  assert.equal((await sendImage(avery, PICTURE, usual)).status, 200)
  const refused = await sendImage(avery, PICTURE, usual)
  assertError(refused, 429, 4291)
  assert.ok(Number(refused.headers.get('retry-after')) > 85)
})

test('what some telephones write wrong at the start of a scan, and decoders put up with, does no harm', async (t) => {
  const app = await testApp(t)
  const avery = await signedIn(app, 'avery')
  const jpeg = await plain(300, 200).jpeg().toBuffer()
  const scan = jpeg.indexOf(Buffer.from('ffda', 'hex'))
  const last = scan + 2 + jpeg.readUInt16BE(scan + 2) - 1
  assert.deepEqual([...jpeg.subarray(last - 2, last + 1)], [0, 63, 0])
  jpeg[last - 1] = 0
  assert.equal((await sendImage(avery, PICTURE, jpeg)).status, 200)
  const progressive = await plain(300, 200).jpeg({ progressive: true }).toBuffer()
  assert.deepEqual(readJpeg(progressive).image.equals(progressive), true, 'there it says which bits come')
})

/** A JPEG in arithmetic code, where bytes that are missing stand for zeros: so many walks over so many pixels in a few KiB. */
function arithmetic(kind: number, scans: number, side = 6300): Buffer {
  const size = [side >> 8, side & 0xff]
  const three = [1, 2, 3]
  const scan = (i: number) =>
    kind === 0xca && i > 0
      ? segment(0xda, 1, 1 + (i % 3), 0, 1, 63, 13)
      : segment(0xda, 3, ...three.flatMap((one) => [one, 0]), 0, kind === 0xca ? 0 : 63, 0)
  return Buffer.concat([
    Buffer.from('ffd8', 'hex'),
    segment(0xdb, 0, ...Array<number>(64).fill(1)),
    segment(kind, 8, ...size, ...size, 3, ...three.flatMap((one) => [one, 0x11, 0])),
    ...Array.from({ length: scans }, (_, i) => scan(i)),
    Buffer.from('ffd9', 'hex'),
  ])
}

test('a JPEG in arithmetic code, or of any other unusual kind, is refused unread', async (t) => {
  const app = await testApp(t)
  const avery = await signedIn(app, 'avery')
  const send = (jpeg: Buffer) => sendImage(avery, PICTURE, jpeg)
  const jpeg = await plain(64, 64).jpeg().toBuffer()
  const startedMs = performance.now()
  for (const kind of [0xc9, 0xca]) assertError(await send(arithmetic(kind, 50)), 400, 4003, /unusual kind/)
  const frame = jpeg.indexOf(Buffer.from('ffc0', 'hex'))
  for (const kind of [0xc3, 0xc5, 0xc6, 0xc7, 0xc8, 0xc9, 0xca, 0xcb, 0xcd, 0xce, 0xcf]) {
    const other = Buffer.from(jpeg)
    other[frame + 1] = kind
    assertError(await send(other), 400, 4003, /unusual kind/)
  }
  const before = (...parts: Buffer[]) => Buffer.concat([jpeg.subarray(0, frame), ...parts, jpeg.subarray(frame)])
  // Conditions of arithmetic code, lines that are counted later, hierarchies, what is reserved, and a second beginning.
  for (const marker of [0xcc, 0xdc, 0xde, 0xdf, 0x01, 0x02, 0xbf, 0xf0, 0xfd, 0xd8])
    assertError(await send(before(segment(marker, 0, 1))), 400, 4003, /unusual kind/)
  for (const broken of [before(Buffer.from('ffdb0001', 'hex')), before(Buffer.from('ffe10000', 'hex'))])
    assertError(await send(broken), 400, 4003, /damaged/)
  assert.ok(performance.now() - startedMs < 5_000)
  assert.equal((await send(jpeg)).status, 200)
})

test('no scan hides where a decoder looks and the platform does not', async (t) => {
  const app = await testApp(t)
  const avery = await signedIn(app, 'avery')
  const jpeg = scanned(1)
  const hidden = Buffer.concat(Array.from({ length: 3_000 }, () => segment(0xda, 1, 1, 0, 0, 0, 0x10)))
  // A decoder that has lost its way passes over such a marker, and reads on in what the platform takes for its content.
  for (const marker of [0x02, 0xbf]) {
    const length = Buffer.alloc(2)
    length.writeUInt16BE(hidden.length + 5)
    const within = Buffer.concat([Buffer.of(0xff, marker), length, Buffer.from('ffd000', 'hex'), hidden])
    const image = Buffer.concat([jpeg.subarray(0, -2), within, jpeg.subarray(-2)])
    assertError(await sendImage(avery, PICTURE, image), 400, 4003, /unusual kind/)
  }
  const behind = readJpeg(Buffer.concat([jpeg, hidden]))
  assert.deepEqual([behind.image, behind.scans], [jpeg, 1])
})
