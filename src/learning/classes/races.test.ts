import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call, UNLIMITED } from '../../apps/account/testing.ts'
import { importContent } from '../../kernel/imports/imports.ts'
import { who } from '../../kernel/imports/testing.ts'
import { TestBrowser } from '../../operations/testing/browser.ts'
import { size } from '../../operations/testing/sizes.ts'
import { type Answer, type Person, testApp } from '../../operations/testing/testing.ts'
import { joinSchool } from '../courses/testing.ts'
import { audited, CODE, openClasses, STUDENT, sendRoster, statuses } from './testing-roster.ts'

const ROUNDS = size(100)

const statusesOf = (answers: readonly Answer[]): number[] => answers.map(({ status }) => status).sort()

test('a person who is enrolled by many at once, and joins meanwhile, is one student', async (t) => {
  const app = await testApp(t, UNLIMITED)
  const { enrol, send, browserOf } = await openClasses(app)
  await Promise.all([browserOf('casey'), browserOf('finley')])
  const drew = await app.as('drew')
  const answers = await Promise.all([
    ...Array.from({ length: 10 }, () => enrol('casey', '@drew')),
    ...Array.from({ length: 10 }, () => enrol('finley', '@drew')),
    ...Array.from({ length: 10 }, () => drew.post('/edu/v1/class/join', { joinCode: CODE })),
  ])
  assert.deepEqual(new Set(statusesOf(answers)), new Set([200]))
  assert.equal(new Set(answers.map(({ body }) => body.studentId)).size, 1)
  assert.equal((await audited(app)).length, 1)

  await t.test('a roster beside them adds nobody twice', async () => {
    const people = await app.sql(
      `insert into people (handle, handle_key, created_at) select '@s' || n, 's' || n, now() from generate_series(1, 200) n returning handle`,
    )
    await joinSchool(app)
    const csv = ['handle', ...people.map(({ handle }) => handle)].join('\n')
    const [one, other, ...single] = await Promise.all([
      send('casey', csv),
      send('finley', csv),
      ...people.slice(0, 20).map(({ handle }) => enrol('casey', String(handle))),
    ])
    assert.deepEqual(new Set(statusesOf([one, other, ...single])), new Set([200]))
    assert.equal(one.body.counts.refused + other.body.counts.refused, 0)
    const rows = await app.sql(`select count(*)::int as n, count(distinct person_id)::int as people from enrolments e
      join classes c on c.id = e.class_id where c.key = 'alpha'`)
    assert.deepEqual(rows[0], { n: 203, people: 203 })
    assert.equal((await audited(app)).length, 201)
  })
})

test('a student who is transferred and dropped at once ends in one of the two ways', async (t) => {
  const app = await testApp(t, UNLIMITED)
  const { transfer, change, browserOf, enrol } = await openClasses(app)
  await Promise.all([browserOf('casey'), browserOf('finley'), browserOf('drew')])
  const { body: student } = await enrol('casey', '@finley')
  const seen = new Set<string>()
  for (let round = 0; round < ROUNDS; round++) {
    const [moved, dropped] = await Promise.all([
      transfer('finley', student.studentId, 'bravo'),
      change('casey', 'drop', student.studentId),
    ])
    const places = [await statuses(app, 'alpha'), await statuses(app, 'bravo')].map(({ finley = '-' }) => finley)
    const outcome = `${moved.status} ${dropped.status} ${places.join(' ')}`
    seen.add(outcome)
    // If the transfer came first, Casey cannot drop the student, because Casey does not teach the new class. If the
    // drop came first, a dropped student cannot be transferred.
    assert.ok(['200 403 - active', '400 200 dropped -'].includes(outcome), outcome)
    await app.sql(
      `update enrolments e set class_id = c.id, status = 'active' from classes c where c.key = 'alpha' and e.key = '${student.studentId}'`,
    )
  }
  t.diagnostic([...seen].join(', '))
})

test('a student who is transferred to two classes at once is in one of them, and nobody is in a class twice', async (t) => {
  const app = await testApp(t, UNLIMITED)
  const { transfer, browserOf, enrol } = await openClasses(app)
  await Promise.all([browserOf('finley')])
  await app.sql(
    `insert into classes (key, course_id, version_id, name, is_sequential, created_at) select 'charlie', course_id, version_id, 'Charlie', false, now() from classes where key = 'bravo'`,
  )
  const { body: student } = await enrol('finley', '@finley')
  for (let round = 0; round < Math.ceil(ROUNDS / 2); round++) {
    // Transfers and enrolments that lock the same classes in different orders must not deadlock.
    const answers = await Promise.all([
      transfer('finley', student.studentId, 'bravo'),
      transfer('finley', student.studentId, 'charlie'),
      enrol('finley', '@finley', 'charlie'),
      transfer('finley', 'avery-alpha', round % 2 === 0 ? 'charlie' : 'alpha'),
    ])
    for (const { status } of answers) assert.ok([200, 409].includes(status), String(status))
    const places = await app.sql(
      `select c.key from enrolments e join classes c on c.id = e.class_id where e.key = '${student.studentId}'`,
    )
    assert.equal(places.length, 1)
    await app.sql(`delete from enrolments e using people p where p.id = e.person_id and p.handle_key = 'finley' and e.key <> '${student.studentId}';
      update enrolments e set class_id = c.id from classes c where c.key = 'alpha' and e.key = '${student.studentId}'`)
  }
})

test('a student who leaves and is suspended at once cannot rejoin with the code, or is suspended', async (t) => {
  // Raise the limit of guesses, because a refused join counts as a guess.
  const app = await testApp(t, { ...UNLIMITED, RATE_JOIN_PER_HOUR: '1000' })
  const { change, post, browserOf } = await openClasses(app)
  await Promise.all([browserOf('casey'), browserOf('avery')])
  const avery = await app.as('avery')
  for (let round = 0; round < ROUNDS; round++) {
    const [left, suspended] = await Promise.all([
      post('avery', '/edu/v1/class/leave', { classId: 'alpha' }),
      change('casey', 'suspend', 'avery-alpha'),
    ])
    assert.equal(left.status, 200)
    const { status } = await avery.post('/edu/v1/class/join', { joinCode: CODE })
    // If the suspension came first, the student left while suspended and cannot rejoin. If leaving came first, the
    // suspension fails and the student can rejoin.
    assert.deepEqual([suspended.status, status], suspended.status === 200 ? [200, 403] : [400, 200])
    await app.sql(`update enrolments set status = 'active', has_left = false where key = 'avery-alpha'`)
  }
})

test('an account that is deleted while it is enrolled leaves nothing behind', async (t) => {
  const app = await testApp(t, UNLIMITED)
  const { enrol, browserOf } = await openClasses(app)
  await browserOf('casey')
  for (let round = 0; round < Math.ceil(ROUNDS / 2); round++) {
    await app.sql(`insert into people (handle, handle_key, created_at) values ('@gone', 'gone', now())`)
    await joinSchool(app)
    const [answer] = await Promise.all([
      enrol('casey', '@gone'),
      app.sql(`delete from people where handle_key = 'gone'`),
    ])
    assert.equal(answer.status, 200, answer.text)
    assert.equal((await app.sql(`select * from people where handle_key = 'gone'`)).length, 0)
  }
  assert.deepEqual(Object.keys(await statuses(app)), ['avery', 'blake'] satisfies Person[])
})

test('classes are listed while students come and go', async (t) => {
  const app = await testApp(t, UNLIMITED)
  const { enrol, change, get, browserOf } = await openClasses(app)
  await browserOf('casey')
  const { body } = await enrol('casey', '@drew')
  const [pages] = await Promise.all([
    Promise.all(Array.from({ length: 20 }, () => get('casey', `${STUDENT}/list?classId=alpha`))),
    ...Array.from({ length: 20 }, (_, i) => change('casey', i % 2 === 0 ? 'drop' : 'reinstate', body.studentId)),
  ])
  for (const page of pages) assert.equal(page.body.total, 3)
})

test('M4: two processes enrol and move the same people, and nobody is there twice', async (t) => {
  const app = await testApp(t, UNLIMITED)
  const { browserOf, enrol, transfer, send } = await openClasses(app)
  const { cookies } = await browserOf('finley')
  const second = new TestBrowser((await app.startSecond()).addresses.production)
  for (const [name, value] of cookies) second.cookies.set(name, value)
  const people = await app.sql(
    `insert into people (handle, handle_key, created_at) select '@s' || n, 's' || n, now() from generate_series(1, 40) n returning handle`,
  )
  await joinSchool(app)
  const handles = people.map(({ handle }) => String(handle))
  const csv = ['handle', ...handles].join('\n')
  const answers = await Promise.all([
    send('finley', csv),
    sendRoster(second, csv, {}, 'text/csv'),
    ...handles.flatMap((handle) => [
      enrol('finley', handle),
      call(second, 'PUT', STUDENT, { classId: 'alpha', handle }),
    ]),
  ])
  assert.deepEqual(new Set(statusesOf(answers)), new Set([200]))
  const students = await app.sql(
    `select e.key from enrolments e join people p on p.id = e.person_id where p.handle_key ~ '^s\\d'`,
  )
  assert.equal(students.length, 40)
  assert.equal((await audited(app)).length, 40)

  const moves = await Promise.all(
    students.flatMap(({ key: studentId }) => [
      transfer('finley', String(studentId), 'bravo'),
      call(second, 'POST', `${STUDENT}/transfer`, { studentId, classId: 'bravo' }),
    ]),
  )
  assert.deepEqual(new Set(statusesOf(moves)), new Set([200]))
  assert.equal((await audited(app)).length, 80)
})

test('an import, a roster and single enrolments at once all come to an end', async (t) => {
  const app = await testApp(t, UNLIMITED)
  const { send, enrol, browserOf } = await openClasses(app)
  await Promise.all([browserOf('casey'), browserOf('finley')])
  const people = await app.sql(
    `insert into people (handle, handle_key, created_at) select '@s' || n, 's' || n, now() from generate_series(1, 900) n returning handle`,
  )
  await joinSchool(app)
  const handles = people.map(({ handle }) => String(handle))
  const content = { classes: [{ key: 'alpha', course: 'course', name: 'Alpha', students: handles }] }
  const [, ...answers] = await Promise.all([
    importContent([app.environment()], who(), { content }),
    send('casey', ['handle', ...handles.toReversed()].join('\n')),
    ...handles.slice(400, 420).map((handle) => enrol('finley', handle)),
  ])
  assert.deepEqual(new Set(statusesOf(answers)), new Set([200]))
  assert.equal(Object.keys(await statuses(app)).length, 902)
})
