import assert from 'node:assert/strict'
import { get, type IncomingMessage } from 'node:http'
import { hashToken, mintToken } from '../src/kernel/sessions/tokens.ts'
import { createDatabase } from './learning-school.ts'
import { type Bench, type LoadMeasurement, measure, type RunningServer, startServer } from './measure.ts'
import { cpuCells, line, medianOf, type Section, tableHead } from './table.ts'

const STUDENTS = 100
const LESSONS = 200
/** Number of students in the second class. All their attempts wait for a grade: 50,000. */
const UNGRADED_STUDENTS = 250
const CONNECTIONS = 2

/** Goals: CPU of Node in milliseconds per request, and kilobytes of a compressed response. */
interface Goal {
  readonly nodeCpuMs: number
  readonly kilobytes?: number
}

interface SchoolScenario {
  readonly name: string
  /** Requests that are sent in turns. */
  readonly paths: readonly string[]
  readonly isBrowser: boolean
  readonly goal?: Goal
}

const students = Array.from({ length: STUDENTS }, (_, i) => `student-${i + 1}`)
const SCENARIOS: readonly SchoolScenario[] = [
  {
    name: '**gradebook page**',
    paths: ['/edu/v1/class/gradebook?classId=class-1&limit=100'],
    isBrowser: true,
    goal: { nodeCpuMs: 25, kilobytes: 150 },
  },
  {
    name: '**results**',
    paths: students.map((student) => `/edu/v1/class/result?classId=class-1&studentId=${student}`),
    isBrowser: false,
    goal: { nodeCpuMs: 4 },
  },
  {
    name: '**locks**',
    paths: students.map((student) => `/edu/v1/lesson/progress/lock?classId=class-1&studentId=${student}`),
    isBrowser: false,
    goal: { nodeCpuMs: 2 },
  },
  {
    name: 'grading queue, 50,000 wait',
    paths: ['/edu/v1/class/grading?classId=class-2&limit=100'],
    isBrowser: true,
  },
]

/** Request headers by coding: clients that accept compressed responses, and clients that do not. */
const CODINGS = { none: {}, accepted: { 'accept-encoding': 'gzip, deflate, br, zstd' } } as const
type CodingName = keyof typeof CODINGS

/** A value from 0 to 1 that looks random and is the same in every run. */
const NOISE = `abs(hashint8extended(e.id * 1000 + l.id, 7) % 1000) / 1000.0`

/**
 * Returns the SQL that creates a sequential class in which every student has attempts at all lessons and has failed
 * some of the first ones, so almost all lessons are locked; and a class whose attempts all wait for a grade.
 */
const schoolSql = (browserToken: string): string[] => [
  `insert into organisations (key, name, created_at) values ('bench', 'Bench', now())`,
  `insert into courses (key, organisation_id, created_at) values ('bench', 1, now())`,
  `insert into course_versions (course_id, number, name, description, is_public, document, published_at) values (1, 1, 'Bench', '', false, '{}', now())`,
  `update courses set version_id = 1`,
  `insert into lessons (key, course_id) select gen_random_uuid()::text, 1 from generate_series(1, ${LESSONS}) n`,
  `insert into lesson_versions (version_id, lesson_id, position, name, description, is_assessment, instructor_graded, is_public,
     app_id, launch_parameters, passes_code, threshold, prerequisites, earlier)
   select 1, id, id, 'Lesson ' || id || ': circuits and landings', '', false, false, false, 1, '{}', false, 70, '{}',
          array(select generate_series(1, id - 1)) from lessons`,
  `insert into objectives (key, course_id) select 'objective-' || n, 1 from generate_series(1, ${LESSONS / 10}) n`,
  `insert into objective_versions (version_id, objective_id, position, name, description, lessons)
   select 1, id, id, 'Objective ' || id, '', array(select generate_series(id * 10 - 9, id * 10)) from objectives`,
  `insert into classes (key, course_id, version_id, name, is_sequential, created_at) select 'class-' || n, 1, 1, 'Class ' || n, true, now() from generate_series(1, 2) n`,
  `insert into class_staff (class_id, person_id, role) select id, 1, 'instructor' from classes`,
  `insert into people (handle, handle_key, first_name, last_name, created_at)
   select '@s' || n, 's' || n, 'Student', 'Number ' || n, now() from generate_series(1, ${STUDENTS + UNGRADED_STUDENTS}) n`,
  `insert into enrolments (key, class_id, person_id, status, enrolled_at, changed_at)
   select 'student-' || n, case when n <= ${STUDENTS} then 1 else 2 end, n + 1, 'active', now(), now() from generate_series(1, ${STUDENTS + UNGRADED_STUDENTS}) n`,
  `insert into attempts (key, enrolment_id, lesson_id, state, pass, score, started_at, completed_at, progress_intervals, idle_intervals, active_ms, changed_at, result, awaits_grade)
   select gen_random_uuid()::text, e.id, l.id, 'completed', score >= 70, score, at - interval '1 hour', at, '[]', '[]',
          300000 + floor(${NOISE} * 4000000), at, case when e.class_id = 2 then 'INCOMPLETE' when score >= 70 then 'PASS' else 'FAIL' end, e.class_id = 2
     from enrolments e, lessons l, lateral (select 60 + floor(${NOISE} * 41) as score, now() - ${NOISE} * interval '90 days' as at) s`,
  `insert into standings (enrolment_id, lesson_id, attempt_id, attempts, state, result, score, best_score, is_passed, active_ms, started_at, completed_at, changed_at, awaits_grade)
   select enrolment_id, lesson_id, id, 1 + id % 3, state, result, score, score, result = 'PASS', active_ms, started_at, completed_at, changed_at, awaits_grade from attempts`,
  `insert into browsers (id, token_hash, person_id, epoch, door, device, created_at, expires_at)
   select gen_random_uuid(), '\\x${hashToken(browserToken).toString('hex')}', id, epoch, 'test', '', now(), now() + interval '1 day' from people where id = 1`,
  ...['people', 'enrolments', 'attempts', 'standings', 'lesson_versions'].map((table) => `vacuum analyze ${table}`),
  'checkpoint',
]

/** Measures pages about a large class: CPU time, and bytes of the response with and without compression. */
export async function measureSchool(bench: Bench): Promise<Section> {
  const token = mintToken('browser', 'production')
  const server = await startServer(
    'groundschool',
    await createDatabase(bench.connection, 'bench_school', schoolSql(token)),
  )
  const headersOf = ({ isBrowser }: SchoolScenario, coding: CodingName) => ({
    ...(isBrowser ? { cookie: `gs_browser=${token}` } : server.headers),
    ...CODINGS[coding],
  })
  const results = new Map<string, LoadMeasurement[]>()
  for (let round = 0; round <= bench.rounds; round++) {
    process.stderr.write(round === 0 ? 'school: warming up\n' : `school: round ${round} of ${bench.rounds}\n`)
    for (const scenario of SCENARIOS)
      for (const coding of ['none', 'accepted'] as const) {
        const measured = await measure(bench, server, {
          method: 'GET',
          path: '',
          headers: headersOf(scenario, coding),
          send: { kind: 'queue', parts: scenario.paths.map((path) => ({ path })), isEndless: true },
          connections: CONNECTIONS,
          seconds: bench.seconds,
        })
        const key = `${scenario.name} ${coding}`
        if (round > 0) results.set(key, [...(results.get(key) ?? []), measured])
      }
  }
  const rows = []
  for (const scenario of SCENARIOS)
    for (const coding of ['none', 'accepted'] as const)
      rows.push({
        scenario,
        coding,
        measured: results.get(`${scenario.name} ${coding}`)!,
        bytes: await countBytes(server, scenario.paths[0]!, headersOf(scenario, coding)),
      })
  server.child.kill()
  return writeSchool(rows)
}

/** Counts the bytes of a response body as they are sent. */
async function countBytes({ port }: RunningServer, path: string, headers: Record<string, string>): Promise<number> {
  const answer = await new Promise<IncomingMessage>((resolve, reject) =>
    get({ port, host: '127.0.0.1', path, headers }, resolve).on('error', reject),
  )
  assert.equal(answer.statusCode, 200)
  let bytes = 0
  for await (const piece of answer) bytes += (piece as Buffer).length
  return bytes
}

interface SchoolRow {
  readonly scenario: SchoolScenario
  readonly coding: CodingName
  readonly measured: readonly LoadMeasurement[]
  readonly bytes: number
}

const kilobytes = (bytes: number): string => (bytes / 1000).toFixed(bytes < 100_000 ? 1 : 0)

function writeSchool(rows: readonly SchoolRow[]): Section {
  return {
    lines: [
      `## Classes: ${STUDENTS} students, ${LESSONS} lessons, ${CONNECTIONS} connections`,
      '',
      ...tableHead('page', 'compression', 'p50 ms', 'CPU Node', 'CPU PostgreSQL', 'kB'),
      ...rows.map(({ scenario, coding, measured, bytes }) =>
        line([
          scenario.name,
          coding,
          medianOf(measured, (one) => one.p50Ms).toFixed(2),
          ...cpuCells(measured),
          kilobytes(bytes),
        ]),
      ),
      '',
    ],
    goals: rows.flatMap(({ scenario: { name, goal }, coding, measured, bytes }) => {
      const cpuMs = medianOf(measured, (one) => one.nodeCpuMs)
      if (goal && coding === 'none')
        return {
          measure: `${name}, CPU of Node, not compressed`,
          goal: `${goal.nodeCpuMs} ms`,
          now: `${cpuMs.toFixed(1)} ms`,
          isReached: cpuMs <= goal.nodeCpuMs,
        }
      if (goal?.kilobytes === undefined || coding === 'none') return []
      return {
        measure: `${name}, compressed`,
        goal: `${goal.kilobytes} kB`,
        now: `${kilobytes(bytes)} kB`,
        isReached: bytes <= goal.kilobytes * 1000,
      }
    }),
  }
}
