import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PlatformError } from '../../kernel/errors.ts'
import { size } from '../../operations/testing/sizes.ts'
import { Notes } from './refusals.ts'
import { parseXml, UNDECLARED } from './xml.ts'

const parse = (text: string | Buffer) => parseXml(Buffer.from(text as string), { name: 'cmi5.xml', rule: '13.2.0.0-1' })
const refused = (text: string | Buffer, pattern: RegExp) =>
  assert.rejects(parse(text), (error: PlatformError) => {
    assert.ok(error instanceof PlatformError, String((error as Error).stack))
    assert.match(error.message, pattern)
    return true
  })

test('elements have their namespaces, attributes, texts and lines', async () => {
  const root = await parse(`<?xml version="1.0" encoding="utf-8"?>
<!-- a comment --><?target data?>
<a xmlns="urn:one" xmlns:x="urn:two" id=" 1 &lt;&#x41;" x:id="2">one<x:b>&amp;<![CDATA[<c>]]></x:b> two</a>
`)
  assert.deepEqual(
    { ...root, attributes: Object.fromEntries(root.attributes), children: root.children.length },
    {
      ...{ name: 'a', namespace: 'urn:one', attributes: { id: ' 1 <A', '{urn:two}id': '2' } },
      ...{ children: 1, text: 'one two', line: 3 },
    },
  )
  const [child] = root.children
  assert.deepEqual([child?.name, child?.namespace, child?.text], ['b', 'urn:two', '&<c>'])
})

test('documents in UTF-8 and UTF-16 are read, those in other encodings are refused', async () => {
  const document = (encoding: string) => `<?xml version="1.0" encoding="${encoding}"?><a>Prüfung ✈</a>`
  const swapped = (text: string) => Buffer.from(text, 'utf16le').swap16()
  for (const bytes of [
    Buffer.from(document('UTF-8')),
    Buffer.from(`\ufeff${document('utf-8')}`),
    Buffer.from(document('UTF-16'), 'utf16le'),
    Buffer.from(`\ufeff${document('utf-16')}`, 'utf16le'),
    swapped(document('UTF-16BE')),
    swapped(`\ufeff${document('utf-16')}`),
  ])
    assert.equal((await parse(bytes)).text, 'Prüfung ✈')
  await refused(document('windows-1252'), /is encoded in windows-1252, not in UTF-8 or UTF-16 \(cmi5 13\.2\.0\.0-1\)/)
  await refused(Buffer.from(document('UTF-8'), 'latin1'), /not encoded in UTF-8/)
  await refused(Buffer.from(document('UTF-7')), /encoded in UTF-7/)
})

test('a document type declaration and every entity but the five of XML are refused', async () => {
  const laughs = '<!DOCTYPE a [<!ENTITY b "ha"><!ENTITY c "&b;&b;&b;">]><a>&c;</a>'
  const external = '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>'
  for (const text of [laughs, external, '<!DOCTYPE a SYSTEM "http://example.com/a.dtd"><a/>', '<!DOCTYPE a><a/>'])
    await refused(text, /document type declaration/)
  for (const entity of ['nbsp', 'constructor', '__proto__', 'toString'])
    await refused(`<a>&${entity};</a>`, /not well-formed XML: .*entity/)
})

test('documents that are not well-formed, or beyond the limits, are refused', async () => {
  for (const text of [
    '',
    ' ',
    'text',
    '<a>',
    '<a></b>',
    '<a/><b/>',
    '<a b="1" b="2"/>',
    '<x:a/>',
    '<a b=1/>',
    '<a>\0</a>',
  ])
    await refused(text, /not well-formed XML/)
  await refused('<a>'.repeat(101), /more than 100 levels deep/)
  await refused(`<a>${'<b/>'.repeat(500_000)}</a>`, /too large: the limit is 10 MiB and 500000 elements/)
  await refused(`<a ${Array.from({ length: 500_001 }, (_, i) => `a${i}=""`).join(' ')}/>`, /too large/)
  await refused(`<a>${'b'.repeat(2 ** 20 + 1)}</a>`, /text of more than 1 MiB/)
  await refused(`<a b="${'b'.repeat(2 ** 20 + 1)}"/>`, /text of more than 1 MiB/)
  await refused(Buffer.alloc(10 * 2 ** 20 + 1, ' '), /limit is 10 MiB/)
})

test('a large document does not keep others waiting', async () => {
  const text = `<a>${'<b c="d">text</b>'.repeat(150_000)}</a>`
  let turns = 0
  const timer = setInterval(() => turns++, 1)
  await parse(text)
  clearInterval(timer)
  assert.ok(turns >= 10, `${turns} turns`)
})

test('a document with flipped bytes is read or refused, and never fails in another way', async () => {
  const good = Buffer.from(
    '<?xml version="1.0" encoding="UTF-8"?><a xmlns:x="urn:x" x:b="1"><x:c>&amp;</x:c><![CDATA[d]]></a>',
  )
  for (let i = 0; i < size(2000); i++) {
    const broken = Buffer.from(good)
    for (let n = 0; n <= i % 3; n++) broken[Math.floor(Math.random() * broken.length)] = Math.floor(Math.random() * 256)
    await parse(broken).catch((error) => assert.ok(error instanceof PlatformError, `${error.stack}\n${broken}`))
  }
})

test('a document that is read leniently may have another encoding, white space at its start and known prefixes', async () => {
  const lenient = async (bytes: Buffer) => {
    const notes = new Notes()
    const root = await parseXml(bytes, { name: 'imsmanifest.xml', notes })
    return { root, messages: notes.list.map(({ message }) => message) }
  }
  const declared = await lenient(
    Buffer.from('<?xml version="1.0" encoding="ISO-8859-1"?><a>Pr\u00fcfung</a>', 'latin1'),
  )
  assert.deepEqual([declared.root.text, declared.messages], ['Pr\u00fcfung', []])
  const japanese = await lenient(
    Buffer.from([...Buffer.from('<?xml version="1.0" encoding="Shift_JIS"?><a>'), 0x93, 0xfa, ...Buffer.from('</a>')]),
  )
  assert.deepEqual([japanese.root.text, japanese.messages], ['日', []])
  const wrong = await lenient(Buffer.from('<a>Pr\u00fcfung \u0096</a>', 'latin1'))
  assert.deepEqual(wrong.root.text, 'Prüfung –')
  assert.match(wrong.messages[0]!, /not encoded in UTF-8 as it says; it was read as windows-1252/)
  const unknown = await lenient(Buffer.from('<?xml version="1.0" encoding="x-none"?><a>Prüfung</a>'))
  assert.equal(unknown.root.text, 'Prüfung')
  const spaced = await lenient(Buffer.from('\n <?xml version="1.0"?><a xsi:b="c"><adlcp:d/></a>'))
  assert.deepEqual(spaced.messages, ['imsmanifest.xml begins with white space'])
  assert.equal(spaced.root.children[0]?.namespace, `${UNDECLARED}adlcp`)
  for (const text of ['<a><x:b/></a>', '<!DOCTYPE a><a/>', '<a>&nbsp;</a>', ' '])
    await assert.rejects(lenient(Buffer.from(text)), PlatformError)
})
