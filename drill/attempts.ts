import { randomUUID } from 'node:crypto'
import { bearer, type Client, describe, key } from './client.ts'
import type { Attempt, Ledger, Report } from './ledger.ts'
import type { Run } from './run.ts'
import { CLASS, LESSONS, type Person, type Setup } from './school.ts'

const PROGRESS = '/edu/v1/lesson/progress'

/** A student starts a lesson, gets a score, and completes it, again and again. */
export async function driveAttempts(run: Run, person: Person, student: number): Promise<void> {
  const { client, ledger } = run
  const write = async (path: string, body: object) => {
    const headers = { ...bearer(person.token), ...key(randomUUID()) }
    const answer = await client.write(ledger.watch, 'progress', { method: 'POST', path, body, headers })
    if (answer.status !== 200) ledger.report('progress', 'unexpected', `${person.handle}: ${describe(answer)}`)
    await run.pause()
    return answer.status === 200 ? answer.body : undefined
  }
  for (let n = 1; !run.isOver(); n++) {
    const lesson = { lessonId: LESSONS[n % LESSONS.length]!, classId: CLASS }
    const attempt: Attempt = { student, lessonId: lesson.lessonId }
    ledger.attempts.push(attempt)
    attempt.lessonResultId = (await write(`${PROGRESS}/start`, lesson))?.lessonResultId
    if (attempt.lessonResultId === undefined) continue
    attempt.sentScore = n
    attempt.score = (await write(PROGRESS, { ...lesson, score: n }))?.score
    if (await write(PROGRESS, { ...lesson, pass: true, complete: true })) attempt.isComplete = true
  }
}

/** Checks that each attempt is in the history of its student once, with its score and its end. */
export async function checkAttempts(client: Client, { people }: Setup, ledger: Ledger, report: Report): Promise<void> {
  const byPlace = Map.groupBy(ledger.attempts, ({ student, lessonId }) => `${student} ${lessonId}`)
  for (const attempts of byPlace.values()) {
    const { student, lessonId } = attempts[0]!
    const { handle, token } = people[student]!
    const kept = await readHistory(client, token, lessonId)
    const say = (attempt: Attempt) => `attempt ${attempt.lessonResultId} of ${handle} at ${lessonId}`
    for (const attempt of attempts) {
      if (attempt.lessonResultId === undefined) continue
      const found = kept.get(attempt.lessonResultId)
      if (!found) report('progress', 'lost', say(attempt))
      else if (attempt.score !== undefined && found.score !== attempt.score)
        report('progress', 'lost', `score ${attempt.score} of ${say(attempt)}; now it is ${found.score}`)
      else if (found.score !== null && found.score !== attempt.sentScore)
        report('progress', 'changed', `${say(attempt)} has the score ${found.score}`)
      else if (attempt.isComplete && !found.completed) report('progress', 'lost', `the end of ${say(attempt)}`)
    }
    const known = new Set(attempts.map(({ lessonResultId }) => lessonResultId))
    const unknown = attempts.filter(({ lessonResultId }) => lessonResultId === undefined).length
    const others = [...kept.keys()].filter((id) => !known.has(id))
    if (others.length > unknown)
      report('progress', 'doubled', `attempts ${others.join(', ')} of ${handle} at ${lessonId}`)
  }
}

interface KeptAttempt {
  readonly lessonResultId: string
  readonly score: number | null
  readonly completed: string | null
}

async function readHistory(client: Client, token: string, lessonId: string): Promise<Map<string, KeptAttempt>> {
  const kept = new Map<string, KeptAttempt>()
  for (let page = 1, pages = 1; page <= pages; page++) {
    const query = { lessonId, classId: CLASS, page, limit: 100 }
    const answer = await client.readOk({ method: 'GET', path: `${PROGRESS}/history`, query, headers: bearer(token) })
    for (const one of answer.body.docs) kept.set(one.lessonResultId, one)
    pages = answer.body.pages
  }
  return kept
}
