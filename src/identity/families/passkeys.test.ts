import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call, signInBrowser, UNLIMITED } from '../../apps/account/testing.ts'
import { assertError, testApp } from '../../operations/testing/testing.ts'
import { list as listPasskeys, makeAuthenticator, PROOF, register, signIn, watchAudit } from '../passkeys/testing.ts'
import { addChild, PASSWORD, post, setBirth, signInChild, yearsAgo } from './testing.ts'

const NEW = 'another password'
const LIST = '/account/v1/children/passkeys?handle=%40kim'

test('O19: a passkey after a parent has set the password', async (t) => {
  const app = await testApp(t, UNLIMITED)
  const [avery, blake] = [await signInBrowser(app, 'avery'), await signInBrowser(app, 'blake')]
  await addChild(avery, PROOF)
  const audit = watchAudit(app)
  /** Gives the child two passkeys: its own, and one added by a thief. */
  const settle = async () => {
    await app.sql(`delete from passkeys`)
    const { status, text } = await post(avery, '/password', {
      handle: '@kim',
      password: PASSWORD,
      newPassword: PASSWORD,
    })
    assert.equal(status, 200, text)
    const kim = await signInChild(app, '@kim', PASSWORD)
    const [own, thief] = [makeAuthenticator(app), makeAuthenticator(app)]
    const passkeys = [await register(kim, own, 'Tablet'), await register(kim, thief, 'Thief')]
    await audit()
    return { kim, own, thief, passkeys, ids: passkeys.map(({ passkeyId }) => String(passkeyId)) }
  }
  const opens = async (authenticator: ReturnType<typeof makeAuthenticator>) =>
    (await signIn(app.visitor(), authenticator)).status === 200
  const set = (fields: object, browser = avery) =>
    post(browser, '/password', { handle: '@kim', password: PASSWORD, newPassword: NEW, ...fields })

  await t.test('is listed, and removed if it is named', async () => {
    const { own, thief, passkeys, ids } = await settle()
    assert.deepEqual((await set({})).body, { success: true, passkeys })
    await audit()
    assert.deepEqual((await set({ removePasskeys: [ids[1]] })).body, { success: true, passkeys: [passkeys[0]] })
    assert.deepEqual(await audit(), [
      'child.password kim',
      'password.changed kim',
      'sessions.ended kim',
      'passkey.removed kim',
    ])
    assert.deepEqual([await opens(own), await opens(thief)], [true, false])
  })

  await t.test('or all of them', async () => {
    const { own, thief } = await settle()
    assert.deepEqual((await set({ removePasskeys: 'all' })).body, { success: true, passkeys: [] })
    assert.deepEqual([await opens(own), await opens(thief)], [false, false])
  })

  await t.test('a wrong password, a stranger, or a passkey that is not the child’s changes nothing', async () => {
    const { kim, passkeys, ids } = await settle()
    const foreign = (await register(avery, makeAuthenticator(app), 'Mine')).passkeyId
    for (const [answer, status, code] of [
      [await set({ password: 'wrong', removePasskeys: 'all' }), 401, 4011],
      [await set({ removePasskeys: 'all' }, blake), 404, 4042],
      [await set({ removePasskeys: [ids[1], foreign] }), 404, 4042],
      [await set({ removePasskeys: ['x'] }), 404, 4042],
    ] as const) {
      assertError(answer, status, code)
      assert.doesNotMatch(answer.text, /Thief/)
    }
    assert.deepEqual((await listPasskeys(kim)).body, passkeys)
    assert.equal((await call(kim, 'GET', '/account/v1/me')).status, 200)
    assert.equal((await listPasskeys(avery)).body.length, 1)
  })

  await t.test('is listed for the parent, who names those to remove', async () => {
    const { own, thief, passkeys, ids } = await settle()
    const listed = await call(avery, 'GET', LIST)
    assert.deepEqual(listed.body, passkeys)
    assert.equal((await set({ password: 'wrong', removePasskeys: [ids[1]] })).status, 401)
    assert.deepEqual((await call(avery, 'GET', LIST)).body, passkeys)
    assert.equal((await set({ removePasskeys: [ids[1]] })).status, 200)
    assert.deepEqual([await opens(own), await opens(thief)], [true, false])
  })

  await t.test('is nobody else’s to see, nor the parent’s from the 13th birthday on', async () => {
    await settle()
    assertError(await call(blake, 'GET', LIST), 404, 4042)
    await setBirth(app, 'kim', yearsAgo(13))
    assertError(await call(avery, 'GET', LIST), 400, 4004)
    assertError(await set({ removePasskeys: 'all' }), 400, 4004)
    assert.equal(
      (await app.sql(`select from passkeys p join people k on k.id = person_id where handle_key = 'kim'`)).length,
      2,
    )
  })
})
