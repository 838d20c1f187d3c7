import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tidy } from '../../operations/platform/upkeep.ts'
import { readPages } from '../../operations/testing/pages.ts'
import { type Client, type TestApp, testApp } from '../../operations/testing/testing.ts'
import { settlePeople } from './testing.ts'

/** Tests of searches in which more people match equally well than are ranked. */

const UNLIMITED = { RATE_SEARCH_PER_SECOND: '1000000', RATE_SEARCH_BURST: '1000000' }

const crowd = (count: number, handle: string, first: string, last: string) =>
  Array.from({ length: count }, (_, i) => [`@${handle}${i}`, first, last] as const)

async function search(
  client: Client,
  term: string,
  limit: number,
  page = 1,
): Promise<{ found: string[]; total: number }> {
  const query = `term=${encodeURIComponent(term)}&limit=${limit}&page=${page}`
  const { status, body, text } = await client.get(`/user/v1/search?${query}`)
  assert.equal(status, 200, text)
  return { found: body.docs.map((entry: { handle: string }) => entry.handle), total: body.total }
}

const find = async (client: Client, term: string, limit = 10): Promise<string[]> =>
  (await search(client, term, limit)).found

async function findAll(client: Client, term: string, limit: number): Promise<string[]> {
  const pages = await readPages(
    1,
    (page) => search(client, term, limit, page),
    ({ found }, number) => (found.length < limit ? undefined : number + 1),
  )
  return pages.flatMap(({ found }) => found)
}

const hide = (app: TestApp, handles: string) =>
  app.sql(`update people set public_search = false where handle_key ~ '${handles}'`)
const show = (app: TestApp, handles: string) =>
  app.sql(`update people set public_search = true where handle_key ~ '${handles}'`)
const block = (app: TestApp, blocker: string, blocked: string) =>
  app.sql(`
    insert into blocks (blocker_id, blocked_id, created_at)
    select a.id, b.id, now() from people a, people b where a.handle_key ~ '${blocker}' and b.handle_key ~ '${blocked}'`)
const unblock = (app: TestApp) => app.sql('delete from blocks')

const TORVUNDS = [
  ...crowd(250, 'wt', 'Wilma', 'Torvund'),
  ...crowd(250, 'gt', 'Greta', 'Torvund'),
  ...crowd(250, 'wg', 'Wilma Greta', 'Xylander'),
  ['@twreal', 'Wilma Greta', 'Torvund'],
] as const

test('a person who matches all words comes first, however many older accounts match some', async (t) => {
  const app = await testApp(t, UNLIMITED)
  const tom = (i: number) => [
    [`@tom${i}`, 'Tom', 'van der Berg'] as const,
    [`@tommy${i}`, 'Tom', 'van der Berg Lee'] as const,
  ]
  await settlePeople(app, [
    ...TORVUNDS,
    ...[0, 1, 2, 3, 4].flatMap((i) => [
      ...tom(i),
      ...Array.from(
        { length: 80 },
        (_, j) => [`@vdb${i}.${j}`, `Uwe${String.fromCharCode(97 + (j % 26))}`, 'van der Berg'] as const,
      ),
    ]),
    ...crowd(250, 'falcon.', 'Other', 'Name'),
    ...crowd(250, 'zed', 'Zedekiah', 'Moon'),
    ['@falcon.zz', 'Zedekiah', 'Moor'],
  ])
  const avery = await app.as('avery')

  await t.test('of three, in any order, with a slip, or with the last of them unfinished', async () => {
    for (const term of [
      'wilma greta torvund',
      'wilma torvund greta',
      'greta wilma torvund',
      'greta torvund wilma',
      'torvund wilma greta',
      'torvund greta wilma',
      'wilma greta torvnd',
      'torvnd greta wilma',
      'greta wilma torv',
      'wilma greta torvun',
    ])
      assert.equal((await find(avery, term))[0], '@twreal', term)
  })
  await t.test('of four, and exact names before longer names that contain them', async () => {
    for (const term of [
      'van der Berg Tom',
      'van-der-Berg, Tom',
      'Berg Tom van der',
      'der van tom berg',
      'Tom van dr Berg',
    ]) {
      const found = await findAll(avery, term, 100)
      assert.deepEqual(found.slice(0, 5).sort(), ['@tom0', '@tom1', '@tom2', '@tom3', '@tom4'], term)
      assert.deepEqual(found.slice(5, 10).sort(), ['@tommy0', '@tommy1', '@tommy2', '@tommy3', '@tommy4'], term)
      assert.ok(
        found.slice(10).every((handle) => handle.startsWith('@vdb')),
        term,
      )
    }
  })
  await t.test('and three of four before two of them', async () => {
    assert.equal((await find(avery, 'wilma greta torvund qqzzyy'))[0], '@twreal')
    assert.equal((await find(avery, 'qqzzyy torvund greta wilma'))[0], '@twreal')
  })
  await t.test('of a name and a handle', async () => {
    assert.equal((await find(avery, 'zedekiah falcon'))[0], '@falcon.zz')
    assert.equal((await find(avery, 'falcon zedekiah'))[0], '@falcon.zz')
  })
  await t.test('pages of any size have the same people in the same order, each once', async () => {
    for (const term of ['torvund greta wilma', 'van der Berg Tom', 'zedekiah falcon', 'wilma greta torv']) {
      const all = await findAll(avery, term, 100)
      assert.equal(all.length, 200)
      assert.equal(new Set(all).size, 200)
      for (const limit of [7, 33, 50]) assert.deepEqual(await findAll(avery, term, limit), all, `${term} ${limit}`)
    }
  })
  await t.test('a block looks like public search that is off', async () => {
    const terms = ['torvund greta wilma', 'wilma greta torvnd', 'wilma greta torv', 'van der Berg Tom']
    const findEach = async () => Promise.all(terms.map((term) => findAll(avery, term, 100)))
    const hidden = '^(wt1|gt2|wg[0-9]$|tom2|vdb1|twreal)'
    await block(app, hidden, '^avery$')
    const blocked = await findEach()
    await unblock(app)
    assert.notDeepEqual(await findEach(), blocked)
    await hide(app, hidden)
    assert.deepEqual(await findEach(), blocked)
    await tidy(app.environment())
    assert.deepEqual(await findEach(), blocked)
  })
})

test('an exact match of the handle comes first of all', async (t) => {
  const app = await testApp(t, UNLIMITED)
  const dotted = Array.from({ length: 260 }, (_, i) => {
    const letters = [...'bobsmithjr'].map((letter, at) => (at > 0 && ((i + 1) >> (at - 1)) & 1 ? `.${letter}` : letter))
    return [`@${letters.join('')}`, 'Fake', 'Person'] as const
  })
  await settlePeople(app, [
    ...['mar.ialopez', 'maria_lopez', 'maria-lopez', 'Maria.Lopez', 'marialopez'].map(
      (handle, i) => [`@${handle.toLowerCase()}`, 'Some', `One${i}`] as const,
    ),
    ...dotted,
    ['@bobsmithjr', 'Real', 'Bob'],
    ['@a.b.c1', 'Dotted', 'One'],
    ['@a.bc1', 'Dotted', 'Two'],
    ['@abc-1', 'Dotted', 'Three'],
  ])
  const avery = await app.as('avery')
  for (const handle of [
    '@maria.lopez',
    '@marialopez',
    '@maria-lopez',
    '@mar.ialopez',
    '@abc-1',
    '@a.b.c1',
    '@a.bc1',
    '@bobsmithjr',
  ])
    for (const term of [handle, handle.slice(1), handle.toUpperCase(), ` ${handle} `])
      assert.equal((await find(avery, term))[0], handle, term)
  const all = await findAll(avery, '@bobsmithjr', 100)
  assert.deepEqual([all.length, new Set(all).size, all[0]], [200, 200, '@bobsmithjr'])
  assert.deepEqual(await findAll(avery, '@bobsmithjr', 30), all)
  await block(app, '^bobsmithjr$', '^avery$')
  const blocked = await findAll(avery, '@bobsmithjr', 100)
  assert.deepEqual(blocked.length, 200)
  assert.ok(!blocked.includes('@bobsmithjr'))
  await unblock(app)
  await hide(app, '^bobsmithjr$')
  assert.deepEqual(await findAll(avery, '@bobsmithjr', 100), blocked)
})

test('a word that only hidden people have counts as an unused one', async (t) => {
  const app = await testApp(t, UNLIMITED)
  const words =
    'Quorvit Quorvitha Quorvich Quorvath Quarvith Quirvith Quorbith Cuorvith Qorvith Quorvix Quorvid Quorviph'
  await settlePeople(app, [
    ...words.split(' ').map((word, i) => [`@qn${i}`, 'Quentin', word] as const),
    ['@hider', 'Quentin', 'Quorvith'],
    ['@other', 'Selma', 'Abernathy'],
  ])
  const avery = await app.as('avery')
  const terms = [
    'quorvith',
    'quorvit',
    'quorvth',
    'quorvithe',
    'quentin quorvith',
    'quorvith quentin',
    'quentin quorvth',
  ]
  const more = ['hider', 'hide', 'selma quorvith', 'quentin quorvith selma', 'quorvih quentni', 'quentin hider']
  const findEach = async () => Promise.all([...terms, ...more].map((term) => search(avery, term, 100)))
  const seen = await findEach()
  for (const [i, term] of terms.entries()) assert.ok(seen[i]!.found.includes('@hider'), term)
  await hide(app, '^hider$')
  await tidy(app.environment())
  const gone = await findEach()
  assert.ok(gone[0]!.total > seen[0]!.total, 'slips are forgiven more where there is no such word')
  await show(app, '^hider$')
  assert.deepEqual(await findEach(), seen)
  await t.test('because of a block, in either direction', async () => {
    await block(app, '^hider$', '^avery$')
    assert.deepEqual(await findEach(), gone)
    await unblock(app)
    await block(app, '^avery$', '^hider$')
    assert.deepEqual(await findEach(), gone)
    await unblock(app)
  })
  await t.test('because public search is off, before it is tidied', async () => {
    await hide(app, '^hider$')
    assert.deepEqual(await findEach(), gone)
    await show(app, '^hider$')
    assert.deepEqual(await findEach(), seen)
  })
})
