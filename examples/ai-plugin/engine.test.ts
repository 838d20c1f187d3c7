import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPlugin, type RecordOfUser } from 'groundschool-sdk'
import { findCapabilities, learn, rankCandidates } from './engine.ts'

const person = (userId: string, what: Partial<RecordOfUser> = {}): RecordOfUser => ({
  userId,
  dutyTitle: '',
  afsc: '',
  education: [],
  courses: [],
  badges: [],
  skills: [],
  ...what,
})
const preflight = (lessonsPassed: number) => ({
  courseId: 'course-preflight',
  name: 'Preflight inspection',
  lessonsPassed,
  lessons: 4,
  organisation: 'org-1',
  completedDate: null,
  score: null,
  completed: lessonsPassed === 4,
})
const NIGHT = { badgeId: 'badge-night', name: 'Night flyer', issuedOn: '2026-01-01T00:00:00.000Z', assertedBy: null }

const RECORDS = [
  person('ann', { courses: [preflight(4), preflight(1)], badges: [NIGHT] }),
  person('bea', { courses: [preflight(2)], skills: ['Night flying', 'Söldering'] }),
  person('cem', { badges: [NIGHT], dutyTitle: 'Flight inspector' }),
  person('dag', { skills: ['night  Flying'] }),
  person('eve', { courses: [preflight(0)] }),
]
const DESCRIPTIONS = new Map([['badge-night', 'For ten landings by night.']])
const KNOWLEDGE = learn(RECORDS, DESCRIPTIONS)

test('capabilities are found by what a text says, in other forms of its words too, with ids that last', () => {
  assert.deepEqual(findCapabilities(KNOWLEDGE, 'Somebody who flies by NIGHT'), [
    {
      id: 'badge:badge-night',
      name: 'Night flyer',
      description: 'For ten landings by night. Badge, held by 2 of 5 people.',
    },
    { id: 'skill:night-flying', name: 'Night flying', description: 'Skill, named by 2 of 5 people.' },
  ])
  const ids = (text: string) => findCapabilities(KNOWLEDGE, text).map(({ id }) => id)
  assert.deepEqual(ids('inspecting aircraft before the flight'), ['duty:flight-inspector', 'course:course-preflight'])
  assert.deepEqual(ids('soldering'), ['skill:söldering'])
  assert.deepEqual(ids('somebody who can do it for us'), [])
  assert.deepEqual(ids(''), [])
})

test('candidates are ranked by all that was asked for, and each score is explained', () => {
  assert.deepEqual(rankCandidates(KNOWLEDGE, ['course:course-preflight', 'badge:badge-night'], 10), [
    {
      userId: 'ann',
      score: 1,
      reasons: ['Completed the course Preflight inspection.', 'Holds the badge Night flyer.'],
      weights: [1, 1],
    },
    {
      userId: 'cem',
      score: 0.5,
      reasons: ['Holds the badge Night flyer.', 'No evidence of Preflight inspection.'],
      weights: [1, 0],
    },
    {
      userId: 'bea',
      score: 0.45,
      reasons: [
        'Lists the skill Night flying. Similar to the badge Night flyer.',
        'Passed 2 of 4 lessons of the course Preflight inspection.',
      ],
      weights: [0.5, 0.4],
    },
    {
      userId: 'dag',
      score: 0.25,
      reasons: [
        'Lists the skill Night flying. Similar to the badge Night flyer.',
        'No evidence of Preflight inspection.',
      ],
      weights: [0.5, 0],
    },
  ])
})

test('the order of the records changes nothing, ties are broken by courses and then by id, and the limit holds', () => {
  const reversed = learn(RECORDS.toReversed(), DESCRIPTIONS)
  const ids = ['skill:night-flying', 'skill:night-flying', 'nobody:knows-this']
  assert.deepEqual(rankCandidates(reversed, ids, 10), rankCandidates(KNOWLEDGE, ids, 10))
  assert.deepEqual(findCapabilities(reversed, 'night'), findCapabilities(KNOWLEDGE, 'night'))
  const order = rankCandidates(KNOWLEDGE, ids, 3).map(({ userId, score }) => [userId, score])
  assert.deepEqual(order, [
    ['bea', 1],
    ['dag', 1],
    ['ann', 0.5],
  ])
  assert.deepEqual(rankCandidates(KNOWLEDGE, ['nobody:knows-this'], 3), [])
})

test('a badge that a plugin asserted counts less than one that the platform gave, and the reason names the plugin', () => {
  const asserted = person('fay', { badges: [{ ...NIGHT, assertedBy: 'gs-other' }] })
  const knowledge = learn([asserted, person('gus', { badges: [NIGHT] })], new Map())
  assert.match(findCapabilities(knowledge, 'night')[0]!.description, /held by 2 of 2 people/)
  assert.deepEqual(rankCandidates(knowledge, ['badge:badge-night'], 10), [
    { userId: 'gus', score: 1, reasons: ['Holds the badge Night flyer.'], weights: [1] },
    { userId: 'fay', score: 0.9, reasons: ['According to gs-other, holds the badge Night flyer.'], weights: [0.9] },
  ])
})

test('records that lack fields are read as far as they go', () => {
  const records = [
    { userId: 'x', courses: null },
    { userId: 'y', skills: ['Night flying', '…'] },
  ] as unknown as RecordOfUser[]
  const found = rankCandidates(learn(records, new Map()), ['skill:night-flying'], 5)
  assert.deepEqual(
    found.map(({ userId }) => userId),
    ['y'],
  )
})

test('however much there is to say, the kit takes the answer: a hundred people, each with a hundred long skills', async () => {
  const skills = Array.from({ length: 100 }, (_, i) => `Skill ${i} ${'ß'.repeat(400)}`)
  const records = Array.from({ length: 150 }, (_, i) => person(`user-${i}`, { skills }))
  const knowledge = learn(records, new Map())
  const plugin = createPlugin({
    clientId: 'c',
    secrets: 's',
    onCapabilitiesSearch: ({ text }) => findCapabilities(knowledge, text),
    onCandidateSearch: ({ capabilityIds, limit }) => rankCandidates(knowledge, capabilityIds, limit),
    onError: (error) => assert.fail(String(error)),
  })
  const ask = async (path: string, what: object) => {
    const headers = { authorization: `Basic ${btoa('c:s')}` }
    const body = Buffer.from(JSON.stringify({ searchId: 's', orgIds: [], ...what }))
    return JSON.parse((await plugin.handle({ method: 'POST', path, headers, body })).body)
  }
  const { capabilities } = await ask('/capabilities', { text: 'skill' })
  assert.equal(capabilities.length, 20)
  const capabilityIds = capabilities.map(({ id }: { id: string }) => id)
  const { candidates } = await ask('/candidates', { capabilityIds, limit: 100 })
  assert.equal(candidates.length, 100)
  for (const { reasons } of candidates) assert.ok(reasons.length >= 1)
})
