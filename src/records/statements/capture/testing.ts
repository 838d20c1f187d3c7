import assert from 'node:assert/strict'
import { UNLIMITED } from '../../../apps/buckets/testing.ts'
import { run } from '../../../kernel/imports/testing.ts'
import { openSchool } from '../../../learning/courses/testing.ts'
import { oncePerProcess } from '../../../operations/testing/process-end.ts'
import { type Client, processApp } from '../../../operations/testing/testing.ts'
import { findFaults } from '../faults/faults.ts'
import type { Activity, Statement } from '../model/statement.ts'
import { findStatement, presentStatement } from '../query/query.ts'

export const HOME = 'https://school.example.org'
const SETTINGS = {
  ...UNLIMITED,
  XAPI_HOME_PAGE: HOME,
  XAPI_OBJECTS_BASE: `${HOME}/objects`,
  XAPI_API_ID_BASE: `${HOME}/ids`,
}
export const V1 = '/edu/v1/xapi/statement'
export const V2 = '/edu/v2/xapi/statement'
export const ANSWERED = 'http://adlnet.gov/expapi/verbs/answered'

export const shared = processApp(SETTINGS, { withSandbox: true })
export const school = oncePerProcess(async () => {
  const app = await shared
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

export const id = (type: string, value: unknown) => ({ [`${HOME}/ids/${type}`]: value })
export const actor = (name: string) => ({ account: { homePage: HOME, name } })
/** Makes a statement that Avery answered something in the lesson `walkaround`. */
export const make = (more: object = {}) => ({
  actor: actor('@avery'),
  verb: { id: ANSWERED },
  object: { id: `${HOME}/objects/lesson`, extensions: id('lesson', 'walkaround') },
  ...more,
})

export async function read(answer: Awaited<ReturnType<Client['post']>>) {
  assert.equal(answer.status, 200, answer.text)
  assert.deepEqual(Object.keys(answer.body), ['success', 'statementId'])
  const app = await shared
  const found = (await findStatement(app.environment().db, answer.body.statementId))!
  const statement = presentStatement(found) as Statement & { object: Activity }
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

export const OF_AVERY = {
  person: '@avery',
  sender: '@avery',
  lesson: 'walkaround',
  course: 'course',
  class: 'alpha',
  student: 'avery-alpha',
}
