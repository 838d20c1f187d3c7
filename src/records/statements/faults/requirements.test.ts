import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SIGNATURE, type Version, VOIDED } from '../model/statement.ts'
import { planned, put, whole } from '../model/testing.ts'
import { findFaults } from './faults.ts'

const VERSIONS: Version[] = ['1.0.3', '2.0.0']
const ADA = { mbox: 'mailto:ada@example.org' }
const CY = { openid: 'https://id.example.org/cy' }
const SHA1 = 'EBD31E95054C018B10727CCFFD2EF2EC3A016EE9'
const ACCOUNT = { homePage: 'https://example.org', name: 'ada' }
const AN_ID = '8f87ccde-bb56-4c2e-ab83-44982ef22df0'

/**
 * A statement with one bad property: the property's pointer, the bad value, and the pointers of the expected faults (by
 * default the same pointer).
 */
type Case = [at: string, value: unknown, ...places: string[]]
type Rule = {
  rule: string
  says: string
  /** Values that are refused in a statement, and at the same place in a sub-statement. */
  bad?: Case[]
  good?: [at: string, value: unknown][]
  /** Set if only statements have the property, so that it is not tried in a sub-statement. */
  only?: 'statement'
}

const RULES: Rule[] = [
  {
    rule: 'XAPI-00001',
    says: 'null is refused everywhere, except in extensions',
    bad: ['/actor', '/actor/name', '/verb/display', '/verb/display/de', '/object/definition/type', '/result/score/raw']
      .concat('/context/contextActivities/grouping/0', '/context/team/member/0', '/attachments/0/fileUrl', '/timestamp')
      .map((at): Case => [at, null]),
    good: [
      ['/result/extensions/https:~1~1example.org~1x', null],
      ['/context/extensions', { 'https://example.org/x': { a: null } }],
    ],
  },
  { rule: 'XAPI-00003', says: 'an actor is required', bad: [['/actor', undefined]] },
  { rule: 'XAPI-00004', says: 'a verb is required', bad: [['/verb', undefined]] },
  { rule: 'XAPI-00005', says: 'an object is required', bad: [['/object', undefined]] },
  {
    rule: 'XAPI-00006',
    says: 'a wrong type is refused',
    bad: [
      ['/actor', 'ada'],
      ['/actor', [ADA]],
      ['/verb', 'flew'],
      ['/verb/display/de', 1],
      ['/object', 'https://example.org'],
      ['/object/definition/correctResponsesPattern', 'a'],
      ['/object/definition/correctResponsesPattern', ['a', 1], '/object/definition/correctResponsesPattern/1'],
      ['/object/definition/choices', {}],
      ['/object/definition/choices/0/id', 4],
      ['/result', []],
      ['/context', 'here'],
      ['/attachments/0/description', 'text'],
    ],
  },
  {
    rule: 'XAPI-00010',
    says: 'a property that the specification does not have is refused, and so is one in another case',
    bad: [
      ['/Actor', ADA],
      ['/actor/email', 'x'],
      ['/actor/member', [CY]],
      ['/actor/objecttype', 'Agent'],
      ['/verb/Display', {}],
      ['/object/extensions', {}],
      ['/object/definition/__proto__x', 1],
      ['/object/definition/choices/0/text', 'x'],
      ['/result/Success', true],
      ['/result/score/percent', 1],
      ['/context/contextactivities', {}],
      ['/context/statement/name', 'x'],
      ['/attachments/0/sha1', 'x'],
    ],
  },
  {
    rule: 'XAPI-00017',
    says: 'the object of a voiding statement is a statement reference',
    bad: [['/verb/id', VOIDED, '/object/objectType']],
  },
  {
    rule: 'XAPI-00025',
    says: 'attachments are an array of objects',
    bad: [
      ['/attachments', {}],
      ['/attachments/0', 'log'],
    ],
    good: [['/attachments', []]],
  },
  {
    rule: 'XAPI-00027',
    says: 'an id is a UUID in its standard form',
    only: 'statement',
    bad: ['', 7, {}, `{${AN_ID}}`, `${AN_ID}0`, AN_ID.replaceAll('-', ''), AN_ID.replace('8', 'g')].map((id) => [
      '/id',
      id,
    ]),
    good: [['/id', AN_ID.toUpperCase()]],
  },
  {
    rule: 'XAPI-00031',
    says: 'an actor is an Agent or a Group',
    bad: ['agent', 'Person', 'Activity', 3, ''].map((type) => ['/actor/objectType', type]),
    good: [
      ['/actor', { objectType: 'Group', member: [] }],
      ['/actor', ADA],
    ],
  },
  { rule: 'XAPI-00033', says: 'a name is text', bad: [['/actor/name', { en: 'Ada' }]], good: [['/actor/name', '']] },
  {
    rule: 'XAPI-00034',
    says: 'an agent has exactly one identifier',
    bad: [
      ['/actor', { name: 'Ada' }],
      ['/actor/openid', CY.openid, '/actor'],
      ['/context/instructor', { ...CY, account: ACCOUNT }],
      ['/context/team/member/0', { name: 'Cy' }],
    ],
    good: [ADA, CY, { account: ACCOUNT }, { mbox_sha1sum: SHA1 }].map((agent) => ['/actor', agent]),
  },
  {
    rule: 'XAPI-00035',
    says: 'a group without an identifier lists its members',
    bad: [['/actor', { objectType: 'Group', name: 'Red' }, '/actor/member']],
    good: [['/actor', { objectType: 'Group', ...ADA }]],
  },
  {
    rule: 'XAPI-00036',
    says: 'members are an array of agents, and no groups',
    bad: [
      ['/context/team/member', CY],
      ['/context/team/member/0', { objectType: 'Group', member: [CY] }],
      ['/actor', { objectType: 'Group', ...ADA, member: [{ objectType: 'Group', ...CY }] }, '/actor/member/0'],
    ],
  },
  {
    rule: 'XAPI-00037',
    says: 'a group has at most one identifier',
    bad: [['/actor', { objectType: 'Group', ...ADA, ...CY }]],
  },
  {
    rule: 'XAPI-00038',
    says: 'an mbox is mailto: and an address',
    bad: ['', 'ada@example.org', 'mailto:ada', 'mailto:@example.org', 'mailto:a b@example.org', 'mailto:a@b@c', 5].map(
      (mbox) => ['/actor/mbox', mbox],
    ),
    good: [['/actor/mbox', 'mailto:Ada.L+x@EXAMPLE.org']],
  },
  {
    rule: 'XAPI-00039',
    says: 'an mbox_sha1sum is the hex of a SHA-1',
    bad: ['', SHA1.slice(1), `${SHA1}0`, SHA1.replace('E', 'G'), 1].map((sum) => [
      '/actor',
      { mbox_sha1sum: sum },
      '/actor/mbox_sha1sum',
    ]),
  },
  {
    rule: 'XAPI-00040',
    says: 'an openid is a URI',
    bad: ['', 'cy', '/cy', 1].map((openid) => ['/actor', { openid }, '/actor/openid']),
  },
  { rule: 'XAPI-00041', says: 'an account is an object', bad: [['/context/instructor/account', 'bob']] },
  {
    rule: 'XAPI-00042',
    says: 'an account has a home page with a scheme',
    bad: [undefined, '', 'example.org', '//example.org', 3].map((page) => [
      '/context/instructor/account/homePage',
      page,
    ]),
  },
  {
    rule: 'XAPI-00043',
    says: 'an account has a name, which is text',
    bad: [undefined, 12, {}].map((name) => ['/context/instructor/account/name', name]),
  },
  {
    rule: 'XAPI-00044',
    says: 'a verb has an id, which is an IRI with a scheme',
    bad: [
      undefined,
      '',
      'flew',
      'a=b://x.org',
      '1a:b',
      'http:',
      'https://example.org/a b',
      'https://example.org/<x>',
      7,
    ].map((id) => ['/verb/id', id]),
    good: ['https://example.org/فعل', 'urn:uuid:x', 'tag:example.org,2026:x', 'HTTP://EXAMPLE.org/#x'].map((id) => [
      '/verb/id',
      id,
    ]),
  },
  {
    rule: 'XAPI-00045',
    says: 'a display is a language map',
    bad: [['/verb/display', 'flew']],
    good: [['/verb/display', {}]],
  },
  {
    rule: 'XAPI-00046',
    says: 'the object says what it is, in exact case',
    bad: ['activity', 'Statement', 'subStatement', 'statementRef', 5, {}].map((type) => ['/object/objectType', type]),
    good: [['/object/objectType', undefined]],
  },
  {
    rule: 'XAPI-00047',
    says: 'an activity has an id, which is an IRI',
    bad: [
      ['/object/id', undefined],
      ['/object/id', 'seven'],
    ],
  },
  {
    rule: 'XAPI-00048',
    says: 'a definition is an object',
    bad: [['/object/definition', 'x']],
    good: [['/object/definition', {}]],
  },
  {
    rule: 'XAPI-00049',
    says: 'an interaction has one of ten types',
    bad: [undefined, 'Choice', 'quiz', 1].map((type) => ['/object/definition/interactionType', type]),
    good: 'true-false fill-in long-fill-in matching performance sequencing likert numeric other'
      .split(' ')
      .map((type) => ['/object/definition/interactionType', type]),
  },
  { rule: 'XAPI-00056', says: 'a name is a language map', bad: [['/object/definition/name', 'x']] },
  {
    rule: 'XAPI-00057',
    says: 'extensions of a definition are an object',
    bad: [['/object/definition/extensions', ['x']]],
  },
  { rule: 'XAPI-00059', says: 'a description is a language map', bad: [['/object/definition/description', 'x']] },
  { rule: 'XAPI-00060', says: 'a type is an IRI', bad: [['/object/definition/type', 'sortie']] },
  { rule: 'XAPI-00061', says: 'moreInfo is an IRL', bad: [['/object/definition/moreInfo', 'about.html']] },
  {
    rule: 'interaction-components-distinct',
    says: 'ids of components differ within their list',
    bad: [['/object/definition/choices/1/id', 'a']],
    good: [['/object/definition/scale', [{ id: 'a' }]]],
  },
  {
    rule: 'XAPI-00072',
    says: 'a reference to a statement has its UUID',
    bad: [
      ['/context/statement/id', undefined],
      ['/context/statement/id', 'x'],
    ],
  },
  {
    rule: 'XAPI-00073',
    says: 'a reference says what it is',
    bad: [
      ['/context/statement/objectType', undefined],
      ['/context/statement/objectType', 'Activity'],
    ],
  },
  {
    rule: 'XAPI-00074',
    says: 'success is true or false',
    bad: [
      ['/result/success', 'true'],
      ['/result/success', 1],
    ],
  },
  { rule: 'XAPI-00075', says: 'completion is true or false', bad: [['/result/completion', 'false']] },
  { rule: 'XAPI-00076', says: 'a response is text', bad: [['/result/response', 4]], good: [['/result/response', '']] },
  {
    rule: 'XAPI-00078',
    says: 'extensions are an object',
    bad: [
      ['/result/extensions', 'x'],
      ['/context/extensions', []],
    ],
  },
  { rule: 'XAPI-00079', says: 'a score is an object', bad: [['/result/score', 40]], good: [['/result/score', {}]] },
  { rule: 'XAPI-00080', says: 'max is a number', bad: [['/result/score/max', '50']] },
  {
    rule: 'XAPI-00081',
    says: 'min is a number less than max',
    bad: [
      ['/result/score', { min: 5, max: 5 }, '/result/score/min'],
      ['/result/score', { min: 6, max: 5 }, '/result/score/min'],
      ['/result/score/min', false],
    ],
    good: [
      ['/result/score', { min: 6 }],
      ['/result/score', { max: -6 }],
    ],
  },
  {
    rule: 'XAPI-00082',
    says: 'raw is a number between min and max',
    bad: [
      ['/result/score/raw', 51],
      ['/result/score/raw', -1],
      ['/result/score/raw', '40'],
      ['/result/score/raw', Number.POSITIVE_INFINITY],
    ],
    good: [
      ['/result/score/raw', 50],
      ['/result/score/raw', 0],
      ['/result/score', { raw: -1e9 }],
    ],
  },
  {
    rule: 'XAPI-00083',
    says: 'scaled is a number between -1 and 1',
    bad: [1.01, -1.01, '1'].map((scaled) => ['/result/score/scaled', scaled]),
    good: [1, -1, 0].map((scaled) => ['/result/score/scaled', scaled]),
  },
  {
    rule: 'XAPI-00086',
    says: 'contextActivities are an object',
    bad: [['/context/contextActivities', [{ id: 'https://example.org' }]]],
  },
  { rule: 'XAPI-00087', says: 'a registration is a UUID', bad: [['/context/registration', 'first']] },
  {
    rule: 'XAPI-00088',
    says: 'a team is a group',
    bad: [
      ['/context/team/objectType', undefined],
      ['/context/team/objectType', 'Agent'],
      ['/context/team/objectType', 'Team'],
    ],
  },
  { rule: 'XAPI-00089', says: 'a revision is text', bad: [['/context/revision', 3]] },
  { rule: 'XAPI-00090', says: 'a platform is text', bad: [['/context/platform', {}]] },
  {
    rule: 'XAPI-00091',
    says: 'a language is a tag',
    bad: [
      ['/context/language', 'english, mostly'],
      ['/context/language', 1],
    ],
  },
  { rule: 'XAPI-00092', says: 'a statement of the context is a reference', bad: [['/context/statement', AN_ID]] },
  { rule: 'XAPI-00093', says: 'contextActivities have four kinds', bad: [['/context/contextActivities/Parent', []]] },
  {
    rule: 'XAPI-00047',
    says: 'context activities are activities (XAPI-00094)',
    bad: [
      ['/context/contextActivities/parent', {}, '/context/contextActivities/parent/id'],
      ['/context/contextActivities/grouping/0/id', 'x'],
    ],
    good: [['/context/contextActivities/other', []]],
  },
  {
    rule: 'XAPI-00098',
    says: 'an authority that is a group is anonymous and has two agents',
    only: 'statement',
    bad: [
      ['/authority', { objectType: 'Group', member: [ADA] }, '/authority/member'],
      ['/authority', { objectType: 'Group', member: [ADA, CY, ADA] }, '/authority/member'],
      ['/authority', { objectType: 'Group', ...ADA, member: [ADA, CY] }],
    ],
    good: [['/authority', { objectType: 'Group', member: [ADA, CY] }]],
  },
  {
    rule: 'XAPI-00101',
    says: 'a version is one that the store knows',
    only: 'statement',
    bad: ['', '1', '1.1.0', '0.9.5', '1.0.', '1.0.x', '3.0.0', 1].map((version) => ['/version', version]),
    good: ['1.0', '1.0.0', '1.0.9', '1.0.10'].map((version) => ['/version', version]),
  },
  {
    rule: 'XAPI-00102',
    says: 'a length is a whole number',
    bad: [undefined, '27', 2.5, -1, 1e300].map((n) => ['/attachments/0/length', n]),
  },
  {
    rule: 'XAPI-00103',
    says: 'a sha2 is the hex of a SHA-2',
    bad: [undefined, 'x', 7, 'ab'.repeat(20)].map((sha) => ['/attachments/0/sha2', sha]),
    good: [['/attachments/0/sha2', 'aB'.repeat(64)]],
  },
  { rule: 'XAPI-00104', says: 'a fileUrl is an IRL', bad: [['/attachments/0/fileUrl', 'log.txt']] },
  {
    rule: 'XAPI-00105',
    says: 'a contentType is a media type',
    bad: [undefined, 'text', 5, 'text/plain; charset'].map((type) => ['/attachments/0/contentType', type]),
  },
  {
    rule: 'XAPI-00106',
    says: 'an attachment has a display, which is a language map',
    bad: [undefined, 'Log', 1].map((map) => ['/attachments/0/display', map]),
  },
  {
    rule: 'XAPI-00107',
    says: 'an attachment has a usage, which is an IRI',
    bad: [undefined, 'log'].map((usage) => ['/attachments/0/usageType', usage]),
  },
  {
    rule: 'XAPI-00115',
    says: 'a signature has the media type application/octet-stream',
    bad: [['/attachments/0/usageType', SIGNATURE, '/attachments/0/contentType']],
  },
  {
    rule: 'XAPI-00118',
    says: 'keys of extensions are IRIs',
    bad: [
      ['/result/extensions/fuel', 1],
      ['/context/extensions/', 1],
      ['/object/definition/extensions/a~1b~0c', 1],
    ],
  },
  {
    rule: 'XAPI-00121',
    says: 'keys of language maps are tags by RFC 5646',
    bad: [
      ['/verb/display/english_us', 'x'],
      ['/object/definition/choices/0/description/', 'x'],
      ['/attachments/0/display/a-1', 'x'],
    ],
  },
  {
    rule: 'XAPI-00123',
    says: 'a timestamp is one of ISO 8601, without the offset -00',
    bad: ['', 'now', 1, '2026-13-01T00:00:00Z', '2026-03-04T05:06:07-00:00', '2026-03-04'].map((time) => [
      '/timestamp',
      time,
    ]),
  },
  {
    rule: 'XAPI-00123',
    says: 'stored is checked, though it is replaced',
    only: 'statement',
    bad: [['/stored', 'now']],
  },
  {
    rule: 'XAPI-00124',
    says: 'a duration is one of ISO 8601, by designators',
    bad: ['', 'P', '1h', 3600, 'P1Y2W'].map((time) => ['/result/duration', time]),
  },
]

for (const { rule, says, bad = [], good = [], only } of RULES)
  test(`${rule}: ${says}`, () => {
    assert.ok(bad.length > 0)
    for (const version of VERSIONS)
      for (const [base, prefix] of only
        ? ([[whole(), '']] as const)
        : ([
            [whole(), ''],
            [planned(), '/object'],
          ] as const)) {
        for (const [at, value, ...places] of bad) {
          const found = findFaults(put(base, prefix + at, value), version)
          const expected = (places.length ? places : [at]).map((place) => [prefix + place, rule])
          assert.deepEqual(
            found.filter((fault) => fault.rule === rule).map((fault) => [fault.pointer, fault.rule]),
            expected,
            `${version} ${at} ${JSON.stringify(value)} ${JSON.stringify(found)}`,
          )
        }
        for (const [at, value] of good)
          assert.deepEqual(
            findFaults(put(base, prefix + at, value), version),
            [],
            `${version} ${at} ${JSON.stringify(value)}`,
          )
      }
  })
