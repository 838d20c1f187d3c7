import assert from 'node:assert/strict'
import { test } from 'node:test'
import { size } from '../../operations/testing/sizes.ts'
import { assertError, testApp } from '../../operations/testing/testing.ts'
import { assertWithin } from '../../operations/testing/time-limits.ts'
import { joinSchool } from '../courses/testing.ts'
import { audited, openClasses, statuses } from './testing-roster.ts'

const NOTHING = { added: 0, dropped: 0, suspended: 0, reinstated: 0, invited: 0, unchanged: 0, refused: 0 }

test('a roster adds, drops, suspends and reinstates, with a result for each row', async (t) => {
  const app = await testApp(t)
  const { send, change } = await openClasses(app)
  await change('casey', 'suspend', 'blake-alpha')
  const csv =
    '\ufeffHandle, ACTION ,studentId\r\n@drew,,student-drew\r\n"Finley",add,\r\n@avery,Drop,avery-alpha\r\n\r\n@BLAKE,reinstate,\r\n'
  const { body, status } = await send('casey', csv)
  assert.equal(status, 200)
  assert.deepEqual(body.counts, { ...NOTHING, added: 2, dropped: 1, reinstated: 1 })
  assert.equal(body.written, true)
  const finleyId = body.rows[1].studentId
  assert.match(finleyId, /^[\w-]{22}$/)
  assert.deepEqual(body.rows, [
    { row: 2, handle: '@drew', action: 'add', studentId: 'student-drew', result: 'added', reason: null },
    { row: 3, handle: 'Finley', action: 'add', studentId: finleyId, result: 'added', reason: null },
    { row: 4, handle: '@avery', action: 'drop', studentId: 'avery-alpha', result: 'dropped', reason: null },
    { row: 6, handle: '@BLAKE', action: 'reinstate', studentId: 'blake-alpha', result: 'reinstated', reason: null },
  ])
  assert.deepEqual(await statuses(app), { avery: 'dropped', blake: 'active', drew: 'active', finley: 'active' })
  assert.deepEqual((await audited(app)).slice(1).sort(), [
    'student.added drew alpha by casey',
    'student.added finley alpha by casey',
    'student.dropped avery alpha by casey',
    'student.reinstated blake alpha by casey',
  ])

  await t.test('again it changes nothing', async () => {
    const again = await send('casey', csv)
    assert.deepEqual(again.body.counts, { ...NOTHING, unchanged: 4 })
    assert.equal(again.body.rows[1].studentId, finleyId)
    assert.equal((await audited(app)).length, 5)
  })
  await t.test('a returning student is the same student', async () => {
    const back = await send('casey', 'handle\n@avery')
    assert.deepEqual(back.body.rows[0], {
      row: 2,
      handle: '@avery',
      action: 'add',
      studentId: 'avery-alpha',
      result: 'added',
      reason: null,
    })
  })
})

test('refused rows say why, and the others are written; or nothing is, if requested', async (t) => {
  const app = await testApp(t)
  const { send, change } = await openClasses(app)
  await change('casey', 'suspend', 'avery-alpha')
  const csv = [
    'handle,action,studentId',
    '@drew,add,',
    '@avery,add,',
    '@nobody,drop,',
    '@drew,drop,',
    '@casey,drop,',
    '@finley,add,blake-bravo',
    '@blake,add,other-id',
    '@ellis,promote,',
    'no handle,add,',
    '@ellis,add',
    '@ellis,add,not an id',
    '=HYPERLINK("x"),add,',
  ].join('\n')
  assertError(await send('casey', csv), 400, 4003, /Row 13: a quote/)
  const fixed = csv.replace('=HYPERLINK("x")', '=1+1')
  const reasons = [
    null,
    'is suspended; reinstate them instead',
    'is not a student of this class',
    'appears twice',
    'is not a student of this class',
    'studentId is taken; choose another, or leave it empty',
    'is already the student blake-alpha of this class',
    'action must be add, drop, suspend, reinstate',
    'is neither a handle, such as @avery, nor an e-mail address',
    'has 2 fields, but there are 3 columns',
    'appears twice',
    'is neither a handle, such as @avery, nor an e-mail address',
  ]
  const reasonsOf = ({ body }: { body: { rows: { reason: string | null }[] } }) => body.rows.map(({ reason }) => reason)
  const before = await statuses(app)
  for (const query of [{ dryRun: 'true' }, { allOrNothing: 'true' }] as Record<string, string>[]) {
    const answer = await send('casey', fixed, query)
    assert.deepEqual([answer.body.written, reasonsOf(answer)], [false, reasons])
    assert.deepEqual(answer.body.counts, { ...NOTHING, added: 1, refused: 11 })
    assert.deepEqual(await statuses(app), before)
  }
  assert.equal((await audited(app)).length, 1)
  const answer = await send('casey', fixed)
  assert.deepEqual([answer.body.written, reasonsOf(answer)], [true, reasons])
  assert.deepEqual(await statuses(app), { ...before, drew: 'active' })

  await t.test('everything is, if no row is refused', async () => {
    const all = await send('casey', 'handle,action\n@drew,drop\n@finley,add', { allOrNothing: 'true' })
    assert.equal(all.body.written, true)
    assert.deepEqual(await statuses(app), { ...before, drew: 'dropped', finley: 'active' })
  })
  await t.test('anonymous and disabled people look like unknown ones', async () => {
    await app.sql(
      `insert into people (handle, handle_key, created_at, anonymous, disabled_at)
       values ('@shadow', 'shadow', now(), true, null), ('@gone', 'gone', now(), false, now())`,
    )
    const before = await statuses(app)
    const away = await send('casey', 'handle\n@shadow\n@gone\n@nobody')
    assert.deepEqual(away.body.counts, { ...NOTHING, invited: 3 })
    assert.deepEqual(reasonsOf(away), Array(3).fill(null))
    assert.deepEqual(await statuses(app), before)
  })
  await t.test('nobody is added to a class that has ended; the others are still changed', async () => {
    await app.sql(`update classes set ended_at = now() where key = 'alpha'`)
    const ended = await send('casey', 'handle,action\n@drew,add\n@finley,drop')
    assert.deepEqual(ended.body.counts, { ...NOTHING, dropped: 1, refused: 1 })
    assert.match(ended.body.rows[0].reason, /is closed/)
  })
})

test('a file that cannot be read is refused as a whole, and says what is wrong', async (t) => {
  const app = await testApp(t)
  const { send } = await openClasses(app)
  for (const [csv, words] of [
    ['', /The file is empty; its first line names the columns/],
    ['handle,phone\n@drew,x', /Unknown column phone/],
    ['handle|action\n@drew|add', /Unknown column handle\|action; .* separated by commas/],
    ['handle,Handle\n@drew,x', /two columns named handle/],
    ['action\nadd', /The column handle or email is missing/],
    ['handle\n"@drew', /Row 2: a quote is opened/],
    [Buffer.from('handle', 'utf16le'), /Unknown column h/],
    ['"han\ndle\r\n😀"\n@drew', /Unknown column han/],
    [Buffer.from('handle\n@andr\xe9', 'latin1'), /not valid UTF-8/],
    [`handle\n${'@x\n'.repeat(20_001)}`, /at most 20000 rows/],
  ] as const)
    assertError(await send('casey', csv), 400, 4003, words)
  assertError(await send('casey', '{}', {}, 'application/json'), 415, 4151, /as text\/csv in UTF-8/)
  assertError(await send('casey', 'handle', {}, 'text/csv; charset=iso-8859-1'), 415, 4151)
  assert.equal((await send('casey', 'handle', {}, 'text/csv; charset=UTF-8; header=present')).status, 200)
  assert.equal((await send('casey', 'handle', {}, 'application/octet-stream')).status, 200)
  assertError(await send('casey', `handle\n${'x'.repeat(2 * 1024 * 1024)}`), 413, 4131)
  assertError(await send('casey', 'handle', { dryRun: 'maybe' }), 400, 4005)
  assert.deepEqual(await statuses(app), { avery: 'active', blake: 'active' })
})

test('D1, D2: a roster is for instructors and managers of the class, and sets nothing but its columns', async (t) => {
  const app = await testApp(t)
  const { send } = await openClasses(app)
  const csv = 'handle\n@drew'
  for (const person of ['avery', 'drew', 'ellis'] as const) {
    const refused = await send(person, csv)
    assertError(refused, 403, 4032)
    assert.equal(refused.text, (await send(person, csv, { classId: 'nowhere' })).text)
    // A caller without permission is not told about errors in the file either.
    assert.equal(refused.text, (await send(person, '"')).text)
  }
  const casey = await app.as('casey')
  const raw = { raw: csv, headers: { 'content-type': 'text/csv' }, query: { classId: 'alpha' } }
  assertError(await casey.send('POST', '/edu/v1/class/roster', raw), 401, 4016)
  assertError(await app.nobody().send('POST', '/edu/v1/class/roster', raw), 401, 4016)
  assert.equal((await send('finley', csv, { status: 'dropped', personId: '1', studentId: 'mine' })).status, 200)
  assertError(await send('casey', 'handle,status,person_id\n@finley,dropped,1'), 400, 4003, /Unknown column status/)
  assert.deepEqual(await statuses(app), { avery: 'active', blake: 'active', drew: 'active' })
})

const STUDENTS = size(10_000)

test(`${STUDENTS} students come by one file in well under 30 seconds`, async (t) => {
  const app = await testApp(t)
  const { send } = await openClasses(app)
  await app.sql(
    `insert into people (handle, handle_key, created_at) select '@s' || n, 's' || n, now() from generate_series(1, ${STUDENTS}) n`,
  )
  await joinSchool(app)
  const csv = (action: string) =>
    `handle,action\r\n${Array.from({ length: STUDENTS }, (_, i) => `@s${i + 1},${action}`).join('\r\n')}\r\n`
  for (const [action, result] of [
    ['add', 'added'],
    ['suspend', 'suspended'],
    ['suspend', 'unchanged'],
  ] as const) {
    const startedAt = performance.now()
    const { body } = await send('casey', csv(action))
    const ms = Math.round(performance.now() - startedAt)
    t.diagnostic(`${action}: ${ms} ms`)
    assert.deepEqual(body.counts, { ...NOTHING, [result]: STUDENTS })
    assertWithin(ms, 30_000)
  }
  assert.equal((await audited(app)).length, 2 * STUDENTS)
})
