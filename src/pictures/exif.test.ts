import assert from 'node:assert/strict'
import { test } from 'node:test'
import { crc32 } from 'node:zlib'
import sharp from 'sharp'
import { testApp } from '../testing/testing.ts'
import { appear, colourAt, getImage, MINE, PICTURE, plain, sendImage } from './testing.ts'

const FORMATS = ['jpeg', 'png', 'webp'] as const
type Format = (typeof FORMATS)[number]

/** EXIF, as TIFF 6.0 §2 has it, of so many entries: numbers of one word, or places of other descriptions. */
function exif(entries: readonly (readonly [tag: number, type: 3 | 4, value: number])[], isLittle = true): Buffer {
  const bytes = Buffer.alloc(14 + entries.length * 12)
  const write = (value: number, at: number, size: number) =>
    isLittle ? bytes.writeUIntLE(value, at, size) : bytes.writeUIntBE(value, at, size)
  bytes.write(isLittle ? 'II' : 'MM')
  write(42, 2, 2)
  write(8, 4, 4)
  write(entries.length, 8, 2)
  for (const [i, [tag, type, value]] of entries.entries()) {
    const at = 10 + i * 12
    write(tag, at, 2)
    write(type, at + 2, 2)
    write(1, at + 4, 4)
    write(value, at + 8, type === 3 ? 2 : 4)
  }
  return bytes
}

function number(value: number, size: 2 | 4, isLittle = false): Buffer {
  const bytes = Buffer.alloc(size)
  isLittle ? bytes.writeUIntLE(value, 0, size) : bytes.writeUIntBE(value, 0, size)
  return bytes
}

/** Red on the left and blue on the right, with that EXIF. */
async function describe(format: Format, data: Buffer, times = 1): Promise<Buffer> {
  const half = await plain(32, 64, '#0000ff').png().toBuffer()
  const picture = plain(64, 64, '#ff0000').composite([{ input: half, left: 32, top: 0 }])
  const image = await picture.toFormat(format, { lossless: true }).toBuffer()
  if (format === 'png') {
    const named = Buffer.concat([Buffer.from('eXIf'), data])
    const part = Buffer.concat([number(data.length, 4), named, number(crc32(named), 4)])
    return Buffer.concat([image.subarray(0, 33), ...Array<Buffer>(times).fill(part), image.subarray(33)])
  }
  if (format === 'jpeg') {
    const marked = Buffer.concat([Buffer.from('Exif\0\0'), data])
    const part = Buffer.concat([Buffer.from('ffe1', 'hex'), number(marked.length + 2, 2), marked])
    return Buffer.concat([image.subarray(0, 2), ...Array<Buffer>(times).fill(part), image.subarray(2)])
  }
  const head = Buffer.from('565038580a00000008000000' + '3f0000' + '3f0000', 'hex')
  const part = Buffer.concat([Buffer.from('EXIF'), number(data.length, 4, true), data])
  const body = Buffer.concat([head, image.subarray(12), ...Array<Buffer>(times).fill(part)])
  return Buffer.concat([Buffer.from('RIFF'), number(body.length + 4, 4, true), Buffer.from('WEBP'), body])
}

test('an image is turned as its EXIF says, in every format', async (t) => {
  const app = await testApp(t)
  const { client, browser } = await appear(app, 'avery')
  for (const format of FORMATS)
    for (const isLittle of [true, false])
      for (const [orientation, x, y] of [
        [1, 20, 128],
        [3, 236, 128],
        [6, 128, 20],
        [8, 128, 236],
        [9, 20, 128],
      ] as const) {
        const data = exif([[0x0100, 3, 64] as const, [0x0112, 3, orientation] as const], isLittle)
        const image = await describe(format, data)
        if (orientation < 9) assert.equal((await sharp(image).metadata()).orientation, orientation, format)
        assert.equal((await sendImage(browser, PICTURE, image)).status, 200)
        const [red = 0] = await colourAt((await getImage(client, `${MINE}/picture`)).bytes, x, y)
        assert.ok(red > 200, `${format} ${orientation} ${isLittle}`)
      }
})

test('EXIF that contains itself five thousand times is not walked', async (t) => {
  const app = await testApp(t)
  const { browser } = await appear(app, 'avery')
  const inItself = exif(Array.from({ length: 5_400 }, (_, i) => [[0x8769, 0x8825, 0xa005][i % 3]!, 4, 8] as const))
  const odd = [Buffer.alloc(0), Buffer.from('II*\0'), Buffer.from('II*\0\xff\xff\xff\xff\0\0', 'latin1'), exif([])]
  const startedMs = performance.now()
  for (const format of FORMATS) {
    for (const [data, times] of [
      [inItself, 1] as const,
      [inItself, 60] as const,
      ...odd.map((one) => [one, 1] as const),
    ]) {
      const answer = await sendImage(browser, PICTURE, await describe(format, data, times))
      assert.equal(answer.status, 200, `${format} ${answer.text}`)
    }
  }
  const tookMs = performance.now() - startedMs
  assert.ok(tookMs < 8_000, `${Math.round(tookMs)} ms`)
})
