import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readMarkdown } from './markdown.ts'
import { applyTool, fileText } from './page-tools.ts'

const paragraph = (...inlines: unknown[]) => ({ kind: 'paragraph', inlines })

test('a page has headings, lists, tables, links and files', () => {
  assert.deepEqual(readMarkdown('# Oil\n\n1. *Check* **it**\n\n> Note'), [
    { kind: 'heading', depth: 1, inlines: ['Oil'] },
    {
      kind: 'list',
      start: 1,
      items: [[paragraph({ kind: 'em', inlines: ['Check'] }, ' ', { kind: 'strong', inlines: ['it'] })]],
    },
    { kind: 'quote', blocks: [paragraph('Note')] },
  ])
  assert.deepEqual(readMarkdown('![Cockpit](file:abc) [list](file:def)'), [
    paragraph({ kind: 'media', fileId: 'abc', alt: 'Cockpit' }, ' ', {
      kind: 'file',
      fileId: 'def',
      inlines: ['list'],
    }),
  ])
  assert.deepEqual(readMarkdown('| a | b |\n|---|---|\n| 1 | 2 |'), [
    { kind: 'table', head: [['a'], ['b']], rows: [[['1'], ['2']]] },
  ])
})

test('HTML stays text, and links lead nowhere but to web pages, mail addresses and files', () => {
  const text = JSON.stringify(readMarkdown('<script>alert(1)</script>\n\n<b onclick="x">bold</b>'))
  assert.match(text, /<script>alert\(1\)<\/script>/)
  assert.doesNotMatch(text, /"kind":"(?!paragraph)/)
  for (const href of [
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    'data:text/html,x',
    '//evil.example',
    '/admin',
    'file:///etc',
    'vbscript:x',
  ])
    for (const mark of ['', '!']) assert.deepEqual(readMarkdown(`${mark}[text](${href})`), [paragraph('text')], href)
  assert.deepEqual(readMarkdown('[a](https://example.org) <mailto:a@example.org>'), [
    paragraph({ kind: 'link', href: 'https://example.org', inlines: ['a'] }, ' ', {
      kind: 'link',
      href: 'mailto:a@example.org',
      inlines: ['mailto:a@example.org'],
    }),
  ])
  assert.deepEqual(readMarkdown('![pixel](https://tracker.example/a.png)'), [
    paragraph({ kind: 'link', href: 'https://tracker.example/a.png', inlines: ['pixel'] }),
  ])
})

test('the tools of the editor change the selected text', () => {
  const apply = (tool: Parameters<typeof applyTool>[0], text: string, start: number, end: number) => {
    const { text: after, selection } = applyTool(tool, text, { start, end })
    return [after, after.slice(selection.start, selection.end)]
  }
  assert.deepEqual(apply('bold', 'the oil', 4, 7), ['the **oil**', 'oil'])
  assert.deepEqual(apply('italic', '', 0, 0), ['*text*', 'text'])
  assert.deepEqual(apply('link', 'the oil', 4, 7), ['the [oil](https://)', 'oil'])
  assert.deepEqual(
    apply('heading', 'one\ntwo', 5, 5),
    ['one\n## two', 'two'].map((one, i) => (i ? 't' : one)),
  )
  assert.deepEqual(apply('list', 'one\ntwo', 0, 7), ['- one\n- two', 'one\n- two'])
  const file = { fileId: 'abc', name: 'a [1].png', mediaType: 'image/png' }
  assert.equal(fileText(file as never), '![a 1](file:abc)')
  assert.equal(fileText({ ...file, mediaType: 'application/pdf' } as never), '[a 1.png](file:abc)')
})
