import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deflateSync } from 'node:zlib'
import { signedIn } from '../passkeys/testing.ts'
import { assertError, testApp } from '../testing/testing.ts'
import {
  appear,
  chunk,
  colourAt,
  getImage,
  HEAD_BYTES,
  MINE,
  mebibytesOf,
  onLinux,
  PICTURE,
  plain,
  pressesOf,
  riff,
  segment,
  sendImage,
  webpPart,
} from './testing.ts'

test('notes in a PNG that unpack to gigabytes are not unpacked', onLinux, async (t) => {
  const app = await testApp(t)
  const avery = await signedIn(app, 'avery')
  const png = await plain(200, 200, '#ff0000').png().toBuffer()
  assert.equal((await sendImage(avery, PICTURE, png)).status, 200)
  // Each is just below what libpng unpacks of one.
  const packed = deflateSync(Buffer.alloc(7_900_000, 'x'), { level: 9 })
  const notes = {
    zTXt: Buffer.concat([Buffer.from('Comment\0\0'), packed]),
    iTXt: Buffer.concat([Buffer.from('Comment\0\x01\0\0\0'), packed]),
  }
  let mostMiB = 0
  const takenMiB = () => [process.pid, ...pressesOf()].reduce((sum, pid) => sum + mebibytesOf(pid), 0)
  const startMiB = takenMiB()
  const watch = setInterval(() => {
    mostMiB = Math.max(mostMiB, takenMiB() - startMiB)
  }, 10)
  t.after(() => clearInterval(watch))
  for (const [name, note] of Object.entries(notes))
    for (const at of [HEAD_BYTES, png.length - 12]) {
      const many = Array<Buffer>(60).fill(chunk(name, note))
      const bomb = Buffer.concat([png.subarray(0, at), ...many, png.subarray(at), ...many])
      const answer = await sendImage(avery, PICTURE, bomb)
      assert.equal(answer.status, 200, `${name} ${at} ${answer.text}`)
    }
  const cut = Buffer.concat([png.subarray(0, HEAD_BYTES), chunk('zTXt', notes.zTXt)]).subarray(0, -20)
  assertError(await sendImage(avery, PICTURE, cut), 400, 4003, /damaged or not whole/)
  assert.ok(mostMiB < 150, `${Math.round(mostMiB)} MiB`)
  const response = await fetch(new URL(PICTURE, app.address), {
    headers: { cookie: [...avery.cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
  })
  assert.ok((await colourAt(Buffer.from(await response.arrayBuffer()), 128, 128))[0]! > 200)
})

/** So many of the same, one after the other. */
const repeat = (part: Buffer, count: number): Buffer => Buffer.alloc(part.length * count, part)

/** A WebP of 16 by 16 that moves: first a picture of one colour, then so many of another. */
async function moving(frames: number): Promise<Buffer> {
  const picture = async (colour: string) =>
    webpPart(
      'ANMF',
      [0, 0, 0, 0, 0, 0, 15, 0, 0, 15, 0, 0, 40, 0, 0, 0],
      (await plain(16, 16, colour).webp({ lossless: true }).toBuffer()).subarray(12),
    )
  return riff(
    webpPart('VP8X', [2, 0, 0, 0, 15, 0, 0, 15, 0, 0]),
    webpPart('ANIM', [255, 255, 255, 255, 0, 0]),
    await picture('#ff0000'),
    repeat(await picture('#0000ff'), frames - 1),
  )
}

test('a WebP of a hundred thousand pictures, each looked at with every other, is refused unread', async (t) => {
  const app = await testApp(t)
  const { client, browser } = await appear(app, 'avery')
  const send = (webp: Buffer) => sendImage(browser, PICTURE, webp)
  assert.equal((await send(await moving(2))).status, 200)
  const startedMs = performance.now()
  assertError(await send(await moving(90_000)), 400, 4003, /too many parts/)
  // As many as are taken: one of them is read.
  assert.equal((await send(await moving(19_000))).status, 200)
  const tookMs = performance.now() - startedMs
  assert.ok(tookMs < 5_000, `${Math.round(tookMs)} ms`)
  const { bytes } = await getImage(client, `${MINE}/picture`)
  assert.ok((await colourAt(bytes, 128, 128))[0]! > 200, 'the first picture')
})

test('of a WebP, parts that do not fit are refused, and those behind its end ignored', async (t) => {
  const app = await testApp(t)
  const avery = await signedIn(app, 'avery')
  const send = (webp: Buffer) => sendImage(avery, PICTURE, webp)
  const picture = (await plain(16, 16).webp({ lossless: true }).toBuffer()).subarray(12)
  const head = webpPart('VP8X', [0, 0, 0, 0, 15, 0, 0, 15, 0, 0])
  const unknown = webpPart('abcd', [1, 2, 3])
  for (const whole of [
    riff(picture),
    riff(head, picture),
    riff(head, unknown, picture, unknown),
    Buffer.concat([riff(picture), Buffer.from('anything')]),
  ]) {
    const answer = await send(whole)
    assert.equal(answer.status, 200, answer.text)
  }
  const tooLong = Buffer.from(unknown)
  tooLong.writeUInt32LE(0xfffffff0, 4)
  const saysMore = riff(picture)
  saysMore.writeUInt32LE(saysMore.length - 6, 4)
  for (const broken of [riff(), riff(head), riff(head, picture, tooLong), riff(picture, Buffer.from('abcd')), saysMore])
    assertError(await send(broken), 400, 4003, /damaged or not whole/)
  assertError(await send(riff(head, picture, repeat(webpPart('abcd'), 600_000))), 400, 4003, /too many parts/)
})

test('no part of a PNG counts twice, and no image has a million of them', async (t) => {
  const app = await testApp(t)
  const avery = await signedIn(app, 'avery')
  const png = await plain(16, 16).png().toBuffer()
  const jpeg = await plain(16, 16).jpeg().toBuffer()
  const inPng = (part: Buffer, bytes = 5_000_000) =>
    Buffer.concat([
      png.subarray(0, HEAD_BYTES),
      repeat(part, Math.floor(bytes / part.length)),
      png.subarray(HEAD_BYTES),
    ])
  const inJpeg = (part: Buffer) =>
    Buffer.concat([jpeg.subarray(0, 2), repeat(part, 5_000_000 / part.length), jpeg.subarray(2)])
  const gamma = chunk('gAMA', Buffer.from([0, 0, 0xb1, 0x8f]))
  const startedMs = performance.now()
  assert.equal((await sendImage(avery, PICTURE, inPng(gamma, 300_000))).status, 200)
  for (const image of [
    inPng(gamma),
    inPng(chunk('IDAT', Buffer.alloc(0))),
    inPng(chunk('fdAT', Buffer.alloc(0))),
    inJpeg(segment(0xe1)),
    inJpeg(segment(0xfe)),
    inJpeg(segment(0xdb)),
  ])
    assertError(await sendImage(avery, PICTURE, image), 400, 4003, /too many parts/)
  const tookMs = performance.now() - startedMs
  assert.ok(tookMs < 5_000, `${Math.round(tookMs)} ms`)
})
