import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deflateSync } from 'node:zlib'
import { PlatformError } from '../../kernel/errors.ts'
import { isLong } from '../../operations/testing/sizes.ts'
import { assertWithin } from '../../operations/testing/time-limits.ts'
import {
  chunk,
  HEAD_BYTES,
  mebibytesOf,
  onLinux,
  openWorker,
  plain,
  riff,
  segment,
  webpPart,
  workersOf,
} from './testing.ts'
import { describe, exif, exifInItself, FORMATS } from './testing-exif.ts'
import { ADOBE, profile, program, withProfile } from './testing-profiles.ts'

/** Images by the name of their kind. */
type Images = Record<string, Buffer>

const png = await plain(200, 200).png().toBuffer()
const jpeg = await plain(64, 64).jpeg().toBuffer()

const repeat = (part: Buffer, count: number): Buffer => Buffer.alloc(part.length * count, part)
const inPng = (...parts: Buffer[]): Buffer =>
  Buffer.concat([png.subarray(0, HEAD_BYTES), ...parts, png.subarray(HEAD_BYTES)])
const inJpeg = (...parts: Buffer[]): Buffer => Buffer.concat([jpeg.subarray(0, 2), ...parts, jpeg.subarray(2)])

/** Makes PNGs with compressed text chunks that expand to gigabytes, each just below libpng's limit for one chunk. */
function unpacking(): Images {
  const packed = deflateSync(Buffer.alloc(7_900_000, 'x'), { level: 9 })
  const images: Images = {}
  for (const [name, head] of [
    ['zTXt', 'Comment\0\0'],
    ['iTXt', 'Comment\0\x01\0\0\0'],
  ] as const) {
    const notes = repeat(chunk(name, Buffer.concat([Buffer.from(head), packed])), 60)
    images[`${name} before the pixels`] = inPng(notes)
    images[`${name} behind the pixels`] = Buffer.concat([png.subarray(0, -12), notes, png.subarray(-12), notes])
    images[`${name} that is cut short`] = inPng(notes).subarray(0, 10_000)
  }
  return images
}

/** Makes images with hundreds of thousands of tiny chunks. */
function crumbs(): Images {
  const count = (part: Buffer) => Math.floor(5_000_000 / part.length)
  const images: Images = {}
  for (const part of [
    chunk('gAMA', Buffer.from([0, 0, 0xb1, 0x8f])),
    chunk('IDAT', Buffer.alloc(0)),
    chunk('fdAT', Buffer.alloc(0)),
  ])
    images[`${part.toString('latin1', 4, 8)} by the thousand`] = inPng(repeat(part, count(part)))
  for (const marker of [0xe1, 0xfe, 0xdb])
    images[`segment ${marker.toString(16)} by the thousand`] = inJpeg(repeat(segment(marker), count(segment(marker))))
  return images
}

/** Makes an animated WebP of 16 by 16 pixels with many frames, which decoders compare with each other. */
async function moving(frames: number): Promise<Buffer> {
  const picture = (await plain(16, 16).webp({ lossless: true }).toBuffer()).subarray(12)
  const frame = webpPart('ANMF', [0, 0, 0, 0, 0, 0, 15, 0, 0, 15, 0, 0, 40, 0, 0, 0], picture)
  const head = webpPart('VP8X', [2, 0, 0, 0, 15, 0, 0, 15, 0, 0])
  return riff(head, webpPart('ANIM', [255, 255, 255, 255, 0, 0]), repeat(frame, frames))
}

/**
 * Makes a greyscale progressive JPEG with many scans. Each scan is a pass over all pixels, although its few bits say
 * that nothing changes.
 */
function scanned(scans: number, side: number): Buffer {
  const sixteen = Array<number>(16).fill(0)
  const size = [side >> 8, side & 0xff]
  return Buffer.concat([
    Buffer.from('ffd8', 'hex'),
    segment(0xdb, 0, ...Array<number>(64).fill(1)),
    segment(0xc2, 8, ...size, ...size, 1, 1, 0x11, 0),
    // Two Huffman tables with one code each: `0` means "as before", and `0` means "nothing in the next 4 to 7 blocks".
    segment(0xc4, 0x00, ...sixteen.with(0, 1), 0x00),
    segment(0xc4, 0x10, ...sixteen.with(0, 1), 0x20),
    segment(0xda, 1, 1, 0, 0, 0, 0),
    Buffer.from([0x0f]),
    ...Array.from({ length: scans - 1 }, (_, i) =>
      Buffer.concat([segment(0xda, 1, 1, 0, (i % 63) + 1, (i % 63) + 1, 0), Buffer.from([0x1f])]),
    ),
    Buffer.from('ffd9', 'hex'),
  ])
}

/**
 * Makes a JPEG with arithmetic coding, in which missing bytes count as zeros: a few KiB require many passes over 40
 * megapixels.
 */
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

/** Makes JPEGs of rare kinds, and with markers that decoders skip in different ways. */
function unusual(): Images {
  const images: Images = {}
  const frame = jpeg.indexOf(Buffer.from('ffc0', 'hex'))
  for (const kind of [0xc3, 0xc5, 0xc6, 0xc7, 0xc8, 0xc9, 0xca, 0xcb, 0xcd, 0xce, 0xcf]) {
    const other = Buffer.from(jpeg)
    other[frame + 1] = kind
    images[`frame ${kind.toString(16)}`] = other
  }
  for (const marker of [0xcc, 0xdc, 0xde, 0xdf, 0x01, 0x02, 0xbf, 0xf0, 0xfd, 0xd8])
    images[`marker ${marker.toString(16)}`] = inJpeg(segment(marker, 0, 1))
  for (const broken of ['ffdb0001', 'ffe10000']) images[broken] = inJpeg(Buffer.from(broken, 'hex'))
  const hidden = Buffer.concat(Array.from({ length: 3_000 }, () => segment(0xda, 1, 1, 0, 0, 0, 0x10)))
  for (const marker of [0x02, 0xbf]) {
    const within = Buffer.concat([segment(marker, 0xff, 0xd0, 0), hidden])
    images[`scans behind ${marker.toString(16)}`] = Buffer.concat([jpeg.subarray(0, -2), within, jpeg.subarray(-2)])
  }
  return images
}

/** Makes images whose colour profiles contain programs that need gigabytes or minutes. */
async function programs(): Promise<Images> {
  const images: Images = {}
  for (const [steps, points] of [
    [2_000, 50_000],
    [200_000, 0],
    [1_000, 0],
  ] as const)
    for (const format of FORMATS)
      images[`${format} of ${steps} steps`] = await withProfile(
        format,
        profile({ ...ADOBE, D2B0: program(steps, points) }),
      )
  return images
}

async function selfContaining(): Promise<Images> {
  const images: Images = {}
  const odd = [Buffer.alloc(0), Buffer.from('II*\0'), Buffer.from('II*\0\xff\xff\xff\xff\0\0', 'latin1'), exif([])]
  for (const format of FORMATS) {
    for (const times of [1, 60]) images[`${format}, ${times} times`] = await describe(format, exifInItself(), times)
    for (const [i, data] of odd.entries()) images[`${format} with odd EXIF ${i}`] = await describe(format, data)
  }
  return images
}

const HOSTILE: Record<string, () => Images | Promise<Images>> = {
  'notes that unpack to gigabytes': unpacking,
  'a hundred thousand parts': crumbs,
  'EXIF that contains itself': selfContaining,
  'profiles that are programs': programs,
  'pictures by the thousand': async () => ({
    '19,000': await moving(19_000),
    '90,000': await moving(90_000),
    'parts that are none': riff(
      webpPart('VP8X', [0, 0, 0, 0, 15, 0, 0, 15, 0, 0]),
      (await plain(16, 16).webp({ lossless: true }).toBuffer()).subarray(12),
      repeat(webpPart('abcd'), 600_000),
    ),
  }),
  'JPEGs of many scans': () => ({
    small: scanned(51, 16),
    many: scanned(1_000, 16),
    large: scanned(19, 6320),
    'large and many': scanned(1_000, 6320),
  }),
  'JPEGs in arithmetic code': () => ({ sequential: arithmetic(0xc9, 50), progressive: arithmetic(0xca, 50) }),
  'JPEGs of unusual kinds': unusual,
}

/** Shorter than the platform's time limit, because each hostile image keeps a processor busy until it is stopped. */
const MAX_MS = isLong ? 2_500 : 1_200
const MAX_MIB = 300

for (const [what, make] of Object.entries(HOSTILE))
  test(`${what} become a picture or a refusal, in bounds, and the next image is read`, onLinux, async (t) => {
    const worker = openWorker(t, { maxMs: MAX_MS, maxMiB: MAX_MIB })
    let mostMiB = 0
    const watch = setInterval(() => {
      for (const pid of workersOf()) mostMiB = Math.max(mostMiB, mebibytesOf(pid))
    }, 10)
    t.after(() => clearInterval(watch))
    const outcomes: Record<string, number> = {}
    // Each image takes a second of CPU time, so the short run tests every third.
    const images = Object.entries(await make()).filter((_, i) => isLong || i % 3 === 0)
    for (const [name, image] of images) {
      const startedMs = performance.now()
      const outcome = await worker.make(image).then(
        (sizes) => (sizes.length === 4 ? 'a picture' : name),
        (problem) => {
          assert.ok(problem instanceof PlatformError && problem.kind === 'validationFailed', `${name} ${problem}`)
          return problem.message.split(/[,;]/)[0]!
        },
      )
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
      assertWithin(performance.now() - startedMs, MAX_MS + 2_000, name)
    }
    assert.equal((await openWorker(t).make(png)).length, 4)
    t.diagnostic(`at most ${Math.round(mostMiB)} MiB; ${JSON.stringify(outcomes)}`)
    // The worker checks its memory only every 20 ms, so it may exceed the limit for a moment.
    assert.ok(mostMiB < 2 * MAX_MIB, `${mostMiB} MiB`)
    for (const { level } of worker.told) assert.equal(level, 'warn')
  })
