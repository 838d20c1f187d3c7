import type { Candidate, Capability, RecordOfUser } from 'groundschool-sdk'

type Kind = 'badge' | 'course' | 'skill' | 'duty'

/** A course, badge, skill or duty title that people can have. */
interface Item {
  readonly id: string
  readonly kind: Kind
  readonly name: string
  readonly words: readonly string[]
  readonly holders: number
}

/**
 * How strongly a record shows that a person has an item, from 0 to 1, and the beginning of the sentence that says so.
 */
interface Evidence {
  readonly weight: number
  readonly how: string
}

interface Person {
  readonly userId: string
  readonly completed: number
  readonly evidence: ReadonlyMap<string, Evidence>
}

/** An index of the learning records. Building it takes time; queries are fast. */
export interface Knowledge {
  readonly people: readonly Person[]
  readonly things: ReadonlyMap<string, Item>
  /** Descriptions of badges, by badgeId. */
  readonly descriptions: ReadonlyMap<string, string>
}

const MOST_CAPABILITIES = 20
/**
 * The platform reads at most 256 KiB, into which a hundred candidates must fit (the first two limits), and at most 300
 * characters per reason (the third).
 */
const [MOST_REASON_BYTES, MOST_REASONS, NAME_LENGTH] = [200_000, 10, 100]
/** Weight of a course in progress, compared with a completed one. */
const UNDER_WAY = 0.8
/** Weight of a badge asserted by a plugin, compared with one that the platform awarded. */
const BY_WORD = 0.9
/** Weight of a related item, such as a badge for night flying if the skill night flying was asked for. */
const CLOSE_BY = 0.5
const STOP_WORDS = new Set(
  'a an and are as at be by can for from has have in is it need needs of on or our some somebody someone that the they to we who with'.split(
    ' ',
  ),
)
const NOUNS: Record<Kind, readonly [noun: string, had: string]> = {
  badge: ['badge', 'held'],
  course: ['course', 'completed'],
  skill: ['skill', 'named'],
  duty: ['duty title', 'held'],
}

/** Returns the words of a text in a form that can be compared: without case, accents, common endings and stop words. */
function wordsOf(text: string): string[] {
  const plain = text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
  const all = (plain.match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => !STOP_WORDS.has(word))
  return [...new Set(all.map((word) => word.replace(/(?<=...)(?:ings?|ers?|ed|es|s)$/u, '')))]
}

/** Tells whether two words are equal, or one begins with the other, such as `inspect` and `inspection`. */
function isAlike(one: string, other: string): boolean {
  const [short, long] = one.length < other.length ? [one, other] : [other, one]
  return short === long || (short.length >= 4 && long.startsWith(short))
}

const covers = (words: readonly string[], wanted: readonly string[]): boolean =>
  wanted.length > 0 && wanted.every((word) => words.some((other) => isAlike(word, other)))

/** Turns a skill or duty title into a part of an id. Texts that differ only in case or punctuation give the same id. */
const slug = (text: string): string =>
  (
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  )
    .join('-')
    .slice(0, NAME_LENGTH)

const shorten = (name: string): string =>
  name.length > NAME_LENGTH ? `${[...name].slice(0, NAME_LENGTH - 1).join('')}…` : name

const byText = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)

/** Builds the index from learning records. Missing fields are ignored. */
export function learn(records: readonly Partial<RecordOfUser>[], descriptions: Knowledge['descriptions']): Knowledge {
  const things = new Map<string, Item>()
  const people: Person[] = []
  for (const { userId = '', dutyTitle, ...lists } of records) {
    const [courses, badges, skills] = [lists.courses ?? [], lists.badges ?? [], lists.skills ?? []]
    const evidence = new Map<string, Evidence>()
    const add = (kind: Kind, key: string, name: string, how: string, weight = 1) => {
      const id = `${kind}:${key}`
      // If a person has several records of the same item, the best one counts.
      const before = evidence.get(id)?.weight ?? 0
      if (key === '' || id.length > 200 || weight <= before) return
      evidence.set(id, { weight, how })
      const known = things.get(id)
      const holders = (known?.holders ?? 0) + (weight > UNDER_WAY ? 1 : 0)
      // If a skill has several spellings, choose the one that sorts first, so that the order of the records does not
      // matter.
      const shown = known && known.name <= shorten(name) ? known : { name: shorten(name), words: wordsOf(name) }
      things.set(id, { id, kind, name: shown.name, words: shown.words, holders })
    }
    for (const { courseId, name, completed, lessonsPassed = 0, lessons = 0 } of courses) {
      if (completed) add('course', courseId, name, 'Completed')
      else if (lessons > 0) {
        const share = Math.min(lessonsPassed, lessons) / lessons
        add('course', courseId, name, `Passed ${lessonsPassed} of ${lessons} lessons of`, UNDER_WAY * share)
      }
    }
    for (const { badgeId, name, assertedBy } of badges)
      if (assertedBy) add('badge', badgeId, name, `According to ${shorten(assertedBy)}, holds`, BY_WORD)
      else add('badge', badgeId, name, 'Holds')
    for (const skill of skills) add('skill', slug(skill), skill, 'Lists')
    if (dutyTitle) add('duty', slug(dutyTitle), dutyTitle, 'Has')
    const completed = courses.filter((course) => course.completed).length
    if (userId !== '') people.push({ userId, completed, evidence })
  }
  return { people, things, descriptions }
}

/**
 * Finds the courses, badges, skills and duty titles that a text mentions: those that match most words first, then those
 * with the fewest words.
 */
export function findCapabilities(knowledge: Knowledge, text: string): Capability[] {
  const wanted = wordsOf(text)
  return [...knowledge.things.values()]
    .map((thing) => ({ thing, hits: wanted.filter((word) => covers(thing.words, [word])).length }))
    .filter(({ hits }) => hits > 0)
    .toSorted(
      (a, b) => b.hits - a.hits || a.thing.words.length - b.thing.words.length || byText(a.thing.id, b.thing.id),
    )
    .slice(0, MOST_CAPABILITIES)
    .map(({ thing }) => ({ id: thing.id, name: thing.name, description: describe(knowledge, thing) }))
}

function describe({ people, descriptions }: Knowledge, { id, kind, holders }: Item): string {
  const [noun, had] = NOUNS[kind]
  const told = kind === 'badge' ? descriptions.get(id.slice('badge:'.length)) : undefined
  const sentence = `${noun[0]!.toUpperCase()}${noun.slice(1)}, ${had} by ${holders} of ${people.length} people.`
  return told ? `${told.slice(0, 900)} ${sentence}` : sentence
}

/**
 * Ranks people by the mean of their weights for these capabilities, with sentences that give the reasons. The same
 * records always give the same result.
 */
export function rankCandidates({ people, things }: Knowledge, ids: readonly string[], limit: number): Candidate[] {
  const asked = [...new Set(ids)].flatMap((id) => things.get(id) ?? [])
  if (asked.length === 0) return []
  const wanted = asked.map((thing) => {
    const close = [...things.values()].filter(({ id, words }) => id !== thing.id && covers(words, thing.words))
    return { thing, close: new Set(close.map(({ id }) => id)) }
  })
  return people
    .map(({ userId, completed, evidence }) => {
      const fits = wanted.map((one) => fit(evidence, one))
      const sum = fits.reduce((total, { weight }) => total + weight, 0)
      return { userId, completed, fits, score: Math.round((1000 * sum) / fits.length) / 1000 }
    })
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score || b.completed - a.completed || byText(a.userId, b.userId))
    .slice(0, limit)
    .map(({ userId, score, fits }) => ({
      userId,
      score,
      ...chooseReasons(fits, things, MOST_REASON_BYTES / limit),
    }))
}

/**
 * The best evidence that a person has one wanted item: from a record of the item itself or of a related one. The weight
 * is 0 if there is none.
 */
interface Fit extends Evidence {
  readonly thing: Item
  readonly source?: string
}

function fit(evidence: Person['evidence'], { thing, close }: { thing: Item; close: ReadonlySet<string> }): Fit {
  let best: Fit = { thing, weight: 0, how: '' }
  for (const [id, { weight, how }] of evidence) {
    const counted = id === thing.id ? weight : close.has(id) ? CLOSE_BY * weight : 0
    const isBetter = counted > best.weight || (counted === best.weight && id === thing.id)
    if (counted > 0 && (isBetter || (counted === best.weight && best.source !== thing.id && id < best.source!)))
      best = { thing, weight: counted, how, source: id }
  }
  return best
}

/** Chooses the strongest reasons, strongest first, as far as they fit into the size limit. */
function chooseReasons(
  fits: readonly Fit[],
  things: Knowledge['things'],
  mostBytes: number,
): { readonly reasons: string[]; readonly weights: number[] } {
  let left = mostBytes
  const chosen = fits
    .toSorted((a, b) => b.weight - a.weight)
    .slice(0, MOST_REASONS)
    .map((one) => ({ reason: explain(one, things), weight: Math.round(one.weight * 1000) / 1000 }))
    .filter(({ reason }, place) => {
      left -= Buffer.byteLength(JSON.stringify(reason))
      return place === 0 || left >= 0
    })
  return { reasons: chosen.map(({ reason }) => reason), weights: chosen.map(({ weight }) => weight) }
}

function explain({ thing, how, source }: Fit, things: Knowledge['things']): string {
  if (source === undefined) return `No evidence of ${thing.name}.`
  const sentence = `${how} ${say(things.get(source)!)}.`
  return source === thing.id ? sentence : `${sentence} Similar to ${say(thing)}.`
}

const say = ({ kind, name }: Item): string => `the ${NOUNS[kind][0]} ${name}`
