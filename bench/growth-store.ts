import type { GrowthCast, Student } from './growth-cast.ts'
import { HOME } from './growth-iris.ts'
import { endless, type Fields, type GrowthOperation, query } from './growth-loads.ts'
import { courseNumberOf, lessonNumberOf, lessonsOf } from './growth-school.ts'
import { courseIri, lessonIri, lessonOfRank, registrationOf, verbIri } from './growth-statements.ts'

const FOUND = 20
const BATCH = 50
const XAPI = '/xapi/statements'

/** Returns an operation of the record store, with 60 different queries. */
const fromStore = (
  name: string,
  path: string,
  fields: (cast: GrowthCast, index: number) => Fields,
): GrowthOperation => ({
  group: 'record store',
  name,
  plan: (cast) =>
    endless(
      'GET',
      path,
      cast.students.map((_, index) => ({ path: query(path, fields(cast, index)), headers: cast.store })),
    ),
})
const filtered = (name: string, fields: (cast: GrowthCast, index: number) => Fields): GrowthOperation =>
  fromStore(name, XAPI, (cast, index) => ({ ...fields(cast, index), limit: FOUND }))

const agentOf = ({ handle }: Student) => ({ account: { homePage: HOME, name: handle } })
const agent = ({ students }: GrowthCast, index: number) => ({ agent: agentOf(students[index]!) })
const verb = (index: number) => ({ verb: verbIri(index % 20) })
/** Lessons that are equally common at every size. */
const lesson = ({ people }: GrowthCast, index: number) => ({
  activity: lessonIri(lessonOfRank(Math.floor(lessonsOf(people) * (0.02 + 0.01 * index)), people)),
})
/** The ten most common lessons. The larger the store, the more statements they have. */
const commonLesson = ({ people }: GrowthCast, index: number) => ({
  activity: lessonIri(lessonOfRank(index % 10, people)),
})
const registration = ({ statements }: GrowthCast, index: number) => ({
  registration: registrationOf(Math.floor((statements * (index + 0.5)) / 60)),
})
const DAY_MS = 86_400_000
const lastDays = (days: number) => ({ since: new Date(Date.now() - days * DAY_MS).toISOString() })

const makeStatement = ({ students }: GrowthCast, index: number) => {
  const student = students[index % students.length]!
  return {
    actor: agentOf(student),
    verb: { id: verbIri(index % 20) },
    object: { objectType: 'Activity', id: lessonIri(lessonNumberOf(courseNumberOf(student.n), 1)) },
    result: { score: { scaled: 0.8, raw: 80, min: 0, max: 100 }, success: true, completion: true, duration: 'PT20M' },
    context: {
      registration: registrationOf(index * 20),
      contextActivities: { parent: [{ id: courseIri(courseNumberOf(student.n)) }] },
      language: 'en-US',
    },
  }
}

/** Follows `more` to page 100 of the statements of a verb. */
async function findPage100(cast: GrowthCast, port: number): Promise<string> {
  let path = query(XAPI, { ...verb(0), limit: 10 })
  for (let page = 1; page < 100; page++) {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { headers: cast.store })
    path = ((await answer.json()) as { more: string }).more
  }
  return path
}

/** Operations of the record store. `ports` are those of the platforms, by the number of statements. */
export const storeOperations = (ports: ReadonlyMap<number, number>): readonly GrowthOperation[] => [
  {
    ...{ group: 'record store', name: 'store a statement' },
    plan: (cast) =>
      endless(
        'POST',
        XAPI,
        Array.from({ length: 600 }, (_, n) => ({ headers: cast.store, body: makeStatement(cast, n) })),
      ),
  },
  {
    ...{ group: 'record store', name: `store ${BATCH} statements` },
    plan: (cast) =>
      endless(
        'POST',
        XAPI,
        Array.from({ length: 20 }, (_, n) => ({
          headers: cast.store,
          body: Array.from({ length: BATCH }, (_, i) => makeStatement(cast, n * BATCH + i)),
        })),
      ),
  },
  {
    ...{ group: 'record store', name: 'read a statement' },
    plan: ({ ids, store }) =>
      endless(
        'GET',
        XAPI,
        ids.map((id) => ({ path: query(XAPI, { statementId: id }), headers: store })),
      ),
  },
  filtered('newest statements', () => ({})),
  filtered('by agent', agent),
  filtered('by verb', (_, index) => verb(index)),
  filtered('by activity', lesson),
  filtered('by a common activity', commonLesson),
  filtered('by registration', registration),
  filtered('by agent and verb', (cast, index) => ({ ...agent(cast, index), ...verb(index) })),
  filtered('by verb and a common activity', (cast, index) => ({ ...verb(index), ...commonLesson(cast, index) })),
  filtered('by instructor (related) and verb', ({ students }, index) => ({
    ...{ agent: { account: { homePage: HOME, name: students[index]!.instructor.handle } }, related_agents: true },
    ...verb(index),
  })),
  {
    ...{ group: 'record store', name: 'page 100 of a verb' },
    plan: async (cast) =>
      endless('GET', '', [{ path: await findPage100(cast, ports.get(cast.statements)!), headers: cast.store }]),
  },
  fromStore('count statements of an agent', '/lrs/v1/statements/count', agent),
  fromStore('count statements of a common activity', '/lrs/v1/statements/count', commonLesson),
  fromStore('count all statements of a day', '/lrs/v1/statements/count', () => lastDays(1)),
  fromStore('group the statements of a lesson by verb', '/lrs/v1/statements/aggregate', (cast, index) => ({
    ...{ by: 'verb', ...lesson(cast, index) },
  })),
  fromStore('group all statements of a day by activity', '/lrs/v1/statements/aggregate', () => ({
    by: 'activity',
    ...lastDays(1),
  })),
  fromStore('count all statements', '/lrs/v1/statements/count', () => ({})),
]
