import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { assertError } from '../../operations/testing/testing.ts'
import { actor, school, shared } from '../statements/capture/testing.ts'
import { makeSpeaker, makeStatement, refTo, Speaker, STATEMENTS } from './testing.ts'

const app = await shared
await school
const key = await makeSpeaker(app)

const activities = (many: number) => Array.from({ length: many }, (_, i) => ({ id: `https://example.org/${i}` }))
const naming = (many: number) => makeStatement({ context: { contextActivities: { other: activities(many) } } })

test('the number of agents and activities in a statement is limited, and the error names the limit', async () => {
  assert.equal((await key.post(naming(400))).status, 200)
  assertError(await key.post(naming(600)), 400, 4003, /at most 500 agents and activities, not 604/)
})

test('a batch of references to a statement with many names is refused with advice', async () => {
  const [target] = await key.store(naming(400))
  const refer = () => makeStatement({ object: refTo(target!) })
  assert.equal((await key.post(Array.from({ length: 40 }, refer))).status, 200)
  assertError(await key.post(Array.from({ length: 100 }, refer)), 400, 4003, /^\/49 must be sent in a smaller batch/)
})

test('callers limited to their own statements learn nothing about others by referring to them', async () => {
  const hidden = makeStatement({ context: { registration: randomUUID() } })
  await key.store(hidden)
  const mine = await makeSpeaker(app, 'statements/write', 'statements/read/mine')
  const [own] = await mine.store(makeStatement({ object: refTo(hidden.id) }))
  const filters = [
    { activity: (hidden.object as { id: string }).id },
    { registration: hidden.context!.registration! },
    { activity: (hidden.object as { id: string }).id, verb: hidden.verb.id },
  ]
  for (const filter of filters) {
    assert.deepEqual(await mine.find(filter), [], JSON.stringify(filter))
    assert.ok((await key.find(filter)).includes(own!))
    const counted = await mine.client.get('/lrs/v1/statements/count', filter)
    assert.equal(counted.body.count, 0)
  }
  assert.deepEqual(await mine.find({ verb: hidden.verb.id }), [own])
})

test('ids of statements made from events cannot be predicted', async () => {
  const { idOf } = await import('../statements/recording/recording.ts')
  const event = { id: 1, kind: 'attempt.started', subject: 'student:1' }
  const [one, other] = ['a', 'b'].map((text) => idOf(Buffer.alloc(32, text), event, 'initialized'))
  assert.match(one!, /^[\da-f]{8}-[\da-f]{4}-5[\da-f]{3}-8[\da-f]{3}-[\da-f]{12}$/)
  assert.notEqual(one, other)
})

test('a dry run reports that a user speaks for somebody else', async () => {
  const blake = new Speaker(await app.as('blake'))
  const answer = await blake.client.send('POST', '/lrs/v1/statements/validate', {
    body: [makeStatement({ actor: actor('@avery') }), makeStatement({ actor: actor('@blake') })],
  })
  assert.equal(answer.body.valid, false, answer.text)
  assert.deepEqual(
    answer.body.faults.map((one: { position: number; pointer: string }) => [one.position, one.pointer]),
    [[0, '/actor']],
  )
})

test('pages of any origin may use a key; a cookie gives them nothing', async () => {
  const headers = { origin: 'https://tool.example', 'access-control-request-method': 'POST' }
  const asked = await fetch(`${app.address}${STATEMENTS}`, { method: 'OPTIONS', headers })
  assert.equal(asked.status, 200)
  assert.equal(asked.headers.get('access-control-allow-origin'), '*')
  assert.match(asked.headers.get('access-control-allow-headers') ?? '', /x-experience-api-version/)
  const read = await key.get({ limit: 1 }, { origin: 'https://tool.example' })
  assert.equal(read.headers.get('access-control-allow-origin'), '*')
  assert.match(read.headers.get('access-control-expose-headers') ?? '', /x-experience-api-consistent-through/)
  assert.equal(read.headers.get('access-control-allow-credentials'), null)
  const elsewhere = await fetch(`${app.address}/edu/v1/class/list`, { method: 'OPTIONS', headers })
  assert.equal(elsewhere.status, 403)
})

test('the next page can be requested even after long filters', async () => {
  const long = `https://example.org/${'a'.repeat(1900)}`
  await key.store(...[1, 2].map(() => makeStatement({ verb: { id: long }, object: { id: `${long}b` } })))
  assert.equal((await key.pages({ verb: long, activity: `${long}b`, limit: 1 })).length, 2)
})

test('faults of an attachment are reported with their place', async () => {
  const attachments = [
    {
      usageType: 'https://example.org/u',
      display: { en: 'x' },
      contentType: 'text/plain',
      length: 1,
      sha2: 'a'.repeat(64),
    },
  ]
  const answer = await key.post([makeStatement(), makeStatement({ attachments })])
  assertError(answer, 400, 4003, /without its bytes/)
  assert.equal(answer.body.faults[0].pointer, '/1/attachments')
})
