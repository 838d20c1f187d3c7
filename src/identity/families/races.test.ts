import assert from 'node:assert/strict'
import { test } from 'node:test'
import { signInBrowser, UNLIMITED } from '../../apps/account/testing.ts'
import type { Tx } from '../../kernel/database/database.ts'
import { FORGETTING } from '../../operations/platform/forgetting.ts'
import type { TestApp } from '../../operations/testing/testing.ts'
import { testApp } from '../../operations/testing/testing.ts'
import { removePerson } from '../people/removal.ts'
import { addParent } from './parents.ts'
import { releaseChildren } from './release.ts'
import { addChild, idOf, KIM, list, operatorOf, PASSWORD, post } from './testing.ts'

const ROUNDS = 8

async function assertNoTrouble(app: TestApp): Promise<void> {
  assert.deepEqual(
    app
      .log()
      .split('\n')
      .filter((line) => line.includes('unhandled error')),
    [],
  )
  // No child without a parent can be found in search.
  const found = await app.sql(
    `select handle from people c where public_search and date_of_birth is not null
        and not exists (select from guardians g where g.child_id = c.id)`,
  )
  assert.deepEqual(found, [])
}

test('a parent who adds thirty children at once gets twenty', async (t) => {
  const app = await testApp(t, UNLIMITED)
  const avery = await signInBrowser(app, 'avery')
  const answers = await Promise.all(
    Array.from({ length: 30 }, (_, i) => post(avery, '', { ...KIM, handle: `@child-${i}` })),
  )
  assert.equal(answers.filter(({ status }) => status === 200).length, 20)
  for (const { status, body } of answers.filter((answer) => answer.status !== 200))
    assert.deepEqual([status, body.error_code], [400, 4006])
  assert.equal((await list(avery)).length, 20)
  // Refused attempts to add a child left no account behind.
  assert.equal((await app.sql(`select 1 from people where handle like '@child-%'`)).length, 20)

  // An operator cannot exceed the limit either. After one child is deleted, another can be added.
  const blake = await signInBrowser(app, 'blake')
  await addChild(blake)
  const { db } = app.environment()
  const link = { child: '@kim', parent: '@avery' }
  await assert.rejects(addParent(db, operatorOf(app), link), { code: 4006 })
  const [first] = await list(avery)
  assert.equal((await post(avery, '/delete', { handle: first.handle, password: PASSWORD })).status, 200)
  assert.equal(await addParent(db, operatorOf(app), link), true)
  await assertNoTrouble(app)
})

test('of ten parallel tries for one handle, one succeeds', async (t) => {
  const app = await testApp(t, UNLIMITED)
  const browsers = [await signInBrowser(app, 'avery'), await signInBrowser(app, 'blake')]
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, i) => post(browsers[i % 2]!, '', { ...KIM, handle: i % 3 ? '@kim' : 'KIM' })),
  )
  assert.equal(answers.filter(({ status }) => status === 200).length, 1)
  for (const { body } of answers.filter((answer) => answer.status !== 200)) assert.equal(body.error_code, 4002)
  assert.equal((await app.sql('select 1 from guardians')).length, 1)
})

/** Creates a child with two parents, with public search on. */
async function haveFamily(app: TestApp, handle: string) {
  const [avery, blake] = [await signInBrowser(app, 'avery'), await signInBrowser(app, 'blake')]
  const { db } = app.environment()
  const add = async (name: string) => {
    await addChild(avery, { handle: name })
    await addParent(db, operatorOf(app), { child: name, parent: '@blake' })
    await post(avery, '/settings', { handle: name, publicSearch: true })
  }
  await add(handle)
  return { avery, blake, db, add }
}

test('parallel changes by two parents are both kept', async (t) => {
  const app = await testApp(t, UNLIMITED)
  const { avery, blake } = await haveFamily(app, '@kim')
  for (let round = 0; round < ROUNDS; round++) {
    const isOdd = round % 2 === 1
    const answers = await Promise.all([
      post(avery, '/settings', { handle: '@kim', cameraDisabled: isOdd, firstName: `Kim ${round}` }),
      post(blake, '/settings', { handle: '@kim', proximityFriends: !isOdd, publicSearch: isOdd }),
      post(blake, '/settings', { handle: '@kim', lastName: `Ng ${round}` }),
    ])
    for (const answer of answers) assert.equal(answer.status, 200, answer.text)
    const [child] = await list(avery)
    assert.deepEqual(
      [child.parentFlags, child.publicSearch, child.firstName, child.lastName],
      [{ cameraDisabled: isOdd, proximityFriends: !isOdd }, isOdd, `Kim ${round}`, `Ng ${round}`],
    )
    const [kept] = await app.sql(`select '2${round} kim' = any(search_keys) as found from people where handle = '@kim'`)
    assert.equal(kept?.found, true)
  }
  await assertNoTrouble(app)
})

test('of two parents who leave at once, one stays', async (t) => {
  const app = await testApp(t, UNLIMITED)
  const { avery, blake, add } = await haveFamily(app, '@child-0')
  for (let round = 0; round < ROUNDS; round++) {
    const handle = `@child-${round}`
    if (round > 0) await add(handle)
    const answers = await Promise.all([post(avery, '/leave', { handle }), post(blake, '/leave', { handle })])
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 400], handle)
  }
  await assertNoTrouble(app)
})

test('a child that is deleted while it is changed is gone, and whoever comes later is told so', async (t) => {
  const app = await testApp(t, UNLIMITED)
  const { avery, blake, add } = await haveFamily(app, '@child-0')
  for (let round = 0; round < ROUNDS; round++) {
    const handle = `@child-${round}`
    if (round > 0) await add(handle)
    const remove = (browser: typeof avery) => post(browser, '/delete', { handle, password: PASSWORD })
    const [one, other, ...changes] = await Promise.all([
      remove(avery),
      remove(blake),
      ...Array.from({ length: 10 }, async (_, i) => {
        await new Promise((resolve) => setTimeout(resolve, i * 15))
        return post(i % 2 ? avery : blake, '/settings', { handle, publicSearch: i % 3 === 0, firstName: `Kim ${i}` })
      }),
    ])
    assert.deepEqual([one.status, other.status].sort(), [200, 404])
    for (const { status, text } of changes) assert.ok(status === 200 || status === 404, text)
    assert.deepEqual(await app.sql(`select id from people where handle = '${handle}'`), [])
  }
  assert.deepEqual(await app.sql('select child_id from guardians'), [])
  await assertNoTrouble(app)
})

test('a child whose two parents are deleted at once cannot be found, whatever they decide meanwhile', async (t) => {
  const app = await testApp(t, UNLIMITED)
  const { avery, blake, db, add } = await haveFamily(app, '@kim')
  await Promise.all(['@lee', '@max'].map(add))
  const go = async (handle: string) => {
    const personId = await idOf(app, handle)
    const who = operatorOf(app)
    const mayGo = async (tx: Tx) => {
      await releaseChildren(tx, who, personId)
      return true
    }
    return removePerson(db, who, { personId, reason: 'test', forget: FORGETTING, mayGo })
  }
  const [isAveryGone, isBlakeGone, ...changes] = await Promise.all([
    go('@avery'),
    go('@blake'),
    ...['@kim', '@lee', '@max'].flatMap((handle) => [
      post(avery, '/settings', { handle, publicSearch: true }),
      post(blake, '/settings', { handle, publicSearch: true }),
    ]),
    post(avery, '', { ...KIM, handle: '@late' }),
  ])
  assert.deepEqual([isAveryGone, isBlakeGone], [true, true])
  for (const { status, text } of changes) assert.ok([200, 400, 401, 404].includes(status), text)
  assert.deepEqual(await app.sql('select child_id from guardians'), [])
  await assertNoTrouble(app)
})
