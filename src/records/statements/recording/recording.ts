import { createHmac } from 'node:crypto'
import type { Tx } from '../../../kernel/database/database.ts'
import type { RowOf } from '../../../kernel/database/statement.ts'
import { type Environment, service } from '../../../kernel/environment.ts'
import type { Consumer } from '../../../kernel/events/consumers.ts'
import type { Event, EventOf } from '../../../kernel/events/events.ts'
import type { progressEvents } from '../../../learning/progress/events.ts'
import type { quizEvents } from '../../../learning/quizzes/events.ts'
import { toInteraction, toResponse } from '../../../learning/quizzes/interactions.ts'
import { keyOf } from '../model/agents.ts'
import {
  accountAgent,
  type Bases,
  bases,
  idExtension,
  MADE_VERSION,
  ownExtension,
  PLATFORM_ACCOUNT,
  type RecordType,
  recordIri,
  typeIri,
} from '../model/names.ts'
import { adlVerb, type Result, type Statement } from '../model/statement.ts'
import type { NewStatement } from '../storing/schema.ts'
import { storeInTransaction } from '../storing/storing.ts'
import * as store from './store.ts'

const KINDS = ['attempt.started', 'attempt.completed', 'attempt.graded', 'objective.scored', 'quiz.answered'] as const
type QuizEvent = EventOf<typeof quizEvents>
type ProgressEvent = Exclude<RecordedEvent, QuizEvent>
type RecordedEvent = Extract<EventOf<typeof progressEvents | typeof quizEvents>, { kind: (typeof KINDS)[number] }>
type RecordedAttempt = RowOf<typeof store.findRecorded>

/** Converts points to a score. Only points from 0 to 100 are scaled, because the range of other points is unknown. */
const toScore = (score: number) =>
  score >= 0 && score <= 100 ? { scaled: score / 100, raw: score, min: 0, max: 100 } : { raw: score }

/** Returns the verb and the result of each statement that records an event. */
function verbsFor(known: Bases, event: ProgressEvent): [verb: string, result?: Result][] {
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
    event.kind === 'attempt.completed'
      ? [['completed', { completion: true, duration, ...scored, ...lateness(known, event.payload) }]]
      : []
  return [...ended, ...judged, ...points]
}

/** Says when the lesson was due and whether the attempt was late, as it was when the attempt was completed. */
const lateness = (known: Bases, { due, late }: { readonly due?: string; readonly late?: boolean }) =>
  due === undefined ? {} : { extensions: { [ownExtension(known, 'due')]: due, [ownExtension(known, 'late')]: late } }

const idKey = service((environment) => environment.keyFor('statements of events'))

/**
 * Derives the id of an event's statement. It is the same each time the event is delivered. A secret key goes into it,
 * so that nobody can guess the id and send another statement with it first.
 */
export function idOf(key: Buffer, event: Pick<Event, 'id' | 'kind' | 'subject'>, name: string): string {
  const hex = keyOf(
    createHmac('sha256', key).update(`${event.id} ${event.kind} ${event.subject} ${name}`).digest('hex'),
  )
  return `${hex.slice(0, 14)}5${hex.slice(15, 19)}8${hex.slice(20)}`
}

/** Describes the answered question as a cmi.interaction, and the answer as a result. */
function describeAnswer({ payload }: QuizEvent, { question }: RecordedAttempt, response: string) {
  const content = JSON.parse(question!)
  const { correct, points, maxPoints } = payload
  const result: Result = {
    response: toResponse(content, JSON.parse(response)),
    ...(correct === null ? {} : { success: correct }),
    ...(points === null ? {} : { score: { scaled: points / maxPoints, raw: points, min: 0, max: maxPoints } }),
  }
  return { definition: toInteraction(content), result }
}

function makeStatements(key: Buffer, known: Bases, event: RecordedEvent, row: RecordedAttempt): NewStatement[] {
  const apiId = (type: RecordType) => idExtension(known, type)
  const activity = (type: RecordType, id: string) => ({
    objectType: 'Activity' as const,
    id: recordIri(known, type, id),
    definition: { type: typeIri(known, type), extensions: { [apiId(type)]: id } },
  })
  const lesson = activity('lesson', row.lesson)
  if (event.kind === 'quiz.answered' && row.response === null) return []
  const answer = event.kind === 'quiz.answered' ? describeAnswer(event, row, row.response!) : undefined
  const question = answer && {
    objectType: 'Activity' as const,
    // Another revision is another activity, because its definition may differ.
    id: `${recordIri(known, 'lesson', row.lesson)}/question/${row.question_key}/${row.revision}`,
    definition: answer.definition,
  }
  const target = row.objective === null ? lesson : activity('objective', row.objective)
  const statement: Omit<Statement, 'verb'> = {
    actor: accountAgent(known.homePage, row.handle),
    object: question ?? target,
    context: {
      registration: keyOf(`attempt ${row.attempt}`),
      contextActivities: {
        parent: [target === lesson && !question ? activity('course', row.course) : lesson],
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
    authority: accountAgent(known.homePage, PLATFORM_ACCOUNT),
    version: MADE_VERSION,
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
  const verbs: [string, Result?][] =
    event.kind === 'quiz.answered' ? [['answered', answer!.result]] : verbsFor(known, event)
  return verbs.map(([name, result]) => ({
    statement: {
      id: idOf(key, event, name),
      ...statement,
      verb: { id: adlVerb(name), display: { en: name } },
      ...(result ? { result } : {}),
    },
    links,
  }))
}

/**
 * Whether the content of a package has said this itself, in its own statements. Grades and scores of objectives are
 * given by instructors, also in package lessons.
 */
const isReportedByContent = ({ kind }: RecordedEvent, row: RecordedAttempt): boolean =>
  row.kind === 'package' && (kind === 'attempt.started' || kind === 'attempt.completed')

/**
 * Records the start, the end and the scores of lessons, and answers in quizzes, as statements. A repeated delivery
 * stores nothing new. Events about deleted records are skipped.
 */
async function record(tx: Tx, events: readonly RecordedEvent[], { get, clock }: Environment): Promise<void> {
  const known = get(bases)
  const rows = await tx.all(store.findRecorded, {
    events: JSON.stringify(
      events.map(({ id, payload }) => ({
        id,
        attempt: payload.attempt,
        objective: 'objective' in payload ? payload.objective : undefined,
        position: 'position' in payload ? payload.position : undefined,
      })),
    ),
  })
  const rowOf = new Map(rows.map((row) => [row.event, row]))
  const made = events.flatMap((event) => {
    const row = rowOf.get(event.id)
    return row && !isReportedByContent(event, row) ? makeStatements(get(idKey), known, event, row) : []
  })
  if (made.length > 0)
    await storeInTransaction(tx, { at: clock(), homePage: known.homePage, senderKey: 'platform', defines: true }, made)
}

export const statementRecorder: Consumer<Environment, RecordedEvent> = {
  name: 'statements',
  kinds: KINDS,
  start: 'beginning',
  handle: record,
}
