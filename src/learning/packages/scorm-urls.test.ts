import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addParameters, Files, resolveHref } from './scorm-urls.ts'

const FILES = new Files(new Set(['index.html', 'media/Prüfung 1.html', '100%.html', 'a/b/c.html', 'a%20b.html']))
const resolve = (href: string, ...bases: string[]) => resolveHref(href, bases, FILES)

test('an href leads to a file of the package, or to the web', () => {
  const cases: [href: string, bases: string[], url: string, path: string | undefined][] = [
    ['index.html', [], 'index.html', 'index.html'],
    ['./a/../index.html?x=1#top', [], 'index.html?x=1#top', 'index.html'],
    ['media/Pr%C3%BCfung%201.html', [], 'media/Pr%C3%BCfung%201.html', 'media/Prüfung 1.html'],
    ['media/Prüfung 1.html?a=b c', [], 'media/Pr%C3%BCfung%201.html?a=b%20c', 'media/Prüfung 1.html'],
    ['c.html', ['a/', 'b/'], 'a/b/c.html', 'a/b/c.html'],
    ['../index.html', ['a/'], 'index.html', 'index.html'],
    ['c.html', ['https://example.com/', 'a/b/'], 'https://example.com/a/b/c.html', undefined],
    ['https://example.com/a?b=c', ['a/'], 'https://example.com/a?b=c', undefined],
  ]
  for (const [href, bases, url, path] of cases)
    assert.deepEqual(resolve(href, ...bases), { url, ...(path !== undefined && { path }) }, href)
})

test('an href that browsers of another system would find is accepted, and noted', () => {
  const cases: [href: string, bases: string[], url: string, tolerated: RegExp][] = [
    ['a\\b\\c.html', [], 'a/b/c.html', /backslashes/],
    ['INDEX.HTML', [], 'index.html', /names the file index\.html in another case/],
    ['/index.html', [], 'index.html', /begins with a slash/],
    ['c.html', ['a', 'b'], 'a/b/c.html', /xml:base that does not end/],
    ['a%20b.html', [], 'a%2520b.html', /percent sign/],
  ]
  for (const [href, bases, url, tolerated] of cases) {
    const found = resolve(href, ...bases)
    assert.ok('url' in found, href)
    assert.equal(found.url, url)
    assert.match(found.tolerated ?? '', tolerated)
  }
})

test('a file whose name has a percent sign is found', () => {
  assert.deepEqual(resolve('100%.html'), { url: '100%25.html', path: '100%.html' })
})

test('an href that leads out of the package, to nothing or to no page is refused', () => {
  for (const [href, ...bases] of [
    ['../index.html'],
    ['a/../../index.html'],
    ['a/%2e%2e/%2E%2E/index.html'],
    ['index.html', '../'],
    ['a%2f..%2f..%2findex.html'],
    ['missing.html'],
    [''],
    ['a/'],
    ['#top'],
    ['//example.com/index.html'],
    ['javascript:alert(1)'],
    ['index.html', 'javascript:alert(1)//'],
    ['data:text/html,x'],
    ['file:///etc/passwd'],
    ['C:/index.html'],
    ['https://'],
    ['https:///x'],
    ['http://[x'],
    ['index\u0000.html'],
    [`${'a/'.repeat(1500)}b`],
  ] as [string, ...string[]][])
    assert.ok('fault' in resolve(href, ...bases), `${href} with ${bases}`)
})

test('without files, an href is checked only for its form', () => {
  assert.deepEqual(resolveHref('x/y.html', [], undefined), { url: 'x/y.html', path: 'x/y.html' })
  assert.ok('fault' in resolveHref('../y.html', [], undefined))
})

test('parameters are joined as SCORM says', () => {
  const cases: [url: string, parameters: string, whole: string][] = [
    ['a.html', '', 'a.html'],
    ['a.html', '?', 'a.html'],
    ['a.html', '?b=c', 'a.html?b=c'],
    ['a.html', 'b=c', 'a.html?b=c'],
    ['a.html', '&?&b=c', 'a.html?b=c'],
    ['a.html?x=y', '?b=c', 'a.html?x=y&b=c'],
    ['a.html', '#b', 'a.html#b'],
    ['a.html#x', '#b', 'a.html#x'],
    ['a.html', '?b= "c"', 'a.html?b=%20%22c%22'],
  ]
  for (const [url, parameters, whole] of cases) assert.equal(addParameters(url, parameters), whole)
})
