import assert from 'node:assert/strict'
import { test } from 'node:test'
import sharp from 'sharp'
import { isLong } from '../../operations/testing/sizes.ts'
import { testApp } from '../../operations/testing/testing.ts'
import { appear, colourAt, getImage, MINE, PICTURE, sendImage } from './testing.ts'
import { describe, exif, FORMATS } from './testing-exif.ts'

test('an image is rotated as its EXIF says, in every format', async (t) => {
  const app = await testApp(t)
  const { client, browser } = await appear(app, 'avery')
  for (const format of FORMATS)
    for (const isLittle of format === 'jpeg' ? [true, false] : [true])
      for (const [orientation, x, y] of [
        [1, 20, 128],
        [3, 236, 128],
        [6, 128, 20],
        [8, 128, 236],
        [9, 20, 128],
      ] as const) {
        // Each image starts a process, so only the long run tests all orientations in every format.
        if (!isLong && orientation !== 6 && !(format === 'jpeg' && isLittle)) continue
        const data = exif([[0x0100, 3, 64] as const, [0x0112, 3, orientation] as const], isLittle)
        const image = await describe(format, data)
        if (orientation < 9) assert.equal((await sharp(image).metadata()).orientation, orientation, format)
        assert.equal((await sendImage(browser, PICTURE, image)).status, 200)
        const [red = 0] = await colourAt((await getImage(client, `${MINE}/picture`)).bytes, x, y)
        assert.ok(red > 200, `${format} ${orientation} ${isLittle}`)
      }
})
