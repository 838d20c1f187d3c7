import assert from 'node:assert/strict'
import { test } from 'node:test'
import sharp from 'sharp'
import { isLong } from '../../operations/testing/sizes.ts'
import { testApp } from '../../operations/testing/testing.ts'
import { appear, colourAt, getImage, MINE, PICTURE, plain, sendImage } from './testing.ts'
import { FORMATS } from './testing-exif.ts'
import { ADOBE, convert, power, profile, withProfile } from './testing-profiles.ts'

const difference = (a: readonly number[], b: readonly number[]): number =>
  Math.max(...a.map((value, i) => Math.abs(value - b[i]!)))

let turn = 0
/**
 * Selects the cases to test. Each image starts a process, so in a short run each call selects only one case, the next
 * in turn.
 */
const some = <T>(all: readonly T[]): readonly T[] => (isLong ? all : [all[turn++ % all.length]!])

test('colours are converted by the embedded profile, whichever it is', async (t) => {
  const app = await testApp(t)
  const { client, browser } = await appear(app, 'avery')
  const shown = async (image: Buffer) => {
    const answer = await sendImage(browser, PICTURE, image)
    assert.equal(answer.status, 200, answer.text)
    return colourAt((await getImage(client, `${MINE}/picture?size=256`)).bytes, 128, 128)
  }

  await t.test('Display P3 and sRGB, as programs write them', async () => {
    for (const name of ['p3', 'srgb'] as const)
      for (const format of some(FORMATS)) {
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

  await t.test('a damaged profile does no harm: it is applied as far as possible, or taken for sRGB', async () => {
    const damaged = profile(ADOBE)
    damaged.writeUInt32BE(0xfffffff0, 128 + 4 + 8)
    const followed = await convert(await withProfile('png', profile(ADOBE)))
    for (const icc of [damaged, profile({}), Buffer.from('x'), profile({ ...ADOBE, A2B0: Buffer.alloc(30_000) })])
      for (const format of some(FORMATS)) {
        const seen = await shown(await withProfile(format, icc))
        assert.ok(
          [followed, [0xaa, 0x55, 0x22]].some((one) => difference(seen, one) <= 6),
          `${format} ${seen}`,
        )
      }
  })
})
