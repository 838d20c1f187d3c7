import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call, signInBrowser } from '../../../apps/account/testing.ts'
import { join } from '../../../apps/anonymous/testing.ts'
import { UNLIMITED } from '../../../apps/buckets/testing.ts'
import { run } from '../../../kernel/imports/testing.ts'
import { openSchool } from '../../../learning/courses/testing.ts'
import { type Client, type Person, sharedApp } from '../../../operations/testing/testing.ts'

/** Senders of a statement with Avery as the actor, and the outcome: 200, or the code of the refusal. */
const OUTCOMES = {
  student: 200,
  instructor: 200,
  'same person in another app': 200,
  classmate: 4003,
  'instructor of another class': 4003,
  observer: 4003,
  owner: 4003,
  administrator: 4003,
  stranger: 4003,
  'removed student': 4003,
  'anonymous user': 4035,
  'other environment': 4034,
  nobody: 4016,
}
type CallerName = keyof typeof OUTCOMES
const HOME = 'https://school.example.org'
const BASES = { XAPI_HOME_PAGE: HOME, XAPI_OBJECTS_BASE: `${HOME}/o`, XAPI_API_ID_BASE: `${HOME}/i` }
const app = await sharedApp({ ...UNLIMITED, ...BASES }, { withSandbox: true })
await openSchool(app)
await run(app, {
  people: [{ handle: '@gale', administrator: true }, { handle: '@hollis' }, { handle: '@indigo' }],
})
await app.sql(
  `insert into enrolments (key, class_id, person_id, status, enrolled_at, changed_at)
   select 'indigo-alpha', c.id, p.id, 'dropped', now(), now() from classes c, people p where c.key = 'alpha' and p.handle_key = 'indigo'`,
)
const as = (name: string) => app.as(name as Person)
const callers: Record<CallerName, Client> = {
  student: await as('avery'),
  instructor: await as('casey'),
  'same person in another app': await app.as('avery', 'second'),
  classmate: await as('blake'),
  'instructor of another class': await as('drew'),
  observer: await as('ellis'),
  owner: await as('finley'),
  administrator: await as('gale'),
  stranger: await as('hollis'),
  'removed student': await as('indigo'),
  'anonymous user': (await join(app)).client,
  // Avery's token of the sandbox, used in production.
  'other environment': Object.assign(app.nobody(), { token: (await app.as('avery', 'first', 'sandbox')).token }),
  nobody: app.nobody(),
}
const counted = async () =>
  (
    await app.sql(`select (select count(*) from statements) || ' ' || (select count(*) from statement_ids) || ' ' || (select count(*) from statement_links)
    || ' ' || (select count(*) from statement_refs) as rows`)
  )[0]!.rows

const v2 = (handle: string, ids: Record<string, string>) => {
  const extensions = Object.fromEntries(Object.entries(ids).map(([type, id]) => [`${HOME}/i/${type}`, id]))
  const verb = { id: 'http://adlnet.gov/expapi/verbs/asked' }
  return { actor: { account: { homePage: HOME, name: handle } }, verb, object: { id: `${HOME}/o/lesson`, extensions } }
}
const REAL = { lesson: 'walkaround', 'education-class': 'alpha', student: 'avery-alpha' }
const INVENTED = { lesson: 'nothing', 'education-class': 'nowhere', student: 'nobody' }
/** Statements about Avery, and about an unknown person. Users have different ids in other apps. */
const OPERATIONS = {
  '/edu/v2/xapi/statement': [() => v2('@avery', REAL), () => v2('@nobody', INVENTED)],
  '/edu/v1/xapi/statement': [
    (name: CallerName) => ({
      actor: (name === 'same person in another app' ? callers[name] : callers.student).userId,
      verb: 'x',
      object: { lessonId: 'walkaround', classId: 'alpha', studentId: 'avery-alpha' },
    }),
    () => ({ actor: 'nobody', verb: 'x', object: { lessonId: 'nothing', classId: 'nowhere', studentId: 'nobody' } }),
  ],
} as const

for (const [path, [real, invented]] of Object.entries(OPERATIONS))
  test(`only authorised callers send statements about a student: POST ${path}; a refusal changes nothing, and is the same for unknown people (D1)`, async () => {
    const outcomes: Record<string, number> = {}
    for (const name of Object.keys(OUTCOMES) as CallerName[]) {
      const before = await counted()
      const answer = await callers[name].post(path, real(name))
      outcomes[name] = answer.status === 200 ? 200 : answer.body.error_code
      if (answer.status === 200) continue
      assert.equal(await counted(), before, name)
      assert.deepEqual((await callers[name].post(path, invented())).body, answer.body, name)
    }
    assert.deepEqual(outcomes, OUTCOMES)
  })

test('only administrators change the verb library, in their browser (D1)', async () => {
  const verb = { verbId: 'https://example.org/verbs/d1', name: 'd1' }
  for (const [name, code] of [
    ['casey', 4032],
    ['finley', 4032],
    ['gale', undefined],
  ] as const) {
    const browser = await signInBrowser(app, name as Person)
    for (const [method, path] of [
      ['PUT', ''],
      ['POST', '/remove'],
    ] as const) {
      const { body } = await call(browser, method, `/edu/v1/xapi/verbs${path}`, verb)
      assert.equal(body.error_code, code, `${name} ${method}`)
    }
  }
  assert.equal((await callers.administrator.put('/edu/v1/xapi/verbs', verb)).body.error_code, 4016)
  assert.equal((await callers.stranger.get('/edu/v1/xapi/verbs')).status, 200)
})
