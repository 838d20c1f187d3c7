import { fail } from '../../kernel/errors.ts'
import { isExactNumber } from '../../kernel/json.ts'
import { MAX_DRAWN, MAX_ESSAY, MAX_PARTS, type QuestionContent, type QuestionKind } from './question-schema.ts'

/** The most bytes of a stored question. */
const MAX_QUESTION_BYTES = 16 * 1024
const MAX_SHORT = 500

type Field = Exclude<keyof QuestionContent, 'kind' | 'text' | 'points' | 'explanation' | 'tags'>

/** The fields of each kind of question. */
const FIELDS: Readonly<Record<QuestionKind, readonly Field[]>> = {
  single: ['options'],
  multiple: ['options'],
  ordering: ['items'],
  matching: ['pairs', 'distractors'],
  numeric: ['answer', 'tolerance', 'unit'],
  text: ['accepted', 'caseSensitive'],
  essay: ['guidance'],
}
const COMMON = ['kind', 'text', 'points', 'explanation']

const refuse = (message: string) => fail('validationFailed', message)

/**
 * Checks a question and returns the content to store, without empty fields, and the tags. Throws if it breaks a rule
 * that the schema cannot express.
 */
export function readQuestion(given: QuestionContent): { content: QuestionContent; tags: string[] } {
  const { kind } = given
  const foreign = Object.values(FIELDS)
    .flat()
    .find((field) => given[field] !== undefined && !FIELDS[kind].includes(field))
  if (foreign) throw refuse(`${foreign} must be left out of a question of the kind ${kind}`)
  if (given.text.trim() === '') throw fail('parameterMissing', 'text is missing: write the question')
  PARTS[kind]?.(given)
  const fields = [...COMMON, ...FIELDS[kind]] as (keyof QuestionContent)[]
  const content = Object.fromEntries(
    fields.flatMap((field) => (given[field] === undefined || given[field] === '' ? [] : [[field, given[field]]])),
  ) as QuestionContent
  if (Buffer.byteLength(JSON.stringify(content)) > MAX_QUESTION_BYTES)
    throw refuse(`A question must be at most ${MAX_QUESTION_BYTES / 1024} KiB; shorten its texts`)
  return { content, tags: readTags(given.tags) }
}

/** Tags have no commas, because people type them in one field, separated by commas. */
const readTags = (tags: readonly string[] = []): string[] => {
  const clean = tags.map((tag) => tag.trim().replace(/\s+/g, ' ').toLowerCase())
  const wrong = clean.find((tag) => tag === '' || tag.includes(','))
  if (wrong !== undefined) throw refuse('tags must not be empty or contain commas')
  return [...new Set(clean)].sort()
}

const count = (field: string, parts: readonly unknown[] | undefined, least = 2): void => {
  if ((parts?.length ?? 0) < least || parts!.length > MAX_PARTS)
    throw refuse(`${field} must have ${least} to ${MAX_PARTS} entries`)
}
const different = (field: string, texts: readonly string[]): void => {
  const seen = new Set(texts.map((text) => fold(text)))
  if (seen.has('')) throw refuse(`${field} must not be empty`)
  if (seen.size < texts.length) throw refuse(`${field} must differ from each other`)
}

const PARTS: Partial<Record<QuestionKind, (given: QuestionContent) => void>> = {
  single: ({ options = [] }) => {
    count('options', options)
    different(
      'options',
      options.map(({ text }) => text),
    )
    if (options.filter(({ correct }) => correct).length !== 1) throw refuse('options must have exactly one correct one')
  },
  multiple: ({ options = [] }) => {
    count('options', options)
    different(
      'options',
      options.map(({ text }) => text),
    )
    if (!options.some(({ correct }) => correct)) throw refuse('options must have at least one correct one')
  },
  ordering: ({ items = [] }) => {
    count('items', items)
    different('items', items)
  },
  matching: ({ pairs = [], distractors = [] }) => {
    count('pairs', pairs)
    different(
      'prompts',
      pairs.map(({ prompt }) => prompt),
    )
    different('distractors', distractors)
    const matches = new Set(pairs.map(({ match }) => fold(match)))
    if (matches.has('')) throw refuse('pairs must have a match for each prompt')
    if (distractors.some((text) => matches.has(fold(text)))) throw refuse('distractors must not be a correct match')
  },
  numeric: ({ answer }) => {
    if (answer === undefined) throw fail('parameterMissing', 'answer is missing: send the correct number')
  },
  text: ({ accepted = [] }) => {
    count('accepted', accepted, 1)
    if (accepted.some((text) => fold(text) === '')) throw refuse('accepted must not be empty')
  },
}

/** Normalises text for comparison: spacing, forms of letters and, unless it matters, upper and lower case. */
const fold = (text: string, caseSensitive = false): string => {
  const clean = text.normalize('NFKC').trim().replace(/\s+/g, ' ')
  return caseSensitive ? clean : clean.toLowerCase()
}

/** Returns a random whole number from 0 to below the limit. */
export type Random = (below: number) => number

function shuffle<T>(list: readonly T[], random: Random): T[] {
  const shuffled = [...list]
  for (let i = shuffled.length - 1; i > 0; i--) {
    const j = random(i + 1)
    ;[shuffled[i], shuffled[j]] = [shuffled[j]!, shuffled[i]!]
  }
  return shuffled
}

/** The choices of a matching question. Prompts with the same match share a choice. */
export const choicesOf = ({ pairs = [], distractors = [] }: QuestionContent): string[] => {
  const known = new Map([...pairs.map(({ match }) => match), ...distractors].map((text) => [fold(text), text]))
  return [...known.values()]
}
/** Returns the number of the choice that belongs to each prompt. */
const keyOfPairs = (content: QuestionContent): number[] => {
  const choices = choicesOf(content).map((text) => fold(text))
  return (content.pairs ?? []).map(({ match }) => choices.indexOf(fold(match)))
}

/** The parts of a question that can be shuffled, in the order of its content. */
const partsOf = (content: QuestionContent): readonly string[] =>
  content.options?.map(({ text }) => text) ?? content.items ?? (content.pairs ? choicesOf(content) : [])

export const countParts = (content: QuestionContent): number => partsOf(content).length

/**
 * Draws the order in which the parts of a question are shown: each entry is the number of a part in the content. Items
 * and choices are always shuffled, because their order in the content is the correct answer. Every order is equally
 * likely, also the correct one: an order that is never shown would be a hint.
 */
export function drawShown(
  { kind, parts }: { readonly kind: string; readonly parts: number },
  shuffleAnswers: boolean,
  random: Random,
): number[] {
  const numbers = Array.from({ length: parts }, (_, i) => i)
  return shuffleAnswers || kind === 'ordering' || kind === 'matching' ? shuffle(numbers, random) : numbers
}

/** A part of a quiz: its questions in order, or a pool from which some are drawn at random. */
export interface Part<Q> {
  readonly questions: readonly Q[]
  readonly draw?: number | undefined
}

/** Draws the questions of an attempt. A question that several parts contain is drawn once. */
export function drawQuestions<Q extends { readonly id: number }>(
  parts: readonly Part<Q>[],
  shuffleQuestions: boolean,
  random: Random,
): Q[] {
  const drawn = new Map<number, Q>()
  for (const { questions, draw } of parts) {
    const left = questions.filter(({ id }) => !drawn.has(id))
    const chosen = draw === undefined ? left : shuffle(left, random).slice(0, draw)
    for (const question of chosen) drawn.set(question.id, question)
  }
  const all = [...drawn.values()].slice(0, MAX_DRAWN)
  return shuffleQuestions ? shuffle(all, random) : all
}

/**
 * An answer as it is stored. Parts are named by their number in the content: one for single, a sorted list for
 * multiple, a list in the chosen order for ordering, and for matching the choice of each prompt, or null.
 */
export type Response = number | string | readonly number[] | readonly (number | null)[]

/**
 * The id of a part, as the student's browser knows it: its place in the shown order. It tells nothing about the key.
 */
const idAt = (place: number): string => String(place + 1)

interface ShownPart {
  readonly id: string
  readonly text: string
}
export interface ShownQuestion {
  readonly kind: QuestionKind
  readonly text: string
  readonly maxPoints: number
  readonly options?: readonly ShownPart[]
  readonly items?: readonly ShownPart[]
  readonly prompts?: readonly ShownPart[]
  readonly choices?: readonly ShownPart[]
  readonly unit?: string
  readonly maxLength?: number
}

/** Converts a question to what a student sees before answering. Nothing in it depends on the correct answer. */
export function showQuestion(content: QuestionContent, shown: readonly number[]): ShownQuestion {
  const texts = partsOf(content)
  const parts = shown.map((number, place) => ({ id: idAt(place), text: texts[number] ?? '' }))
  return {
    kind: content.kind,
    text: content.text,
    maxPoints: maxPointsOf(content),
    ...(content.options ? { options: parts } : {}),
    ...(content.items ? { items: parts } : {}),
    ...(content.pairs
      ? { prompts: content.pairs.map(({ prompt }, i) => ({ id: idAt(i), text: prompt })), choices: parts }
      : {}),
    ...(content.unit === undefined ? {} : { unit: content.unit }),
    ...(content.kind === 'essay' ? { maxLength: MAX_ESSAY } : content.kind === 'text' ? { maxLength: MAX_SHORT } : {}),
  }
}

export const maxPointsOf = ({ points = 1 }: QuestionContent): number => points

const placeOf = (id: unknown, length: number): number => {
  const place = typeof id === 'string' || typeof id === 'number' ? Number(id) - 1 : Number.NaN
  if (!Number.isInteger(place) || place < 0 || place >= length)
    throw refuse('response must name parts of this question by their ids')
  return place
}
const readList = (given: unknown, kind: string): unknown[] => {
  if (!Array.isArray(given)) throw refuse(`response must be a list of ids, because the question is ${kind}`)
  return given
}

/** Reads an answer from the browser. Returns null if nothing was answered. Throws if it does not fit the question. */
export function readResponse(content: QuestionContent, shown: readonly number[], given: unknown): Response | null {
  if (given === null || given === undefined || given === '') return null
  return READERS[content.kind](given, content, shown)
}

type Reader = (given: unknown, content: QuestionContent, shown: readonly number[]) => Response | null
const readText =
  (most: number): Reader =>
  (given) => {
    if (typeof given !== 'string') throw refuse('response must be a text')
    if (given.length > most) throw refuse(`response must be at most ${most} characters`)
    return given.trim() === '' ? null : given
  }

const READERS: Readonly<Record<QuestionKind, Reader>> = {
  single: (given, _content, shown) => shown[placeOf(given, shown.length)]!,
  multiple: (given, _content, shown) => {
    const numbers = readList(given, 'multiple choice').map((id) => shown[placeOf(id, shown.length)]!)
    if (numbers.length === 0) return null
    return [...new Set(numbers)].sort((a, b) => a - b)
  },
  ordering: (given, _content, shown) => {
    const places = readList(given, 'an ordering').map((id) => placeOf(id, shown.length))
    if (places.length !== shown.length || new Set(places).size !== shown.length)
      throw refuse('response must contain each item once')
    return places.map((place) => shown[place]!)
  },
  matching: (given, { pairs = [] }, shown) => {
    if (typeof given !== 'object' || Array.isArray(given))
      throw refuse('response must be an object from the ids of prompts to the ids of choices')
    const chosen: (number | null)[] = pairs.map(() => null)
    for (const [prompt, choice] of Object.entries(given as object))
      if (choice !== null && choice !== '')
        chosen[placeOf(prompt, pairs.length)] = shown[placeOf(choice, shown.length)]!
    return chosen.every((choice) => choice === null) ? null : chosen
  },
  numeric: (given) => {
    const text = (isExactNumber(given) ? given.rawJSON : String(given)).trim().replace(/^([+-]?\d*),(\d+)$/, '$1.$2')
    if (text === '') return null
    const number = isNumeral(text) ? Number(text) : Number.NaN
    if (!Number.isFinite(number)) throw refuse('response must be a number, such as 12.5')
    return number
  },
  text: readText(MAX_SHORT),
  essay: readText(MAX_ESSAY),
}
const isNumeral = (text: string): boolean => /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,3})?$/i.test(text)

/** Converts a stored answer to the ids that the browser knows. */
export function showResponse({ kind }: QuestionContent, shown: readonly number[], response: Response | null): unknown {
  if (response === null) return null
  const idOf = (number: number) => idAt(shown.indexOf(number))
  if (kind === 'single') return idOf(response as number)
  if (kind === 'multiple' || kind === 'ordering') return (response as number[]).map(idOf)
  if (kind === 'matching')
    return Object.fromEntries(
      (response as (number | null)[]).flatMap((choice, i) => (choice === null ? [] : [[idAt(i), idOf(choice)]])),
    )
  return response
}

/** The correct answer in the form of a response; null for an essay. */
export function keyOf(content: QuestionContent): Response | null {
  const { kind, options = [] } = content
  const correct = options.flatMap((option, i) => (option.correct ? [i] : []))
  if (kind === 'single') return correct[0]!
  if (kind === 'multiple') return correct
  if (kind === 'ordering') return content.items!.map((_, i) => i)
  if (kind === 'matching') return keyOfPairs(content)
  if (kind === 'numeric') return content.answer!
  return kind === 'text' ? content.accepted![0]! : null
}

export interface AnswerGrade {
  /** Null if an instructor has to grade the answer. */
  readonly points: number | null
  readonly isCorrect: boolean | null
}

/**
 * Grades an answer. Multiple choice: each correct choice adds a share of the points and each wrong one takes one away,
 * down to 0. Ordering and matching: a share for each item in its place, and for each correct pair. The others are right
 * or wrong. No answer has no points, so an empty essay needs no grader.
 */
export function gradeResponse(content: QuestionContent, response: Response | null): AnswerGrade {
  if (response === null) return { points: 0, isCorrect: false }
  if (content.kind === 'essay') return { points: null, isCorrect: null }
  const share = Math.max(0, SHARES[content.kind](content, response))
  return { points: roundTo(share * maxPointsOf(content), 4), isCorrect: share === 1 }
}

const matchShare = (given: readonly (number | null)[], key: readonly number[]): number =>
  key.filter((number, i) => given[i] === number).length / key.length

const SHARES: Readonly<
  Record<Exclude<QuestionKind, 'essay'>, (content: QuestionContent, response: Response) => number>
> = {
  single: (content, response) => (response === keyOf(content) ? 1 : 0),
  multiple: (content, response) => {
    const key = keyOf(content) as number[]
    const right = (response as number[]).filter((number) => key.includes(number)).length
    return (right - ((response as number[]).length - right)) / key.length
  },
  ordering: (content, response) => matchShare(response as number[], keyOf(content) as number[]),
  matching: (content, response) => matchShare(response as (number | null)[], keyOf(content) as number[]),
  numeric: ({ answer = 0, tolerance = 0 }, response) => {
    // A decimal such as 0.3 is not exact in binary, so 0.1 + 0.2 must count as equal to it.
    const slack = Number.EPSILON * 4 * Math.max(1, Math.abs(answer), tolerance)
    return Math.abs((response as number) - answer) <= tolerance + slack ? 1 : 0
  },
  text: ({ accepted = [], caseSensitive }, response) => {
    const given = fold(response as string, caseSensitive)
    return accepted.some((text) => fold(text, caseSensitive) === given) ? 1 : 0
  },
}

const roundTo = (value: number, digits: number): number => Math.round(value * 10 ** digits) / 10 ** digits

/** Returns the score of a quiz in percent of its points, or null while an answer is not graded. */
export function scoreOf(
  answers: readonly { readonly points: number | null; readonly maxPoints: number }[],
): number | null {
  if (answers.some(({ points }) => points === null)) return null
  const total = answers.reduce((sum, { maxPoints }) => sum + maxPoints, 0)
  const reached = answers.reduce((sum, { points }) => sum + points!, 0)
  return total === 0 ? 0 : roundTo((100 * reached) / total, 2)
}

export type FeedbackTime = 'answer' | 'end' | 'never'

/** Whether the student may see the correct answer of a question. */
export const maySeeKey = (
  feedback: FeedbackTime,
  { isSubmitted, isFinal }: { readonly isSubmitted: boolean; readonly isFinal: boolean },
): boolean => (feedback === 'answer' && isFinal) || (feedback !== 'never' && isSubmitted)

export interface Feedback {
  readonly correct: boolean | null
  readonly points: number | null
  /** The correct answer, in the form of a response; null for an essay. */
  readonly correctResponse: unknown
  readonly tolerance?: number
  readonly accepted?: readonly string[]
  readonly explanation?: string
  /** The author’s comments on the options that the student chose. */
  readonly remarks?: readonly string[]
}

export function giveFeedback(
  content: QuestionContent,
  shown: readonly number[],
  response: Response | null,
  grade: AnswerGrade,
): Feedback {
  const chosen = content.options && response !== null ? [response].flat() : []
  const remarks = chosen.flatMap((number) => content.options?.[number as number]?.feedback || [])
  return {
    correct: grade.isCorrect,
    points: grade.points,
    correctResponse: showResponse(content, shown, keyOf(content)),
    ...(content.kind === 'numeric' && content.tolerance ? { tolerance: content.tolerance } : {}),
    ...(content.kind === 'text' ? { accepted: content.accepted! } : {}),
    ...(content.explanation === undefined ? {} : { explanation: content.explanation }),
    ...(remarks.length === 0 ? {} : { remarks }),
  }
}

/** Time after the deadline in which answers are still accepted, for requests that were slow on their way. */
export const GRACE_MS = 5000

/** Whether the time limit has passed, with a few seconds of grace. */
export const isOver = (deadline: Date | null, at: Date): boolean =>
  deadline !== null && at.getTime() > deadline.getTime() + GRACE_MS

/** The time at which an expired attempt ended: its deadline, or now if the submission is within the grace period. */
export const endOf = (deadline: Date | null, at: Date): Date => (deadline && deadline < at ? deadline : at)
