import type { Candidate, Capability, RecordOfUser } from 'groundschool-sdk'

/** What is known of people, as it was read from the platform. */
export interface Knowledge {
  readonly records: readonly RecordOfUser[]
  /** Of badges, by badgeId. */
  readonly descriptions: ReadonlyMap<string, string>
}

type Kind = 'badge' | 'course' | 'skill' | 'duty'

/** Something that a record says of somebody: how much of it is theirs, from 0 to 1, and how that is said. */
interface Evidence {
  readonly id: string
  readonly kind: Kind
  readonly name: string
  readonly words: readonly string[]
  readonly weight: number
  readonly sentence: string
}

const MOST_CAPABILITIES = 20
/** So that the best hundred fit into the 64 KiB that the platform reads, and each reason into the 300 characters that it takes. */
const [MOST_REASON_BYTES, MOST_REASONS, NAME_LENGTH] = [50_000, 10, 100]
/** A course that is under way counts less than one that is completed. */
const UNDER_WAY = 0.8
/** Something close by counts half: a badge for night flying where the skill was asked for. */
const CLOSE_BY = 0.5
const STOP_WORDS = new Set(
  'a an and are as at be by can for from has have in is it need needs of on or our some somebody someone that the they to we who with'.split(
    ' ',
  ),
)
const NOUNS: Record<Kind, readonly [article: string, had: string]> = {
  badge: ['the badge', 'held'],
  course: ['the course', 'completed'],
  skill: ['the skill', 'named'],
  duty: ['the duty title', 'held'],
}

/** Words as they are compared: without case, accents, endings, and what is in every sentence. */
function wordsOf(text: string): string[] {
  const plain = text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
  const all = (plain.match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => !STOP_WORDS.has(word))
  return [...new Set(all.map((word) => word.replace(/(?<=...)(?:ings?|ers?|ed|es|s)$/u, '')))]
}

/** The same, or the beginning of it: `inspect` and `inspection`. */
function isAlike(one: string, other: string): boolean {
  const [short, long] = one.length < other.length ? [one, other] : [other, one]
  return short === long || (short.length >= 4 && long.startsWith(short))
}

const covers = (words: readonly string[], wanted: readonly string[]): boolean =>
  wanted.length > 0 && wanted.every((word) => words.some((other) => isAlike(word, other)))

/** What stands for a skill or a title in an id: two that differ in case alone are one. */
const slug = (text: string): string =>
  (
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  )
    .join('-')
    .slice(0, 100)

const shorten = (name: string): string =>
  name.length > NAME_LENGTH ? `${[...name].slice(0, NAME_LENGTH - 1).join('')}…` : name

/** What a record says. Fields that are missing say nothing. */
function readEvidence({ courses, badges, skills, dutyTitle }: Partial<RecordOfUser>): Evidence[] {
  const found: Evidence[] = []
  const add = (kind: Kind, key: string, whole: string, weight: number, say: (name: string) => string) => {
    const [id, name] = [`${kind}:${key}`, shorten(whole)]
    if (key !== '' && id.length <= 200 && weight > 0)
      found.push({ id, kind, name, words: wordsOf(whole), weight, sentence: say(name) })
  }
  for (const { courseId, name, completed, lessonsPassed = 0, lessons = 0 } of courses ?? []) {
    const weight = completed ? 1 : lessons > 0 ? (UNDER_WAY * Math.min(lessonsPassed, lessons)) / lessons : 0
    const how = completed ? 'Completed' : `Passed ${lessonsPassed} of ${lessons} lessons of`
    add('course', courseId, name, weight, (it) => `${how} the course ${it}.`)
  }
  for (const { badgeId, name } of badges ?? []) add('badge', badgeId, name, 1, (it) => `Holds the badge ${it}.`)
  for (const skill of skills ?? []) add('skill', slug(skill), skill, 1, (it) => `Names the skill ${it}.`)
  if (dutyTitle) add('duty', slug(dutyTitle), dutyTitle, 1, (it) => `Works as ${it}.`)
  // Who took a course twice is judged by the better one.
  return [...new Map(found.toSorted((a, b) => a.weight - b.weight).map((one) => [one.id, one])).values()]
}

/** Everything that somebody has, once, with how many have it. */
function listCatalogue({ records }: Knowledge): (Evidence & { holders: number })[] {
  const all = new Map<string, Evidence & { holders: number }>()
  for (const record of records)
    for (const one of readEvidence(record)) {
      const { name, words, holders } = all.get(one.id) ?? { ...one, holders: 0 }
      // Two spellings of a skill are one; which of them is shown must not depend on who comes first.
      const shown = name <= one.name ? { name, words } : { name: one.name, words: one.words }
      all.set(one.id, { ...one, ...shown, holders: holders + (one.weight === 1 ? 1 : 0) })
    }
  return [...all.values()]
}

const byText = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)

/** Courses, badges, skills and duty titles that a text speaks of: those that more of its words name first, then the shorter ones. */
export function findCapabilities(knowledge: Knowledge, text: string): Capability[] {
  const wanted = wordsOf(text)
  return listCatalogue(knowledge)
    .map((one) => ({ one, hits: wanted.filter((word) => covers(one.words, [word])).length }))
    .filter(({ hits }) => hits > 0)
    .toSorted((a, b) => b.hits - a.hits || a.one.words.length - b.one.words.length || byText(a.one.id, b.one.id))
    .slice(0, MOST_CAPABILITIES)
    .map(({ one: { id, kind, name, holders } }) => ({ id, name, description: describe(knowledge, id, kind, holders) }))
}

function describe({ records, descriptions }: Knowledge, id: string, kind: Kind, holders: number): string {
  const [noun, had] = NOUNS[kind]
  const told = descriptions.get(id.slice(kind.length + 1))
  const sentence = `${noun.replace('the ', '').replace(/^./, (first) => first.toUpperCase())}, ${had} by ${holders} of ${records.length} people.`
  return kind === 'badge' && told ? `${told.slice(0, 900)} ${sentence}` : sentence
}

/** Who has these capabilities: the mean over all that were asked for, each with the sentence that says why. The same records give the same answer. */
export function rankCandidates(knowledge: Knowledge, ids: readonly string[], limit: number): Candidate[] {
  const catalogue = new Map(listCatalogue(knowledge).map((one) => [one.id, one]))
  const asked = [...new Set(ids)].flatMap((id) => catalogue.get(id) ?? [])
  if (asked.length === 0) return []
  return knowledge.records
    .map((record) => {
      const evidence = readEvidence(record)
      const fits = asked.map((capability) => fit(evidence, capability))
      return {
        userId: record.userId,
        score: Math.round((1000 * fits.reduce((sum, { weight }) => sum + weight, 0)) / fits.length) / 1000,
        fits,
        completed: (record.courses ?? []).filter(({ completed }) => completed).length,
      }
    })
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score || b.completed - a.completed || byText(a.userId, b.userId))
    .slice(0, limit)
    .map(({ userId, score, fits }) => ({ userId, score, reasons: chooseReasons(fits, MOST_REASON_BYTES / limit) }))
}

interface Fit {
  readonly weight: number
  readonly sentence: string
}

/** What counts most comes first, as far as there is room. */
function chooseReasons(fits: readonly Fit[], mostBytes: number): string[] {
  let left = mostBytes
  return fits
    .toSorted((a, b) => b.weight - a.weight)
    .map(({ sentence }) => sentence)
    .slice(0, MOST_REASONS)
    .filter((sentence, place) => {
      left -= Buffer.byteLength(JSON.stringify(sentence))
      return place === 0 || left >= 0
    })
}

function fit(evidence: readonly Evidence[], { id, kind, name, words }: Evidence): Fit {
  const itself = evidence.find((one) => one.id === id)
  const closest = evidence
    .filter((one) => one.id !== id && covers(one.words, words))
    .toSorted((a, b) => b.weight - a.weight || byText(a.id, b.id))[0]
  const thing = `${NOUNS[kind][0]} ${name}`
  if (itself && itself.weight >= CLOSE_BY * (closest?.weight ?? 0)) return itself
  if (closest) return { weight: CLOSE_BY * closest.weight, sentence: `${closest.sentence} That is close to ${thing}.` }
  return { weight: 0, sentence: `Nothing speaks for ${thing}.` }
}
