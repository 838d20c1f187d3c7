import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call, isSignedIn, signInBrowser, UNLIMITED } from '../../apps/account/testing.ts'
import { join } from '../../apps/anonymous/testing.ts'
import type { Tx } from '../../kernel/database/database.ts'
import { testMailbox } from '../../kernel/messages/testing.ts'
import { FORGETTING } from '../../operations/platform/forgetting.ts'
import { assertError, testApp } from '../../operations/testing/testing.ts'
import { disablePerson } from '../people/people.ts'
import { removePerson } from '../people/removal.ts'
import { addParent, exportFamily, removeParent } from './parents.ts'
import { releaseChildren } from './release.ts'
import {
  addChild,
  auditOf,
  CHILD_PASSWORD,
  CHILDREN,
  idOf,
  KIM,
  list,
  operatorOf,
  PASSWORD,
  post,
  setBirth,
  signInChild,
  yearsAgo,
} from './testing.ts'

const SETTINGS = { ...UNLIMITED, RATE_ANONYMOUS_BURST: '1000' }

test('on the thirteenth birthday parents stop deciding, and nothing is lost', async (t) => {
  const app = await testApp(t, SETTINGS)
  const now = new Date()
  const leap = [1, 2, 3, 4, 5, 6, 7, 8].map((n) => now.getUTCFullYear() - n).find((year) => year % 4 === 0)!
  const moveTo = (day: string) => app.advance(new Date(day).getTime() - app.environment().clock().getTime())
  const born = `${leap}-02-29`
  let avery = await signInBrowser(app, 'avery')
  await addChild(avery, { handle: '@leap', dateOfBirth: born, password: CHILD_PASSWORD })
  await addChild(avery, { handle: '@baby', dateOfBirth: yearsAgo(0) })
  await post(avery, '/settings', { handle: '@leap', publicSearch: true, cameraDisabled: false })
  const handles = async () => (await list(avery)).map(({ handle }: { handle: string }) => handle)

  moveTo(`${leap + 13}-02-28T23:50:00Z`)
  avery = await signInBrowser(app, 'avery')
  assert.ok((await handles()).includes('@leap'))
  assert.equal((await post(avery, '/settings', { handle: '@leap', proximityFriends: true })).status, 200)

  // The year of the 13th birthday has no 29 February, so the child turns 13 on 1 March.
  app.advance(20 * 60_000)
  assert.ok(!(await handles()).includes('@leap'))
  const doors: [string, object][] = [
    ['/settings', { publicSearch: false }],
    ['/password', { password: PASSWORD, newPassword: 'a new password' }],
    ['/delete', { password: PASSWORD }],
    ['/friends/block', { friend: '@blake' }],
  ]
  for (const [path, fields] of doors)
    assertError(await post(avery, path, { handle: '@leap', ...fields }), 400, 4004, /@leap is no longer a child/)
  assertError(await call(avery, 'GET', `${CHILDREN}/friends?handle=leap`), 400, 4004)
  const [kept] = await app.sql(
    `select public_search, camera_disabled, proximity_friends from people where handle = '@leap'`,
  )
  assert.deepEqual(kept, { public_search: true, camera_disabled: false, proximity_friends: true })

  // From the 13th birthday on, the child may change the settings.
  const own = await call(await signInChild(app, '@leap'), 'POST', '/account/v1/profile', { publicSearch: false })
  assert.deepEqual([own.body.publicSearch, own.body.userType], [false, 'teen-minor'], own.text)

  // A teenager cannot be a parent yet; an adult can.
  const addByLeap = async (handle: string) => {
    const browser = await signInChild(app, '@leap')
    return post(browser, '', { ...KIM, handle, dateOfBirth: yearsAgo(1, 0, app.environment().clock()) })
  }
  moveTo(`${leap + 18}-02-28T12:00:00Z`)
  assertError(await addByLeap('@grandchild'), 400, 4004)
  moveTo(`${leap + 18}-03-01T12:00:00Z`)
  assert.equal((await addByLeap('@grandchild')).status, 200)

  // The last parent of an adult may leave, unlike that of a child.
  avery = await signInBrowser(app, 'avery')
  assert.equal((await post(avery, '/leave', { handle: '@leap' })).status, 200)
  assertError(await post(avery, '/leave', { handle: '@leap' }), 404, 4042)
})

test('a child has several parents, and is not left alone', async (t) => {
  const app = await testApp(t, SETTINGS)
  const { db } = app.environment()
  const [avery, blake] = [await signInBrowser(app, 'avery'), await signInBrowser(app, 'blake')]
  await addChild(avery)
  await post(avery, '/settings', { handle: '@kim', publicSearch: true })
  const link = (parent: string) => ({ child: '@kim', parent })
  const isFound = async () =>
    (await app.sql(`select public_search from people where handle = '@kim'`))[0]?.public_search

  await t.test('the last parent stays', async () => {
    assertError(await post(avery, '/leave', { handle: '@kim' }), 400, 4006, /only parent/)
    assert.equal((await list(avery)).length, 1)
  })

  await t.test('an operator adds another parent; the parent must be an adult, the child under 13', async () => {
    assert.equal(await addParent(db, operatorOf(app), link('blake')), true)
    assert.equal(await addParent(db, operatorOf(app), link('@Blake')), false)
    assert.deepEqual(await list(blake), await list(avery))
    const parent = await idOf(app, '@blake')
    assert.deepEqual((await auditOf(app, '@kim')).at(-1), ['parent.added', `{"parent":${parent}}`])
    const refused: [child: string, parent: string, code: number][] = [
      ['@kim', '@kim', 4003],
      ['@casey', '@avery', 4004],
      ['@kim', '@nobody', 4042],
      ['@nobody', '@avery', 4042],
    ]
    for (const [child, adult, code] of refused)
      await assert.rejects(addParent(db, operatorOf(app), { child, parent: adult }), { code })
    await setBirth(app, 'casey', yearsAgo(17))
    await assert.rejects(addParent(db, operatorOf(app), link('@casey')), { code: 4004 })
    const { answer } = await join(app, { dateOfBirth: '1990-01-01' })
    await assert.rejects(addParent(db, operatorOf(app), link(answer.body.handle)), { code: 4004 })
  })

  await t.test('what is kept about a family can be downloaded', async () => {
    const ofChild = await exportFamily(db, await idOf(app, '@kim'))
    assert.deepEqual(
      ofChild.parents.map(({ handle }) => handle),
      ['@avery', '@blake'],
    )
    assert.match(ofChild.parents[0]!.since, /^\d{4}-\d\d-\d\dT/)
    const ofParent = await exportFamily(db, await idOf(app, '@blake'))
    assert.deepEqual([ofParent.parents, ofParent.children.map(({ handle }) => handle)], [[], ['@kim']])
  })

  await t.test('a disabled account looks after nobody', async () => {
    await app.sql(`update people set disabled_at = now() where handle = '@blake'`)
    assertError(await post(avery, '/leave', { handle: '@kim' }), 400, 4006, /only parent/)
    await app.sql(`update people set disabled_at = null where handle = '@blake'`)
  })

  await t.test('one of two may leave', async () => {
    assert.equal((await post(avery, '/leave', { handle: '@kim' })).status, 200)
    assert.deepEqual(await list(avery), [])
    assertError(await post(avery, '/settings', { handle: '@kim', publicSearch: true }), 404, 4042)
    const parent = await idOf(app, '@avery')
    assert.deepEqual((await auditOf(app, '@kim')).at(-1), ['parent.removed', `{"parent":${parent},"self":true}`])
    assert.equal(await isFound(), true)
  })

  await t.test('a child whose last parent an operator removes cannot be found', async () => {
    await assert.rejects(removeParent(db, operatorOf(app), link('@avery')), { code: 4042 })
    assert.deepEqual(await removeParent(db, operatorOf(app), link('@blake')), { isLeftAlone: true })
    assert.equal(await isFound(), false)
    assert.deepEqual(
      (await auditOf(app, '@kim')).slice(-2).map(([action]) => action),
      ['child.changed', 'parent.removed'],
    )
  })

  await t.test('a child whose last parent is deleted can no longer be found', async () => {
    await addParent(db, operatorOf(app), link('@avery'))
    await addParent(db, operatorOf(app), link('@blake'))
    await post(avery, '/settings', { handle: '@kim', publicSearch: true })
    const go = async (handle: string) => {
      const personId = await idOf(app, handle)
      const who = operatorOf(app)
      const mayGo = async (tx: Tx) => {
        await releaseChildren(tx, who, personId)
        await releaseChildren(tx, who, personId)
        return true
      }
      assert.ok(await removePerson(db, who, { personId, reason: 'test', forget: FORGETTING, mayGo }))
    }
    await go('@avery')
    assert.equal(await isFound(), true)
    await go('@blake')
    assert.equal(await isFound(), false)
    assert.deepEqual((await exportFamily(db, await idOf(app, '@kim'))).parents, [])
  })
})

test('a parent with only passkeys proves it by a recent sign-in', async (t) => {
  const app = await testApp(t, SETTINGS)
  const avery = await signInBrowser(app, 'avery')
  await addChild(avery, { password: CHILD_PASSWORD })
  const set = () => post(avery, '/password', { handle: '@kim', newPassword: 'another password' })
  const remove = () => post(avery, '/delete', { handle: '@kim' })
  for (const act of [set, remove]) assertError(await act(), 400, 4001, /password is missing/)
  await app.sql(`update people set password_hash = null where handle_key = 'avery'`)
  assert.equal((await set()).status, 200)
  assert.ok(await isSignedIn(await signInChild(app, '@kim', 'another password')))
  app.advance(11 * 60_000)
  for (const act of [set, remove]) assertError(await act(), 401, 4016, /Sign in again/)
  app.advance(-5 * 60_000)
  assert.equal((await remove()).status, 200)
  assert.deepEqual(await list(avery), [])
})

test('a disabled parent no longer decides for a child', async (t) => {
  const app = await testApp(t, SETTINGS)
  const { db } = app.environment()
  const [avery, blake] = [await signInBrowser(app, 'avery'), await signInBrowser(app, 'blake')]
  await addChild(avery)
  await addChild(avery, { handle: '@lee' })
  await addParent(db, operatorOf(app), { child: '@lee', parent: '@blake' })
  for (const handle of ['@kim', '@lee']) await post(avery, '/settings', { handle, publicSearch: true })
  const found = async () =>
    (await app.sql(`select handle from people where public_search order by handle`)).map(({ handle }) => handle)
  const disable = (handle: string, isDisabled = true) =>
    disablePerson(db, operatorOf(app), { handle, isDisabled }, FORGETTING)
  assert.deepEqual(await found(), ['@kim', '@lee'])
  await disable('@avery')
  assert.deepEqual(await found(), ['@lee'], 'another parent is left')
  assert.deepEqual((await auditOf(app, '@kim')).at(-1), [
    'child.changed',
    '{"publicSearch":false,"reason":"no parent is left"}',
  ])
  await disable('@blake')
  assert.deepEqual(await found(), [])
  await disable('@blake', false)
  await disable('@avery', false)
  assert.deepEqual(await found(), [], 'a parent decides again')

  // Disable both parents at once, while both change the child's settings.
  for (let round = 0; round < 5; round++) {
    const [one, other] = [await signInBrowser(app, 'avery'), await signInBrowser(app, 'blake')]
    assert.equal((await post(one, '/settings', { handle: '@lee', publicSearch: true })).status, 200)
    const [, , ...changes] = await Promise.all([
      disable('@avery'),
      disable('@blake'),
      ...[one, other, one, other].map((browser) => post(browser, '/settings', { handle: '@lee', publicSearch: true })),
    ])
    for (const { status, text } of changes) assert.ok([200, 401].includes(status), text)
    assert.deepEqual(await found(), [])
    await disable('@avery', false)
    await disable('@blake', false)
  }
  assert.ok(!app.log().includes('unhandled error'))
  assert.ok(!(await isSignedIn(blake)))
})

test("a last message goes to the child's e-mail address, if there is one", async (t) => {
  const mailbox = testMailbox(t)
  const app = await testApp(t, { ...SETTINGS, ...mailbox.settings })
  const avery = await signInBrowser(app, 'avery')
  await addChild(avery)
  await app.sql(`update people set email = 'kim@example.org' where handle = '@kim'`)
  assert.equal((await post(avery, '/delete', { handle: '@kim', password: PASSWORD })).status, 200)
  const { to, subject } = await mailbox.next()
  assert.deepEqual([to, subject], ['kim@example.org', 'Account deleted (@kim)'])
})
