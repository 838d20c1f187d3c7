import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isIri, isLanguageTag, isMediaType } from './forms.ts'

test('XAPI-00013, XAPI-00121: language tags must be well-formed by RFC 5646', () => {
  const good =
    'de en-US zh-Hant sr-Latn-RS es-419 cmn ase zh-cmn-Hans-CN sl-rozaj-biske-1994 de-CH-1901 hy-Latn-IT-arevela en-a-bbb-x-a-ccc x-fr-CH qaa-Qaaa-QM-x-southern i-klingon sgn-BE-FR en-GB-oed art-lojban zh-min-nan EN-us und abcdefgh'
  for (const tag of good.split(' ')) assert.equal(isLanguageTag(tag), true, tag)
  const bad = [
    '',
    'e',
    'something',
    'en_US',
    'en-',
    '-en',
    'en--US',
    'en-US-',
    'a12345',
    'en-something-AU',
    's-something',
    'x',
    'x-',
    'en-x',
    'en-a',
    'en-US-GB',
    'en-abcdefghi',
    'de-419-DE',
    'en US',
    'zh-a-b',
    '1en',
    'ünd',
  ]
  for (const tag of bad) assert.equal(isLanguageTag(tag), false, tag)
})

test('XAPI-00007: an IRI has a scheme and no illegal characters', () => {
  for (const iri of ['http://a', 'https://example.org/ä?x=1#y', 'urn:x', 'a+b.c-1:x', 'https://[::1]/x', 'x:%'])
    assert.equal(isIri(iri), true, iri)
  for (const iri of [
    '',
    ':x',
    'a',
    'a:',
    '1:x',
    '/x',
    '//a/b',
    '?x',
    'ab=c://x',
    'é:x',
    'a:\u0000',
    'a:b c',
    'a:b\n',
    'a:"b"',
    'a:{b}',
    'a:\\b',
    'a:\u2028b',
    'a:\u0085b',
  ])
    assert.equal(isIri(iri), false, iri)
})

test('XAPI-00105: a media type has a type, a subtype and optional parameters', () => {
  for (const type of [
    'text/plain',
    'application/octet-stream',
    'image/svg+xml',
    'text/plain; charset=ascii',
    'a/b;c="d;\\"e";f=g',
  ])
    assert.equal(isMediaType(type), true, type)
  for (const type of [
    '',
    'text',
    'text/',
    '/plain',
    'text/plain;',
    'text/plain; charset',
    'text/plain; a="b',
    'a/b/c',
    'te xt/plain',
  ])
    assert.equal(isMediaType(type), false, type)
})

test('the longest texts are refused in linear time', () => {
  const long = 200_000
  const started = process.threadCpuUsage()
  for (const text of [
    'a-'.repeat(long),
    `en${'-abcde'.repeat(long)}!`,
    `en${'-a-bbb'.repeat(long)}-`,
    'x-'.repeat(long),
  ])
    assert.equal(isLanguageTag(text), false)
  for (const text of [`${'a'.repeat(long)}`, `a:${'b'.repeat(long)} `, `${'a+'.repeat(long)}`])
    assert.equal(isIri(text), false)
  for (const text of [`a/b${' '.repeat(long)}`, `a/b${';c=d'.repeat(long)};`, `a/b;c="${'\\"'.repeat(long)}`])
    assert.equal(isMediaType(text), false)
  assert.ok(process.threadCpuUsage(started).user < 1_000_000, 'a tenth of a second, and not longer by the square')
})
