import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PlatformError } from '../../kernel/errors.ts'
import { toInteraction, toResponse } from './interactions.ts'
import type { QuestionContent, QuestionKind } from './question-schema.ts'
import {
  countParts,
  drawShown as drawParts,
  drawQuestions,
  endOf,
  giveFeedback,
  gradeResponse,
  isOver,
  keyOf,
  maySeeKey,
  type Response,
  readQuestion,
  readResponse,
  scoreOf,
  showQuestion,
  showResponse,
} from './rules.ts'

const drawShown = (content: QuestionContent, shuffles: boolean, random: (below: number) => number) =>
  drawParts({ kind: content.kind, parts: countParts(content) }, shuffles, random)

/** A small generator of numbers that are the same in each run (mulberry32). */
const seeded = (seed: number) => (below: number) => {
  seed = (seed + 0x6d2b79f5) | 0
  let t = Math.imul(seed ^ (seed >>> 15), 1 | seed)
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
  return Math.floor((((t ^ (t >>> 14)) >>> 0) / 4294967296) * below)
}

const option = (text: string, correct = false) => ({ text, correct })
const QUESTIONS: Readonly<Record<QuestionKind, QuestionContent>> = {
  single: { kind: 'single', text: 'Which?', options: [option('a'), option('b', true), option('c')] },
  multiple: {
    kind: 'multiple',
    text: 'Which ones?',
    points: 4,
    options: [option('a', true), option('b'), option('c', true), option('d')],
  },
  ordering: { kind: 'ordering', text: 'Order?', items: ['first', 'second', 'third', 'fourth'] },
  matching: {
    kind: 'matching',
    text: 'Match?',
    pairs: [
      { prompt: 'Red', match: 'Port' },
      { prompt: 'Green', match: 'Starboard' },
      { prompt: 'Left', match: 'Port' },
    ],
    distractors: ['Tail'],
  },
  numeric: { kind: 'numeric', text: 'How much?', answer: 0.3, tolerance: 0.05 },
  text: { kind: 'text', text: 'Word?', accepted: ['Pitot tube', 'Pitot'] },
  essay: { kind: 'essay', text: 'Why?', guidance: 'secret guidance' },
}

test('grading', async (t) => {
  const CASES: readonly [QuestionKind, Response | null, points: number | null, isCorrect: boolean | null][] = [
    ['single', 1, 1, true],
    ['single', 0, 0, false],
    ['single', null, 0, false],
    ['multiple', [0, 2], 4, true],
    ['multiple', [0], 2, false],
    ['multiple', [0, 1], 0, false],
    ['multiple', [0, 1, 2], 2, false],
    ['multiple', [1, 3], 0, false],
    ['multiple', [0, 1, 2, 3], 0, false],
    ['ordering', [0, 1, 2, 3], 1, true],
    ['ordering', [1, 0, 2, 3], 0.5, false],
    ['ordering', [3, 2, 1, 0], 0, false],
    ['matching', [0, 1, 0], 1, true],
    ['matching', [0, null, null], 0.3333, false],
    ['matching', [2, 2, 2], 0, false],
    ['numeric', 0.3, 1, true],
    ['numeric', 0.35, 1, true],
    ['numeric', 0.25, 1, true],
    ['numeric', 0.36, 0, false],
    ['text', '  pitot   TUBE ', 1, true],
    ['text', 'ＰＩＴＯＴ', 1, true],
    ['text', 'static port', 0, false],
    ['essay', 'Because.', null, null],
    ['essay', null, 0, false],
  ]
  for (const [kind, response, points, isCorrect] of CASES)
    await t.test(`${kind}: ${JSON.stringify(response)} has ${points} points`, () =>
      assert.deepEqual(gradeResponse(QUESTIONS[kind], response), { points, isCorrect }),
    )
  assert.equal(gradeResponse({ ...QUESTIONS.text, caseSensitive: true }, 'pitot').isCorrect, false)
  assert.equal(gradeResponse({ ...QUESTIONS.numeric, tolerance: 0 }, 0.1 + 0.2).isCorrect, true)
})

test('the correct answer of each kind gets all points', () => {
  for (const content of Object.values(QUESTIONS))
    if (content.kind !== 'essay')
      assert.deepEqual(gradeResponse(content, keyOf(content)), { points: content.points ?? 1, isCorrect: true })
})

test('a score is the percentage of points, and there is none while an essay is not graded', () => {
  assert.equal(scoreOf([{ points: 1, maxPoints: 3 }]), 33.33)
  assert.equal(
    scoreOf([
      { points: 0, maxPoints: 1 },
      { points: 4, maxPoints: 4 },
    ]),
    80,
  )
  assert.equal(
    scoreOf([
      { points: null, maxPoints: 1 },
      { points: 4, maxPoints: 4 },
    ]),
    null,
  )
  assert.equal(scoreOf([]), 0)
})

test('a question that breaks a rule is refused with a message that names the field', () => {
  const WRONG: readonly [Partial<QuestionContent> & { kind: QuestionKind }, RegExp][] = [
    [{ ...QUESTIONS.single, items: ['a', 'b'] }, /^items must be left out of a question of the kind single$/],
    [{ ...QUESTIONS.single, options: [option('a', true)] }, /^options must have 2 to 20 entries$/],
    [{ ...QUESTIONS.single, options: [option('a'), option('b')] }, /^options must have exactly one correct one$/],
    [{ ...QUESTIONS.single, options: [option('a', true), option('b', true)] }, /exactly one/],
    [{ ...QUESTIONS.single, options: [option('a', true), option(' A ')] }, /^options must differ/],
    [{ ...QUESTIONS.multiple, options: [option('a'), option('b')] }, /at least one/],
    [{ ...QUESTIONS.ordering, items: ['a', 'a'] }, /^items must differ/],
    [{ ...QUESTIONS.matching, distractors: ['port '] }, /^distractors must not be a correct match/],
    [{ kind: 'numeric', text: 'x' }, /^answer is missing/],
    [{ kind: 'text', text: 'x', accepted: [] }, /^accepted must have 1 to 20 entries/],
    [{ ...QUESTIONS.essay, text: '  ' }, /^text is missing/],
    [{ ...QUESTIONS.essay, tags: ['a,b'] }, /^tags must not/],
    [
      { ...QUESTIONS.single, options: Array.from({ length: 20 }, (_, i) => option(`${i}${'🛩'.repeat(499)}`, i === 0)) },
      /16 KiB/,
    ],
  ]
  for (const [content, message] of WRONG)
    assert.throws(
      () => readQuestion(content as QuestionContent),
      (error) => error instanceof PlatformError && message.test(error.message),
      String(message),
    )
  for (const content of Object.values(QUESTIONS)) assert.deepEqual(readQuestion(content).content, content)
  assert.deepEqual(readQuestion({ ...QUESTIONS.essay, tags: ['Night  flying', 'night flying', 'Air law'] }).tags, [
    'air law',
    'night flying',
  ])
})

test('a response that does not fit its question is refused', () => {
  const WRONG: readonly [QuestionKind, unknown][] = [
    ['single', '4'],
    ['single', '0'],
    ['single', ['1', '2']],
    ['single', {}],
    ['multiple', '1'],
    ['multiple', ['5']],
    ['ordering', ['1', '2', '3']],
    ['ordering', ['1', '1', '2', '3']],
    ['matching', ['1']],
    ['matching', { 4: '1' }],
    ['matching', { 1: '9' }],
    ['numeric', 'many'],
    ['numeric', '1e999'],
    ['numeric', {}],
    ['text', 5],
    ['text', 'x'.repeat(501)],
    ['essay', 'x'.repeat(20_001)],
  ]
  for (const [kind, given] of WRONG)
    assert.throws(
      () => readResponse(QUESTIONS[kind], drawShown(QUESTIONS[kind], false, seeded(1)), given),
      (error) => error instanceof PlatformError && error.message.startsWith('response must'),
      `${kind} ${JSON.stringify(given)}`,
    )
  for (const nothing of [null, undefined, ''])
    for (const content of Object.values(QUESTIONS)) assert.equal(readResponse(content, [], nothing), null)
  for (const [text, number] of [
    ['12,5', 12.5],
    [' -3 ', -3],
    ['.5', 0.5],
    [7, 7],
  ] as const)
    assert.equal(readResponse(QUESTIONS.numeric, [], text), number)
})

test('a response survives the way to the browser and back, in any order', () => {
  const random = seeded(7)
  for (let i = 0; i < 200; i++)
    for (const content of Object.values(QUESTIONS)) {
      const shown = drawShown(content, true, random)
      const key = keyOf(content) ?? 'An essay.'
      assert.deepEqual(readResponse(content, shown, showResponse(content, shown, key)), key)
    }
})

/** Makes a random question of any kind. Its texts say whether they are correct, so a leak would be visible. */
function anyQuestion(random: (below: number) => number, salt: string): QuestionContent {
  const kinds = Object.keys(QUESTIONS) as QuestionKind[]
  const kind = kinds[random(kinds.length)]!
  const count = 2 + random(6)
  const texts = Array.from({ length: count }, (_, i) => `${salt} ${i} ${random(1000)}`)
  const common = { kind, text: `Question ${salt}`, explanation: 'SECRET explanation' }
  const right = random(count)
  if (kind === 'single' || kind === 'multiple')
    return {
      ...common,
      options: texts.map((text, i) => ({
        text,
        correct: i === right || (kind === 'multiple' && random(2) === 1),
        feedback: 'SECRET feedback',
      })),
    }
  if (kind === 'ordering') return { ...common, items: texts }
  if (kind === 'matching') return { ...common, pairs: texts.map((text) => ({ prompt: text, match: `to ${text}` })) }
  if (kind === 'numeric') return { ...common, answer: 123456.789, tolerance: 42.4242 }
  if (kind === 'text') return { ...common, accepted: ['SECRET word'] }
  return { ...common, guidance: 'SECRET guidance' }
}

test('nothing that is shown before the answer depends on the correct answer', () => {
  const random = seeded(42)
  for (let i = 0; i < 2000; i++) {
    const content = anyQuestion(random, `q${i}`)
    const shown = drawShown(content, random(2) === 1, random)
    const seen = JSON.stringify(showQuestion(content, shown))
    for (const secret of ['SECRET', 'correct', '123456', '42.42']) assert.ok(!seen.includes(secret), seen)
    // Another key of the same options, items or prompts looks the same.
    const moved: QuestionContent = content.options
      ? { ...content, options: content.options.map((one, n) => ({ ...one, correct: n === 0 })) }
      : { ...content, ...(content.kind === 'numeric' ? { answer: 1 } : {}) }
    assert.equal(JSON.stringify(showQuestion(moved, shown)), seen)
  }
})

test('items and choices are shown in every order equally often, so that the order tells nothing', () => {
  const random = seeded(3)
  const content: QuestionContent = { kind: 'ordering', text: 'x', items: ['a', 'b', 'c'] }
  const seen = new Map<string, number>()
  for (let i = 0; i < 6000; i++) {
    const order = showQuestion(content, drawShown(content, false, random))
      .items!.map(({ text }) => text)
      .join('')
    seen.set(order, (seen.get(order) ?? 0) + 1)
  }
  assert.equal(seen.size, 6)
  for (const [order, times] of seen) assert.ok(times > 850 && times < 1150, `${order}: ${times}`)
})

test('questions are drawn from each pool, none of them twice, and shuffled only if asked', () => {
  const ids = (...numbers: number[]) => numbers.map((id) => ({ id }))
  const parts = [{ questions: ids(1, 2) }, { questions: ids(2, 3, 4, 5, 6), draw: 3 }]
  for (let seed = 0; seed < 100; seed++) {
    const drawn = drawQuestions(parts, false, seeded(seed)).map(({ id }) => id)
    assert.deepEqual(drawn.slice(0, 2), [1, 2])
    assert.equal(drawn.length, 5)
    assert.equal(new Set(drawn).size, 5)
  }
  const orders = new Set(
    Array.from({ length: 50 }, (_, seed) =>
      drawQuestions([{ questions: ids(1, 2, 3) }], true, seeded(seed))
        .map(({ id }) => id)
        .join(''),
    ),
  )
  assert.equal(orders.size, 6)
})

test('the correct answer is shown when the quiz allows it', () => {
  const SEEN: readonly ['answer' | 'end' | 'never', isSubmitted: boolean, isFinal: boolean, expected: boolean][] = [
    ['answer', false, false, false],
    ['answer', false, true, true],
    ['answer', true, false, true],
    ['end', false, true, false],
    ['end', true, false, true],
    ['never', true, true, false],
  ]
  for (const [feedback, isSubmitted, isFinal, expected] of SEEN)
    assert.equal(maySeeKey(feedback, { isSubmitted, isFinal }), expected)
  const content: QuestionContent = {
    ...QUESTIONS.single,
    explanation: 'Why b',
    options: [{ text: 'a', feedback: 'Not a' }, option('b', true)],
  }
  assert.deepEqual(giveFeedback(content, [1, 0], 0, { points: 0, isCorrect: false }), {
    correct: false,
    points: 0,
    correctResponse: '1',
    explanation: 'Why b',
    remarks: ['Not a'],
  })
})

test('a quiz takes answers until its deadline and a few seconds longer, and ends at the deadline', () => {
  const [deadline, before] = [new Date(60_000), new Date(59_000)]
  const after = (ms: number) => new Date(60_000 + ms)
  assert.deepEqual(
    [isOver(deadline, before), isOver(deadline, after(5000)), isOver(deadline, after(5001)), isOver(null, after(1e9))],
    [false, false, true, false],
  )
  assert.deepEqual(
    [endOf(deadline, before), endOf(deadline, after(9000)), endOf(null, before)],
    [before, deadline, before],
  )
})

test('each kind has its interaction and response, which say nothing about the correct answer', () => {
  const EXPECTED: Readonly<Record<QuestionKind, [type: string, response: string]>> = {
    single: ['choice', 'option-2'],
    multiple: ['choice', 'option-1[,]option-3'],
    ordering: ['sequencing', 'item-1[,]item-3[,]item-4[,]item-2'],
    matching: ['matching', 'prompt-1[.]choice-1[,]prompt-2[.]choice-2[,]prompt-3[.]choice-1'],
    numeric: ['numeric', '0.3'],
    text: ['fill-in', 'Pitot tube'],
    essay: ['long-fill-in', 'Because.'],
  }
  for (const content of Object.values(QUESTIONS)) {
    const interaction = toInteraction(content)
    assert.deepEqual(
      [interaction.interactionType, toResponse(content, keyOf(content) ?? 'Because.')],
      EXPECTED[content.kind],
    )
    assert.ok(!('correctResponsesPattern' in interaction))
    for (const parts of [content.items && interaction.choices, interaction.target])
      if (parts) {
        const texts = parts.map(({ description }) => description.und!)
        assert.deepEqual(texts, texts.toSorted())
      }
  }
})

test('the same items in another order have the same definition', () => {
  const items = ['Lower', 'Raise', 'Check']
  const definitionOf = (items: string[]) => toInteraction({ ...QUESTIONS.ordering, items })
  assert.deepEqual(definitionOf(items), definitionOf(items.toReversed()))
})
