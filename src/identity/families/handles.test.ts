import assert from 'node:assert/strict'
import { test } from 'node:test'
import { signInBrowser, UNLIMITED } from '../../apps/account/testing.ts'
import { FORGETTING } from '../../operations/platform/forgetting.ts'
import { assertError, testApp } from '../../operations/testing/testing.ts'
import { removePerson } from '../people/removal.ts'
import { addChild, idOf, KIM, operatorOf, PASSWORD, post } from './testing.ts'

test('creating accounts does not reveal which handles exist', async (t) => {
  const app = await testApp(t, UNLIMITED)
  const avery = await signInBrowser(app, 'avery')
  const told = ({ body }: { body: { error_description: string } }, handle: string) =>
    body.error_description.replace(handle, '…')

  await t.test('a handle that is taken, and one that was given up lately, give the same answer', async () => {
    await removePerson(app.environment().db, operatorOf(app), {
      personId: await idOf(app, '@finley'),
      reason: 'test',
      forget: FORGETTING,
    })
    const [taken, givenUp] = [
      await post(avery, '', { ...KIM, handle: '@blake' }),
      await post(avery, '', { ...KIM, handle: '@finley' }),
    ]
    assertError(taken, 400, 4002)
    assertError(givenUp, 400, 4002)
    assert.equal(told(taken, '@blake'), told(givenUp, '@finley'))
  })

  await t.test('after thirty tries, taken or free, the waits grow; parallel tries count too', async () => {
    await addChild(avery)
    assert.equal((await post(avery, '/delete', { handle: '@kim', password: PASSWORD })).status, 200)
    const tries = await Promise.all(Array.from({ length: 60 }, () => post(avery, '', { ...KIM, handle: '@blake' })))
    const statuses = Map.groupBy(tries, ({ status }) => status)
    assert.deepEqual([statuses.get(400)?.length, statuses.get(429)?.length], [27, 33])
    const refused = statuses.get(429)![0]!
    assertError(refused, 429, 4291, /too many handles/)
    assert.ok(Number(refused.headers.get('retry-after')) >= 1)
    app.advance(1500)
    assertError(await post(avery, '', { ...KIM, handle: '@blake' }), 400, 4002)
    const again = await post(avery, '', { ...KIM, handle: '@kim' })
    assertError(again, 429, 4291)
    assert.ok(Number(again.headers.get('retry-after')) > 1)
    assertError(await post(avery, '', { ...KIM, handle: 'no handle' }), 400, 4003)
    // The limit applies neither to other people nor to signing in.
    await addChild(await signInBrowser(app, 'blake'), { handle: '@lee' })
    await signInBrowser(app, 'avery')
    app.advance(3_600_000)
    await addChild(avery)
  })

  await t.test('and nothing of it is kept when the parent goes', async () => {
    const id = await idOf(app, '@avery')
    const counted = () => app.sql(`select 1 from sign_in_failures where subject = 'handles:${id}'`)
    assert.equal((await counted()).length, 1)
    await removePerson(app.environment().db, operatorOf(app), { personId: id, reason: 'test', forget: FORGETTING })
    assert.deepEqual(await counted(), [])
  })
})
