import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call, signInBrowser } from '../../apps/account/testing.ts'
import { run } from '../../kernel/imports/testing.ts'
import { assertError, testApp } from '../../operations/testing/testing.ts'

const PATH = '/account/v1/skills'
const NOTHING = { hobbies: [], skills: [], afsc: '', education: [] }

test('hobbies and skills', async (t) => {
  const app = await testApp(t)
  const drew = await signInBrowser(app, 'drew')

  await t.test('are empty until they are set, and a list that is left out stays', async () => {
    assert.deepEqual((await call(drew, 'GET', PATH)).body, NOTHING)
    const all = { hobbies: ['gliding'], skills: ['night flying'], afsc: '11F3', education: ['BSc Aeronautics'] }
    assert.deepEqual((await call(drew, 'PUT', PATH, all)).body, all)
    assert.deepEqual((await call(drew, 'PUT', PATH, { hobbies: [] })).body, { ...all, hobbies: [] })
    assert.deepEqual((await call(drew, 'PUT', PATH, { afsc: '' })).body, { ...all, hobbies: [], afsc: '' })
    assert.deepEqual((await call(drew, 'GET', PATH)).body, { ...all, hobbies: [], afsc: '' })
  })

  await t.test('belong to one person and do not affect others', async () => {
    const ellis = await signInBrowser(app, 'ellis')
    assert.deepEqual((await call(ellis, 'GET', PATH)).body, NOTHING)
    assertError(await app.nobody().get(PATH), 401, 4016)
  })

  await t.test('have limits, and input beyond them changes nothing', async () => {
    for (const skills of [[''], ['x'.repeat(101)], ['twice', 'twice'], Array.from({ length: 51 }, String), 'one', [1]])
      assert.equal((await call(drew, 'PUT', PATH, { skills })).status, 400)
    for (const more of [{ afsc: 'x'.repeat(101) }, { afsc: ['11F3'] }, { education: ['x'.repeat(201)] }])
      assert.equal((await call(drew, 'PUT', PATH, more)).status, 400)
    assert.deepEqual((await call(drew, 'GET', PATH)).body.skills, ['night flying'])
  })

  await t.test('can be imported; fields that a file leaves out stay', async () => {
    const person = (skills: object) => ({ people: [{ handle: '@drew', skills }] })
    const first = await run(app, person({ skills: ['welding'], education: ['  Flight school '] }))
    assert.equal(first.production!.people!.updated, 1)
    const now = { ...NOTHING, skills: ['welding'], education: ['Flight school'] }
    assert.deepEqual((await call(drew, 'GET', PATH)).body, now)
    const again = await run(app, person({ skills: ['welding'] }))
    assert.equal(again.production!.people!.unchanged, 1)
    for (const wrong of [{ skills: [''] }, { skills: 'welding' }, { wings: 2 }, { afsc: 3 }])
      await assert.rejects(run(app, person(wrong)), /skills: must be an object of/)
    assert.deepEqual((await call(drew, 'GET', PATH)).body, now)
  })
})
