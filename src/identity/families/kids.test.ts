import assert from 'node:assert/strict'
import { test } from 'node:test'
import { signInBrowser } from '../../apps/account/testing.ts'
import { join } from '../../apps/anonymous/testing.ts'
import { rawRequest, readRaw, sendRaw } from '../../operations/testing/socket.ts'
import { assertError, testApp } from '../../operations/testing/testing.ts'
import { addChild, setBirth, yearsAgo } from './testing.ts'

const KIDS = '/user/v1/my/kids'

test('an app reads the children of its user', async (t) => {
  const app = await testApp(t)
  await setBirth(app, 'avery', yearsAgo(40))
  const browser = await signInBrowser(app, 'avery')
  const avery = await app.as('avery')
  const inSecond = await app.as('avery', 'second')
  const use = (handle: string, appName: string) =>
    app.sql(
      `insert into app_users (user_id, app_id, person_id, consented_at)
       select '${handle.slice(1)}-in-${appName}', a.id, p.id, now() from people p, apps a where p.handle = '${handle}' and a.name = '${appName}'`,
    )
  const kids = async (client = avery) => {
    const answer = await client.get(KIDS)
    assert.equal(answer.status, 200, answer.text)
    return answer.body.map(({ userId }: { userId: string }) => userId)
  }

  await t.test('a user without children, and an anonymous one, get an empty array', async () => {
    assert.deepEqual((await avery.get(KIDS)).body, [])
    const { client } = await join(app)
    assert.deepEqual((await client.get(KIDS)).body, [])
    assertError(await app.nobody().get(KIDS), 401, 4016)
  })

  await t.test('those who use this app, each with the id that this app knows', async () => {
    for (const [handle, age] of [
      ['@kim', 7],
      ['@lee', 4],
      ['@max', 9],
    ] as const)
      await addChild(browser, { handle, dateOfBirth: yearsAgo(age) })
    assert.deepEqual(await kids(), [], 'none of them uses it')
    await use('@kim', 'first')
    await use('@lee', 'first')
    await use('@kim', 'second')
    assert.deepEqual(await kids(), ['lee-in-first', 'kim-in-first'])
    assert.deepEqual(await kids(inSecond), ['kim-in-second'])
  })

  await t.test('as profiles, with what a parent has decided', async () => {
    const headers = [`authorization: Bearer ${inSecond.token}`, 'content-type: application/json']
    const answer = readRaw(await sendRaw(app.address, rawRequest('GET', KIDS, headers)))
    assert.equal(answer.headers.get('cache-control'), 'no-store')
    assert.deepEqual(answer.body, [
      {
        userId: 'kim-in-second',
        handle: '@kim',
        firstName: 'Kim',
        lastName: 'Ng',
        userType: 'child',
        accountType: 'Kid',
        country: 'US',
        profilePic: 'p-kim-in-second-0',
        coverPhoto: 'c-kim-in-second-0',
        anonymous: false,
        parentFlags: { cameraDisabled: true, proximityFriends: false },
      },
    ])
  })

  await t.test('nobody else sees them, and they do not see themselves as their own', async () => {
    assert.deepEqual(await kids(await app.as('blake')), [])
  })

  await t.test('until they are 13, withdraw or are disabled', async () => {
    await setBirth(app, 'kim', yearsAgo(13))
    assert.deepEqual(await kids(), ['lee-in-first'])
    await setBirth(app, 'kim', yearsAgo(13, 1))
    assert.deepEqual(await kids(), ['lee-in-first', 'kim-in-first'])
    await app.sql(`update app_users set withdrawn_at = now() where user_id = 'lee-in-first'`)
    assert.deepEqual(await kids(), ['kim-in-first'])
    await app.sql(`update people set disabled_at = now() where handle = '@kim'`)
    assert.deepEqual(await kids(), [])
  })
})
