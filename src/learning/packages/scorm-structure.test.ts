import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PlatformError } from '../../kernel/errors.ts'
import { assertWithin } from '../../operations/testing/time-limits.ts'
import { Notes } from './refusals.ts'
import { readScorm, type ScormBlock, type ScormStructure, type ScormUnit } from './scorm-structure.ts'
import { itemOf, manifestOf, resourceOf } from './testing-scorm.ts'
import { parseXml, type XmlElement } from './xml.ts'

const FILES = ['index.html', 'a/b.html', 'media/video.html']

interface Options {
  readonly files?: readonly string[]
  readonly documents?: Readonly<Record<string, string>>
}

async function read(text: string | Buffer, { files = FILES, documents = {} }: Options = {}): Promise<ScormStructure> {
  const notes = new Notes()
  const parse = (one: string | Buffer): Promise<XmlElement> =>
    parseXml(Buffer.from(one as string), { name: 'imsmanifest.xml', notes })
  const readDocument = async (path: string) => (documents[path] === undefined ? undefined : parse(documents[path]))
  return readScorm(await parse(text), { files: new Set(files), notes, readDocument })
}

const refused = (text: string | Buffer, pattern: RegExp, options?: Options) =>
  assert.rejects(
    read(text, options).then(() => assert.fail(`accepted: ${String(text).slice(0, 2000)}`)),
    (error: PlatformError) => {
      assert.ok(error instanceof PlatformError, String((error as Error).stack))
      assert.match(error.message, pattern)
      const [fault] = error.faults as { must: string; message: string }[]
      assert.ok(fault?.must && fault.message)
      return true
    },
  )

const plain = (value: unknown) => JSON.parse(JSON.stringify(value))
const messages = ({ notes }: ScormStructure) => notes.map(({ message }) => message).join('\n')
/** The items by their nesting: units are texts, blocks are lists that begin with their id. */
type Outline = string | Outline[]
const outline = (items: readonly (ScormUnit | ScormBlock)[]): Outline[] =>
  items.map((one) => (one.type === 'block' ? [one.id, ...outline(one.children)] : one.id))

test('a package of SCORM 1.2 is read with its items, scores and prerequisites', async () => {
  const items =
    itemOf('module', itemOf('lesson', '', 'identifierref="sco" parameters="?page=2"'), '') +
    itemOf(
      'exam',
      `<adlcp:prerequisites type="aicc_script">lesson&amp;~module</adlcp:prerequisites>
       <adlcp:maxtimeallowed>00:30:00</adlcp:maxtimeallowed><adlcp:timelimitaction>exit, message</adlcp:timelimitaction>
       <adlcp:datafromlms> a=b </adlcp:datafromlms><adlcp:masteryscore>80</adlcp:masteryscore>`,
      'identifierref="page" isvisible="false"',
    )
  const resources =
    resourceOf('sco').replace('scormType', 'scormtype') +
    `<resource identifier="page" adlcp:scormtype="asset" xml:base="a/" href="b.html"><file href="b.html"/></resource>`
  const structure = await read(manifestOf({ version: '1.2', items, resources }))
  const common = { description: {}, objectives: [], requires: [], collateralCredit: [] }
  assert.deepEqual(plain(structure), {
    kind: 'scorm12',
    id: 'walkaround',
    title: { und: 'Walkaround' },
    description: {},
    objectives: [],
    edition: '1.2',
    organisation: { id: 'org', objectivesGlobalToSystem: true, sharedDataGlobalToSystem: true },
    metadata: { title: {}, description: {} },
    notes: [],
    children: [
      {
        ...{ type: 'block', id: 'module', title: { und: 'Title of module' }, ...common },
        children: [
          {
            ...{ type: 'unit', id: 'lesson', title: { und: 'Title of lesson' }, ...common },
            ...{ url: 'index.html?page=2', path: 'index.html', scormType: 'sco' },
          },
        ],
      },
      {
        ...{ type: 'unit', id: 'exam', title: { und: 'Title of exam' }, ...common },
        ...{ url: 'a/b.html', path: 'a/b.html', scormType: 'asset', isVisible: false },
        ...{ prerequisites: 'lesson&~module', masteryscore: 80, maxtimeallowed: '00:30:00' },
        ...{ timelimitaction: 'exit,message', datafromlms: 'a=b' },
      },
    ],
    ...{ units: 2, blocks: 1 },
  })
})

test('an item of SCORM 2004 has its threshold, its launch data, its hidden controls and its data stores', async () => {
  const structure = await read(
    manifestOf({
      items: itemOf(
        'item',
        `<adlcp:timeLimitAction>continue,no message</adlcp:timeLimitAction><adlcp:dataFromLMS>a=b</adlcp:dataFromLMS>
         <adlcp:completionThreshold completedByMeasure="true" minProgressMeasure="0.75"/>
         <adlcp:data><adlcp:map targetID="notes" writeSharedData="false"/></adlcp:data>
         <adlnav:presentation><adlnav:navigationInterface>
           <adlnav:hideLMSUI>continue</adlnav:hideLMSUI><adlnav:hideLMSUI>suspendAll</adlnav:hideLMSUI>
         </adlnav:navigationInterface></adlnav:presentation>`,
      ),
    }),
  )
  const [{ timeLimitAction, dataFromLMS, completionThreshold, data, hideLMSUI }] = structure.children as [ScormUnit]
  assert.deepEqual(
    { timeLimitAction, dataFromLMS, completionThreshold, data, hideLMSUI },
    {
      ...{ timeLimitAction: 'continue,no message', dataFromLMS: 'a=b' },
      completionThreshold: { completedByMeasure: true, minProgressMeasure: 0.75, progressWeight: 1 },
      data: [{ targetID: 'notes', readSharedData: true, writeSharedData: false }],
      hideLMSUI: ['continue', 'suspendAll'],
    },
  )
  const third = await read(
    manifestOf({
      version: '2004 3rd Edition',
      items: itemOf('item', '<adlcp:completionThreshold>0.5</adlcp:completionThreshold>'),
    }),
  )
  assert.deepEqual((third.children[0] as ScormUnit).completionThreshold, {
    ...{ completedByMeasure: true, minProgressMeasure: 0.5, progressWeight: 1 },
  })
})

const OLD = 'xmlns="http://www.imsproject.org/xsd/imscp_rootv1p1p2"'
const NEW = 'xmlns="http://www.imsglobal.org/xsd/imscp_v1p1"'
const ADL_OLD = 'xmlns:adlcp="http://www.adlnet.org/xsd/adlcp_rootv1p2"'
const ADL_NEW = 'xmlns:adlcp="http://www.adlnet.org/xsd/adlcp_v1p3"'

test('the version is what schemaversion says, or else what the content shows', async () => {
  const cases: [version: string | null, namespaces: string | undefined, edition: string, note: RegExp | undefined][] = [
    ['1.2', undefined, '1.2', undefined],
    ['SCORM 1.2', `${OLD} ${ADL_OLD}`, '1.2', undefined],
    ['CAM 1.3', undefined, '2004 2nd Edition', undefined],
    ['2004 3rd Edition', undefined, '2004 3rd Edition', undefined],
    ['2004  4TH EDITION', undefined, '2004 4th Edition', undefined],
    ['2004 3rd Edition', `${OLD} ${ADL_OLD}`, '2004 3rd Edition', /written like one of another version/],
    ['1.2', `${NEW} ${ADL_NEW}`, '1.2', /written like one of another version/],
    ['1.0', `${OLD} ${ADL_OLD}`, '1.2', /is no version of SCORM\. By its content, the package follows SCORM 1\.2/],
    [null, `${OLD} ${ADL_OLD}`, '1.2', /has no schemaversion/],
    [null, `${NEW} ${ADL_NEW}`, '2004 2nd Edition', /has no schemaversion/],
    ['2004', `${NEW} ${ADL_NEW}`, '2004 3rd Edition', undefined],
    [null, '', '2004 2nd Edition', /uses the prefix adlcp:, but does not declare it/],
  ]
  for (const [version, namespaces, edition, note] of cases) {
    const structure = await read(manifestOf({ version, ...(namespaces !== undefined && { namespaces }) }))
    assert.equal(structure.edition, edition, `${version} ${namespaces}`)
    assert.equal(structure.kind, edition === '1.2' ? 'scorm12' : 'scorm2004')
    if (note) assert.match(messages(structure), note)
    else assert.equal(messages(structure), '')
  }
  const data = itemOf('item', '<adlcp:data><adlcp:map targetID="x"/></adlcp:data>')
  assert.equal((await read(manifestOf({ version: null, items: data }))).edition, '2004 4th Edition')
  const bare = manifestOf({ version: null, namespaces: '' }).replaceAll('adlcp:scormType="sco"', '')
  assert.equal((await read(bare, { files: [...FILES, 'adlcp_rootv1p2.xsd'] })).edition, '1.2')
})

test('a package that is none of SCORM is refused with the reason', async () => {
  const bare = manifestOf({ version: null, namespaces: '' }).replaceAll('adlcp:scormType="sco"', '')
  await refused(bare, /names no version of SCORM in schemaversion/)
  await refused(bare.replace('<metadata>', '<metadata><schemaversion>7</schemaversion>'), /"7", which is no version/)
  await refused(
    manifestOf({ version: '1.3.0', namespaces: `${NEW} ${ADL_NEW}` }).replace('ADL SCORM', 'IMS Common Cartridge'),
    /follows IMS Common Cartridge, not SCORM/,
  )
  await refused(
    bare.replace('<manifest', '<manifest xmlns="http://www.imsglobal.org/xsd/imsccv1p3/imscp_v1p1"'),
    /not SCORM/,
  )
  await refused('<course/>', /does not begin with <manifest>/)
})

test('the default organisation is used, and the others are named', async () => {
  const organization = (id: string, items = itemOf(`${id}-item`)) =>
    `<organization identifier="${id}"><title>Course ${id}</title>${items}</organization>`
  const used = async (attributes: string, inside: string) =>
    read(manifestOf({ organizations: `<organizations ${attributes}>${inside}</organizations>` }))
  const second = await used('default="b"', organization('a') + organization('b'))
  assert.deepEqual([second.organisation.id, second.title], ['b', { und: 'Course b' }])
  assert.match(messages(second), /has 2 organizations\. "Course b" is used, not "Course a"/)
  const unknown = await used('default="c"', organization('a') + organization('b'))
  assert.equal(unknown.organisation.id, 'a')
  assert.match(messages(unknown), /default organization "c" does not exist; "Course a" is used/)
  const empty = await used('default="a"', organization('a', '') + organization('b'))
  assert.match(messages(empty), /default organization "a" has no items; "Course b" is used/)
  const unnamed = await used('', `<organization>${itemOf('x')}</organization>`)
  assert.deepEqual([unnamed.organisation.id, unnamed.title], ['organization-2', { und: 'organization-2' }])
  assert.match(messages(unnamed), /has no identifier; it is called organization-2\n.*has no title/s)
  await refused(manifestOf({ organizations: '<organizations/>' }), /no organization with items/)
  await refused(manifestOf({ organizations: '' }), /no organization with items/)
  const own = 'adlseq:objectivesGlobalToSystem="false" adlcp:sharedDataGlobalToSystem="false"'
  const local = await used('', organization('a').replace('<organization ', `<organization ${own} `))
  assert.equal(local.organisation.objectivesGlobalToSystem, false)
  assert.equal(local.organisation.sharedDataGlobalToSystem, false)
})

test('an item with both items and a resource is a block that begins with a unit in 1.2, and a block in 2004', async () => {
  const items = itemOf('both', itemOf('inner')) + itemOf('heading', '', '')
  const old = await read(manifestOf({ version: '1.2', items }))
  assert.deepEqual(outline(old.children), [['both-items', 'both', 'inner']])
  assert.match(messages(old), /became its first unit\n.*"heading" has neither a resource nor items, and was left out/)
  const modern = await read(manifestOf({ items }))
  assert.deepEqual(outline(modern.children), [['both', 'inner']])
  assert.match(messages(modern), /2004 never starts the resource/)
})

test('a unit that cannot be started is refused; other missing files and resources are noted', async () => {
  const cases: [resources: string, pattern: RegExp][] = [
    ['', /item "item-1" cannot be started\. "sco" is the identifier of no resource/],
    [resourceOf('sco', ''), /Its resource in line \d+ has no href/],
    [resourceOf('sco', 'href="missing.html"'), /leads to no file of the package: "missing\.html"/],
    [resourceOf('sco', 'href="../index.html"'), /leads out of the package/],
    [resourceOf('sco', 'href="javascript:alert(1)"'), /neither relative nor an address with http or https/],
    [resourceOf('sco', 'xml:base="../" href="index.html"'), /leads out of the package/],
    [resourceOf('sco') + resourceOf('sco', 'href="a/b.html"'), /"sco" is the identifier of several resources/],
  ]
  for (const [resources, pattern] of cases) await refused(manifestOf({ resources }), pattern)
  const resources = resourceOf(
    'sco',
    'href="index.html"',
    '<file href="index.html"/><file href="gone.js"/><dependency identifierref="library"/>',
  )
  const structure = await read(
    manifestOf({ resources: resources + resourceOf('unused', 'href="gone.html"') + resources }),
  )
  assert.match(messages(structure), /"sco" is used by several resources/)
  assert.match(messages(structure), /files that the package does not have: "gone\.js"/)
  assert.match(messages(structure), /dependencies on resources that it does not have: "library"/)
  await refused(manifestOf({ items: itemOf('a', '', '') }), /no item that can be started/)
})

test('an address on the web is accepted, and xml:base applies from the manifest to the resource', async () => {
  const resources =
    resourceOf('web', 'href="https://example.com/course"') + resourceOf('sco', 'xml:base="c/../" href="b.html?x=y"')
  const structure = await read(
    manifestOf({
      attributes: 'xml:base="a/"',
      items: itemOf('one') + itemOf('two', '', 'identifierref="web" parameters="&amp;a=b"'),
      resources,
    }),
  )
  const [one, two] = structure.children as [ScormUnit, ScormUnit]
  assert.deepEqual([one.url, one.path], ['a/b.html?x=y', 'a/b.html'])
  assert.deepEqual([two.url, two.path], ['https://example.com/course?a=b', undefined])
})

test('what authors often write is tolerated and noted', async () => {
  const cases: [text: string | Buffer, note: RegExp][] = [
    [`\n\n${manifestOf()}`, /begins with white space/],
    [manifestOf().replaceAll('adlcp:scormType="sco"', ''), /no scormType, and is taken for an asset/],
    [manifestOf({ items: '<item identifierref="sco"/>' }), /item in line 2 has no identifier.*has no title/s],
    [
      manifestOf({ items: itemOf('a', '<adlcp:timeLimitAction>stop</adlcp:timeLimitAction>') }),
      /timeLimitAction "stop"/,
    ],
    [
      manifestOf({ version: '1.2', items: itemOf('a', '<adlcp:masteryscore>high</adlcp:masteryscore>') }),
      /masteryscore "high" is not a number from 0 to 100/,
    ],
    [
      manifestOf({ items: itemOf('a', '', 'identifierref="sco" isvisible="maybe"') }),
      /isvisible .* is not true or false/,
    ],
    [
      Buffer.from(manifestOf().replace('Walkaround</title>', 'Pr\u00fcfung</title>'), 'latin1'),
      /not encoded in UTF-8 as it says; it was read as windows-1252/,
    ],
    [
      manifestOf({
        items: itemOf('a', '', 'identifierref="inner"'),
        after: manifestOf({ resources: resourceOf('inner') }).replace(/<\?.*?\?>/, ''),
      }),
      /manifest in the manifest was read for its resources only/,
    ],
    [manifestOf({ resources: resourceOf('sco', 'href="INDEX.html"') }), /names the file index\.html in another case/],
  ]
  for (const [text, note] of cases) assert.match(messages(await read(text)), note)
  const latin = await read(
    Buffer.from(
      manifestOf().replace('1.0"?>', '1.0" encoding="ISO-8859-1"?>').replace('Walkaround</', 'Pr\u00fcfung</'),
      'latin1',
    ),
  )
  assert.deepEqual([latin.title, messages(latin)], [{ und: 'Pr\u00fcfung' }, ''])
  const upper = await read(manifestOf().replaceAll('<item ', '<ITEM ').replaceAll('</item>', '</ITEM>'))
  assert.equal(upper.units, 1)
})

test('elements of other namespaces with the names of SCORM are no items', async () => {
  const structure = await read(
    manifestOf({
      items: itemOf('a', '<x:item xmlns:x="urn:vendor" identifier="b" identifierref="sco"/><x:title xmlns:x="urn:v"/>'),
    }),
  )
  assert.deepEqual(outline(structure.children), ['a'])
})

test('metadata give the description, in the package or in files of their own', async () => {
  const lom = (texts: string) =>
    `<lom xmlns="http://ltsc.ieee.org/xsd/LOM"><general><title><string language="en">Walk</string></title>
      <description>${texts}</description></general></lom>`
  const inside = await read(
    manifestOf({
      metadata: lom('<string language="en">Check</string><string language="de-CH">Prüfe</string><string/>'),
      items: itemOf('a', `<metadata>${lom('<string>One</string>')}</metadata>`),
    }),
  )
  assert.deepEqual(plain(inside.description), { en: 'Check', 'de-CH': 'Prüfe' })
  assert.deepEqual(plain(inside.metadata.title), { en: 'Walk' })
  assert.deepEqual(plain(inside.children[0]!.description), { und: 'One' })
  const old =
    '<lom xmlns="http://www.imsglobal.org/xsd/imsmd_rootv1p2p1"><general><description><langstring xml:lang="en">Old</langstring></description></general></lom>'
  const location = '<adlcp:location>lom.xml</adlcp:location>'
  const outside = await read(manifestOf({ metadata: location }), { documents: { 'lom.xml': old } })
  assert.deepEqual(plain(outside.description), { en: 'Old' })
  const missing = await read(manifestOf({ metadata: location }))
  assert.match(messages(missing), /metadata "lom\.xml" cannot be read/)
})

test('a manifest beyond the limits is refused', async () => {
  const chain = (depth: number) =>
    Array.from({ length: depth - 1 }).reduce<string>((inner, _, i) => itemOf(`i${i}`, inner, ''), itemOf('leaf'))
  assert.equal((await read(manifestOf({ items: chain(50) }))).blocks, 49)
  await refused(manifestOf({ items: chain(51) }), /more than 50 levels deep/)
  const many = (count: number) =>
    Array.from(
      { length: count },
      (_, i) => `<item identifier="i${i}" identifierref="sco"><title>T</title></item>`,
    ).join('')
  const before = performance.now()
  assert.equal((await read(manifestOf({ items: many(10_000) }))).units, 10_000)
  assertWithin(performance.now() - before, 10_000)
  await refused(manifestOf({ items: many(10_001) }), /more than 10000 items/)
  await refused(
    manifestOf({ items: itemOf('a') + itemOf('a') }),
    /identifier of the item in line 2 was used before: "a"/,
  )
  await refused(manifestOf({ items: itemOf('org') }), /was used before: "org"/)
  await refused(manifestOf({ items: itemOf('a'.repeat(2_001)) }), /more than 2000 letters/)
  await refused(manifestOf({ items: itemOf('a') + itemOf('b') + itemOf('c'), resources: '' }), /, and 2 more faults/)
  const notes = (await read(manifestOf({ items: many(200).replaceAll('<title>T</title>', '') }))).notes
  assert.equal(notes.length, 51)
  assert.match(notes.at(-1)!.message, /^150 more of such faults/)
  await refused(manifestOf({ items: itemOf('a', '&evil;') }), /not well-formed XML/)
  await refused(`<!DOCTYPE manifest [<!ENTITY a "b">]>${manifestOf().replace(/<\?.*?\?>/, '')}`, /DOCTYPE/)
})
