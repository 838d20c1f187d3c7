import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call, signInBrowser } from '../account/testing.ts'
import { assertError, testApp } from '../testing/testing.ts'

const PATH = '/account/v1/skills'

test('hobbies and skills', async (t) => {
  const app = await testApp(t)
  const drew = await signInBrowser(app, 'drew')

  await t.test('are empty until they are set, and a list that is left out stays', async () => {
    assert.deepEqual((await call(drew, 'GET', PATH)).body, { hobbies: [], skills: [] })
    const set = await call(drew, 'PUT', PATH, { hobbies: ['gliding'], skills: ['night flying'] })
    assert.deepEqual(set.body, { hobbies: ['gliding'], skills: ['night flying'] })
    assert.deepEqual((await call(drew, 'PUT', PATH, { hobbies: [] })).body, { hobbies: [], skills: ['night flying'] })
    assert.deepEqual((await call(drew, 'GET', PATH)).body, { hobbies: [], skills: ['night flying'] })
  })

  await t.test("are one person's own", async () => {
    const ellis = await signInBrowser(app, 'ellis')
    assert.deepEqual((await call(ellis, 'GET', PATH)).body, { hobbies: [], skills: [] })
    assertError(await app.nobody().get(PATH), 401, 4016)
  })

  await t.test('have bounds, and what is beyond them changes nothing', async () => {
    for (const skills of [[''], ['x'.repeat(101)], ['twice', 'twice'], Array.from({ length: 51 }, String), 'one', [1]])
      assert.equal((await call(drew, 'PUT', PATH, { skills })).status, 400)
    assert.deepEqual((await call(drew, 'GET', PATH)).body.skills, ['night flying'])
  })
})
