import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertError, testApp } from '../../operations/testing/testing.ts'
import { signedIn } from '../passkeys/testing.ts'
import { PICTURE, plain, riff, sendImage, webpPart } from './testing.ts'

test('a mistake that some telephones make at the start of a scan, and decoders tolerate, does no harm', async (t) => {
  const app = await testApp(t)
  const avery = await signedIn(app, 'avery')
  const jpeg = await plain(300, 200).jpeg().toBuffer()
  const scan = jpeg.indexOf(Buffer.from('ffda', 'hex'))
  const last = scan + 2 + jpeg.readUInt16BE(scan + 2) - 1
  assert.deepEqual([...jpeg.subarray(last - 2, last + 1)], [0, 63, 0])
  jpeg[last - 1] = 0
  assert.equal((await sendImage(avery, PICTURE, jpeg)).status, 200)
})

test('a WebP with chunks that do not fit is refused, and data behind its end is ignored', async (t) => {
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
    assertError(await send(broken), 400, 4003, /damaged or incomplete/)
})
