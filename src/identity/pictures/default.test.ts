import assert from 'node:assert/strict'
import { test } from 'node:test'
import sharp from 'sharp'
import { testApp } from '../../operations/testing/testing.ts'
import { drawDefault } from './default.ts'
import { getImage, idOf, MINE, STATIC } from './testing.ts'

test('a default picture', async (t) => {
  const app = await testApp(t)
  const avery = await app.as('avery')
  const read = async (path = `${MINE}/picture`, client = avery) => (await getImage(client, path)).bytes

  await t.test('is a PNG in every size, and the same each time', async () => {
    for (const [path, width, height] of [
      ['picture', 256, 256],
      ['picture?size=64', 64, 64],
      ['picture?size=512', 512, 512],
      ['cover', 640, 360],
      ['cover?size=1600', 1600, 900],
    ] as const) {
      const { bytes, headers } = await getImage(avery, `${MINE}/${path}`)
      assert.equal(headers.get('content-type'), 'image/png')
      const { format, width: w, height: h } = await sharp(bytes).metadata()
      assert.deepEqual([format, w, h], ['png', width, height])
      assert.ok(bytes.length < 2_000)
      assert.ok(bytes.equals(await read(`${MINE}/${path}`)))
    }
    assert.ok((await read()).equals(await read(`${STATIC}/${await idOf(app, avery)}`)))
  })

  await t.test('is drawn from the user id of the app, so another app shows another one', async () => {
    const inOther = await app.as('avery', 'second')
    assert.ok((await read()).equals(drawDefault('picture', 256, avery.userId)))
    assert.ok((await read(undefined, inOther)).equals(drawDefault('picture', 256, inOther.userId)))
    assert.ok(!(await read()).equals(await read(undefined, inOther)))
  })

  await t.test('differs by person, and is symmetrical', async () => {
    for (const kind of ['picture', 'cover'] as const) {
      const drawn = Array.from({ length: 200 }, (_, i) => drawDefault(kind, 640, `user-${i}`))
      assert.ok(new Set(drawn.map((bytes) => bytes.toString('base64'))).size > 195)
      for (const bytes of drawn.slice(0, 10)) {
        const pixels = await sharp(bytes).raw().toBuffer()
        assert.ok(pixels.equals(await sharp(bytes).flop().raw().toBuffer()))
      }
    }
  })
})
