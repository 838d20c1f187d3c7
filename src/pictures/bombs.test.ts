import assert from 'node:assert/strict'
import { test } from 'node:test'
import { crc32, deflateSync } from 'node:zlib'
import { signedIn } from '../passkeys/testing.ts'
import { assertError, testApp } from '../testing.ts'
import { colourAt, PICTURE, plain, sendImage } from './testing.ts'

/** What is in front of a PNG's other chunks: its signature, and IHDR. */
const HEAD_BYTES = 33

function chunk(name: string, data: Buffer): Buffer {
  const frame = Buffer.alloc(data.length + 12)
  frame.writeUInt32BE(data.length, 0)
  frame.write(name, 4)
  data.copy(frame, 8)
  frame.writeUInt32BE(crc32(frame.subarray(4, -4)), data.length + 8)
  return frame
}

test('notes in a PNG that unpack to gigabytes are not unpacked', async (t) => {
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
  const startMiB = process.memoryUsage.rss() / 2 ** 20
  const watch = setInterval(() => {
    mostMiB = Math.max(mostMiB, process.memoryUsage.rss() / 2 ** 20 - startMiB)
  }, 5)
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

const segment = (marker: number, ...data: number[]): Buffer =>
  Buffer.from([0xff, marker, (data.length + 2) >> 8, (data.length + 2) & 0xff, ...data])

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
