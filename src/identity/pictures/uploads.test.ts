import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deflateSync, gzipSync } from 'node:zlib'
import sharp from 'sharp'
import { isLong } from '../../operations/testing/sizes.ts'
import { assertError, testApp } from '../../operations/testing/testing.ts'
import { assertWithin } from '../../operations/testing/time-limits.ts'
import { appear, COVER, chunk, colourAt, getImage, idOf, MINE, PICTURE, plain, sendImage } from './testing.ts'

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex')

/** Makes a greyscale PNG that declares this size, whatever pixels it contains. */
function claim(width: number, height: number, pixels = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  head.set([8, 0, 0, 0, 0], 8)
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(pixels)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

/** Selects the cases to test. Each image starts a process, so a short run tests a third of the cases. */
const some = <T>(cases: readonly T[]): T[] => cases.filter((_, i) => isLong || i % 3 === 0)

const noise = (width = 400, height = 300) =>
  sharp({
    create: { width, height, channels: 3, background: '#888', noise: { type: 'gaussian', mean: 128, sigma: 60 } },
  })

test('what is accepted', async (t) => {
  const app = await testApp(t)
  const { client: avery, browser } = await appear(app, 'avery')
  const shown = async (size = 256) => (await getImage(avery, `${MINE}/picture?size=${size}`)).bytes
  const assertTaken = async (image: Buffer, type?: string) => {
    const answer = await sendImage(browser, PICTURE, image, type)
    assert.equal(answer.status, 200, answer.text)
  }

  await t.test('PNG, JPEG and WebP, of every kind that cameras and programs make', async () => {
    const base = plain(40, 30, '#aa3344')
    const images: Record<string, Buffer> = {
      png: await base.clone().png().toBuffer(),
      interlaced: await base.clone().png({ progressive: true }).toBuffer(),
      palette: await base.clone().png({ palette: true }).toBuffer(),
      '16 bits': await base.clone().toColourspace('rgb16').png().toBuffer(),
      grey: await base.clone().greyscale().png().toBuffer(),
      jpeg: await base.clone().jpeg().toBuffer(),
      progressive: await base.clone().jpeg({ progressive: true }).toBuffer(),
      cmyk: await base.clone().toColourspace('cmyk').jpeg().toBuffer(),
      'wide colours': await base.clone().withIccProfile('p3').jpeg().toBuffer(),
      webp: await base.clone().webp().toBuffer(),
      lossless: await base.clone().webp({ lossless: true }).toBuffer(),
      transparent: await base.clone().ensureAlpha(0.5).webp().toBuffer(),
    }
    for (const [name, image] of Object.entries(images)) {
      await assertTaken(image)
      const { format, width, channels, space, hasProfile } = await sharp(await shown()).metadata()
      assert.deepEqual([format, width, channels, space, hasProfile], ['webp', 256, 3, 'srgb', false], name)
      const [red = 0, green = 0, blue = 0] = await colourAt(await shown(), 128, 128)
      if (name === 'grey') assert.ok(Math.abs(red - green) < 3, name)
      else if (name !== 'transparent')
        assert.ok(
          [red - 0xaa, green - 0x33, blue - 0x44].every((off) => Math.abs(off) < 20),
          `${name} ${red} ${green} ${blue}`,
        )
    }
  })

  await t.test('whatever its sender says that it is: the bytes decide', async () => {
    const jpeg = await plain().jpeg().toBuffer()
    const others = [
      'image/webp',
      'image/jpeg',
      'image/png; charset=x',
      'image/jpg',
      'image/pjpeg',
      'image/x-citrix-png',
    ]
    for (const type of ['image/png', 'application/octet-stream', 'image/svg+xml', 'IMAGE/GIF', ...some(others)])
      await assertTaken(jpeg, type)
    const nameless = await browser.send(PICTURE, { method: 'PUT', body: jpeg as never })
    assert.equal(nameless.status, 200, nameless.text)
    for (const type of [
      'text/html',
      'text/plain',
      'application/json',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'image',
      'image/',
      'application/octet-streams',
      '',
    ])
      assertError(await sendImage(browser, PICTURE, jpeg, type), 415, 4151)
    const wrong = { svg: '<svg xmlns="http://www.w3.org/2000/svg"/>', gif: await plain().gif().toBuffer(), text: 'x' }
    for (const [name, image] of Object.entries(wrong)) {
      assertError(await sendImage(browser, PICTURE, image, 'image/gif'), 415, 4151, /not a PNG, JPEG or WebP/)
      const seen = await browser.send(PICTURE, { method: 'PUT', body: Buffer.from(image) as never })
      assert.equal(seen.status, 415, name)
    }
  })

  await t.test('from 16 pixels on a side to 12,000, and 40 megapixels', async () => {
    await assertTaken(await plain(16, 16).png().toBuffer())
    await assertTaken(await plain(12_000, 16).png().toBuffer())
    assertError(await sendImage(browser, PICTURE, await plain(15, 300).png().toBuffer()), 400, 4003, /at least 16/)
    assertError(await sendImage(browser, PICTURE, await plain(12_001, 16).png().toBuffer()), 400, 4003, /too many/)
    assertError(await sendImage(browser, PICTURE, await plain(6400, 6400).png().toBuffer()), 400, 4003, /too many/)
    const deep = await plain(5300, 5300).toColourspace('rgb16').png().toBuffer()
    assertError(await sendImage(browser, PICTURE, deep), 400, 4003, /16 bits/)
  })

  await t.test('turned as its camera says, and cut in the middle', async () => {
    const half = { create: { width: 200, height: 200, channels: 3, background: '#0000ff' } } as const
    const image = await plain(400, 200, '#ff0000')
      .composite([{ input: await sharp(half).png().toBuffer(), left: 200, top: 0 }])
      .withMetadata({ orientation: 6 })
      .jpeg()
      .toBuffer()
    await assertTaken(image)
    const bytes = await shown()
    assert.ok((await colourAt(bytes, 128, 20))[0]! > 200, 'what was left is above')
    assert.ok((await colourAt(bytes, 128, 236))[2]! > 200, 'what was right is below')
    assert.equal((await sharp(bytes).metadata()).orientation, undefined)
  })

  await t.test('of an image that moves, the first picture', async () => {
    const frames = await Promise.all(['#ff0000', '#0000ff'].map((colour) => plain(100, 100, colour).png().toBuffer()))
    const moving = await sharp(frames, { join: { animated: true } })
      .webp({ loop: 0, delay: [100, 100] })
      .toBuffer()
    assert.equal((await sharp(moving, { animated: true }).metadata()).pages, 2)
    await assertTaken(moving)
    const bytes = await shown()
    assert.equal((await sharp(bytes, { animated: true }).metadata()).pages, undefined)
    assert.ok((await colourAt(bytes, 128, 128))[0]! > 200)
  })

  await t.test('only pixels survive: no location, no camera, no comment, nothing hidden behind the image', async () => {
    const secret = 'SECRET-4711'
    const exif = {
      IFD0: { Make: secret, ImageDescription: secret },
      IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '51/1 30/1 0/1', GPSLongitudeRef: 'W', GPSLongitude: '0/1 7/1 0/1' },
    }
    const xmp = `<?xpacket begin="" id="x"?><x:xmpmeta xmlns:x="adobe:ns:meta/">${secret}</x:xmpmeta><?xpacket end="w"?>`
    const base = plain().withExif(exif).withXmp(xmp).keepIccProfile()
    const text = chunk('tEXt', Buffer.from(`Comment\0${secret}`))
    const png = await base.clone().png().toBuffer()
    const behind = Buffer.concat([
      Buffer.from(`<html><script>alert("${secret}")</script>PK\x03\x04`),
      gzipSync(secret),
      Buffer.from(secret),
    ])
    const images = {
      jpeg: Buffer.concat([await base.clone().jpeg().toBuffer(), behind]),
      png: Buffer.concat([png.subarray(0, 33), text, png.subarray(33), behind]),
      webp: await base.clone().webp().toBuffer(),
    }
    for (const [name, image] of Object.entries(images)) {
      assert.ok(image.includes(secret) && (await sharp(image).metadata()).exif, name)
      for (const path of [PICTURE, COVER]) {
        const answer = await sendImage(browser, path, image)
        assert.equal(answer.status, 200, `${name} ${answer.text}`)
      }
      const all = [
        ...(await Promise.all([64, 128, 256, 512].map(shown))),
        (await getImage(avery, `${MINE}/cover?size=640`)).bytes,
        (await getImage(avery, `${MINE}/cover?size=1600`)).bytes,
      ]
      for (const bytes of all) {
        const { exif, xmp, icc, iptc, comments } = await sharp(bytes).metadata()
        assert.deepEqual(
          [exif, xmp, icc, iptc, comments],
          [undefined, undefined, undefined, undefined, undefined],
          name,
        )
        for (const word of [secret, '<script', 'PK\x03\x04']) assert.ok(!bytes.includes(word), name)
        // RIFF files declare their length; there must be no bytes after it.
        assert.equal(bytes.readUInt32LE(4) + 8, bytes.length)
      }
    }
  })
})

test('what is refused, with advice', async (t) => {
  const app = await testApp(t)
  const { client: avery, browser } = await appear(app, 'avery')
  const before = await idOf(app, avery)
  const pictures = {
    png: await noise().png().toBuffer(),
    jpeg: await noise().jpeg().toBuffer(),
    webp: await noise().webp().toBuffer(),
  }
  const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="99" height="99"><script>alert(1)</script></svg>'

  await t.test('other formats, whatever they are called', async () => {
    const others: Record<string, Buffer> = {
      svg: Buffer.from(svg),
      'svg with a declaration': Buffer.from(`<?xml version="1.0"?>${svg}`),
      gif: await plain().gif().toBuffer(),
      tiff: await plain().tiff().toBuffer(),
      avif: await plain(32, 32).avif({ effort: 0 }).toBuffer(),
      pdf: Buffer.from('%PDF-1.7\n1 0 obj<</Type/Catalog>>endobj'),
      html: Buffer.from('<!doctype html><script>alert(1)</script>'),
      zip: Buffer.from('504b0304', 'hex'),
      bmp: Buffer.from(`424d${'00'.repeat(60)}`, 'hex'),
      gz: gzipSync(svg),
      text: Buffer.from('x'),
      'a picture with something before it': Buffer.concat([Buffer.from('\n'), pictures.png]),
      'WAVE, which is RIFF too': Buffer.from('RIFF\x24\0\0\0WAVEfmt '),
    }
    for (const [name, image] of Object.entries(others))
      for (const type of ['image/png', 'application/octet-stream']) {
        const answer = await sendImage(browser, PICTURE, image, type)
        assertError(answer, 415, 4151, /not a PNG, JPEG or WebP/)
        assert.ok(answer, name)
      }
  })

  await t.test('nothing at all', async () => {
    assertError(await sendImage(browser, PICTURE, Buffer.alloc(0)), 400, 4003, /empty/)
    const seen = await browser.send(PICTURE, { method: 'PUT' })
    assert.equal(JSON.parse(seen.text).error_code, 4001)
  })

  await t.test('a file that begins like an image but is none', async () => {
    for (const image of [
      SIGNATURE,
      Buffer.concat([SIGNATURE, Buffer.from(svg)]),
      Buffer.from('ffd8ff', 'hex'),
      Buffer.concat([Buffer.from('ffd8ffe000104a46494600', 'hex'), Buffer.from(svg)]),
      Buffer.from(`RIFF\xff\xff\0\0WEBP${svg}`, 'latin1'),
      Buffer.from('RIFF\0\0\0\0WEBP'),
      claim(100, 100),
      claim(0, 0),
      claim(0xffffffff, 0xffffffff),
    ])
      assertError(await sendImage(browser, PICTURE, image), 400, 4003)
  })

  await t.test('a truncated image', async () => {
    for (const [name, image] of Object.entries(pictures))
      for (const part of some([0.5, 0.02, 0.1, 0.98, 0.9])) {
        const answer = await sendImage(browser, PICTURE, image.subarray(0, Math.floor(image.length * part)))
        assert.equal(answer.status, 400, `${name} ${part}`)
        assertError(answer, 400, 4003, /damaged or incomplete/)
      }
  })

  await t.test('a WebP that lacks its last bytes', async () => {
    for (let cut = 1; cut <= 12; cut += isLong ? 1 : 5)
      assertError(
        await sendImage(browser, PICTURE, pictures.webp.subarray(0, -cut)),
        400,
        4003,
        /damaged or incomplete/,
      )
  })

  await t.test('a PNG whose pixels or description are not what its checksums say', async () => {
    for (const at of [20, pictures.png.length >> 1]) {
      const broken = Buffer.from(pictures.png)
      broken[at]! ^= 0xff
      assertError(await sendImage(browser, PICTURE, broken), 400, 4003)
    }
  })

  await t.test('a few bytes that claim to be enormous, without a look at their pixels', async () => {
    const startedMs = performance.now()
    for (const [width, height] of [
      [30_000, 30_000],
      [0x7fffffff, 1],
      [1, 0x7fffffff],
      [12_000, 12_000],
    ] as const) {
      const answer = await sendImage(browser, PICTURE, claim(width, height, Buffer.alloc(1000)))
      assertError(answer, 400, 4003)
    }
    // Generous, because other tests may be using the processors; decoding 900 million pixels takes far longer.
    assertWithin(performance.now() - startedMs, 10_000)
  })

  await t.test('more than 5 MiB, announced or sent', async () => {
    const most = 5 * 1024 * 1024
    assertError(await sendImage(browser, PICTURE, Buffer.alloc(most, 'x')), 415, 4151)
    assertError(await sendImage(browser, PICTURE, Buffer.alloc(most + 1, 'x')), 413, 4131)
    const full = Buffer.concat([pictures.png, Buffer.alloc(most - pictures.png.length)])
    assert.equal((await sendImage(browser, COVER, full)).status, 200)
  })

  assert.equal(await idOf(app, avery), before)
  assert.equal((await getImage(avery, `${MINE}/picture`)).headers.get('content-type'), 'image/png')
})
