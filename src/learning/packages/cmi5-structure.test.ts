import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PlatformError } from '../../kernel/errors.ts'
import { type AssignableUnit, type Block, type Cmi5Structure, readCmi5 } from './cmi5-structure.ts'
import { auOf, blockOf, courseOf, objectiveOf, textsOf } from './testing-cmi5.ts'
import { parseXml } from './xml.ts'

const FILES = new Set(['index.html', 'media/Prüfung 1.html'])
/** Reads a course structure; null stands for one that comes without a package. */
const read = async (text: string, files: ReadonlySet<string> | null = FILES): Promise<Cmi5Structure> =>
  readCmi5(await parseXml(Buffer.from(text), { name: 'cmi5.xml', rule: '13.2.0.0-1' }), files ?? undefined)

/** Expects a refusal whose first fault is of this rule, at this place. */
const refused = async (
  text: string,
  rule: string | undefined,
  pattern: RegExp,
  files: ReadonlySet<string> | null = FILES,
) =>
  assert.rejects(
    read(text, files).then(() => assert.fail(`accepted: ${text}`)),
    (error: PlatformError) => {
      assert.ok(error instanceof PlatformError, String((error as Error).stack))
      assert.match(error.message, pattern)
      if (rule !== undefined) assert.ok(error.message.includes(`(cmi5 ${rule})`), error.message)
      const [fault] = error.faults as { rule?: string; must: string; message: string }[]
      assert.equal(fault?.rule, rule)
      assert.ok(fault?.must && fault.message)
      return true
    },
  )

test('a course is read with its blocks, AUs, objectives and extensions', async () => {
  const structure = await read(
    courseOf(
      `<objectives>${objectiveOf('http://example.com/o1')}</objectives>` +
        blockOf('http://example.com/b1', {
          objectives: ['http://example.com/o1'],
          children: auOf('http://example.com/a1', {
            attributes:
              'moveOn="CompletedAndPassed" masteryScore="0.8500" launchMethod=" OwnWindow " activityType="http://adlnet.gov/expapi/activities/media"',
            url: ' media/Pr%C3%BCfung%201.html?mode=exam#top ',
            after: `<launchParameters> Start=1 </launchParameters><entitlementKey>xyz</entitlementKey>
              <x:note xmlns:x="urn:vendor" x:level="2" kind="a">kept <x:b/></x:note>`,
          }),
        }) +
        auOf('http://example.com/a2', {
          url: 'https://example.com/a?b=c',
          after: '<requires><require idref="http://example.com/a1"/></requires>',
        }),
    ),
  )
  assert.deepEqual(JSON.parse(JSON.stringify(structure)), {
    kind: 'cmi5',
    id: 'http://example.com/course',
    title: { en: 'Walkaround', 'de-CH': 'Rundgang' },
    description: { en: 'Walkaround', 'de-CH': 'Rundgang' },
    objectives: [
      {
        id: 'http://example.com/o1',
        title: { en: 'Walkaround', 'de-CH': 'Rundgang' },
        description: { en: 'Walkaround', 'de-CH': 'Rundgang' },
      },
    ],
    units: 2,
    blocks: 1,
    children: [
      {
        type: 'block',
        id: 'http://example.com/b1',
        title: { en: 'Walkaround', 'de-CH': 'Rundgang' },
        description: { en: 'Walkaround', 'de-CH': 'Rundgang' },
        objectives: ['http://example.com/o1'],
        requires: [],
        collateralCredit: [],
        children: [
          {
            type: 'au',
            id: 'http://example.com/a1',
            title: { en: 'Walkaround', 'de-CH': 'Rundgang' },
            description: { en: 'Walkaround', 'de-CH': 'Rundgang' },
            objectives: [],
            requires: [],
            collateralCredit: [],
            url: 'media/Pr%C3%BCfung%201.html?mode=exam#top',
            path: 'media/Prüfung 1.html',
            launchMethod: 'OwnWindow',
            moveOn: 'CompletedAndPassed',
            masteryScore: 0.85,
            launchParameters: 'Start=1',
            entitlementKey: 'xyz',
            activityType: 'http://adlnet.gov/expapi/activities/media',
            extensions: [
              {
                name: 'note',
                namespace: 'urn:vendor',
                attributes: { '{urn:vendor}level': '2', kind: 'a' },
                text: 'kept',
                children: [{ name: 'b', namespace: 'urn:vendor', attributes: {}, text: '', children: [] }],
              },
            ],
          },
        ],
      },
      {
        type: 'au',
        id: 'http://example.com/a2',
        title: { en: 'Walkaround', 'de-CH': 'Rundgang' },
        description: { en: 'Walkaround', 'de-CH': 'Rundgang' },
        objectives: [],
        requires: ['http://example.com/a1'],
        collateralCredit: [],
        url: 'https://example.com/a?b=c',
        launchMethod: 'AnyWindow',
        moveOn: 'NotApplicable',
      },
    ],
  })
})

test('a text has the language of lang or else of xml:lang, and none is und', async () => {
  const langstrings =
    '<langstring xml:lang="fr">a</langstring><langstring lang="it" xml:lang="fr">b</langstring><langstring>c</langstring>'
  const text = courseOf(auOf('urn:a')).replace(/<title>.*?<\/title>/, `<title>${langstrings}</title>`)
  assert.deepEqual({ ...(await read(text)).title }, { fr: 'a', it: 'b', und: 'c' })
})

test('ids that are no full IRIs are refused (3.0.0.0-1)', async () => {
  const au = auOf('http://example.com/a')
  for (const id of [
    'example.com/course',
    '/course',
    'course',
    '',
    'http:',
    'http://example.com/a b',
    `urn:${'a'.repeat(2000)}`,
  ])
    await refused(courseOf(au, id), '3.0.0.0-1', /id of <course> in line 1 is no full IRI/)
  await refused(courseOf(auOf('a')), '3.0.0.0-1', /id of <au>/)
  await refused(courseOf(blockOf('b', { children: au })), '3.0.0.0-1', /id of <block>/)
  await refused(courseOf(`<objectives>${objectiveOf('o')}</objectives>${au}`), '3.0.0.0-1', /id of <objective>/)
  await refused(courseOf(auOf('urn:a', { attributes: 'activityType="media"' })), '3.0.0.0-1', /activityType of <au>/)
  for (const id of ['urn:uuid:a', 'https://example.com/ä', 'tag:a,2026:b'])
    assert.equal((await read(courseOf(au, id))).id, id)
})

test('ids that are not unique are refused (13.1.2.0-1, 13.1.3.0-1, 13.1.4.0-1)', async () => {
  const [one, other] = [auOf('urn:a'), auOf('urn:c')]
  const block = (children: string, id = 'urn:b') => blockOf(id, { children })
  await refused(courseOf(one + one), '13.1.4.0-1', /was used before: "urn:a"/)
  await refused(courseOf(one + block(one)), '13.1.4.0-1', /was used before/)
  await refused(courseOf(block(one) + block(other)), '13.1.2.0-1', /was used before: "urn:b"/)
  await refused(courseOf(block(other) + block(one, ' urn:c ')), '13.1.2.0-1', /was used before: "urn:c"/)
  const objective = objectiveOf('urn:o')
  await refused(courseOf(`<objectives>${objective}${objective}</objectives>${one}`), '13.1.3.0-1', /was used before/)
})

test('URLs that are not valid are refused (13.1.4.0-2)', async () => {
  const wrong = [
    '',
    'http://example.com index.html',
    'a b.html',
    'a%2.html',
    'a%zz.html',
    'http://',
    'http:a',
    'a|b',
    '&lt;a&gt;',
  ]
  for (const url of [
    ...wrong,
    'javascript:alert(1)',
    'javascript://%0aalert(1)',
    'data:text/html,a',
    'file:///etc/passwd',
    'http://[::1',
  ])
    await refused(courseOf(auOf('urn:a', { url })), '13.1.4.0-2', /URL of the AU in line \d+ is not valid/)
  for (const url of ['myapp://open/lesson?a=b', 'http://example.com', 'https://example.com/a~b/(c)?d=%20#e'])
    assert.equal(unitOf(await read(courseOf(auOf('urn:a', { url })))).url, url)
})

test('URLs with the name of a launch parameter are refused (8.1.0.0-6)', async () => {
  for (const name of ['endpoint', 'fetch', 'actor', 'registration', 'activityId', '%65ndpoint'])
    for (const url of [`index.html?${name}=x`, `https://example.com/?a=b&amp;${name}`])
      await refused(courseOf(auOf('urn:a', { url })), '8.1.0.0-6', /which every launch adds/)
  assert.ok(await read(courseOf(auOf('urn:a', { url: 'index.html?endpoints=1#?fetch=2' }))))
})

test('relative URLs lead to a file of the package (14.1.0.0-4), and need one (14.2.0.0-1)', async () => {
  for (const url of [
    'none.html',
    'Index.html',
    '/index.html',
    '//example.com/index.html',
    '../index.html',
    'media/',
    'media',
    'a/../../index.html',
    '%2e%2e/index.html',
    'media%2FPr%C3%BCfung%201.html',
    '%ff',
    '?a=b',
  ])
    await refused(courseOf(auOf('urn:a', { url })), '14.1.0.0-4', /leads to no file of the package/)
  for (const url of [
    'index.html',
    './index.html',
    'media/../index.html',
    'media/Prüfung%201.html',
    'media/Pru\u0308fung%201.html',
  ])
    assert.ok(FILES.has(unitOf(await read(courseOf(auOf('urn:a', { url })))).path!), url)
  for (const url of ['index.html', 'a/b/index.html', 'index.html?a=b', '/index.html', '//example.com/a'])
    await refused(courseOf(auOf('urn:a', { url })), '14.2.0.0-1', /is relative, but there is no package/, null)
  assert.ok(await read(courseOf(auOf('urn:a', { url: 'https://example.com/a' })), null))
})

const unitOf = ({ children }: Cmi5Structure): AssignableUnit => children[0] as AssignableUnit

test('documents that CourseStructure.xsd does not allow are refused (13.2.0.0-1)', async () => {
  const texts = textsOf()
  const au = auOf('urn:a')
  const unit = (inside: string, attributes = 'id="urn:a"') => courseOf(`<au ${attributes}>${inside}</au>`)
  const url = '<url>index.html</url>'
  const cases: [text: string, pattern: RegExp][] = [
    ['<courseStructure/>', /no course structure in the namespace/],
    [courseOf(au).replace('v1', 'v2'), /no course structure in the namespace/],
    [courseOf(''), /has no <au> or <block>/],
    [courseOf(au).replace(' id="http://example.com/course"', ''), /<course> in line 1 has no attribute id/],
    [courseOf(au).replace(/<description>.*?<\/description>/, ''), /<course> in line 1 has no <description>/],
    [unit(`${url}${texts}`), /has no <title>, or not at its place/],
    [unit(texts), /<au> in line 1 has no <url>/],
    [unit(`${texts}${url}${url}`), /<url> in line 1 is not expected in <au>/],
    [unit(`${texts}${url}<entitlementKey/><launchParameters/>`), /<launchParameters> in line 1 is not expected/],
    [unit(`${texts}${url}<other/>`), /<other> in line 1 is not expected/],
    [unit(`${texts}${url}<other xmlns=""/>`), /<other> in line 1 is not expected/],
    [unit(`<x:a xmlns:x="urn:x"/>${texts}${url}`), /has no <title>/],
    [unit(`text${texts}${url}`), /has text between its elements/],
    [unit(`${texts}${url}`, 'id="urn:a" moveon="Passed"'), /has the attribute moveon, which does not exist/],
    [unit(`${texts}${url}`, 'id="urn:a" moveOn="passed"'), /moveOn of <au> in line 1 must be one of NotApplicable/],
    [unit(`${texts}${url}`, 'id="urn:a" launchMethod="Window"'), /launchMethod .* must be one of AnyWindow, OwnWindow/],
    [unit(`<title/>${texts.replace(/<title>.*?<\/title>/, '')}${url}`), /<title> in line 1 has no <langstring>/],
    [unit(`${texts.replace('lang="en"', 'lang="en us"')}${url}`), /has the language "en us"/],
    [unit(`${texts.replace('lang="en"', 'language="en"')}${url}`), /has the attribute language/],
    [unit(`${texts.replace('Walkaround', '<b/>')}${url}`), /has elements instead of text/],
    [courseOf(blockOf('urn:b', { children: '' })), /<block> in line 1 has no <au> or <block>/],
    [courseOf(`${au}<objectives>${objectiveOf('urn:o')}</objectives>`), /<objectives> in line 1 is not expected/],
    [courseOf(`<objectives/>${au}`), /<objectives> in line 1 has no <objective>/],
  ]
  for (const [text, pattern] of cases) await refused(text, '13.2.0.0-1', pattern)
  for (const score of ['-0.1', '1.1', '1e-1', '80', '', 'x', '0,5', 'NaN'])
    await refused(
      unit(`${texts}${url}`, `id="urn:a" masteryScore="${score}"`),
      '13.2.0.0-1',
      /decimal number from 0 to 1/,
    )
  await refused(unit(`${texts}${url}`, 'id="urn:a" masteryScore="0.12345"'), '4.4.0.0-2', /more than four decimals/)
  for (const [score, value] of [
    ['0', 0],
    ['1.00000', 1],
    ['.5', 0.5],
    ['0.1234', 0.1234],
  ] as const)
    assert.equal(unitOf(await read(unit(`${texts}${url}`, `id="urn:a" masteryScore="${score}"`))).masteryScore, value)
})

test('objectives of an item are objectives of the course', async () => {
  const text = courseOf(blockOf('urn:b', { objectives: ['urn:o'], children: auOf('urn:a') }))
  await refused(text, '4.4.0.0-2', /objective in line 1 is not one of the course: "urn:o"/)
})

test('requires and collateralCredit name AUs of the course, in every namespace, and no item requires itself', async () => {
  const requires = (...ids: string[]) =>
    `<x:requires xmlns:x="urn:x">${ids.map((id) => `<x:require idref="${id}"/>`).join('')}</x:requires>`
  const credit =
    '<collateralCredits><collateralCredit idref="urn:a"/><collateralCredit idref="urn:a"/></collateralCredits>'
  const structure = await read(courseOf(auOf('urn:a') + auOf('urn:b', { after: requires('urn:a') + credit })))
  const unit = structure.children[1] as AssignableUnit
  assert.deepEqual([unit.requires, unit.collateralCredit, unit.extensions], [['urn:a'], ['urn:a'], undefined])
  await refused(
    courseOf(auOf('urn:a', { after: requires('urn:x') })),
    undefined,
    /requires names "urn:x", which is no AU/,
  )
  const cycles = [
    auOf('urn:a', { after: requires('urn:a') }),
    auOf('urn:a', { after: requires('urn:b') }) + auOf('urn:b', { after: requires('urn:a') }),
    // A block that waits for one of its own AUs.
    blockOf('urn:b', { children: auOf('urn:a'), after: requires('urn:a') }),
    blockOf('urn:b', { children: auOf('urn:a'), after: requires('urn:c') }) +
      auOf('urn:c', { after: requires('urn:a') }),
  ]
  for (const items of cycles) await refused(courseOf(items), undefined, /requires itself, directly or through others/)
  const chain = Array.from({ length: 5000 }, (_, i) => auOf(`urn:${i}`, { after: i ? requires(`urn:${i - 1}`) : '' }))
  assert.equal((await read(courseOf(chain.reverse().join('')))).units, 5000)
})

test('a course has at most 10,000 items, in blocks at most 50 deep, and 1,000 AUs are no problem', async () => {
  const many = (count: number) => courseOf(Array.from({ length: count }, (_, i) => auOf(`urn:${i}`)).join(''))
  assert.equal((await read(many(10_000))).units, 10_000)
  await refused(many(10_001), undefined, /more than 10000 AUs and blocks/)
  const deep = (levels: number) => {
    let items = auOf('urn:a')
    for (let i = 0; i < levels; i++) items = blockOf(`urn:b${i}`, { children: items })
    return courseOf(items)
  }
  const structure = await read(deep(49))
  let levels = 0
  for (let block = structure.children[0]!; block.type === 'block'; block = (block as Block).children[0]!) levels++
  assert.deepEqual([levels, structure.blocks], [49, 49])
  await refused(deep(50), undefined, /more than 50 levels deep/)
})

test('a refusal lists up to twenty faults, and its message says how many there are', async () => {
  const wrong = (count: number) =>
    courseOf(Array.from({ length: count }, (_, i) => auOf(`urn:${i}`, { url: 'x' })).join(''))
  const errorOf = (text: string): Promise<PlatformError> =>
    read(text).then(
      () => assert.fail('accepted'),
      (error) => error,
    )
  const three = await errorOf(wrong(3))
  assert.match(three.message, /^The URL of the AU in line 1 leads to .* \(cmi5 14\.1\.0\.0-4\), and 2 more faults$/)
  assert.deepEqual(
    (three.faults as { pointer: string }[]).map(({ pointer }) => pointer),
    ['/courseStructure/au/url', '/courseStructure/au/2/url', '/courseStructure/au/3/url'],
  )
  const many = await errorOf(wrong(50))
  assert.match(many.message, /and more than 19 more faults$/)
  assert.equal(many.faults?.length, 20)
})
