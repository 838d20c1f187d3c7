import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SEARCH_VERSION, searchKeys } from '../../identity/people/search-keys.ts'
import { IMPORT_SECTIONS } from '../../operations/platform/import-sections.ts'
import { type TestApp, testApp } from '../../operations/testing/testing.ts'
import { importContent } from './imports.ts'
import { checkFile } from './rules.ts'
import { all, countPeople, readPerson, refused, runPeople, who } from './testing.ts'

const yearsAgo = (years: number): string => {
  const day = new Date()
  day.setUTCFullYear(day.getUTCFullYear() - years)
  return day.toISOString().slice(0, 10)
}
const CHILD = yearsAgo(8)

const parentsOf = async (app: TestApp, child: string) =>
  (
    await app.sql(
      `select p.handle_key from guardians g join people p on p.id = g.parent_id join people c on c.id = g.child_id
        where c.handle_key = '${child}' order by 1`,
    )
  ).map((row) => row.handle_key)

test('details from an organisation are imported, stay if a later file omits them, and are cleared by null', async (t) => {
  const app = await testApp(t)
  const noor = {
    handle: '@noor',
    gender: ' non-binary ',
    position: 'Examiner',
    accountType: 'Character',
    service: { jobTitle: 'Examiner', militaryGrade: 'O-4' },
  }
  assert.deepEqual(await countPeople(app, [noor]), all(1, 0, 0))
  const told = async () => {
    const { gender, position, account_kind, service } = await readPerson(app, 'noor')
    return { gender, position, account_kind, service }
  }
  const first = {
    gender: 'non-binary',
    position: 'Examiner',
    account_kind: 'Character',
    service: { militaryGrade: 'O-4', jobTitle: 'Examiner' },
  }
  assert.deepEqual(await told(), first)
  assert.deepEqual(await countPeople(app, [noor]), all(0, 0, 1))
  assert.deepEqual(await countPeople(app, [{ handle: '@noor' }]), all(0, 0, 1))
  assert.deepEqual(await told(), first)
  // An object in the file replaces the stored object; the order of its fields does not matter.
  assert.deepEqual(await countPeople(app, [{ handle: '@noor', service: { militaryGrade: 'O-4' } }]), all(0, 1, 0))
  assert.deepEqual((await told()).service, { militaryGrade: 'O-4' })
  const empty = { handle: '@noor', gender: null, position: '', accountType: null, service: {} }
  assert.deepEqual(await countPeople(app, [empty]), all(0, 1, 0))
  assert.deepEqual(await told(), { gender: null, position: null, account_kind: null, service: {} })
  assert.deepEqual(await countPeople(app, [empty]), all(0, 0, 1))
})

test('invalid fields of people are reported with their places', () => {
  const { mistakes } = checkFile(
    IMPORT_SECTIONS,
    {
      people: [
        { handle: '@a', gender: 'x'.repeat(101), position: 'two\nlines', accountType: 'Parent' },
        { handle: '@b', service: { shoeSize: '44' } },
        { handle: '@c', service: { jobTitle: '' } },
        { handle: '@d', service: [], parents: '@a', friends: [7], apps: { first: true } },
        { handle: '@e', parents: ['@a', '@b', '@c', '@d', '@f'], friends: Array(1001).fill('@a'), apps: [''] },
        { handle: '@f', friends: ['@a', 'F'] },
      ],
    },
    new Date(),
  )
  assert.deepEqual(
    mistakes.filter((mistake) => !mistake.includes('].friends[5')),
    [
      'people[0].gender: must be one line of 0 to 100 visible characters, or null for none',
      'people[0].position: must be one line of 0 to 100 visible characters, or null for none',
      'people[0].accountType: must be Character or Community, or null for none',
      ...[1, 2, 3].map(
        (i) =>
          `people[${i}].service: must be an object of militaryGrade, displayRank, displayDutyTitle, civilianGrade, civilianBand, jobSeriesNumber, jobTitle, each a text of 1 to 100 characters`,
      ),
      'people[3].parents: must be a list of at most 4 handles',
      'people[3].friends: must be a list of at most 1000 handles',
      'people[3].apps: must be a list of at most 100 keys of apps',
      'people[4].parents: must be a list of at most 4 handles',
      'people[4].friends: must be a list of at most 1000 handles',
      'people[4].apps: must be a list of at most 100 keys of apps',
      'people[5].friends[1]: must be another user',
    ],
  )
})

test('handles of anonymous users and invisible names are refused', () => {
  const heap = `a${'\u0301'.repeat(99)}`
  const { mistakes } = checkFile(
    IMPORT_SECTIONS,
    {
      organisations: [{ key: 'o', name: '\u200b' }],
      people: [
        { handle: '@Admin', firstName: '\u200b', lastName: '\u3164', gender: '\u2800' },
        { handle: 'anonymous-abc', firstName: 'turned\u202e', lastName: heap },
        { handle: '@c', country: 'ZZ', email: 'a@b,c@d', service: { jobTitle: '\u00ad' }, organisations: { o: ' ' } },
        { handle: '@d', country: 'XK', email: 'd@example.org', firstName: ' ', lastName: 'Nguyễn', gender: '' },
      ],
      apps: [{ key: 'a', name: '\u2060' }],
    },
    new Date(),
  )
  const line = (min: number, max: number) => `must be one line of ${min} to ${max} visible characters`
  assert.deepEqual(
    mistakes.map((mistake) => mistake.replace(/ an object of .*/, ' an object')),
    [
      `organisations[0].name: ${line(1, 200)}`,
      `people[0].firstName: ${line(0, 100)}`,
      `people[0].lastName: ${line(0, 100)}`,
      `people[0].gender: ${line(0, 100)}, or null for none`,
      `people[1].firstName: ${line(0, 100)}`,
      `people[1].lastName: ${line(0, 100)}`,
      'people[2].email: must be an e-mail address, or null for none',
      'people[2].country: must be a two-letter country code, such as DE, or null for none',
      'people[2].service: must be an object',
      'people[2].organisations: must be an object',
      `apps[0].name: ${line(1, 200)}`,
      'people[1].handle: must be another handle: handles of anonymous users begin with @anonymous',
    ],
  )
})

test('a person who is neither in the file nor in the environment is a mistake', async (t) => {
  const app = await testApp(t)
  await app.sql(`update people set anonymous = true where handle_key = 'finley'`)
  const kid = { handle: '@kid', dateOfBirth: CHILD }
  const mistakes = await refused(
    importContent([app.environment()], who(), {
      content: {
        people: [{ ...kid, parents: ['@avery', '@none'], friends: ['@gone', '@finley'], apps: ['first', 'x'] }],
      },
    }),
  )
  assert.deepEqual(mistakes, [
    'people[0].parents[1]: refers to no person in this file or in production',
    'people[0].friends[0]: refers to no person in this file or in production',
    'people[0].friends[1]: refers to no person in this file or in production',
    'people[0].apps[1]: refers to no app in this file or in production',
  ])
})

test('a list of parents replaces the stored one, and a child without parents cannot be found', async (t) => {
  const app = await testApp(t)
  const family = (parents: string[] | undefined) => [
    { handle: '@kid', dateOfBirth: CHILD, ...(parents && { parents }) },
    { handle: '@mum' },
  ]
  assert.deepEqual(await countPeople(app, family(['MUM', '@avery'])), all(2, 0, 0))
  assert.deepEqual(await parentsOf(app, 'kid'), ['avery', 'mum'])
  assert.equal((await readPerson(app, 'kid')).public_search, false)
  // A parent has made the child findable. Imports keep that decision, even if they remove one of two parents.
  await app.sql(`update people set public_search = true where handle_key = 'kid'`)
  assert.deepEqual(await countPeople(app, family(['@avery', '@mum', '@mum'])), all(0, 0, 2))
  assert.deepEqual(await countPeople(app, family(undefined)), all(0, 0, 2))
  assert.deepEqual(await countPeople(app, family(['@mum'])), all(0, 1, 1))
  assert.deepEqual(await parentsOf(app, 'kid'), ['mum'])
  assert.deepEqual(await countPeople(app, family(['@avery'])), all(0, 1, 1))
  assert.equal((await readPerson(app, 'kid')).public_search, true)
  assert.deepEqual(await countPeople(app, family([])), all(0, 1, 1))
  assert.deepEqual(await parentsOf(app, 'kid'), [])
  assert.equal((await readPerson(app, 'kid')).public_search, false)
  assert.deepEqual(await countPeople(app, family([])), all(0, 0, 2))
})

test('parents are adults and their children are under 13, by the file or by the environment', async (t) => {
  const app = await testApp(t)
  const wrong = [
    { handle: '@kid', dateOfBirth: CHILD, parents: ['@KID', '@other'], publicSearch: true },
    { handle: '@other', dateOfBirth: yearsAgo(17) },
    { handle: '@teen', dateOfBirth: yearsAgo(13), parents: ['@mum'], publicSearch: true },
    { handle: '@mum', parents: [] },
  ]
  assert.deepEqual(await refused(runPeople(app, wrong)), [
    'people[0].parents[0]: must be another user',
    'people[0].publicSearch: must be left out for a child; a parent turns it on',
    'people[0].parents[0]: must be an adult',
    'people[0].parents[1]: must be an adult',
  ])

  await runPeople(app, [
    { handle: '@kid', dateOfBirth: CHILD, parents: ['@mum'] },
    { handle: '@mum' },
    { handle: '@other', dateOfBirth: CHILD },
    { handle: '@teen', dateOfBirth: yearsAgo(13), parents: ['@mum'] },
  ])
  assert.deepEqual(await parentsOf(app, 'kid'), ['mum'])
  assert.deepEqual(await parentsOf(app, 'teen'), [], 'nobody looks after who is thirteen')
  const later = [
    { handle: '@kid', parents: ['@other', '@mum'], publicSearch: true },
    { handle: '@nobody', parents: ['@mum'] },
    { handle: '@avery', parents: ['@mum'] },
    { handle: '@mum', dateOfBirth: yearsAgo(2) },
  ]
  assert.deepEqual(await refused(runPeople(app, later)), [
    'people[0].parents[1]: must be an adult',
    'people[1].parents[0]: must be an adult',
    'people[2].parents[0]: must be an adult',
  ])
  later[3]!.dateOfBirth = yearsAgo(40)
  assert.deepEqual(await refused(runPeople(app, later)), [
    'people[0].publicSearch: must be left out for a child; a parent turns it on',
    'people[0].parents[0]: must be an adult',
    ...[1, 2].map(
      (i) =>
        `people[${i}].parents: must be left out or empty, because the user has no dateOfBirth and counts as an adult`,
    ),
  ])
  assert.deepEqual(await refused(runPeople(app, [{ handle: '@mum', dateOfBirth: CHILD }])), [
    'people[0].dateOfBirth: must not be a child, because this user is a parent',
  ])
  assert.deepEqual(await parentsOf(app, 'kid'), ['mum'])
})

test('a person whom a file makes a child cannot be found until a parent decides', async (t) => {
  const app = await testApp(t)
  await runPeople(app, [{ handle: '@kid', publicSearch: true, apps: ['first'] }])
  const isFound = async () =>
    (await app.sql(`select from findable_users f join people p on p.id = f.person_id where handle_key = 'kid'`))
      .length === 1
  assert.ok(await isFound())
  assert.deepEqual(await countPeople(app, [{ handle: '@kid', dateOfBirth: CHILD }]), all(0, 1, 0))
  assert.equal((await readPerson(app, 'kid')).public_search, false)
  assert.ok(!(await isFound()))
  // A parent makes the child findable. Another import does not revert that, not even with another date of birth.
  await app.sql(`update people set public_search = true where handle_key = 'kid'`)
  assert.deepEqual(await countPeople(app, [{ handle: '@kid', dateOfBirth: yearsAgo(9) }]), all(0, 1, 0))
  assert.ok(await isFound())
  assert.deepEqual(await countPeople(app, [{ handle: '@kid', publicSearch: false }]), all(0, 1, 0))
  assert.ok(!(await isFound()))
})

test('people are found by the names that a file gives them', async (t) => {
  const app = await testApp(t)
  const keys = async () => {
    const { search_keys, search_version } = await readPerson(app, 'noor')
    return { search_keys, search_version }
  }
  const expected = (lastName: string) => ({
    search_keys: searchKeys({ handle: '@noor', firstName: 'Noor', lastName }),
    search_version: SEARCH_VERSION,
  })
  const noor = { handle: '@noor', firstName: 'Noor', lastName: 'Ækström', publicSearch: true, apps: ['first'] }
  await runPeople(app, [noor])
  assert.deepEqual(await keys(), expected('Ækström'))
  const isIndexed = async (key: string) => (await app.sql(`select from search_keys where key = '${key}'`)).length === 1
  assert.ok(await isIndexed('1aekstrom'))
  await runPeople(app, [{ handle: '@noor', lastName: 'Berg' }])
  assert.deepEqual(await keys(), expected('Berg'))
  assert.ok(await isIndexed('1berg'))
  assert.ok(!(await isIndexed('1aekstrom')))
  // Search keys that were built by an older version of the rules are rebuilt.
  await app.sql(`update people set search_keys = '{}', search_version = 0 where handle_key = 'noor'`)
  assert.deepEqual(await countPeople(app, [{ handle: '@noor' }]), all(0, 1, 0))
  assert.deepEqual(await keys(), expected('Berg'))
})
