import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { call, signInBrowser } from '../account/testing.ts'
import { UNLIMITED } from '../buckets/testing.ts'
import { openSchool } from '../courses/testing.ts'
import { run } from '../imports/testing.ts'
import { assertError, type Client, sharedApp } from '../testing/testing.ts'
import { findFaults } from './faults.ts'
import { findStatement, show } from './query.ts'
import type { Activity, Statement } from './statement.ts'
import { STANDARD_VERBS } from './vocabulary.ts'

const HOME = 'https://school.example.org'
const SETTINGS = {
  ...UNLIMITED,
  XAPI_HOME_PAGE: HOME,
  XAPI_OBJECTS_BASE: `${HOME}/objects`,
  XAPI_API_ID_BASE: `${HOME}/ids`,
}
const V1 = '/edu/v1/xapi/statement'
const V2 = '/edu/v2/xapi/statement'
const ANSWERED = 'http://adlnet.gov/expapi/verbs/answered'

const shared = sharedApp(SETTINGS)
const school = shared.then(async (app) => {
  await openSchool(app)
  await run(app, {
    organisations: [{ key: 'abroad', name: 'Abroad' }],
    courses: [
      {
        key: 'foreign-course',
        organisation: 'abroad',
        name: 'Foreign',
        lessons: [{ id: 'foreign', name: 'Foreign' }],
        objectives: [{ id: 'foreign-objective', name: 'F', lessons: ['foreign'] }],
      },
    ],
    classes: [
      {
        key: 'foreign-class',
        course: 'foreign-course',
        name: 'Foreign',
        instructors: ['@ellis'],
        students: [{ handle: '@finley', id: 'foreign-student' }],
      },
    ],
  })
  await app.sql(
    `insert into badges (key, course_id, name, description, type, image, issuer_name, criteria, created_at, changed_at)
     select key || '-badge', id, 'A badge', '', '', '', '', '', now(), now() from courses`,
  )
})

const id = (type: string, value: unknown) => ({ [`${HOME}/ids/${type}`]: value })
const actor = (name: string) => ({ account: { homePage: HOME, name } })
/** Avery has answered something in the walkaround. */
const make = (more: object = {}) => ({
  actor: actor('@avery'),
  verb: { id: ANSWERED },
  object: { id: `${HOME}/objects/lesson`, extensions: id('lesson', 'walkaround') },
  ...more,
})

async function read(answer: Awaited<ReturnType<Client['post']>>) {
  assert.equal(answer.status, 200, answer.text)
  assert.deepEqual(Object.keys(answer.body), ['success', 'statementId'])
  const app = await shared
  const found = (await findStatement(app.environment().db, answer.body.statementId))!
  const statement = show(found) as Statement & { object: Activity }
  assert.deepEqual(findFaults(statement, '2.0.0'), [])
  const [links = {}] = await app.sql(
    `select p.handle as person, s.handle as sender, o.key as lesson, k.key as course, c.key as class, e.key as student, t.key as attempt, j.key as objective, b.key as badge
       from statement_links l left join people p on p.id = l.person_id left join people s on s.id = l.sender_id left join lessons o on o.id = l.lesson_id
       left join courses k on k.id = l.course_id left join classes c on c.id = l.class_id left join enrolments e on e.id = l.enrolment_id
       left join attempts t on t.id = l.attempt_id left join objectives j on j.id = l.objective_id left join badges b on b.id = l.badge_id
      where l.seq = ${found.seq}`,
  )
  return { statement, links: Object.fromEntries(Object.entries(links).filter(([, one]) => one !== null)) }
}

const OF_AVERY = {
  person: '@avery',
  sender: '@avery',
  lesson: 'walkaround',
  course: 'course',
  class: 'alpha',
  student: 'avery-alpha',
}

test('v2: a statement is kept as a whole one, with its links', async () => {
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

test('v2: ids stand in object or in its definition, with the type or without it, and in the context', async () => {
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

test('v2: what is wrong is named, with what to do', async () => {
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
    [make({ actor: actor('@blake') }), 4003, /the user who is signed in/],
    [make({ actor: actor('@nobody-at-all') }), 4003, /the user who is signed in/],
    [make({ actor: undefined }), 4001, /actor is missing/],
    [make({ verb: { id: 'https://example.org/verbs/invented' } }), 4003, /verb library/],
    [make({ verb: 'answered' }), 4003, /verb\.id/],
    [make({ verb: { id: ANSWERED, display: 'answered' } }), 4003, /^\/verb\/display must be a language map/],
    [make({ object: 'walkaround' }), 4003, /object must be an object/],
    [make({ object: { id: `${HOME}/objects/lesson` } }), 4003, /extensions must hold/],
    [of({ [`${HOME}/ids`]: 'walkaround' }), 4003, /say the type/],
    [of(id('lesson', 7)), 4003, /must be an id/],
    [of(id('lesson', 'walkaround'), { objectType: 'StatementRef' }), 4003, /Activity/],
    [of(id('lesson', 'walkaround'), { colour: 'red' }), 4003, /^\/object\/colour must be left out/],
    [make({ colour: 'red' }), 4003, /colour must be left out/],
    [make({ result: { score: { scaled: 2 } } }), 4003, /^\/result\/score\/scaled must/],
    [
      make({ context: { extensions: id('lesson', 'checklist') } }),
      4003,
      /lesson: object and context name different ids/,
    ],
    [make({ verb: { id: 'http://adlnet.gov/expapi/verbs/voided' } }), 4003, /StatementRef/],
    [make({ timestamp: 'yesterday' }), 4003, /timestamp/],
    [make({ id: 'seven' }), 4003, /^\/id must/],
  ] as const)
    assertError(await avery.post(V2, sent), 400, code, words)
})

test('ids that are not for the caller are refused like ids of nothing, and those that do not belong together as such', async () => {
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
  const NOTHING = /names nothing that you can send statements about$/
  for (const [who, name] of [
    [avery, '@avery'],
    [casey, '@casey'],
  ] as const)
    for (const [type, theirs] of Object.entries(foreign)) {
      // Blake is a student of Casey, in another class.
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
    [casey, { ...together(id('student', 'blake-alpha')), actor: actor('@avery') }, /no student of yours there/],
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
      /no objective of that lesson/,
    ],
    [drew, make({ actor: actor('@avery') }), /the user who is signed in/],
    [drew, { ...together(id('education-class', 'alpha')), actor: actor('@blake') }, /names nothing/],
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
  // As themselves, about nobody or about a student.
  const { class: _class, student: _student, ...own } = OF_AVERY
  assert.deepEqual(await of(casey, '@casey'), { ...own, person: '@casey', sender: '@casey' })
  const about = make({ actor: actor('@casey'), context: { extensions: id('student', 'avery-alpha') } })
  assert.deepEqual((await read(await casey.post(V2, about))).links, { ...OF_AVERY, person: '@casey', sender: '@casey' })
})

test('v1: the user of the app, words as verbs, keys and flags, as an object or as text', async () => {
  await school
  const app = await shared
  const avery = await app.as('avery')
  const object = {
    lessonId: 'walkaround',
    studentId: 'nil',
    classId: null,
    questionText: 'Which?',
    safety: true,
    questionIndex: 3,
  }
  for (const sent of [object, JSON.stringify(object)]) {
    const { statement, links } = await read(
      await avery.post(V1, { actor: avery.userId, verb: ' Perfect  Sequence', object: sent, timestamp: '05/04/21' }),
    )
    assert.deepEqual(links, OF_AVERY)
    assert.deepEqual(statement.actor, { objectType: 'Agent', account: { homePage: HOME, name: '@avery' } })
    assert.deepEqual(statement.verb, {
      id: `${app.environment().url}/xapi/verbs/perfect-sequence`,
      display: { en: 'Perfect Sequence' },
    })
    assert.equal(statement.timestamp, '2021-05-04T00:00:00.000Z')
    assert.deepEqual(statement.object.definition!.extensions, {
      ...id('lesson', 'walkaround'),
      ...id('v1/questionText', 'Which?'),
      ...id('v1/safety', true),
      ...id('v1/questionIndex', 3),
    })
  }
  const { links } = await read(
    await avery.post(V1, {
      actor: avery.userId,
      verb: 'x',
      object: { lessonId: 'walkaround', objectiveId: 'safety', classId: 'alpha' },
    }),
  )
  assert.deepEqual(links, { ...OF_AVERY, objective: 'safety' })
  await read(await avery.post(V1, { actor: avery.userId, verb: 'Anything at all', object: { target: 'the wing' } }))
  const elsewhere = await app.as('avery', 'second')
  for (const [sent, code, words] of [
    [{ actor: elsewhere.userId, verb: 'x', object }, 4003, /the user who is signed in/],
    [{ actor: avery.userId, verb: ' ', object }, 4003, /verb/],
    [{ actor: avery.userId, verb: 'x', object: '{"a":1,"a":2}' }, 4003, /object must be a JSON object/],
    [{ actor: avery.userId, verb: 'x', object: '[1]' }, 4005, /object/],
    [{ actor: avery.userId, verb: 'x', object: [] }, 4005, /object/],
    [{ actor: avery.userId, verb: 'x', object: { lessonId: 'foreign' } }, 4003, /^object\.lessonId names nothing/],
    [{ actor: avery.userId, verb: 'x', object: { lessonId: 7 } }, 4003, /object\.lessonId must be an id/],
    [{ verb: 'x', object }, 4001, /actor/],
  ] as const)
    assertError(await avery.post(V1, sent), 400, code, words)
})

test('v1: the student is the acting user in the newest class that takes the lesson', async () => {
  await school
  const app = await shared
  const blake = await app.as('blake')
  await app.sql(
    `update enrolments set enrolled_at = '2020-01-01' where key = 'blake-alpha'; update enrolments set enrolled_at = '2020-01-02' where key = 'blake-bravo'`,
  )
  const send = async (more: object = {}) =>
    (await read(await blake.post(V1, { actor: blake.userId, verb: 'x', object: { lessonId: 'walkaround', ...more } })))
      .links.student
  assert.equal(await send(), 'blake-bravo')
  assert.equal(await send({ classId: 'alpha' }), 'blake-alpha')
  assert.equal(await send({ studentId: 'blake-alpha' }), 'blake-alpha')
  await app.sql(`update enrolments set enrolled_at = '2020-01-03' where key = 'blake-alpha'`)
  assert.equal(await send(), 'blake-alpha')
  await app.sql(`update enrolments set status = 'suspended' where key = 'blake-alpha'`)
  assertError(await blake.post(V1, { actor: blake.userId, verb: 'x', object: { lessonId: 'walkaround' } }), 403, 4032)
  await app.sql(`update enrolments set status = 'active'; update classes set ended_at = now() where key = 'bravo'`)
  const ended = { actor: blake.userId, verb: 'x', object: { classId: 'bravo' } }
  assertError(await blake.post(V1, ended), 400, 4006, /ended/)
  await app.sql(`update classes set ended_at = null where key = 'bravo'`)
})

test('a statement with an id of its own is stored once; so is a request with an Idempotency-Key', async () => {
  await school
  const app = await shared
  const avery = await app.as('avery')
  const sent = { ...make(), id: randomUUID().toUpperCase() }
  const first = await read(await avery.post(V2, sent))
  assert.equal(first.statement.id, sent.id.toLowerCase())
  assert.deepEqual(await read(await avery.post(V2, sent)), first)
  assertError(await avery.post(V2, { ...sent, result: { success: false } }), 409, 4091, /another statement/)
  const keyed = () => avery.post(V2, make(), { 'idempotency-key': 'once' })
  const [one, two] = await Promise.all([keyed(), keyed()])
  assert.equal(one.body.statementId, two.body.statementId)
  assert.deepEqual(await read(one), await read(two))
})

test('the verb library: everybody reads it, administrators change it, with an entry in the audit log', async () => {
  await school
  const app = await shared
  const avery = await app.as('avery')
  const flew = 'https://example.org/verbs/flew'
  const { body } = await avery.get('/edu/v1/xapi/verbs')
  assert.equal(body.length, STANDARD_VERBS.size + 4)
  assert.deepEqual(body[0], { verbId: ANSWERED, name: 'answered', standard: true })
  assert.equal(body.at(-1).name, 'Repeated Steps')
  const preset = make({ verb: { id: body.at(-1).verbId } })
  await read(await avery.post(V2, preset))
  const browse = async (name: 'ellis' | 'drew') => {
    const browser = await signInBrowser(app, name)
    return (method: 'PUT' | 'POST', path: string, body: object) =>
      call(browser, method, `/edu/v1/xapi/verbs${path}`, body)
  }
  const [ellis, drew] = [await browse('ellis'), await browse('drew')]
  await app.sql(`update people set administrator = handle_key = 'ellis'`)
  assertError(await drew('PUT', '', { verbId: flew, name: 'flew' }), 403, 4032)
  assert.deepEqual((await ellis('PUT', '', { verbId: flew, name: 'flew' })).body, {
    verbId: flew,
    name: 'flew',
    standard: false,
  })
  assertError(await ellis('PUT', '', { verbId: flew, name: 'flew' }), 409, 4091)
  assertError(await ellis('PUT', '', { verbId: ANSWERED, name: 'answered' }), 409, 4091)
  assertError(await ellis('PUT', '', { verbId: 'flew', name: 'flew' }), 400, 4003, /IRI/)
  await read(await avery.post(V2, make({ verb: { id: flew } })))
  assertError(await drew('POST', '/remove', { verbId: flew }), 403, 4032)
  assertError(await ellis('POST', '/remove', { verbId: ANSWERED }), 400, 4006)
  assert.equal((await ellis('POST', '/remove', { verbId: flew })).status, 200)
  assertError(await ellis('POST', '/remove', { verbId: flew }), 404, 4042)
  assertError(await avery.post(V2, make({ verb: { id: flew } })), 400, 4003, /verb library/)
  const entries = await app.sql(
    `select action, detail from audit_entries where action like 'verb.%' order by at, action`,
  )
  assert.deepEqual(
    entries.map(({ action, detail }) => [action, (detail as { verb: string }).verb]),
    [
      ['verb.added', flew],
      ['verb.removed', flew],
    ],
  )
})
