import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withdrawConsent } from '../apps/apps.ts'
import { blockPerson } from '../friends/blocks.ts'
import { requestFriend } from '../friends/friends.ts'
import { SEARCH_VERSION, searchKeys } from '../search/keys.ts'
import { type TestApp, testApp } from '../testing.ts'
import { importContent } from './imports.ts'
import { checkFile } from './rules.ts'
import { all, refused, who } from './testing.ts'

const run = (app: TestApp, people: readonly object[], more: object = {}) =>
  importContent(app.platform.environments, who(), { content: { people, ...more } })

/** What production counts. */
const count = async (app: TestApp, people: readonly object[], more: object = {}) =>
  (await run(app, people, more)).production!.people

const yearsAgo = (years: number): string => {
  const day = new Date()
  day.setUTCFullYear(day.getUTCFullYear() - years)
  return day.toISOString().slice(0, 10)
}
const CHILD = yearsAgo(8)

const readPerson = async (app: TestApp, handle: string) =>
  (await app.sql(`select * from people where handle_key = '${handle}'`))[0]!
const idOf = async (app: TestApp, handle: string) => Number((await readPerson(app, handle)).id)
const parentsOf = async (app: TestApp, child: string) =>
  (
    await app.sql(
      `select p.handle_key from guardians g join people p on p.id = g.parent_id join people c on c.id = g.child_id
        where c.handle_key = '${child}' order by 1`,
    )
  ).map((row) => row.handle_key)
const friendships = (app: TestApp, environment: 'production' | 'sandbox' = 'production') =>
  app.sql(
    `select least(a.handle_key, b.handle_key) as one, greatest(a.handle_key, b.handle_key) as other,
            f.accepted_at is not null as accepted, f.is_quiet as quiet
       from friendships f join people a on a.id = f.asker_id join people b on b.id = f.asked_id order by 1, 2`,
    environment,
  )
const usersOf = (app: TestApp, name: string, environment: 'production' | 'sandbox' = 'production') =>
  app.sql(
    `select p.handle_key, u.user_id, u.allowed_at, u.withdrawn_at is not null as withdrawn
       from app_users u join apps a on a.id = u.app_id join people p on p.id = u.person_id
      where a.name = '${name}' order by 1`,
    environment,
  )

test('what an organisation says about somebody arrives, stays where a file is silent, and goes with null', async (t) => {
  const app = await testApp(t)
  const noor = {
    handle: '@noor',
    gender: ' non-binary ',
    position: 'Examiner',
    accountType: 'Character',
    service: { jobTitle: 'Examiner', militaryGrade: 'O-4' },
  }
  assert.deepEqual(await count(app, [noor]), all(1, 0, 0))
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
  assert.deepEqual(await count(app, [noor]), all(0, 0, 1))
  assert.deepEqual(await count(app, [{ handle: '@noor' }]), all(0, 0, 1))
  assert.deepEqual(await told(), first)
  // An object replaces the whole object, in whatever order it comes.
  assert.deepEqual(await count(app, [{ handle: '@noor', service: { militaryGrade: 'O-4' } }]), all(0, 1, 0))
  assert.deepEqual((await told()).service, { militaryGrade: 'O-4' })
  const empty = { handle: '@noor', gender: null, position: '', accountType: null, service: {} }
  assert.deepEqual(await count(app, [empty]), all(0, 1, 0))
  assert.deepEqual(await told(), { gender: null, position: null, account_kind: null, service: {} })
  assert.deepEqual(await count(app, [empty]), all(0, 0, 1))
})

test('fields of people that are not what they must be are named with their place', () => {
  const { mistakes } = checkFile(
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
      'people[0].gender: must be one line of 0 to 100 characters that can be seen, or null for none',
      'people[0].position: must be one line of 0 to 100 characters that can be seen, or null for none',
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
      'people[5].friends[1]: must be somebody else',
    ],
  )
})

test('handles of anonymous users, and names that cannot be seen, are refused', () => {
  const heap = `a${'\u0301'.repeat(99)}`
  const { mistakes } = checkFile(
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
  const line = (min: number, max: number) => `must be one line of ${min} to ${max} characters that can be seen`
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
      'people[2].country: must be the two capital letters of a country, such as DE, or null for none',
      'people[2].service: must be an object',
      'people[2].organisations: must be an object',
      `apps[0].name: ${line(1, 200)}`,
      'people[1].handle: must be another, because users that apps make up are called @anonymous…',
    ],
  )
})

test('whoever is named and neither in the file nor in the environment is a mistake', async (t) => {
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
    'people[0].parents[1]: is no person of this file or of production',
    'people[0].friends[0]: is no person of this file or of production',
    'people[0].friends[1]: is no person of this file or of production',
    'people[0].apps[1]: is no app of this file or of production',
  ])
})

test('parents are replaced as a list, and a child whose last parent ends is found by nobody', async (t) => {
  const app = await testApp(t)
  const family = (parents: string[] | undefined) => [
    { handle: '@kid', dateOfBirth: CHILD, ...(parents && { parents }) },
    { handle: '@mum' },
  ]
  assert.deepEqual(await count(app, family(['MUM', '@avery'])), all(2, 0, 0))
  assert.deepEqual(await parentsOf(app, 'kid'), ['avery', 'mum'])
  assert.equal((await readPerson(app, 'kid')).public_search, false)
  // What a parent decides stays, also when one of two ends.
  await app.sql(`update people set public_search = true where handle_key = 'kid'`)
  assert.deepEqual(await count(app, family(['@avery', '@mum', '@mum'])), all(0, 0, 2))
  assert.deepEqual(await count(app, family(undefined)), all(0, 0, 2))
  assert.deepEqual(await count(app, family(['@mum'])), all(0, 1, 1))
  assert.deepEqual(await parentsOf(app, 'kid'), ['mum'])
  assert.deepEqual(await count(app, family(['@avery'])), all(0, 1, 1))
  assert.equal((await readPerson(app, 'kid')).public_search, true)
  assert.deepEqual(await count(app, family([])), all(0, 1, 1))
  assert.deepEqual(await parentsOf(app, 'kid'), [])
  assert.equal((await readPerson(app, 'kid')).public_search, false)
  assert.deepEqual(await count(app, family([])), all(0, 0, 2))
})

test('parents are grown-ups who look after children, whether the file says so or the environment', async (t) => {
  const app = await testApp(t)
  const wrong = [
    { handle: '@kid', dateOfBirth: CHILD, parents: ['@KID', '@other'], publicSearch: true },
    { handle: '@other', dateOfBirth: yearsAgo(17) },
    { handle: '@teen', dateOfBirth: yearsAgo(13), parents: ['@mum'], publicSearch: true },
    { handle: '@mum', parents: [] },
  ]
  assert.deepEqual(await refused(run(app, wrong)), [
    'people[0].parents[0]: must be somebody else',
    'people[0].publicSearch: must be left out for a child; a parent turns it on',
    'people[0].parents[0]: must be an adult',
    'people[0].parents[1]: must be an adult',
  ])

  await run(app, [
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
  assert.deepEqual(await refused(run(app, later)), [
    'people[0].parents[1]: must be an adult',
    'people[1].parents[0]: must be an adult',
    'people[2].parents[0]: must be an adult',
  ])
  later[3]!.dateOfBirth = yearsAgo(40)
  assert.deepEqual(await refused(run(app, later)), [
    'people[0].publicSearch: must be left out for a child; a parent turns it on',
    'people[0].parents[0]: must be an adult',
    ...[1, 2].map(
      (i) =>
        `people[${i}].parents: must be left out or empty, because the person has no dateOfBirth and counts as grown up`,
    ),
  ])
  assert.deepEqual(await refused(run(app, [{ handle: '@mum', dateOfBirth: CHILD }])), [
    'people[0].dateOfBirth: must not make a child of somebody who looks after one',
  ])
  assert.deepEqual(await parentsOf(app, 'kid'), ['mum'])
})

test('somebody whom a file makes a child is found by nobody, until a parent decides', async (t) => {
  const app = await testApp(t)
  await run(app, [{ handle: '@kid', publicSearch: true, apps: ['first'] }])
  const isFound = async () =>
    (await app.sql(`select from findable_users f join people p on p.id = f.person_id where handle_key = 'kid'`))
      .length === 1
  assert.ok(await isFound())
  assert.deepEqual(await count(app, [{ handle: '@kid', dateOfBirth: CHILD }]), all(0, 1, 0))
  assert.equal((await readPerson(app, 'kid')).public_search, false)
  assert.ok(!(await isFound()))
  // A parent turns it on; another import does not turn it off, not even with another day.
  await app.sql(`update people set public_search = true where handle_key = 'kid'`)
  assert.deepEqual(await count(app, [{ handle: '@kid', dateOfBirth: yearsAgo(9) }]), all(0, 1, 0))
  assert.ok(await isFound())
  assert.deepEqual(await count(app, [{ handle: '@kid', publicSearch: false }]), all(0, 1, 0))
  assert.ok(!(await isFound()))
})

test('friends become friends once, in both environments, whichever side lists them', async (t) => {
  const app = await testApp(t)
  const people = [
    { handle: '@noor', friends: ['@AVERY', 'blake', 'blake'] },
    { handle: '@blake', friends: ['@noor'] },
    { handle: '@avery' },
  ]
  assert.deepEqual(await count(app, people), all(1, 1, 1))
  for (const environment of ['production', 'sandbox'] as const) {
    assert.deepEqual(await friendships(app, environment), [
      { one: 'avery', other: 'noor', accepted: true, quiet: false },
      { one: 'blake', other: 'noor', accepted: true, quiet: false },
    ])
  }
  assert.deepEqual(await count(app, people), all(0, 0, 3))
  // Lists only add: what is not listed stays.
  assert.deepEqual(await count(app, [{ handle: '@noor', friends: [] }]), all(0, 0, 1))
  assert.deepEqual(await count(app, [{ handle: '@noor', friends: ['@casey'] }]), all(0, 1, 0))
  assert.equal((await friendships(app)).length, 3)
})

test('a request that waits is accepted by an import, and a block is not overridden', async (t) => {
  const app = await testApp(t)
  const { db } = app.environment()
  const [avery, blake, casey] = await Promise.all(['avery', 'blake', 'casey'].map((handle) => idOf(app, handle)))
  await app.sql('update people set public_search = true')
  await requestFriend(db, who(), { personId: blake!, otherId: avery!, by: 'person' })
  await app.sql(`insert into declines values (${blake}, ${avery}, now())`)
  await blockPerson(db, who(), { personId: casey!, otherId: avery!, by: 'person' })
  const people = [{ handle: '@avery', friends: ['@blake', '@casey'] }]
  assert.deepEqual(await count(app, people), all(0, 1, 0))
  assert.deepEqual(await friendships(app), [{ one: 'avery', other: 'blake', accepted: true, quiet: false }])
  assert.deepEqual(await app.sql('select * from declines'), [])
  assert.deepEqual(await count(app, people), all(0, 0, 1))
})

async function untilSomebodyWaits(app: TestApp): Promise<void> {
  const deadline = Date.now() + 5000
  const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  while ((await app.sql(waiting)).length === 0) assert.ok(Date.now() < deadline, 'nobody waits')
}

test('somebody who blocks at the same moment is not made a friend', async (t) => {
  const app = await testApp(t)
  const { db } = app.environment()
  const [avery, blake] = await Promise.all(['avery', 'blake'].map((handle) => idOf(app, handle)))
  await app.sql('update people set public_search = true')
  const importing = await db.transaction(async (tx) => {
    await blockPerson(tx, who(), { personId: blake!, otherId: avery!, by: 'person' })
    const result = run(app, [{ handle: '@avery', friends: ['@blake'] }])
    await untilSomebodyWaits(app)
    return { result }
  })
  await importing.result
  assert.deepEqual(await friendships(app), [])
  assert.equal((await friendships(app, 'sandbox')).length, 1)
})

test('nobody gets more friends than anybody may have', async (t) => {
  const app = await testApp(t)
  const crowd = Array.from({ length: 1001 }, (_, i) => ({ handle: `@c${i}`, friends: ['@avery'] }))
  assert.deepEqual(await refused(importContent([app.environment()], who(), { content: { people: crowd } })), [
    '@avery: would have more than 1000 friends',
  ])
  assert.deepEqual(await friendships(app), [])
  await importContent([app.environment()], who(), { content: { people: crowd.slice(1) } })
  assert.equal((await friendships(app)).length, 1000)
})

test('a crowd that is imported can be drawn at random as soon as it is there', async (t) => {
  const app = await testApp(t)
  const crowd = Array.from({ length: 1500 }, (_, i) => ({ handle: `@crowd${i}`, publicSearch: true, apps: ['first'] }))
  await run(app, crowd)
  const [row] = await app.sql(`select count(*)::int as found, count(place)::int as placed from findable_users`)
  assert.deepEqual(row, { found: 1500, placed: 1500 })
})

test('an import makes people users of apps, who are found there and still asked for consent', async (t) => {
  const app = await testApp(t)
  const apps = [{ key: 'logbook', name: 'Logbook' }]
  const people = [
    { handle: '@noor', firstName: 'Noor', publicSearch: true, apps: ['logbook', 'first', 'first'] },
    { handle: '@hidden', apps: ['logbook'] },
    { handle: '@avery', apps: ['logbook'] },
  ]
  assert.deepEqual(await count(app, people, { apps }), all(2, 1, 0))
  for (const environment of ['production', 'sandbox'] as const) {
    const users = await usersOf(app, 'Logbook', environment)
    assert.deepEqual(
      users.map((user) => [user.handle_key, user.allowed_at]),
      [
        ['avery', null],
        ['hidden', null],
        ['noor', null],
      ],
    )
    for (const { user_id } of users) assert.match(String(user_id), /^[\w-]{22}$/)
    const found = await app.sql(
      `select p.handle_key, a.name from findable_users f join people p on p.id = f.person_id join apps a on a.id = f.app_id
        order by 2`,
      environment,
    )
    assert.deepEqual(found, [
      { handle_key: 'noor', name: 'Logbook' },
      { handle_key: 'noor', name: 'first' },
    ])
  }
  const before = await usersOf(app, 'Logbook')
  assert.deepEqual(await count(app, people, { apps }), all(0, 0, 3))
  assert.deepEqual(await count(app, [{ handle: '@noor', apps: [] }]), all(0, 0, 1))
  assert.deepEqual(await usersOf(app, 'Logbook'), before)
})

test('whoever is a user of an app already keeps their id, and whoever has withdrawn stays away', async (t) => {
  const app = await testApp(t)
  const avery = await app.as('avery')
  await app.as('blake')
  const { db } = app.environment()
  await withdrawConsent(db, who(), { clientId: 'gs-first', personId: await idOf(app, 'blake') })
  const before = await usersOf(app, 'first')
  const people = ['@avery', '@blake'].map((handle) => ({ handle, publicSearch: true, apps: ['first'] }))
  await run(app, people)
  assert.deepEqual(await usersOf(app, 'first'), before)
  assert.equal((await avery.get('/app/v1/bucket/list')).status, 200)
  const found = await app.sql('select user_id from findable_users')
  assert.deepEqual(found, [{ user_id: avery.userId }])
  assert.deepEqual(await count(app, people), all(0, 0, 2))
})

test('people go on to sign in to an app while a file with that app is imported', async (t) => {
  const app = await testApp(t)
  const { db } = app.environment()
  await app.sql('update people set public_search = true')
  const importing = await db.transaction(async (tx) => {
    await blockPerson(tx, who(), {
      personId: await idOf(app, 'casey'),
      otherId: await idOf(app, 'avery'),
      by: 'person',
    })
    const result = run(app, [{ handle: '@avery', lastName: 'Berg', apps: ['first'] }], {
      apps: [{ key: 'first', name: 'first' }],
    })
    await untilSomebodyWaits(app)
    assert.equal((await (await app.as('blake')).get('/app/v1/bucket/list')).status, 200)
    return { result }
  })
  assert.deepEqual((await importing.result).production!.people, all(0, 1, 0))
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
  await run(app, [noor])
  assert.deepEqual(await keys(), expected('Ækström'))
  const isIndexed = async (key: string) => (await app.sql(`select from search_keys where key = '${key}'`)).length === 1
  assert.ok(await isIndexed('1aekstrom'))
  await run(app, [{ handle: '@noor', lastName: 'Berg' }])
  assert.deepEqual(await keys(), expected('Berg'))
  assert.ok(await isIndexed('1berg'))
  assert.ok(!(await isIndexed('1aekstrom')))
  // Keys of older rules are made anew.
  await app.sql(`update people set search_keys = '{}', search_version = 0 where handle_key = 'noor'`)
  assert.deepEqual(await count(app, [{ handle: '@noor' }]), all(0, 1, 0))
  assert.deepEqual(await keys(), expected('Berg'))
})

test('thousands of people become users and friends in a few statements', async (t) => {
  const app = await testApp(t)
  const people = Array.from({ length: 3000 }, (_, i) => ({
    handle: `@p${i}`,
    publicSearch: true,
    apps: ['first'],
    friends: [`@p${(i + 1) % 3000}`],
  }))
  let statements = 0
  const { name, secretHashKey, db } = app.environment()
  const counted: typeof db = {
    ...db,
    transaction: (work) =>
      db.transaction((tx) =>
        work({
          ...tx,
          all: (statement, params) => {
            statements++
            return tx.all(statement, params)
          },
        }),
      ),
  }
  await importContent([{ name, secretHashKey, db: counted }], who(), { content: { people } })
  assert.ok(statements > 9 && statements < 40, `${statements} statements`)
  assert.equal((await friendships(app)).length, 3000)
  const [found] = await app.sql('select count(*)::int as users from findable_users')
  assert.equal(found!.users, 3000)
})
