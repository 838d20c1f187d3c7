import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { deflateSync } from 'node:zlib'
import { signInBrowser, UNLIMITED } from '../../apps/account/testing.ts'
import { noChromium, openChromium } from '../../operations/testing/chromium.ts'
import { sharedApp } from '../../operations/testing/testing.ts'
import { openSchool } from '../courses/testing.ts'
import { makePdf, upload } from './testing.ts'

const app = await sharedApp({ ...UNLIMITED })
await openSchool(app)
const finley = await signInBrowser(app, 'finley')

const accept = async (name: string, file: Buffer) => {
  const made = await upload(finley, 'a.pdf', file)
  assert.equal(made.status, 200, `${name}: ${made.text}`)
  assert.equal(made.body.mediaType, 'application/pdf')
}
const refuse = async (name: string, file: Buffer, reason: RegExp) => {
  const seen = await upload(finley, 'a.pdf', file)
  assert.equal(seen.status, 415, `${name}: ${seen.text}`)
  assert.match(seen.body.error_description, reason, name)
}
const SCRIPT = /contains JavaScript or starts a program/
const DAMAGED = /damaged or unusually built/

const ACTION = '<</S/JavaScript/JS(app.alert(1))>>'
const flate = (bytes: Buffer) => deflateSync(bytes)
const hex = (bytes: Buffer) => Buffer.from(`${bytes.toString('hex').replaceAll(/.{40}/g, '$&\r\n')}>`)

function base85(bytes: Buffer): Buffer {
  let text = ''
  for (let i = 0; i < bytes.length; i += 4) {
    const group = Buffer.alloc(4)
    const length = bytes.copy(group, 0, i, i + 4)
    let value = group.readUInt32BE(0)
    const digits: string[] = []
    for (let k = 0; k < 5; k++, value = Math.floor(value / 85)) digits.unshift(String.fromCharCode((value % 85) + 33))
    text += value === 0 && length === 4 && group.readUInt32BE(0) === 0 ? 'z' : digits.slice(0, length + 1).join('')
  }
  return Buffer.from(`${text}~>`)
}

/** Makes a PDF that opens with object 4, which is in an object stream. */
const makeObjectStream = (
  data: Buffer,
  filter: string,
  more: { readonly entries?: string; readonly end?: string; readonly trailer?: string } = {},
) =>
  Buffer.concat([
    Buffer.from(
      `%PDF-1.5\n1 0 obj<</Type/Catalog/Pages 2 0 R/OpenAction 4 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[]/Count 0>>endobj\n` +
        `5 0 obj<<${more.entries ?? '/Type/ObjStm/N 1/First 4'}${filter}/Length ${data.length}>>stream${more.end ?? '\n'}`,
    ),
    data,
    Buffer.from(`\nendstream endobj\ntrailer<</Root 1 0 R${more.trailer ?? ''}>>\n%%EOF`),
  ])

const packed = (object: string) => Buffer.from(`4 0 ${object}`)

test('a script in a compressed object is found, however it is encoded', async () => {
  const action = packed(ACTION)
  const cases: [name: string, file: Buffer][] = [
    ['Flate', makeObjectStream(flate(action), '/Filter/FlateDecode')],
    ['Flate in an array', makeObjectStream(flate(action), '/Filter [ /FlateDecode ]')],
    ['Flate after CR and LF', makeObjectStream(flate(action), '/Filter/FlateDecode', { end: '\r\n' })],
    ['escaped names', makeObjectStream(flate(action), '/#46ilter/Flate#44ecode')],
    ['short names', makeObjectStream(flate(action), '/F/Fl')],
    ['hexadecimal', makeObjectStream(hex(action), '/Filter/ASCIIHexDecode')],
    ['base 85', makeObjectStream(base85(action), '/Filter/ASCII85Decode')],
    ['a chain', makeObjectStream(base85(flate(action)), '/Filter[/ASCII85Decode/FlateDecode]')],
    ['a longer chain', makeObjectStream(hex(base85(flate(action))), '/Filter[/AHx/A85/Fl]')],
    ['no filter', makeObjectStream(action, '')],
    ['no type', makeObjectStream(flate(action), '/Filter/FlateDecode', { entries: '/N 1/First 4' })],
    ['a form', makeObjectStream(flate(packed('<</XFA 9 0 R>>')), '/Filter/FlateDecode')],
  ]
  for (const [name, file] of cases) await refuse(name, file, SCRIPT)
  const dest = packed('[3 0 R/Fit]')
  await accept('Flate', makeObjectStream(flate(dest), '/Filter/FlateDecode'))
  await accept('base 85', makeObjectStream(base85(flate(dest)), '/Filter[/ASCII85Decode/FlateDecode]'))
})

test('objects that cannot be read are refused, and the message says what to do', async () => {
  const data = flate(packed('[3 0 R/Fit]'))
  const cases: [name: string, file: Buffer, reason: RegExp][] = [
    ['LZW', makeObjectStream(data, '/Filter/LZWDecode'), DAMAGED],
    ['a filter elsewhere', makeObjectStream(data, '/Filter 6 0 R'), DAMAGED],
    ['two filters', makeObjectStream(data, '/Filter/FlateDecode/F/ASCIIHexDecode'), DAMAGED],
    ['a predictor', makeObjectStream(data, '/Filter/FlateDecode/DecodeParms<</Predictor 12>>'), DAMAGED],
    ['cut data', makeObjectStream(data.subarray(0, -6), '/Filter/FlateDecode'), DAMAGED],
    ['other data', makeObjectStream(randomBytes(500), '/Filter/FlateDecode'), DAMAGED],
    ['an offset elsewhere', makeObjectStream(data, '', { entries: '/Type/ObjStm/N 1/First 6 0 R' }), DAMAGED],
    [
      'encryption',
      makeObjectStream(data, '/Filter/FlateDecode', { trailer: '/Encrypt 8 0 R' }),
      /is encrypted.*Remove/,
    ],
    ['a bomb', makeObjectStream(flate(packed(' '.repeat(50e6))), '/Filter/FlateDecode'), /too large to be checked/],
    [
      'a bomb in a bomb',
      makeObjectStream(flate(flate(packed(' '.repeat(50e6)))), '/Filter[/FlateDecode/FlateDecode]'),
      /too large to be checked/,
    ],
  ]
  for (const [name, file, reason] of cases) await refuse(name, file, reason)
})

test('a script is found where a cross-reference alone leads to it', async () => {
  const hidden = `\n9 0 obj ${ACTION} endobj\n`
  await refuse('a stream', makePdf(`>> endobj 8 0 obj << /Length 99 >> stream\n( ${hidden}\nendstream endobj`), SCRIPT)
  await refuse('a string', makePdf(`/Title (${hidden})`), DAMAGED)
  await refuse('a comment', makePdf(`\n% 9 0 obj ${ACTION} endobj\n`), DAMAGED)
  await refuse('comments', makePdf(`/Title (9%a\n0%b\nobj ${ACTION})`), DAMAGED)
  await refuse('a trailer', makePdf(`/Title (trailer << /Root << /OpenAction ${ACTION} >> >>)`), DAMAGED)
  const nested = makeObjectStream(flate(Buffer.from(`3 0 4 4 (aa ${ACTION} a)`)), '/Filter/FlateDecode', {
    entries: '/Type/ObjStm/N 2/First 8',
  })
  await refuse('a string of a compressed object', nested, DAMAGED)
  await refuse('a keyword', makePdf(`/A stream /OpenAction ${ACTION}`), SCRIPT)
  await refuse('a short string', makePdf(`/A <41<<(> /OpenAction ${ACTION}`), SCRIPT)
})

test('a PDF that only speaks of scripts is accepted', async () => {
  const link = (url: string) => makePdf(`/A << /S /URI /URI (${url}) >>`)
  await accept('a launch', link('https://www.nasa.gov/launch'))
  await accept('a guide', link('https://developer.mozilla.org/docs/Web/JavaScript'))
  await accept('nested', link('see \\( (/Launch) /JavaScript'))
  await accept('a comment', makePdf('% /JavaScript /Launch\n'))
  await accept('a longer name', makePdf('/JavaScripts /Launcher /JavaScript2 1'))
  await accept('text', makePdf('>> endobj 8 0 obj << /Length 30 >> stream\n(/JavaScript) Tj /Launch\nendstream endobj'))
  await accept('without objects to unpack', makePdf('>> endobj trailer << /Encrypt 8 0 R'))
  await accept('cut off', makePdf().subarray(0, 300))
  await accept('noise', Buffer.concat([makePdf(), randomBytes(100_000)]))
})

test('a PDF that a browser prints is accepted', { skip: noChromium }, async (t) => {
  const page = await openChromium(t)
  await page.setContent('<h1>Walkaround</h1> <a href="https://www.nasa.gov/launch">Launch</a>')
  await accept('printed', await page.pdf({ tagged: true }))
})
