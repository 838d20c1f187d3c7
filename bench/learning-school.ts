import pg from 'pg'
import type { Connection } from '../src/kernel/database/database.ts'
import { schemaOf } from '../src/kernel/environment.ts'
import { migrateAll } from '../src/operations/platform/platform.ts'
import { type RunningServer, startServer } from './measure.ts'
import { BENCH_SQL } from './servers.ts'

/**
 * A database with `attempts` attempts, the platform running on it, and a bare server that only runs the same SQL
 * statements.
 */
export interface School {
  readonly attempts: number
  readonly server: RunningServer
  readonly bare: RunningServer
}

export const STUDENTS = 1000
/**
 * Number of lessons with attempts. Each student has two open attempts: one for the load on the platform, one for the
 * load on the bare server.
 */
const TAKEN = 100
/** Number of lessons without attempts: half of them for the load on the platform, half for that on the bare server. */
export const FRESH = 100

/** Returns the SQL that creates classes of 1,000 students each. Only the first class is measured. */
const schoolSql = (attempts: number): string[] => {
  const classes = Math.max(1, Math.floor(attempts / (STUDENTS * TAKEN)))
  const taken = Math.max(2, Math.min(TAKEN, Math.floor(attempts / STUDENTS)))
  return [
    `insert into organisations (key, name, created_at) values ('bench', 'Bench', now())`,
    `insert into courses (key, organisation_id, created_at) values ('bench', 1, now())`,
    `insert into course_versions (course_id, number, name, description, is_public, document, published_at) values (1, 1, 'Bench', '', false, '{}', now())`,
    `update courses set version_id = 1`,
    `insert into lessons (key, course_id) select 'lesson-' || n, 1 from generate_series(1, ${TAKEN + FRESH}) n`,
    `insert into lesson_versions (version_id, lesson_id, position, name, description, is_assessment, instructor_graded, is_public,
       app_id, launch_parameters, passes_code, threshold, prerequisites, earlier)
     select 1, id, id, key, '', false, false, false, 1, '{}', false, 80, '{}', '{}' from lessons`,
    `insert into classes (key, course_id, version_id, name, is_sequential, created_at) select 'class-' || n, 1, 1, 'Class ' || n, false, now() from generate_series(1, ${classes}) n`,
    `insert into class_staff (class_id, person_id, role) select id, 1, 'instructor' from classes where id = 1`,
    `insert into people (handle, handle_key, first_name, last_name, created_at)
     select '@s' || n, 's' || n, 'Student', 'Number ' || n, now() from generate_series(1, ${classes * STUDENTS}) n`,
    `insert into enrolments (key, class_id, person_id, status, enrolled_at, changed_at)
     select 'student-' || n, 1 + (n - 1) / ${STUDENTS}, n + 1, 'active', now(), now() from generate_series(1, ${classes * STUDENTS}) n`,
    `insert into attempts (key, enrolment_id, lesson_id, state, pass, score, started_at, completed_at, progress_intervals, idle_intervals, active_ms, active_since, changed_at, result)
     select 'attempt-' || e.id || '-' || l.id, e.id, l.id, case when l.id <= 2 then 'in progress' else 'completed' end, l.id > 2, case when l.id > 2 then 90 end, now() - interval '1 hour',
            case when l.id > 2 then now() end, case when l.id > 2 then '[{"start":"2026-01-01T10:00:00.000Z","end":"2026-01-01T11:00:00.000Z"}]'::json
            else '[{"start":"2026-01-01T10:00:00.000Z","end":null}]' end, '[]', 3600000, case when l.id <= 2 then now() end, now(), case when l.id > 2 then 'PASS' else 'IN PROGRESS' end
       from enrolments e, generate_series(1, ${taken}) l(id)`,
    `insert into standings (enrolment_id, lesson_id, attempt_id, attempts, state, result, score, best_score, is_passed, active_ms, active_since, started_at, completed_at, changed_at)
     select enrolment_id, lesson_id, id, 1, state, result, score, score, result = 'PASS', active_ms, active_since, started_at, completed_at, changed_at from attempts`,
    ...['people', 'enrolments', 'attempts', 'standings', 'lesson_versions'].map((table) => `vacuum analyze ${table}`),
    'checkpoint',
  ]
}

/** Creates a database with the platform's schema, and fills its production environment. */
export async function createDatabase(main: Connection, database: string, sql: readonly string[]): Promise<Connection> {
  const run = async (connection: Connection, statements: readonly string[]) => {
    const client = new pg.Client(connection)
    await client.connect()
    for (const statement of statements) await client.query(statement)
    await client.end()
  }
  await run(main, [`create database ${database}`])
  const connection = { ...main, database }
  await migrateAll(connection)
  await run(connection, [BENCH_SQL, `set search_path = ${schemaOf('production')}`, ...sql])
  return connection
}

export async function buildSchool(main: Connection, attempts: number): Promise<School> {
  const startedAt = performance.now()
  const connection = await createDatabase(main, `bench_learning_${attempts}`, schoolSql(attempts))
  process.stderr.write(
    `learning: ${attempts} attempts ready after ${((performance.now() - startedAt) / 1000).toFixed(1)} s\n`,
  )
  return {
    attempts,
    server: await startServer('groundschool', connection),
    bare: await startServer('learning', connection),
  }
}
