import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operations } from '../../app.ts'
import { UNLIMITED } from '../../apps/account/testing.ts'
import { assertError, Client, sharedApp } from '../../operations/testing/testing.ts'
import { addBadge, earned, type Helper, openHelper, openSchools } from '../badges/testing.ts'
import { registerTestPlugin } from '../plugins/testing.ts'

const app = await sharedApp(UNLIMITED, { withSandbox: true })
await openSchools(app)
const helper = await openHelper(app, { key: 'helper' })
const averyId = await helper.userIdOf('avery')
await addBadge(helper, { courseId: 'course' })

/** For each of the eight operations: its input, the permission it needs, and whether it is about a person. */
const ASKED: Readonly<Record<string, { permission: string; fields: Record<string, unknown>; isAboutPerson: boolean }>> =
  {
    readRecords: { permission: 'user-records', fields: {}, isAboutPerson: false },
    setAdditionalInfo: { permission: 'user-records', fields: { userId: averyId, info: { a: 1 } }, isAboutPerson: true },
    readOtherSkills: { permission: 'skills', fields: { userId: averyId }, isAboutPerson: true },
    addPluginBadge: { permission: 'badges', fields: { name: 'Badge', courseId: 'course' }, isAboutPerson: false },
    listCourseBadges: { permission: 'badges', fields: { courseId: 'course' }, isAboutPerson: false },
    listObjectiveBadges: { permission: 'badges', fields: { objectiveId: 'safety' }, isAboutPerson: false },
    assertBadge: { permission: 'badges', fields: earned(averyId), isAboutPerson: true },
    listAssertions: { permission: 'badges', fields: { userId: averyId }, isAboutPerson: true },
  }

const EIGHT = operations.filter(({ area }) => area === 'AI plugins')
const send = (client: Client, name: string, more: object = {}) => {
  const { method, path } = EIGHT.find((one) => one.name === name)!
  const fields = { ...ASKED[name]!.fields, ...more }
  return client.send(method, path, method === 'GET' ? { query: fields } : { body: fields })
}
const ALL = ['user-records', 'badges', 'skills', 'mission-planner']
const withSecret = ({ clientId }: { clientId: string }, secret: string) =>
  new Client(app.address, `Basic ${Buffer.from(`${clientId}:${secret}`).toString('base64')}`)

const others = {
  inactive: await openHelper(app, { key: 'inactive', isActive: false }),
  suspended: await openHelper(app, { key: 'suspended' }),
  // A plugin of another organisation, with people of its own.
  stranger: await openHelper(app, { key: 'stranger', organisations: ['other'] }),
  nowhere: await openHelper(app, { key: 'nowhere', organisations: ['nowhere'] }),
}
await app.sql(`update apps set status = 'suspended' where client_id = '${others.suspended.clientId}'`)
const sandbox = await registerTestPlugin(app, { kind: 'ai', key: 'elsewhere' }, 'sandbox')
const lacking = new Map<string, Helper>()
for (const permission of ALL)
  lacking.set(
    permission,
    await openHelper(app, { key: `no-${permission}`, permissions: ALL.filter((one) => one !== permission) }),
  )
const blakeOfStranger = await others.stranger.userIdOf('blake')
// An id from a time when the plugin could still see the person.
const drewOfHelper = await helper.userIdOf('drew')

test('P1: the table names every operation of AI plugins', () => {
  assert.deepEqual(EIGHT.map(({ name }) => name).sort(), Object.keys(ASKED).sort())
  assert.equal(EIGHT.length, 8)
})

for (const { name } of EIGHT)
  test(`P1: ${name} is for a plugin that holds the permission, about people whom it sees`, async () => {
    const { permission, isAboutPerson } = ASKED[name]!
    assert.equal((await send(helper.client, name)).status, 200)
    assertError(await send(lacking.get(permission)!.client, name), 401, 4014, new RegExp(`permission ${permission}`))
    assertError(await send(await app.as('avery'), name), 401, 4016, /Basic/)
    assertError(await send(app.nobody(), name), 401, 4016)
    assertError(await send(others.inactive.client, name), 401, 4014, /not active/)
    assertError(await send(others.suspended.client, name), 401, 4013)
    assertError(await send(new Client(app.address, sandbox.basic), name), 401, 4013, /sandbox/)
    assertError(await send(withSecret(helper, 'gs_cs_wrong'), name), 401, 4011)
    assertError(await send(withSecret({ clientId: 'gs-first' }, helper.secret), name), 401, 4011)
    if (!isAboutPerson) return
    // Another plugin's id of a person, an unknown one, and an app's user id, even if that plugin may see the person.
    for (const userId of [averyId, 'nobody', (await app.as('avery')).userId])
      assertError(await send(others.stranger.client, name, { userId }), 404, 4042)
    assertError(await send(helper.client, name, { userId: blakeOfStranger }), 404, 4042)
    assertError(await send(helper.client, name, { userId: drewOfHelper }), 404, 4042)
    assertError(await send(others.nowhere.client, name, { userId: await others.nowhere.userIdOf('avery') }), 404, 4042)
  })

test('P1: organisations, courses and objectives that a plugin was not given do not exist for it', async () => {
  for (const orgIds of ['other', 'school,other', 'nobody'])
    for (const name of ['readRecords', 'listCourseBadges', 'listObjectiveBadges'])
      assertError(await send(helper.client, name, { orgIds }), 404, 4042)
  for (const [name, fields] of [
    ['listCourseBadges', { courseId: 'elsewhere' }],
    ['listObjectiveBadges', { objectiveId: 'far' }],
    ['addPluginBadge', { courseId: 'elsewhere' }],
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
  // Avery, Blake, and Finley, who owns the school.
  assert.equal(mine.length, 3)
  assert.equal(theirs.length, 3)
  const ofApps = await Promise.all(
    (['avery', 'blake', 'finley'] as const).map(async (one) => (await app.as(one)).userId),
  )
  assert.equal(new Set([...mine, ...theirs, ...ofApps]).size, 9)
  // Assertion ids do not link people across plugins either.
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
