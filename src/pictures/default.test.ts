import assert from 'node:assert/strict'
import { test } from 'node:test'
import sharp from 'sharp'
import { testApp } from '../testing/testing.ts'
import { BACKGROUNDS, drawDefault } from './default.ts'
import { initialsOf } from './rules.ts'
import { getImage, idOf, MINE, STATIC } from './testing.ts'

const named = (first_name = '', last_name = '', handle = '@avery', anonymous = false) =>
  initialsOf({ first_name, last_name, handle, anonymous })

test('the initials are of the name, in plain letters, or of the handle where there is none', () => {
  for (const [initials, ...name] of [
    ['AL', 'Avery', 'Lee'],
    ['A', '', '', '@avery'],
    ['7', '', '', '@7seas'],
    ['X', '', '', '@_x'],
    ['AO', 'Åsa', 'Öberg'],
    ['OL', 'Øystein', 'Łukasz'],
    ['IS', 'ı', 'ß'],
    ['TH', ' ’t', '"Hooft'],
    ['A', 'Ａvery', ''],
    ['L', '', 'Lee'],
    ['E', 'e\u0301va', ''],
    ['', '太郎', '山田'],
    ['K', '太郎', 'Kato'],
    ['', '😀', '😀'],
    ['', ' ', ' ', '@太郎'],
    ['', '__proto__'.replace('proto', ''), '-'],
  ] as const)
    assert.equal(named(...(name as unknown as [string, string, string])), initials, name.join(' '))
  assert.equal(named('', '', '@anonymous-1', true), '')
})

/** WCAG 2.2, "contrast ratio". */
function contrastWithWhite(colour: readonly number[]): number {
  const [red = 0, green = 0, blue = 0] = colour.map((part) => {
    const share = part / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 1.05 / (0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05)
}

test('white letters can be read on every background', () => {
  for (const colour of BACKGROUNDS) assert.ok(contrastWithWhite(colour) >= 4.5, String(colour))
})

test('every letter and digit is drawn, inside, and unlike all others', () => {
  const seen = new Set<string>()
  for (const initials of [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789', ''])
    seen.add(drawDefault('picture', 64, { initials, seed: 'x' }).etag)
  assert.equal(seen.size, 37)
})

test('a default picture', async (t) => {
  const app = await testApp(t)
  const avery = await app.as('avery')
  const read = async (path = `${MINE}/picture`, client = avery) => (await getImage(client, path)).bytes
  const rename = (first: string, last: string) =>
    app.sql(`update people set first_name = '${first}', last_name = '${last}' where handle_key = 'avery'`)

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
      assert.ok(bytes.length < 12_000)
      assert.ok(bytes.equals(await read(`${MINE}/${path}`)))
    }
    assert.ok((await read()).equals(await read(`${STATIC}/${await idOf(app, avery)}`)))
  })

  await t.test('has the initials of the name, also when that changes', async () => {
    const seen = new Map<string, string>()
    for (const name of ['|', 'Avery|Lee', 'Blake|Lee', '太郎|山田']) {
      const [first = '', last = ''] = name.split('|')
      await rename(first, last)
      seen.set((await read()).toString('base64'), name)
    }
    assert.equal(seen.size, 4)
    await rename('花子', '鈴木')
    assert.equal(seen.get((await read()).toString('base64')), '太郎|山田')
    await rename('', '')
    assert.equal(seen.get((await read()).toString('base64')), '|')
  })

  await t.test('has a colour by the id that the app knows, which another app does not', async () => {
    const colours = new Set<string>()
    for (let i = 0; i < 200; i++) colours.add(drawDefault('cover', 640, { initials: '', seed: `user-${i}` }).etag)
    assert.equal(colours.size, BACKGROUNDS.length)
    const inOther = await app.as('avery', 'second')
    const expected = drawDefault('picture', 256, { initials: 'A', seed: inOther.userId })
    assert.ok((await read(undefined, inOther)).equals(expected.bytes))
  })
})
