import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call, signInBrowser } from '../../apps/account/testing.ts'
import { join } from '../../apps/anonymous/testing.ts'
import { through } from '../../apps/buckets/testing.ts'
import { tidy } from '../../operations/platform/upkeep.ts'
import { assertError, type Client, type Person, type TestApp, testApp } from '../../operations/testing/testing.ts'
import { searchKeys } from '../people/search-keys.ts'
import { loadCast } from './testing.ts'

const SEARCH = '/user/v1/search'
const RANDOM = '/user/v1/search/random'
const UNLIMITED = { RATE_SEARCH_PER_SECOND: '1000000', RATE_SEARCH_BURST: '1000000' }

const find = async (client: Client, term: string, more = ''): Promise<string[]> => {
  const answer = await client.get(`${SEARCH}?term=${encodeURIComponent(term)}${more}`)
  assert.equal(answer.status, 200, answer.text)
  return answer.body.docs.map((entry: { handle: string }) => entry.handle)
}
const draw = async (client: Client, count: number): Promise<string[]> =>
  (await client.get(`${RANDOM}?count=${count}`)).body.map((entry: { handle: string }) => entry.handle)

/** Sets people's names, turns public search on, and stores the search keys that the operations would compute. */
async function rename(app: TestApp, names: Partial<Record<Person, [first: string, last: string]>>): Promise<void> {
  for (const [handle, [firstName, lastName]] of Object.entries(names)) {
    const keys = searchKeys({ handle: `@${handle}`, firstName, lastName })
    await app.sql(
      `update people set first_name = '${firstName}', last_name = '${lastName}', public_search = true,
              search_keys = array[${keys.map((key) => `'${key}'`)}] where handle_key = '${handle}'`,
    )
  }
}
const set = (app: TestApp, person: string, what: string) =>
  app.sql(`update people set ${what} where handle_key = '${person}'`)

test('users of the app with public search on are found, and nobody else', async (t) => {
  const app = await testApp(t, UNLIMITED, { withSandbox: true })
  await rename(app, {
    avery: ['Avery', 'Lindqvist'],
    blake: ['Blake', 'Moreau'],
    casey: ['Casey', 'Okafor'],
    drew: ['Drew', 'Blakely'],
  })
  const avery = await app.as('avery')
  const blake = await app.as('blake')
  await app.as('casey', 'second')

  await t.test('in the shape of the interface, and with nothing but the declared fields (D8)', async () => {
    const answer = await avery.get(`${SEARCH}?term=blake`)
    assert.equal(answer.headers.get('cache-control'), 'no-store')
    assert.deepEqual(Object.keys(answer.body).sort(), ['docs', 'page', 'total'])
    assert.deepEqual([answer.body.page, answer.body.total], [1, 1])
    const [entry] = answer.body.docs
    assert.deepEqual(Object.keys(entry).sort(), [
      'accountType',
      'anonymous',
      'country',
      'coverPhoto',
      'firstName',
      'handle',
      'lastName',
      'profilePic',
      'userId',
      'userType',
    ])
    assert.equal(entry.userId, blake.userId)
    assert.deepEqual(
      (await avery.get(`${RANDOM}?count=25`)).body.map((one: object) => Object.keys(one).sort()),
      [Object.keys(entry).sort(), Object.keys(entry).sort()],
    )
  })
  await t.test('users of another app are not found, nor are people who never signed in', async () => {
    assert.deepEqual(await find(avery, 'casey'), [])
    assert.deepEqual(await find(avery, 'drew'), [])
    assert.deepEqual((await draw(avery, 25)).sort(), ['@avery', '@blake'])
  })
  await t.test('the same user has another id in another app', async () => {
    const elsewhere = await app.as('blake', 'second')
    const [entry] = (await (await app.as('avery', 'second')).get(`${SEARCH}?term=blake`)).body.docs
    assert.equal(entry.userId, elsewhere.userId)
    assert.notEqual(entry.userId, blake.userId)
    assert.notEqual(entry.profilePic, (await avery.get(`${SEARCH}?term=blake`)).body.docs[0].profilePic)
  })
  await t.test('never from the other environment', async () => {
    const sandbox = await app.as('avery', 'first', 'sandbox')
    assert.deepEqual(await find(sandbox, 'blake'), [])
    assert.deepEqual(
      (await draw(sandbox, 25)).filter((handle) => handle === '@blake'),
      [],
    )
  })
  for (const [why, off, on] of [
    ['public search is off', 'public_search = false', 'public_search = true'],
    ['they are disabled', 'disabled_at = now()', 'disabled_at = null'],
  ] as const) {
    await t.test(`not while ${why}`, async () => {
      await set(app, 'blake', off)
      assert.deepEqual([await find(avery, 'blake'), await draw(avery, 25)], [[], ['@avery']])
      await set(app, 'blake', on)
      assert.deepEqual(await find(avery, 'blake'), ['@blake'])
    })
  }
  await t.test('by their new name once they have one, and no longer by the old one', async () => {
    const browser = await signInBrowser(app, 'blake')
    const fresh = await app.as('blake')
    assert.equal((await call(browser, 'POST', '/account/v1/profile', { firstName: 'Quentin' })).status, 200)
    assert.deepEqual(await find(fresh, 'quentin'), ['@blake'])
    assert.deepEqual(await find(fresh, 'quentni moreau'), ['@blake'])
    assert.deepEqual(await find(fresh, 'blake'), ['@blake'], 'the handle is still the same')
  })
  await t.test('a child with the flags of its parent, who turned it on', async () => {
    await set(app, 'blake', `date_of_birth = now() - interval '9 years', proximity_friends = true`)
    const [entry] = (await avery.get(`${SEARCH}?term=quentin`)).body.docs
    assert.deepEqual(
      [entry.userType, entry.accountType, entry.parentFlags],
      ['child', 'Kid', { cameraDisabled: true, proximityFriends: true }],
    )
  })
})

test('search results and random samples show the current profile, as soon as it changes', async (t) => {
  const app = await testApp(t, UNLIMITED)
  await rename(app, { blake: ['Blake', 'Moreau'] })
  const avery = await app.as('avery')
  const blake = await app.as('blake')
  for (const [i, what] of [
    `handle = '@Blake', first_name = 'Bläke', last_name = 'van Moreau'`,
    `country = 'IS', account_kind = 'Community'`,
    `picture_version = 3, cover_version = 4`,
    `service = '{"displayRank": "Major"}'`,
    `account_kind = null, date_of_birth = now() - interval '9 years', camera_disabled = false, proximity_friends = true`,
    `date_of_birth = null, service = '{}'`,
  ].entries()) {
    await set(app, 'blake', what)
    const profile = (await avery.get(`/user/v1/profile?id=${blake.userId}`)).body
    assert.equal(profile.userId, blake.userId)
    assert.deepEqual((await avery.get(`${SEARCH}?term=blake`)).body.docs, [profile], what)
    assert.deepEqual(
      (await avery.get(RANDOM)).body.filter((one: { userId: string }) => one.userId === blake.userId),
      [profile],
      `${i}: ${what}`,
    )
  }
})

test('a person who withdraws consent disappears from search and random samples within a second, on every process', async (t) => {
  const app = await testApp(t, UNLIMITED)
  const second = await app.startSecond()
  const avery = await app.as('avery')
  const elsewhere = through(avery, second.addresses.production)
  await rename(app, { blake: ['Blake', 'Moreau'] })
  await app.as('blake')
  const browser = await signInBrowser(app, 'blake')
  assert.deepEqual([await find(avery, 'blake'), await find(elsewhere, 'blake')], [['@blake'], ['@blake']])
  assert.equal((await call(browser, 'POST', '/account/v1/app/withdraw', { clientId: 'gs-first' })).status, 200)
  assert.deepEqual([await find(avery, 'blake'), await find(elsewhere, 'blake')], [[], []])
  assert.ok(!(await draw(avery, 25)).includes('@blake'))
  await app.as('blake')
  assert.deepEqual(await find(elsewhere, 'blake'), ['@blake'], 'who consents again is back')
})

test('search terms are read tolerantly, and invalid ones are refused (D5)', async (t) => {
  const app = await testApp(t, UNLIMITED)
  await rename(app, { avery: ['Zoë', 'Ångström'], blake: ['İpek', 'Yıldız'], casey: ['José María', 'Muñoz'] })
  const avery = await app.as('avery')
  await app.as('blake')
  await app.as('casey')
  for (const term of [
    'zoe',
    'ZOE',
    'Zoë',
    'angstrom zoe',
    'zoe  ang',
    '@avery',
    'AVERY',
    'avrey',
    'angstorm',
    '\u202ezoe',
    'zo\u200be',
  ])
    assert.deepEqual((await find(avery, term))[0], '@avery', term)
  for (const term of ['ipek', 'IPEK', 'yildiz', 'Yıldız ipek', 'İPEK'])
    assert.deepEqual((await find(avery, term))[0], '@blake', term)
  for (const term of ['jose munoz', 'munoz maria', 'josemaria', 'Maria Muños'])
    assert.deepEqual((await find(avery, term))[0], '@casey', term)
  for (const term of ['%%', '__', '\\\\', "'; drop table people --", '😀😀', '؟؟', '..', 'zzqqxx'])
    assert.deepEqual(await find(avery, term), [], term)
  for (const term of ['', 'a', '%', '_', '\\', ' a ', 'x'.repeat(101), 'x'.repeat(10_000)])
    assert.equal((await avery.get(`${SEARCH}?term=${encodeURIComponent(term)}`)).status, 400, term.slice(0, 9))
  assertError(await avery.get(SEARCH), 400, 4001)
  for (const query of [
    'limit=1000000000',
    'limit=1e9',
    'limit=-1',
    'limit=NaN',
    'limit=0',
    'page=0',
    `page=${2 ** 53}`,
    'limit=101',
  ])
    assert.equal((await avery.get(`${SEARCH}?term=zoe&${query}`)).status, 400, query)
  for (const query of ['limit=', 'page=nil', 'page=1', 'limit=100'])
    assert.equal((await avery.get(`${SEARCH}?term=zoe&${query}`)).status, 200, query)
  const far = await avery.get(`${SEARCH}?term=zoe&page=1000000`)
  assert.deepEqual([far.body.docs, far.body.total, far.body.page], [[], 1, 1_000_000])
  for (const count of ['0', '26', '-1', 'NaN', '1e1', '2.5', 'x', '9007199254740993', '9'.repeat(30)])
    assertError(await avery.get(`${RANDOM}?count=${count}`), 400, 4005)
  assert.equal((await avery.get(`${RANDOM}?count=5`)).body.length, 3)
  assert.equal((await avery.get(RANDOM)).body.length, 3)
})

test('pages are stable and have each person once', async (t) => {
  const app = await testApp(t, UNLIMITED)
  await app.sql(`
    with made as (
      insert into people (handle, handle_key, first_name, last_name, public_search, created_at, search_keys, search_version)
      select '@maria' || n, 'maria' || n, 'Maria', 'Garcia', true, now(),
             array['0maria' || n, '1maria', '1garcia', '2garcia maria', '2maria garcia', '3mariagarcia'], 1
        from generate_series(1, 130) n returning id
    ) insert into app_users (user_id, app_id, person_id, consented_at)
      select 'u' || made.id, a.id, made.id, now() from made, apps a where a.client_id = 'gs-first'`)
  const avery = await app.as('avery')
  const seen: string[] = []
  for (let page = 1; page <= 3; page++) seen.push(...(await find(avery, 'maria garcia', `&limit=50&page=${page}`)))
  assert.equal(seen.length, 130)
  assert.equal(new Set(seen).size, 130)
  assert.deepEqual(await find(avery, 'maria garcia', '&limit=100'), seen.slice(0, 100))
  assert.equal((await find(avery, 'maria garcia')).length, 10)
  assert.equal((await find(avery, 'maria42'))[0], '@maria42')
})

test('nobody can list everybody: searches and random samples of one user share a limit, by requested people (D8)', async (t) => {
  const app = await testApp(t, { RATE_SEARCH_PER_SECOND: '1', RATE_SEARCH_BURST: '16' })
  const avery = await app.as('avery')
  const again = await app.as('avery')
  for (let i = 0; i < 3; i++) await find(avery, 'blake')
  for (let i = 0; i < 2; i++) assert.equal((await again.get(`${RANDOM}?count=25`)).status, 200)
  await find(avery, 'blake', '&limit=70')
  const refused = await avery.get(`${SEARCH}?term=blake`)
  assertError(refused, 429, 4291)
  assert.ok(Number(refused.headers.get('retry-after')) >= 1)
  assertError(await again.get(RANDOM), 429, 4291)
  assert.equal((await avery.get('/user/v1/my/profile')).status, 200, 'other operations are not concerned')
  assert.equal((await (await app.as('blake')).get(RANDOM)).status, 200, 'nor is anybody else')
  app.advance(2000)
  assertError(await avery.get(`${SEARCH}?term=blake&limit=30`), 429, 4291)
  assert.equal((await avery.get(`${SEARCH}?term=blake&limit=20`)).status, 200)
  app.advance(60_000)
  assert.equal((await avery.get(`${SEARCH}?term=blake&limit=100`)).status, 200)
})

test('unused words are deleted, and those of others stay', async (t) => {
  const app = await testApp(t, UNLIMITED)
  await rename(app, { avery: ['Xanthippe', 'Moreau'], blake: ['Blake', 'Moreau'] })
  const avery = await app.as('avery')
  await app.as('blake')
  await set(app, 'avery', 'public_search = false')
  await tidy(app.environment())
  const words = (await app.sql('select word from search_words order by word')).map((row) => row.word)
  assert.ok(!words.includes('xanthippe'))
  assert.ok(words.includes('moreau'))
  assert.deepEqual(await find(avery, 'moraeu'), ['@blake'])
  assert.deepEqual(await app.sql('select * from search_words_left'), [])
})

test('people with search keys of older rules are found again after a start', async (t) => {
  const app = await testApp(t, UNLIMITED)
  await app.as('blake')
  await set(app, 'blake', `public_search = true, first_name = 'Blake', search_keys = '{}', search_version = 0`)
  const avery = await app.as('avery')
  assert.deepEqual(await find(avery, 'blake'), [])
  await tidy(app.environment())
  assert.deepEqual(await find(avery, 'blake'), ['@blake'])
})

test('parallel changes of consent, names and public search leave nobody visible who should be hidden', async (t) => {
  const app = await testApp(t, { ...UNLIMITED, RATE_TOKEN_BURST: '100000', RATE_ADDRESS_BURST: '100000' })
  const browser = await signInBrowser(app, 'blake')
  const work = [
    () => app.as('blake'),
    () => call(browser, 'POST', '/account/v1/app/withdraw', { clientId: 'gs-first' }),
    () => call(browser, 'POST', '/account/v1/profile', { publicSearch: false, firstName: 'Off' }),
    () => call(browser, 'POST', '/account/v1/profile', { publicSearch: true, firstName: 'On', country: 'NO' }),
  ]
  for (let round = 0; round < 25; round++) {
    await Promise.all(Array.from({ length: 8 }, (_, i) => work[(i + round) % 4]!()))
    const wrong = await app.sql(`
      select f.user_id as stray, null as missing from findable_users f
       where not exists (select from people p join app_users u on u.person_id = p.id
         where u.user_id = f.user_id and p.public_search and u.withdrawn_at is null and p.search_keys = f.keys)
      union all
      select null, u.user_id from people p join app_users u on u.person_id = p.id
       where p.public_search and u.withdrawn_at is null and p.disabled_at is null and not p.anonymous
         and not exists (select from findable_users f where f.user_id = u.user_id)
      union all
      select k.key, null from search_keys k where not exists
        (select from findable_users f where f.app_id = k.app_id and f.person_id = k.person_id and k.key = any(f.keys))
      union all
      select f.handle, null from findable_users f join people p on p.id = f.person_id
       where (f.handle, f.first_name, f.last_name, f.date_of_birth, f.account_kind, f.country, f.picture_version, f.cover_version,
              f.camera_disabled, f.proximity_friends, f.service::text)
         is distinct from (p.handle, p.first_name, p.last_name, p.date_of_birth, p.account_kind, p.country, p.picture_version,
              p.cover_version, p.camera_disabled, p.proximity_friends, p.service::text)
      union all
      select null, k.key from search_keys k where k.key like '1%' and not exists
        (select from search_words w where w.app_id = k.app_id and '1' || w.word = k.key)`)
    assert.deepEqual(wrong, [])
  }
})

test('after a block, neither person finds the other', async (t) => {
  const app = await testApp(t, UNLIMITED)
  await rename(app, { avery: ['Avery', 'Lindqvist'], blake: ['Blake', 'Moreau'], casey: ['Casey', 'Okafor'] })
  const [avery, blake, casey] = [await app.as('avery'), await app.as('blake'), await app.as('casey')]
  assert.equal((await blake.post('/user/v1/my/friends/block', { userId: avery.userId })).status, 200)
  assert.deepEqual([await find(avery, 'blake'), await find(blake, 'avery')], [[], []])
  assert.deepEqual((await draw(avery, 25)).sort(), ['@avery', '@casey'])
  assert.deepEqual((await draw(blake, 25)).sort(), ['@blake', '@casey'])
  assert.deepEqual(await find(casey, 'blake'), ['@blake'])
  for (const [who, whom] of [
    [avery, blake],
    [blake, avery],
  ] as const)
    assertError(await who.get(`/user/v1/profile?id=${whom.userId}`), 404, 4042)
})

test('words are found unfinished, in either order, typed as one, and with typos where many begin alike', async (t) => {
  const app = await testApp(t, UNLIMITED)
  await rename(app, { avery: ['Alexander', 'Adams'], blake: ['Jan Peter', 'van der Berg'], casey: ['Casey', 'Okafor'] })
  const avery = await app.as('avery')
  await app.as('blake')
  await app.as('casey')
  for (const term of ['adams ale', 'adams a', 'ale adams', 'alex ada', 'aadms alex'])
    assert.deepEqual((await find(avery, term))[0], '@avery', term)
  for (const term of ['vanderberg', 'vanderbreg', 'janpeter', 'jan vanderberg', 'berg jan', 'van der berg peter'])
    assert.deepEqual((await find(avery, term))[0], '@blake', term)
  const letters = (n: number) => [n % 26, Math.floor(n / 26) % 26, 7].map((i) => String.fromCharCode(97 + i)).join('')
  const handles = Array.from({ length: 600 }, (_, n) => `sandhills${letters(n)}q`)
  await app.sql(`
    with made as (
      insert into people (handle, handle_key, public_search, created_at, search_keys, search_version)
      select '@' || h, h, true, now(), array['0' || h, '1' || h], 1
        from unnest(array[${handles.map((handle) => `'${handle}'`)}]) h returning id
    ) insert into app_users (user_id, app_id, person_id, consented_at)
      select 'u' || made.id, a.id, made.id, now() from made, apps a where a.client_id = 'gs-first'`)
  for (const handle of handles.filter((_, n) => n % 97 === 5)) {
    const swapped = `${handle.slice(0, 10)}${handle[11]}${handle[10]}${handle.slice(12)}`
    const shorter = `${handle.slice(0, 4)}${handle.slice(5)}`
    for (const term of [swapped, shorter]) assert.ok((await find(avery, term)).slice(0, 3).includes(`@${handle}`), term)
  }
})

test('anonymous users of one network and app are limited together, and more (D8)', async (t) => {
  const app = await testApp(t, { RATE_SEARCH_PER_SECOND: '1', RATE_SEARCH_BURST: '16' })
  app.holdClock()
  const statuses: number[] = []
  for (let i = 0; i < 3; i++) {
    const user = await join(app)
    for (let j = 0; j < 2; j++) statuses.push((await user.client.get('/user/v1/search?term=av')).status)
  }
  assert.deepEqual(statuses, [200, 200, 200, 200, 429, 429])
  assert.equal((await (await app.as('avery')).get(RANDOM)).status, 200, 'who has a name is counted apart')
})

test('an anonymous user is shown five people at a time, and few in all (D8)', async (t) => {
  const app = await testApp(t)
  app.holdClock()
  await loadCast(app.connection, { people: 300, clientId: 'gs-first' })
  const [{ client }, second, avery] = [await join(app), await join(app), await app.as('avery')]
  const sizeOf = async (who: Client, query: string) => (await who.get(`${RANDOM}${query}`)).body.length
  assert.deepEqual(
    [await sizeOf(client, '?count=25'), await sizeOf(client, ''), await sizeOf(client, '?count=2')],
    [5, 5, 2],
  )
  assertError(await client.get(`${RANDOM}?count=26`), 400, 4005)
  assertError(await client.get(`${RANDOM}?count=0`), 400, 4005)
  assert.deepEqual([await sizeOf(avery, '?count=25'), await sizeOf(avery, '')], [25, 10])
  // All users on this network share the limit, however many anonymous users are created.
  const seen = new Set<string>()
  let draws = 0
  for (const who of [client, second.client])
    for (
      let answer = await who.get(`${RANDOM}?count=25`);
      answer.status === 200;
      answer = await who.get(`${RANDOM}?count=25`)
    ) {
      draws++
      for (const { userId } of answer.body) seen.add(userId)
    }
  assert.deepEqual([draws, seen.size <= 35], [7, true], '12 of 50 were drawn above')
  app.advance(60_000)
  for (draws = 0; (await second.client.get(`${RANDOM}?count=25`)).status === 200; ) draws++
  assert.equal(draws, 6, 'thirty people more in a minute')
})
