import { buildSchool, FRESH, type School, STUDENTS } from './learning-school.ts'
import type { LoadPart } from './load.ts'
import { type Bench, type LoadMeasurement, measure, type RunningServer } from './measure.ts'
import { type Section, writeLearning } from './table.ts'

const CONNECTIONS = 32
const PATH = '/edu/v1/lesson/progress'

interface LearningScenario {
  readonly name: string
  readonly method: 'GET' | 'POST'
  readonly connections: number
  /** Returns the requests of one round. The platform and the bare server use different lessons. */
  parts(isBare: boolean, round: number): readonly LoadPart[]
  readonly isOnce?: boolean
  /** Whether the bare server can run this scenario, for comparison. */
  readonly isCompared: boolean
}

const students = Array.from({ length: STUDENTS }, (_, i) => `student-${i + 1}`)

const listScenarios = (rounds: number): readonly LearningScenario[] => [
  {
    name: '**start**',
    method: 'POST',
    connections: CONNECTIONS,
    isOnce: true,
    isCompared: true,
    parts: (isBare, round) => {
      const each = Math.floor(FRESH / 2 / (rounds + 1))
      const first = 101 + (isBare ? FRESH / 2 : 0) + round * each
      return Array.from({ length: each }, (_, i) => `lesson-${first + i}`).flatMap((lessonId) =>
        students.map((studentId) => ({ path: `${PATH}/start`, body: { lessonId, studentId } })),
      )
    },
  },
  {
    name: '**idle and active**',
    method: 'POST',
    connections: CONNECTIONS,
    isCompared: true,
    parts: (isBare) =>
      (['idle', 'active'] as const).flatMap((verb) =>
        students.map((studentId) => ({
          path: `${PATH}/${verb}`,
          body: { lessonId: isBare ? 'lesson-2' : 'lesson-1', studentId },
        })),
      ),
  },
  {
    name: '**read progress**',
    method: 'GET',
    connections: CONNECTIONS,
    isCompared: true,
    parts: (isBare) =>
      students.map((studentId) => ({
        path: `${PATH}?lessonId=${isBare ? 'lesson-2' : 'lesson-1'}&studentId=${studentId}`,
      })),
  },
]

/**
 * Measures reads and writes of learning progress, compared with the bare SQL statements, with few and with many
 * attempts stored.
 */
export async function measureLearning(bench: Bench, sizes: readonly number[]): Promise<Section> {
  const scenarios = listScenarios(bench.rounds)
  const schools: School[] = []
  for (const attempts of sizes) schools.push(await buildSchool(bench.connection, attempts))
  const run = (scenario: LearningScenario, server: RunningServer, isBare: boolean, round: number, seconds: number) =>
    measure(bench, server, {
      method: scenario.method,
      path: PATH,
      send: { kind: 'queue', parts: scenario.parts(isBare, round), isEndless: !scenario.isOnce },
      connections: scenario.connections,
      seconds,
    })
  const results = new Map<string, LoadMeasurement[]>()
  const keep = (key: string, measured: LoadMeasurement) => results.set(key, [...(results.get(key) ?? []), measured])
  for (let round = 0; round <= bench.rounds; round++) {
    process.stderr.write(round === 0 ? 'learning: warming up\n' : `learning: round ${round} of ${bench.rounds}\n`)
    for (const scenario of scenarios)
      for (const { attempts, server, bare } of schools) {
        const own = await run(scenario, server, false, round, bench.seconds)
        if (round > 0) keep(`${scenario.name} ${attempts}`, own)
        if (!scenario.isCompared) continue
        const base = await run(scenario, bare, true, round, bench.seconds)
        if (round > 0) keep(`${scenario.name} ${attempts} bare`, base)
      }
  }
  for (const { server, bare } of schools) for (const { child } of [server, bare]) child.kill()
  return writeLearning({ scenarios, sizes, results })
}
