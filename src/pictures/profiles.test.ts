import assert from 'node:assert/strict'
import { test } from 'node:test'
import sharp from 'sharp'
import { signedIn } from '../passkeys/testing.ts'
import { testApp } from '../testing/testing.ts'
import { keepMatrix, MAX_PROFILE_BYTES } from './profile.ts'
import {
  appear,
  colourAt,
  getImage,
  MINE,
  mebibytesOf,
  onLinux,
  PICTURE,
  plain,
  pressesOf,
  sendImage,
} from './testing.ts'
import { ADOBE, convert, FORMATS, power, profile, program, withProfile } from './testing-profiles.ts'

const difference = (a: readonly number[], b: readonly number[]): number =>
  Math.max(...a.map((value, i) => Math.abs(value - b[i]!)))

test('colours are those that the image means, whatever profile it has', async (t) => {
  const app = await testApp(t)
  const { client, browser } = await appear(app, 'avery')
  const shown = async (image: Buffer) => {
    const answer = await sendImage(browser, PICTURE, image)
    assert.equal(answer.status, 200, answer.text)
    return colourAt((await getImage(client, `${MINE}/picture?size=256`)).bytes, 128, 128)
  }

  await t.test('Display P3 and sRGB, as programs write them', async () => {
    for (const name of ['p3', 'srgb'] as const)
      for (const format of FORMATS) {
        const image = await plain(64, 64, '#c83232')
          .withIccProfile(name)
          .toFormat(format, { lossless: true })
          .toBuffer()
        const seen = await shown(image)
        assert.ok(difference(seen, [0xc8, 0x32, 0x32]) <= 6, `${name} ${format} ${seen}`)
        const [...unconverted] = await sharp(image, { ignoreIcc: true }).raw().toBuffer()
        if (name === 'p3') assert.ok(difference(unconverted.slice(0, 3), [0xc8, 0x32, 0x32]) > 12)
      }
  })

  await t.test('Adobe RGB, in every format', async () => {
    for (const format of FORMATS) {
      const image = await withProfile(format, profile(ADOBE))
      const meant = await convert(image)
      assert.ok(difference(meant, [0xaa, 0x55, 0x22]) > 15, String(meant))
      const seen = await shown(image)
      assert.ok(difference(seen, meant) <= 6, `${format} ${seen} ${meant}`)
    }
  })

  await t.test('a profile of grey', async () => {
    const grey = await plain(64, 64, '#404040').toColourspace('b-w').png().toBuffer()
    const light = profile({ wtpt: ADOBE.wtpt!, kTRC: power(1) }, { space: 'GRAY' })
    const colours = await withProfile('png', light)
    const iccp = colours.subarray(33, 33 + 12 + colours.readUInt32BE(33))
    const image = Buffer.concat([grey.subarray(0, 33), iccp, grey.subarray(33)])
    const seen = await shown(image)
    assert.ok(seen[0]! > 0x70, `lighter by far than without: ${seen}`)
  })

  await t.test('without one that is damaged, or too much: as sRGB', async () => {
    const damaged = profile(ADOBE)
    damaged.writeUInt32BE(0xfffffff0, 128 + 4 + 8)
    for (const icc of [damaged, profile({}), Buffer.from('x'), profile({ ...ADOBE, A2B0: Buffer.alloc(30_000) })])
      for (const format of FORMATS) {
        const seen = await shown(await withProfile(format, icc))
        assert.ok(difference(seen, [0xaa, 0x55, 0x22]) <= 6, `${format} ${seen}`)
      }
  })
})

test('of a profile, its colours and curves are left, and nothing else', () => {
  const bytes = keepMatrix(profile({ ...ADOBE, D2B0: program(100), desc: Buffer.from('desc, and who made it') }))!
  assert.equal(bytes.readUInt32BE(0), bytes.length)
  assert.equal(bytes.readUInt32BE(128), 7)
  for (const word of ['D2B0', 'mpet', 'desc']) assert.ok(!bytes.includes(word), word)
  assert.deepEqual(keepMatrix(bytes), bytes)
  const behind = keepMatrix(Buffer.concat([profile(ADOBE), Buffer.alloc(100)]))
  assert.deepEqual(behind, bytes)

  const { rTRC: _, ...incomplete } = ADOBE
  const many = Object.fromEntries(Array.from({ length: 65 }, (_, i) => [`t${String(i).padStart(3, '0')}`, power(1)]))
  const curve = (hex: string) => profile({ ...ADOBE, rTRC: Buffer.from(hex, 'hex') })
  const refused = {
    empty: Buffer.alloc(0),
    'a head alone': profile(ADOBE).subarray(0, 128),
    'cut short': profile(ADOBE).subarray(0, -4),
    incomplete: profile(incomplete),
    'of ink': profile(ADOBE, { space: 'CMYK' }),
    'of Lab': profile(ADOBE, { connection: 'Lab ' }),
    'from device to device': profile(ADOBE, { kind: 'link' }),
    'too many tags': profile({ ...ADOBE, ...many }),
    'too large': profile({ ...ADOBE, note: Buffer.alloc(MAX_PROFILE_BYTES) }),
    'a table for a curve': curve('6d667432000000000303020000010000'),
    'a curve with more points than there are': curve('6375727600000000ffffffff0000'),
    'a curve of no known kind': curve('70617261000000000005000000010000'),
    'a curve without its numbers': curve('7061726100000000000400000001000000010000'),
  }
  for (const [name, icc] of Object.entries(refused)) assert.equal(keepMatrix(icc), undefined, name)
  // Somebody may flip any bit of one.
  const good = profile(ADOBE)
  for (let at = 0; at < good.length; at++)
    for (const value of [0, 0xff, good[at]! ^ 1]) {
      const odd = Buffer.from(good)
      odd[at] = value
      const kept = keepMatrix(odd)
      assert.ok(kept === undefined || kept.length <= good.length, String(at))
    }
})

test('a profile that is a program of gigabytes and minutes is not run', onLinux, async (t) => {
  const app = await testApp(t)
  const avery = await signedIn(app, 'avery')
  assert.equal((await sendImage(avery, PICTURE, await plain().png().toBuffer())).status, 200)
  const [press] = pressesOf()
  let mostMiB = 0
  const watch = setInterval(() => {
    mostMiB = Math.max(mostMiB, mebibytesOf(press!))
  }, 10)
  t.after(() => clearInterval(watch))
  const startedMs = performance.now()
  for (const [steps, points] of [
    [2_000, 50_000],
    [200_000, 0],
    [1_000, 0],
  ] as const)
    for (const format of FORMATS) {
      const bomb = await withProfile(format, profile({ ...ADOBE, D2B0: program(steps, points) }))
      if (format === 'png') assert.ok(bomb.length < 8_000, `${bomb.length} bytes`)
      const answer = await sendImage(avery, PICTURE, bomb)
      assert.equal(answer.status, 200, `${format} ${answer.text}`)
    }
  assert.ok(performance.now() - startedMs < 5_000)
  assert.ok(mostMiB < 130, `${mostMiB} MiB`)
  assert.deepEqual(pressesOf(), [press], 'it has lived through all of them')
})
