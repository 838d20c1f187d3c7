import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertError, type Client } from '../../../operations/testing/testing.ts'
import { ANSWERED, actor, HOME, id, make, OF_AVERY, read, school, shared, V2 } from './testing.ts'

test('v2: a statement is stored in full form, with its links', async () => {
  await school
  const app = await shared
  const avery = await app.as('avery')
  const { statement, links } = await read(
    await avery.post(
      V2,
      make({
        result: { success: true },
        timestamp: '5/4/2021 3:14:15 PM',
        authority: { mbox: 'mailto:x@example.org' },
      }),
    ),
  )
  assert.deepEqual(links, OF_AVERY)
  const { stored, id: statementId, ...rest } = statement
  assert.match(String(stored), /\.\d{6}Z$/)
  assert.deepEqual(rest, {
    actor: { account: { homePage: HOME, name: '@avery' } },
    verb: { id: ANSWERED },
    object: {
      objectType: 'Activity',
      id: `${HOME}/objects/lesson/walkaround`,
      definition: { type: `${HOME}/objects/lesson`, extensions: id('lesson', 'walkaround') },
    },
    result: { success: true },
    timestamp: '2021-05-04T15:14:15.000Z',
    authority: { objectType: 'Agent', account: { homePage: HOME, name: 'gs-first' } },
    version: '2.0.0',
  })
})

test('v2: ids may be in object or its definition, with or without the type, and in the context', async () => {
  await school
  const avery = await (await shared).as('avery')
  const object = { id: 'https://app.example.org/items/7' }
  const bare = { [`${HOME}/ids`]: 'walkaround' }
  const type = `${HOME}/objects/lesson`
  for (const one of [
    { ...object, extensions: id('lesson', 'walkaround') },
    { ...object, definition: { extensions: id('lesson', 'walkaround') } },
    { ...object, definition: { type, extensions: bare } },
    { ...object, definition: { type }, extensions: bare },
  ]) {
    const { statement, links } = await read(await avery.post(V2, make({ object: one })))
    assert.deepEqual(links, OF_AVERY)
    assert.equal(statement.object.id, object.id)
    assert.equal(statement.object.definition!.type, type)
  }
  await read(await avery.post(V2, make({ object: { id: type, extensions: bare } })))
  await read(await avery.post(V2, make({ actor: actor('AVERY') })))
  const started = await avery.post('/edu/v1/lesson/progress/start', { lessonId: 'walkaround' })
  const context = {
    extensions: {
      ...id('student', 'avery-alpha'),
      ...id('education-class', 'alpha'),
      ...id('course', 'course'),
      ...id('lesson-result', started.body.lessonResultId),
      ...id('objective', 'safety'),
      ...id('badge', 'course-badge'),
      ...id('user', avery.userId),
    },
  }
  const { links } = await read(await avery.post(V2, make({ context })))
  const all = { ...OF_AVERY, attempt: started.body.lessonResultId, objective: 'safety', badge: 'course-badge' }
  assert.deepEqual(links, all)
  for (const [type, value, linked] of [
    ['course', 'course', { course: 'course' }],
    ['objective', 'safety', { course: 'course', objective: 'safety' }],
    ['badge', 'course-badge', { course: 'course', badge: 'course-badge' }],
    ['student', 'avery-alpha', { course: 'course', class: 'alpha', student: 'avery-alpha' }],
    ['education-class', 'alpha', { course: 'course', class: 'alpha', student: 'avery-alpha' }],
    ['lesson-result', started.body.lessonResultId, { ...OF_AVERY, attempt: started.body.lessonResultId }],
    ['user', avery.userId, {}],
  ] as const) {
    const sent = make({ object: { id: `${HOME}/objects/${type}`, extensions: id(type, value) } })
    const { links: found } = await read(await avery.post(V2, sent))
    assert.deepEqual(found, { person: '@avery', sender: '@avery', ...linked }, type)
  }
})

test('v2: faults are named, with advice', async () => {
  await school
  const avery = await (await shared).as('avery')
  const of = (extensions: unknown, more: object = {}) =>
    make({ object: { id: 'https://x.example.org/1', extensions, ...more } })
  for (const [sent, code, words] of [
    [
      make({ actor: { account: { homePage: 'https://elsewhere.example.org', name: '@avery' } } }),
      4003,
      /actor\.account\.homePage must be https:/,
    ],
    [make({ actor: { mbox: 'mailto:avery@example.org' } }), 4003, /actor must have an account/],
    [make({ actor: { ...actor('@avery'), objectType: 'Group' } }), 4003, /Agent/],
    [make({ actor: { ...actor('@avery'), mbox: 'mailto:a@example.org' } }), 4003, /actor/],
    [make({ actor: actor('@blake') }), 4003, /the signed-in user/],
    [make({ actor: actor('@nobody-at-all') }), 4003, /the signed-in user/],
    [make({ actor: undefined }), 4001, /actor is missing/],
    [make({ verb: { id: 'https://example.org/verbs/invented' } }), 4003, /verb library/],
    [make({ verb: 'answered' }), 4003, /verb\.id/],
    [make({ verb: { id: ANSWERED, display: 'answered' } }), 4003, /^\/verb\/display must be a language map/],
    [make({ object: 'walkaround' }), 4003, /object must be an object/],
    [make({ object: { id: `${HOME}/objects/lesson` } }), 4003, /extensions must have/],
    [of({ [`${HOME}/ids`]: 'walkaround' }), 4003, /add the type/],
    [of(id('lesson', 7)), 4003, /must be an id/],
    [of(id('lesson', 'walkaround'), { objectType: 'StatementRef' }), 4003, /Activity/],
    [of(id('lesson', 'walkaround'), { colour: 'red' }), 4003, /^\/object\/colour must be left out/],
    [make({ colour: 'red' }), 4003, /colour must be left out/],
    [make({ result: { score: { scaled: 2 } } }), 4003, /^\/result\/score\/scaled must/],
    [
      make({ context: { extensions: id('lesson', 'checklist') } }),
      4003,
      /lesson: object and context have different ids/,
    ],
    [make({ verb: { id: 'http://adlnet.gov/expapi/verbs/voided' } }), 4003, /StatementRef/],
    [make({ timestamp: 'yesterday' }), 4003, /timestamp/],
    [make({ id: 'seven' }), 4003, /^\/id must/],
  ] as const)
    assertError(await avery.post(V2, sent), 400, code, words)
})

test('ids that the caller may not use are refused like unknown ids, and ids that do not belong together are named', async () => {
  await school
  const app = await shared
  const [avery, casey, drew] = [await app.as('avery'), await app.as('casey'), await app.as('drew')]
  const blake = await app.as('blake')
  const { body } = await blake.post('/edu/v1/lesson/progress/start', { lessonId: 'walkaround', classId: 'bravo' })
  const foreign = {
    lesson: 'foreign',
    course: 'foreign-course',
    'education-class': 'foreign-class',
    student: 'foreign-student',
    objective: 'foreign-objective',
    badge: 'foreign-course-badge',
    'lesson-result': body.lessonResultId,
    user: blake.userId,
  }
  const NOTHING = /is unknown, or you cannot send statements about it$/
  for (const [who, name] of [
    [avery, '@avery'],
    [casey, '@casey'],
  ] as const)
    for (const [type, theirs] of Object.entries(foreign)) {
      // Blake is also a student of Casey, so Blake's user id is not foreign to Casey.
      if (who === casey && type === 'user') continue
      const told = []
      for (const value of [theirs, 'invented']) {
        const answer = await who.post(
          V2,
          make({ actor: actor(name), object: { id: `${HOME}/objects/${type}`, extensions: id(type, value) } }),
        )
        assertError(answer, 400, 4003, NOTHING)
        told.push(answer.body.error_description)
      }
      assert.equal(told[0], told[1])
      assert.ok(told[0].startsWith(`${HOME}/ids/${type} `), told[0])
    }
  const together = (extensions: object) => make({ context: { extensions } })
  for (const [who, sent, words] of [
    [casey, { ...together(id('student', 'blake-alpha')), actor: actor('@avery') }, /not one of your students there/],
    [
      blake,
      { ...together({ ...id('student', 'blake-bravo'), ...id('education-class', 'alpha') }), actor: actor('@blake') },
      /different classes/,
    ],
    [
      blake,
      {
        ...together({ ...id('student', 'blake-alpha'), ...id('lesson-result', body.lessonResultId) }),
        actor: actor('@blake'),
      },
      /different students/,
    ],
    [
      avery,
      make({
        object: { id: 'https://x.example.org/1', extensions: id('lesson', 'checklist') },
        context: { extensions: id('objective', 'safety') },
      }),
      /not an objective of this lesson/,
    ],
    [drew, make({ actor: actor('@avery') }), /the signed-in user/],
    [drew, { ...together(id('education-class', 'alpha')), actor: actor('@blake') }, /is unknown/],
  ] as const)
    assertError(await who.post(V2, sent), 400, 4003, words)
})

test('an instructor speaks for students of their classes, in the class that they teach', async () => {
  await school
  const app = await shared
  const [casey, drew] = [await app.as('casey'), await app.as('drew')]
  const of = async (who: Client, name: string) => (await read(await who.post(V2, make({ actor: actor(name) })))).links
  assert.deepEqual(await of(casey, '@avery'), { ...OF_AVERY, sender: '@casey' })
  const blake = { ...OF_AVERY, person: '@blake' }
  assert.deepEqual(await of(casey, '@blake'), { ...blake, sender: '@casey', student: 'blake-alpha' })
  assert.deepEqual(await of(drew, '@blake'), { ...blake, sender: '@drew', class: 'bravo', student: 'blake-bravo' })
  // Instructors may also send statements with themselves as the actor, with or without a student that the statement is
  // about.
  const { class: _class, student: _student, ...own } = OF_AVERY
  assert.deepEqual(await of(casey, '@casey'), { ...own, person: '@casey', sender: '@casey' })
  const about = make({ actor: actor('@casey'), context: { extensions: id('student', 'avery-alpha') } })
  assert.deepEqual((await read(await casey.post(V2, about))).links, { ...OF_AVERY, person: '@casey', sender: '@casey' })
})
