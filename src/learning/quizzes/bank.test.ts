import assert from 'node:assert/strict'
import { test } from 'node:test'
import { UNLIMITED } from '../../apps/account/testing.ts'
import { assertError, sharedApp } from '../../operations/testing/testing.ts'
import { browse } from '../progress/testing.ts'
import { openQuizSchool, QUESTIONS } from './testing.ts'

const PATH = '/edu/v1/question'
const { app, finley, ids } = await openQuizSchool(await sharedApp(UNLIMITED))
const make = (content: object) => finley.put(PATH, { organisation: 'school', ...content })
const list = async (query: Record<string, string>) =>
  (await finley.get(`${PATH}/list`, { organisation: 'school', limit: '100', ...query })).body
const essay = { kind: 'essay', text: 'Describe a go-around.' }

test('a question is read as it was written, with its tags in lower case', async () => {
  const made = await make({ ...QUESTIONS.single, tags: ['Air  Law', 'air law'], explanation: 'Because' })
  const { questionId, changedDate, ...rest } = made.body
  assert.deepEqual(rest, {
    organisation: 'school',
    revision: 1,
    archived: false,
    tags: ['air law'],
    explanation: 'Because',
    ...QUESTIONS.single,
  })
  assert.deepEqual((await finley.get(PATH, { questionId })).body, made.body)
  assert.match(changedDate, /^20/)
})

test('a question is listed by words, tag, kind and id, and archived ones apart', async () => {
  const { questionId } = (await make({ ...essay, text: 'Explain the Föhn effect', tags: ['weather'] })).body
  const found = async (query: Record<string, string>) =>
    (await list(query)).docs.map((one: { questionId: string }) => one.questionId)
  for (const query of [
    { query: 'fohn explain' },
    { tag: 'Weather' },
    { query: 'weather', kind: 'essay' },
    { questions: questionId },
  ])
    assert.deepEqual(await found(query as Record<string, string>), [questionId], JSON.stringify(query))
  assert.deepEqual(await found({ query: 'fohn', kind: 'single' }), [])
  const tags = (await finley.get(`${PATH}/tags`, { organisation: 'school' })).body
  assert.ok(tags.some((one: object) => JSON.stringify(one) === '{"tag":"weather","questions":1}'))
  const archived = await finley.post(`${PATH}/archive`, { questionId })
  assert.equal(archived.body.archived, true)
  assert.deepEqual(await found({ tag: 'weather' }), [])
  assert.deepEqual(await found({ archived: 'true' }), [questionId])
  await finley.post(`${PATH}/archive`, { questionId, archived: false })
  assert.deepEqual(await found({ tag: 'weather' }), [questionId])
})

test('a change creates a revision, and nothing is overwritten by accident', async () => {
  const { questionId } = (await make(essay)).body
  const change = (more: object) => finley.post(PATH, { questionId, ...essay, ...more })
  assert.equal((await change({ text: 'Second', revision: 1 })).body.revision, 2)
  assert.equal((await change({ text: 'Second' })).body.revision, 2)
  assertError(await change({ text: 'Third', revision: 1 }), 409, 4091)
  assertError(await change({ ...QUESTIONS.text }), 400, 4003)
  const rows = await app.sql(
    `select r.number, r.content->>'text' as text from question_revisions r join questions q on q.id = r.question_id where q.key = '${questionId}' order by 1`,
  )
  assert.deepEqual(rows, [
    { number: 1, text: essay.text },
    { number: 2, text: 'Second' },
  ])
  const both = await Promise.all([1, 2, 3].map((i) => change({ text: `Race ${i}`, revision: 2 })))
  assert.deepEqual(both.map(({ status }) => status).sort(), [200, 409, 409])
})

test('wrong questions are refused with a message that names the field', async () => {
  const wrong: [object, RegExp][] = [
    [{ ...QUESTIONS.single, options: [{ text: 'a', correct: true }] }, /^options must have 2 to 20/],
    [{ ...essay, answer: 5 }, /^answer must be left out/],
    [{ kind: 'riddle', text: 'x' }, /kind/],
    [{ ...essay, text: '' }, /text/],
    [{ ...essay, points: 0 }, /points/],
    [{ ...essay, tags: Array.from({ length: 21 }, (_, i) => `t${i}`) }, /tags/],
  ]
  for (const [content, message] of wrong) {
    const refused = await make(content)
    assert.equal(refused.status, 400, refused.text)
    assert.match(refused.body.error_description, message)
  }
})

test('only owners and administrators use the bank of an organisation that lets no one else create courses', async () => {
  for (const person of ['avery', 'casey', 'ellis', 'drew'] as const) {
    const who = await browse(app, person)
    const requests = [
      who.put(PATH, { organisation: 'school', ...essay }),
      who.get(PATH, { questionId: ids.single }),
      who.get(`${PATH}/list`, { organisation: 'school' }),
      who.get(`${PATH}/tags`, { organisation: 'school' }),
      who.post(PATH, { questionId: ids.single, ...QUESTIONS.single }),
      who.post(`${PATH}/archive`, { questionId: ids.single }),
    ]
    for (const answer of await Promise.all(requests)) assertError(answer, 403, 4032)
    const unknown = await who.get(PATH, { questionId: 'nothing' })
    assert.equal(unknown.text, (await who.get(PATH, { questionId: ids.single })).text)
  }
})

test('instructors who may create courses of the organisation use its bank, and others do not', async () => {
  await app.sql(
    `insert into organisation_members (organisation_id, person_id, role)
     select o.id, p.id, r.role from (values ('casey', 'instructor'), ('drew', 'developer')) r(name, role)
       join people p on p.handle_key = r.name, organisations o where o.key = 'school'`,
  )
  const send = async (person: 'casey' | 'drew' | 'avery') => {
    const who = await browse(app, person)
    const { questionId } = (await make(essay)).body
    const answers = [
      await who.put(PATH, { organisation: 'school', ...essay }),
      await who.get(PATH, { questionId }),
      await who.get(`${PATH}/list`, { organisation: 'school' }),
      await who.get(`${PATH}/tags`, { organisation: 'school' }),
      await who.post(PATH, { questionId, ...essay, text: 'Changed' }),
      await who.post(`${PATH}/archive`, { questionId }),
    ]
    return [...new Set(answers.map(({ status }) => status))]
  }
  const letCreate = (courseAuthors: string) =>
    finley.post('/edu/v1/organisation/course-authors', { organisation: 'school', courseAuthors })
  assert.deepEqual(await send('casey'), [403])
  assert.equal((await letCreate('instructors')).status, 200)
  assert.deepEqual(await send('casey'), [200])
  for (const person of ['drew', 'avery'] as const) assert.deepEqual(await send(person), [403])
  await letCreate('owners')
  assert.deepEqual(await send('casey'), [403])
})

test('an organisation has at most 20,000 questions, and its lists stay small', async () => {
  await app.sql(
    `with q as (insert into questions (key, organisation_id, kind, summary, tags, revision, created_at, changed_at)
       select 'many-' || i, o.id, 'essay', 'Many ' || i, '{many}', 1, now(), now()
         from organisations o, generate_series(1, 20000 - (select count(*)::int from questions)) i where o.key = 'school' returning id)
     insert into question_revisions (question_id, number, tags, content, points, parts, created_at)
     select id, 1, '{many}', '{"kind":"essay","text":"Many"}', 1, 0, now() from q`,
  )
  const refused = await make(essay)
  assertError(refused, 400, 4006)
  assert.match(refused.body.error_description, /20000/)
  const page = await list({ query: 'many 1', limit: '10' })
  assert.ok(page.total > 1000)
  assert.equal(page.docs.length, 10)
  assert.equal((await list({ tag: 'many', page: '150' })).docs.length, 100)
})
