import { createHmac } from 'node:crypto'
import type { Db } from '../../kernel/database/database.ts'
import type { RowOf } from '../../kernel/database/statement.ts'
import { type Environment, service } from '../../kernel/environment.ts'
import type { Consumer } from '../../kernel/events/consumers.ts'
import type { Event, EventOf } from '../../kernel/events/events.ts'
import type { progressEvents } from '../../learning/progress/events.ts'
import { keyOf } from './agents.ts'
import { bases, VERSION } from './capture.ts'
import type { Bases } from './capture-rules.ts'
import * as store from './recording-store.ts'
import type { Result, Statement } from './statement.ts'
import { type NewStatement, storeInTransaction } from './storing.ts'
import { verb } from './vocabulary.ts'

const KINDS = ['attempt.started', 'attempt.completed', 'attempt.graded', 'objective.scored'] as const
type ProgressEvent = Extract<EventOf<typeof progressEvents>, { kind: (typeof KINDS)[number] }>
type Recorded = RowOf<typeof store.findRecorded>

/** Points are from 0 to 100 as a rule; others have no scale. */
const toScore = (score: number) =>
  score >= 0 && score <= 100 ? { scaled: score / 100, raw: score, min: 0, max: 100 } : { raw: score }

/** The statements that an event becomes: each verb with its result. */
function statementsFor(event: ProgressEvent): [verb: string, result?: Result][] {
  const { score } = event.payload
  const scored = score === null ? {} : { score: toScore(score) }
  const points: [string, Result][] = score === null ? [] : [['scored', scored]]
  if (event.kind === 'attempt.started') return [['initialized']]
  if (event.kind === 'objective.scored') return points
  const { result, activeMs } = event.payload
  const isPassed = result === 'PASS'
  const judged: [string, Result][] =
    isPassed || result === 'FAIL' ? [[isPassed ? 'passed' : 'failed', { success: isPassed, ...scored }]] : []
  const duration = `PT${(activeMs / 1000).toFixed(2)}S`
  const ended: [string, Result][] =
    event.kind === 'attempt.completed' ? [['completed', { completion: true, duration, ...scored }]] : []
  return [...ended, ...judged, ...points]
}

const idKey = service((environment) => environment.keyFor('statements of events'))

/** The same event gives the same id, as often as it is told. Nobody can tell it before: they could send it first, or ask for it. */
export function idOf(key: Buffer, event: Pick<Event, 'id' | 'kind' | 'subject'>, name: string): string {
  const hex = keyOf(
    createHmac('sha256', key).update(`${event.id} ${event.kind} ${event.subject} ${name}`).digest('hex'),
  )
  return `${hex.slice(0, 14)}5${hex.slice(15, 19)}8${hex.slice(20)}`
}

function makeStatements(key: Buffer, known: Bases, event: ProgressEvent, row: Recorded): NewStatement[] {
  const nameOf = (type: string, id: string) => `${known.objects}/${type}/${encodeURIComponent(id)}`
  const apiId = (type: string) => `${known.apiIds}/${type}`
  const activity = (type: string, id: string) => ({
    objectType: 'Activity' as const,
    id: nameOf(type, id),
    definition: { type: `${known.objects}/${type}`, extensions: { [apiId(type)]: id } },
  })
  const lesson = activity('lesson', row.lesson)
  const statement: Omit<Statement, 'verb'> = {
    actor: { objectType: 'Agent', account: { homePage: known.homePage, name: row.handle } },
    object: row.objective === null ? lesson : activity('objective', row.objective),
    context: {
      registration: keyOf(`attempt ${row.attempt}`),
      contextActivities: {
        parent: [row.objective === null ? activity('course', row.course) : lesson],
        grouping: [activity('education-class', row.class)],
      },
      extensions: {
        [apiId('lesson')]: row.lesson,
        [apiId('course')]: row.course,
        [apiId('education-class')]: row.class,
        [apiId('student')]: row.student,
        [apiId('lesson-result')]: row.attempt,
      },
    },
    timestamp: event.at.toISOString(),
    authority: { objectType: 'Agent', account: { homePage: known.homePage, name: 'groundschool' } },
    version: VERSION,
  }
  const links = {
    own: true,
    person: row.person_id,
    lesson: row.lesson_id,
    course: row.course_id,
    class: row.class_id,
    enrolment: row.enrolment_id,
    attempt: row.attempt_id,
    ...(row.objective_id === null ? {} : { objective: row.objective_id }),
  }
  return statementsFor(event).map(([word, result]) => ({
    statement: {
      id: idOf(key, event, word),
      ...statement,
      verb: { id: verb(word), display: { en: word } },
      ...(result ? { result } : {}),
    },
    links,
  }))
}

/** Starting, finishing and scoring a lesson is told in statements as well, once. What is gone meanwhile is not told of. */
async function record(tx: Db, events: readonly ProgressEvent[], { get, clock }: Environment): Promise<void> {
  const known = get(bases)
  const rows = await tx.all(store.findRecorded, {
    events: JSON.stringify(
      events.map(({ id, payload }) => ({
        id,
        attempt: payload.attempt,
        objective: 'objective' in payload ? payload.objective : undefined,
      })),
    ),
  })
  const rowOf = new Map(rows.map((row) => [row.event, row]))
  const made = events.flatMap((event) => {
    const row = rowOf.get(event.id)
    return row ? makeStatements(get(idKey), known, event, row) : []
  })
  if (made.length > 0)
    await storeInTransaction(tx, { at: clock(), homePage: known.homePage, senderKey: 'platform', defines: true }, made)
}

export const statementRecorder: Consumer<Environment, ProgressEvent> = {
  name: 'statements',
  kinds: KINDS,
  start: 'beginning',
  handle: record,
}
