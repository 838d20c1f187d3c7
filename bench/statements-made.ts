import { createHash } from 'node:crypto'
import { makeRandom } from '../src/identity/search/testing.ts'
import type { Activity, Agent, Statement, SubStatement, Verb } from '../src/records/statements/model/statement.ts'

/**
 * Generates xAPI statements of 1.2 kB like those of a school's tools: a few people, activities and verbs are common,
 * most are rare. The statements are the same in every run.
 */

const ACTORS = 5000
const ACTIVITIES = 300
const COURSES = 10
const VERBS = 20
/** Number of consecutive statements with the same registration. */
const OF_REGISTRATION = 20
const BYTES = 1200
const HOME = 'https://school.example'

/** Derives a UUID from a text, so that it is the same in every run. */
const uuidOf = (text: string): string => {
  const hex = createHash('sha256').update(text).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

export const idOf = (n: number): string => uuidOf(`statement ${n}`)
export const registrationOf = (n: number): string => uuidOf(`registration ${Math.floor(n / OF_REGISTRATION)}`)
export const agentOf = (n: number): Agent => ({
  objectType: 'Agent',
  name: `Student number ${n}`,
  ...(n % 3 === 0
    ? { mbox: `mailto:student-${n}@school.example` }
    : { account: { homePage: `${HOME}/people`, name: `student-${n}` } }),
})
export const instructorOf = (n: number): Agent => ({
  objectType: 'Agent',
  account: { homePage: `${HOME}/people`, name: `instructor-${n}` },
})
export const verbIdOf = (n: number): string => `${HOME}/verbs/verb-${n}`
export const activityIdOf = (n: number): string => `${HOME}/courses/${n % COURSES}/activities/${n}`
export const courseIdOf = (n: number): string => `${HOME}/courses/${n}`

const verbOf = (n: number): Verb => ({ id: verbIdOf(n), display: { 'en-US': `verb ${n}` } })
const activityOf = (n: number): Activity => ({
  objectType: 'Activity',
  id: activityIdOf(n),
  definition: {
    name: { 'en-US': `Activity ${n}` },
    description: { 'en-US': `What is learned in activity number ${n} of the school` },
    type: 'http://adlnet.gov/expapi/activities/lesson',
  },
})

/** Creates statement number `n`, without an id. It may refer to one of the first `known` statements. */
export function makeStatement(n: number, known: number): Statement {
  const random = makeRandom(n + 1)
  // Similar seeds give similar first random numbers, so skip the first three.
  for (let i = 0; i < 3; i++) random()
  const common = (of: number, power: number) => Math.floor(of * random() ** power)
  const actor = agentOf(common(ACTORS, 3))
  const activity = common(ACTIVITIES, 2)
  const kind = random()
  const object = activityOf(activity)
  const verb = common(VERBS, 2)
  const instructor = common(50, 2)
  const statement: Statement = {
    actor: kind < 0.03 ? { objectType: 'Group', name: 'A crew', member: [actor, agentOf(common(ACTORS, 1))] } : actor,
    verb: verbOf(verb),
    object:
      kind > 0.98 && known > 0
        ? { objectType: 'StatementRef', id: idOf(Math.floor(random() * known)) }
        : kind > 0.95
          ? ({ objectType: 'SubStatement', actor, verb: verbOf(common(VERBS, 2)), object } satisfies SubStatement)
          : object,
    result: {
      score: { scaled: Math.round(random() * 100) / 100, raw: Math.round(random() * 50), min: 0, max: 50 },
      success: random() < 0.7,
      completion: true,
      duration: `PT${Math.floor(random() * 60)}M${Math.floor(random() * 60)}S`,
    },
    context: {
      registration: registrationOf(n),
      // Instructor 0 and verb 1 never occur together, although both are common: one of the measured filters searches
      // for both.
      instructor: instructorOf(verb === 1 && instructor === 0 ? 1 : instructor),
      contextActivities: {
        parent: [{ objectType: 'Activity', id: `${HOME}/modules/${activity % 60}` }],
        grouping: [{ objectType: 'Activity', id: courseIdOf(activity % COURSES) }],
        category: [{ objectType: 'Activity', id: 'https://w3id.org/xapi/cmi5/context/categories/cmi5' }],
      },
      language: 'en-US',
    },
    timestamp: new Date(1_750_000_000_000 + n * 1000).toISOString(),
  }
  // Pad the statement, so that all have the same length.
  const rest = BYTES - Buffer.byteLength(JSON.stringify(statement)) - 70
  return {
    ...statement,
    context: { ...statement.context, extensions: { [`${HOME}/extensions/notes`]: 'x'.repeat(Math.max(0, rest)) } },
  }
}
