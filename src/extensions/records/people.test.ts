import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operations } from '../../app.ts'
import { call, signInBrowser, UNLIMITED } from '../../apps/account/testing.ts'
import { assertError, type Client, sharedApp } from '../../operations/testing/testing.ts'
import { addBadge, earned, type Helper, openHelper, openSchools } from '../badges/testing.ts'

const app = await sharedApp(UNLIMITED)
await openSchools(app)
const helper = await openHelper(app, { key: 'helper' })
const averyId = await helper.userIdOf('avery')
await addBadge(helper, { courseId: 'course' })

/** A valid input for each operation of AI plugins, by the operation's name. */
const FIELDS: Readonly<Record<string, Record<string, unknown>>> = {
  readRecords: {},
  setAdditionalInfo: { userId: averyId, info: { a: 1 } },
  readOtherSkills: { userId: averyId },
  addPluginBadge: { name: 'Badge', courseId: 'course' },
  listCourseBadges: { courseId: 'course' },
  listObjectiveBadges: { objectiveId: 'safety' },
  assertBadge: earned(averyId),
  listAssertions: { userId: averyId },
}

const EIGHT = operations.filter(({ area }) => area === 'AI plugins')
const send = (client: Client, name: string, more: object = {}) => {
  const { method, path } = EIGHT.find((one) => one.name === name)!
  const fields = { ...FIELDS[name], ...more }
  return client.send(method, path, method === 'GET' ? { query: fields } : { body: fields })
}
const others = {
  // `stranger` has access to another organisation and its people; `nowhere` to an organisation without people.
  stranger: await openHelper(app, { key: 'stranger', organisations: ['other'] }),
  nowhere: await openHelper(app, { key: 'nowhere', organisations: ['nowhere'] }),
}
const blakeOfStranger = await others.stranger.userIdOf('blake')
// Drew belongs to no organisation of `helper`. This userId is what remains of a time when the plugin could see Drew.
const drewOfHelper = await helper.userIdOf('drew')

for (const { name } of EIGHT)
  test(`P1: ${name} is about people and courses of organisations that the plugin was given`, async () => {
    assert.equal((await send(helper.client, name)).status, 200)
    if (!('userId' in FIELDS[name]!)) return
    // Three ids that are wrong for `stranger`: the userId of another plugin, an unknown one, and the user id of an app.
    for (const userId of [averyId, 'nobody', (await app.as('avery')).userId])
      assertError(await send(others.stranger.client, name, { userId }), 404, 4042)
    assertError(await send(helper.client, name, { userId: blakeOfStranger }), 404, 4042)
    assertError(await send(helper.client, name, { userId: drewOfHelper }), 404, 4042)
    assertError(await send(others.nowhere.client, name, { userId: await others.nowhere.userIdOf('avery') }), 404, 4042)
  })

/** The permission that each operation of AI plugins needs, by the operation's name. */
const NEEDED: Readonly<Record<string, string>> = {
  readRecords: 'user-records',
  setAdditionalInfo: 'user-records',
  readOtherSkills: 'skills',
  addPluginBadge: 'badges',
  listCourseBadges: 'badges',
  listObjectiveBadges: 'badges',
  assertBadge: 'badges',
  listAssertions: 'badges',
}

test('P1: a permission that a plugin asked for counts once it is granted, and not after it is taken away', async () => {
  await app.sql(`update people set administrator = true where handle = '@ellis'`)
  const ellis = await signInBrowser(app, 'ellis')
  for (const permission of new Set(Object.values(NEEDED))) {
    const asking = await openHelper(app, { key: `asks-for-${permission}`, ungranted: [permission] })
    const userId = await asking.userIdOf('avery')
    const setGranted = async (permissions: readonly string[]) => {
      const what = { clientId: asking.clientId, permissions }
      const { status, text } = await call(ellis, 'POST', '/plugin/v1/plugin/permissions', what)
      assert.equal(status, 200, text)
    }
    const assertRefused = async (isRefused: (name: string) => boolean) => {
      for (const { name } of EIGHT) {
        const answer = await send(asking.client, name, 'userId' in FIELDS[name]! ? { userId } : {})
        if (isRefused(name)) assertError(answer, 401, 4014, /does not have the permission/)
        else assert.notEqual(answer.status, 401, `${name}: ${answer.text}`)
      }
    }
    await assertRefused((name) => NEEDED[name] === permission)
    await setGranted([permission])
    await assertRefused((name) => NEEDED[name] !== permission)
    await setGranted([])
    await assertRefused(() => true)
  }
})

test('P1: a plugin that is not active may do nothing, whatever it was granted', async () => {
  const { client } = await openHelper(app, { key: 'idle', isActive: false })
  for (const { name } of EIGHT) assertError(await send(client, name), 401, 4014, /not active/)
})

test('P1: organisations, courses and objectives that a plugin was not given do not exist for it', async () => {
  await app.sql(
    `insert into courses (key, organisation_id, created_at) select 'unpublished', id, now() from organisations where key = 'school'`,
  )
  for (const orgIds of ['other', 'school,other', 'nobody'])
    for (const name of ['readRecords', 'listCourseBadges', 'listObjectiveBadges'])
      assertError(await send(helper.client, name, { orgIds }), 404, 4042)
  for (const [name, fields] of [
    ['listCourseBadges', { courseId: 'elsewhere' }],
    ['listObjectiveBadges', { objectiveId: 'far' }],
    ['addPluginBadge', { courseId: 'elsewhere' }],
    ['addPluginBadge', { courseId: 'unpublished' }],
    ['addPluginBadge', { courseId: '', objectiveId: 'far' }],
  ] as const)
    assertError(await send(helper.client, name, fields), 404, 4042)
  assert.deepEqual((await send(others.stranger.client, 'listCourseBadges', { courseId: '' })).body, [])
})

test('one person has different ids in two plugins and an app', async () => {
  const second = await openHelper(app, { key: 'another' })
  const idsOf = async ({ client }: Helper) =>
    (await send(client, 'readRecords', { limit: 100 })).body.map(({ userId }: { userId: string }) => userId)
  const [mine, theirs] = [await idsOf(helper), await idsOf(second)]
  // The school has three people: Avery, Blake, and its owner Finley.
  assert.equal(mine.length, 3)
  assert.equal(theirs.length, 3)
  const ofApps = await Promise.all(
    (['avery', 'blake', 'finley'] as const).map(async (one) => (await app.as(one)).userId),
  )
  assert.equal(new Set([...mine, ...theirs, ...ofApps]).size, 9)
  // An assertion id differs between plugins as well, so that plugins cannot use it to match people.
  const badgeId = await addBadge(helper, { courseId: 'course', name: 'Seen by both' })
  const at = mine.indexOf(averyId)
  const first = await send(helper.client, 'assertBadge', earned(averyId, { badgeId }))
  const other = await send(second.client, 'assertBadge', earned(theirs[at], { badgeId }))
  assert.notEqual(first.body.assertionId, other.body.assertionId)
  assert.equal(other.body.issuedOn, first.body.issuedOn)
})

test('D4, D5: whatever is sent, the answer says what is wrong', async () => {
  const wrong: [string, object, number, number][] = [
    ['readRecords', { limit: 1e9 }, 400, 4003],
    ['readRecords', { limit: -1 }, 400, 4003],
    ['readRecords', { limit: 'NaN' }, 400, 4005],
    ['readRecords', { page: 2 ** 53 }, 400, 4003],
    ['readRecords', { page: 0 }, 400, 4003],
    ['readOtherSkills', { userId: '' }, 400, 4001],
    ['setAdditionalInfo', { info: undefined }, 400, 4001],
    ['setAdditionalInfo', { info: 'x'.repeat(65_537) }, 413, 4131],
    ['setAdditionalInfo', { info: '\0' }, 400, 4003],
    ['assertBadge', { issuedOn: '2999-01-01' }, 400, 4003],
    ['assertBadge', { issuedOn: 'yesterday' }, 400, 4003],
    ['assertBadge', { image: 'http://badges.example.org/a.png' }, 400, 4003],
    ['assertBadge', { image: 'javascript:alert(1)' }, 400, 4003],
    ['assertBadge', { image: 'https://user:word@badges.example.org/' }, 400, 4003],
    ['assertBadge', { name: 'x'.repeat(201) }, 400, 4003],
    ['assertBadge', { name: '   ' }, 400, 4001],
    ['assertBadge', { issuerName: 'a\u202eb' }, 400, 4003],
    ['assertBadge', { type: 7 }, 400, 4005],
    ['addPluginBadge', { courseId: undefined }, 400, 4001],
    ['addPluginBadge', { objectiveId: 'safety' }, 400, 4003],
    ['addPluginBadge', { criteria: 'x'.repeat(10_001) }, 400, 4003],
    ['addPluginBadge', { name: '' }, 400, 4001],
  ]
  const count = async () =>
    (await app.sql(`select (select count(*) from badge_assertions) + (select count(*) from badges) as n`))[0]!.n
  const before = await count()
  for (const [name, more, status, code] of wrong) {
    const answer = await send(helper.client, name, more)
    assert.equal(
      `${answer.status}/${answer.body.error_code}`,
      `${status}/${code}`,
      `${name} ${JSON.stringify(more)}: ${answer.text}`,
    )
  }
  assert.equal(await count(), before)
})
