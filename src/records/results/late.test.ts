import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../../kernel/database/test-database.ts'
import { openSchool } from '../../learning/courses/testing.ts'
import { browse, CLASS, complete, listEvents, PATH } from '../../learning/progress/testing.ts'
import { testApp } from '../../operations/testing/testing.ts'

const ALPHA = { classId: 'alpha' }
const HOUR = 3_600_000

test('late and overdue are states that results, gradebook, history and statements know', async (t) => {
  const app = await testApp(t)
  await openSchool(app, { alpha: { sequential: false } })
  const [casey, avery, blake] = [await browse(app, 'casey'), await app.as('avery'), await app.as('blake')]
  const inHours = (hours: number) => new Date(app.environment().clock().getTime() + hours * HOUR).toISOString()
  const set = async (...dates: object[]) => {
    const answer = await casey.put(`${CLASS}/dates`, { ...ALPHA, dates })
    assert.equal(answer.status, 200, answer.text)
  }
  const due = inHours(1)
  await set({ lessonId: 'walkaround', opens: inHours(-1), due }, { lessonId: 'checklist', due: inHours(2) })

  const walkaround = { ...ALPHA, lessonId: 'walkaround' }
  await complete(avery, walkaround, { pass: true })
  app.advance(HOUR + 1000)
  const lateId = await complete(blake, walkaround, { pass: true })
  await avery.post(`${PATH}/start`, { ...ALPHA, lessonId: 'interior' })
  app.advance(HOUR)

  const statesOf = async (studentId: string) =>
    Object.fromEntries(
      (await casey.get(`${CLASS}/result`, { ...ALPHA, studentId })).body.lessons.flatMap(
        (one: { lessonId: string; late: boolean; overdue: boolean }) =>
          one.late || one.overdue ? [[one.lessonId, one.late ? 'late' : 'overdue']] : [],
      ),
    )
  const gradebook = async (query: Record<string, string> = {}) =>
    (await casey.get(`${CLASS}/gradebook`, { ...ALPHA, ...query })).body
  const placesOf = async () => {
    const { docs, lessons } = await gradebook()
    const names = (places: number[]) => places.map((place) => lessons[place].lessonId)
    return Object.fromEntries(
      docs.map((one: { handle: string; late: number[]; overdue: number[] }) => [
        one.handle,
        [names(one.late), names(one.overdue)],
      ]),
    )
  }
  assert.deepEqual(await statesOf('avery-alpha'), { checklist: 'overdue', interior: 'overdue', exterior: 'overdue' })
  assert.deepEqual(await statesOf('blake-alpha'), {
    walkaround: 'late',
    checklist: 'overdue',
    interior: 'overdue',
    exterior: 'overdue',
  })
  const parts = ['checklist', 'interior', 'exterior']
  assert.deepEqual(await placesOf(), { '@avery': [[], parts], '@blake': [['walkaround'], parts] })
  assert.deepEqual(
    (await gradebook()).lessons.map((one: { due: string | null }) => one.due === null),
    [false, false, false, false, true],
  )

  const handlesIn = async (query: Record<string, string>) =>
    (await gradebook(query)).docs.map((one: { handle: string }) => one.handle)
  assert.deepEqual(await handlesIn({ state: 'late' }), ['@blake'])
  assert.deepEqual(await handlesIn({ state: 'overdue' }), ['@avery', '@blake'])
  assert.deepEqual(await handlesIn({ state: 'overdue', stateLessonId: 'walkaround' }), [])
  assert.deepEqual(await handlesIn({ state: 'late', stateLessonId: 'interior' }), [])
  assert.deepEqual(await handlesIn({ state: 'late', sort: '-mean' }), ['@blake'])

  const history = (await casey.get(`${PATH}/history`, { ...walkaround, studentId: 'blake-alpha' })).body
  assert.deepEqual([history[0].due, history[0].late], [due, true])
  const csv = (await casey.get(`${CLASS}/gradebook/csv`, ALPHA)).text
  assert.match(csv, /"blake-alpha".*"active",PASS,,1,0,late,NOT STARTED,,0,0,overdue/)

  const [onTime, late] = await listEvents(app, 'attempt.completed')
  assert.deepEqual([onTime!.payload.due, onTime!.payload.late], [due, false])
  assert.deepEqual([late!.payload.due, late!.payload.late], [due, true])

  await t.test('an extension counts at once, but statements say how it was', async () => {
    await set(
      { lessonId: 'walkaround', studentId: 'blake-alpha', due: inHours(1) },
      { studentId: 'avery-alpha', due: inHours(3) },
    )
    assert.equal((await statesOf('blake-alpha')).walkaround, undefined)
    assert.deepEqual(await statesOf('avery-alpha'), {})
    assert.deepEqual(await placesOf(), { '@avery': [[], []], '@blake': [[], parts] })
    assert.deepEqual(await handlesIn({ state: 'late' }), [])
    assert.deepEqual(await handlesIn({ state: 'overdue' }), ['@blake'])
    const find = () =>
      app.sql(`select payload from statements where payload like '%/completed"%' and payload like '%${lateId}%'`)
    await until('the statement', async () => (await find()).length > 0)
    const statement = JSON.parse(String((await find())[0]!.payload))
    const { url } = app.environment()
    assert.deepEqual(statement.result.extensions, {
      [`${url}/xapi/extensions/due`]: due,
      [`${url}/xapi/extensions/late`]: true,
    })
  })

  await t.test('a lesson with one completed attempt is not overdue while another is open', async () => {
    await set({ lessonId: 'walkaround', studentId: 'blake-alpha', due: null })
    await blake.post(`${PATH}/start`, walkaround)
    assert.equal((await statesOf('blake-alpha')).walkaround, undefined)
    assert.deepEqual((await placesOf())['@blake'], [[], parts])
  })
})
