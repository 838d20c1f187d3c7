import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Connection, openDatabase } from '../src/kernel/database/database.ts'
import { schemaOf } from '../src/kernel/environment.ts'
import { makeId } from '../src/kernel/ids.ts'
import * as store from '../src/learning/progress/store.ts'

/**
 * Starts a server that only runs the SQL statements of the learning operations, in the same order and through the same
 * driver. It checks neither tokens nor rules.
 */
export async function startBareLearning(
  connection: Connection,
): Promise<{ port: number; headers: Readonly<Record<string, string>> }> {
  const db = await openDatabase({
    connection,
    schema: schemaOf('production'),
    poolSize: 10,
    readConnections: 2,
    statementTimeoutMs: 10_000,
    onProblem: () => {},
  })
  const find = (lesson: string, student: string, withLock: boolean) =>
    db.first(store.findLessonContext, {
      person: 1,
      lesson,
      class: null,
      student,
      withLock,
      at: new Date(),
      withAnswers: !withLock,
    })
  const values = (now: Date) => ({
    person: 1,
    app: null,
    pass: false,
    score: null,
    answers: null,
    completed: null,
    progress: JSON.stringify([{ start: now.toISOString(), end: null }]),
    idle: '[]',
    activeMs: 0,
    result: 'IN PROGRESS',
    awaitsGrade: false,
    gradedAt: null,
    gradedBy: null,
    change: null,
    via: 'instructor',
    now,
  })
  const act = async (path: string, { lessonId, studentId }: { lessonId: string; studentId: string }) => {
    const now = new Date()
    const row = (await find(lessonId, studentId, true))!
    const started = { ...values(now), state: 'in progress', activeSince: now }
    if (path.endsWith('/start'))
      return db.first(store.insertAttempt, {
        ...started,
        key: makeId(),
        enrolment: row.enrolment_id!,
        lesson: row.lesson_id!,
        status: row.status!,
        attempts: row.attempts ?? 0,
        started: now,
        isLate: false,
        kind: 'attempt.started',
      })
    const moved = path.endsWith('/idle') ? { ...started, state: 'idle', activeSince: null } : started
    const attempt = { attempt: row.attempt_id!, version: row.version! }
    return db.first(store.updateAttempt, { ...moved, ...attempt, kind: 'attempt.idle' })
  }
  const server = createServer(async (request, response) => {
    const url = new URL(request.url!, 'http://bare')
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const answer =
      request.method === 'GET'
        ? await find(url.searchParams.get('lessonId')!, url.searchParams.get('studentId')!, false)
        : await act(url.pathname, JSON.parse(Buffer.concat(chunks).toString()))
    const body = JSON.stringify(answer ?? null)
    response.writeHead(answer ? 200 : 409, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    })
    response.end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { port: (server.address() as AddressInfo).port, headers: {} }
}
