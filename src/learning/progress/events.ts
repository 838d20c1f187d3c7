import { defineEvents, payload } from '../../kernel/events/events.ts'
import type { Result } from './attempt.ts'
import type { AttemptState } from './rules.ts'

/** The state of an attempt after the change. All ids are internal. */
interface AttemptPayload {
  readonly attempt: number
  readonly enrolment: number
  readonly lesson: number
  readonly class: number
  readonly course: number
  readonly person: number
  /** The app through which the change was made; null if it was made on the platform's own pages. */
  readonly app: number | null
  /** The person who made the change: the student or an instructor. */
  readonly by: number
  readonly state: Exclude<AttemptState, 'none'>
  readonly result: Result
  readonly pass: boolean
  readonly score: number | null
  readonly activeMs: number
  /**
   * In `attempt.completed`, if the lesson has a due date: that date, and whether the attempt was completed after it.
   */
  readonly due?: string
  readonly late?: boolean
}

interface ObjectivePayload extends Omit<AttemptPayload, 'state' | 'result' | 'pass' | 'activeMs' | 'score'> {
  readonly objective: number
  readonly score: number
}

/** The payload of events about a lesson as a whole, not about a single attempt: granting attempts and resetting. */
type LessonPayload = Pick<AttemptPayload, 'enrolment' | 'lesson' | 'class' | 'course' | 'person' | 'by'>

/** The events that this module emits. Their subject is `student:<enrolment>`. */
export const progressEvents = defineEvents({
  'attempt.started': payload<AttemptPayload>(),
  'attempt.paused': payload<AttemptPayload>(),
  'attempt.resumed': payload<AttemptPayload>(),
  'attempt.idle': payload<AttemptPayload>(),
  'attempt.active': payload<AttemptPayload>(),
  'attempt.updated': payload<AttemptPayload>(),
  'attempt.completed': payload<AttemptPayload>(),
  'attempt.graded': payload<AttemptPayload>(),
  'attempt.granted': payload<LessonPayload>(),
  'attempt.reset': payload<LessonPayload>(),
  'objective.scored': payload<ObjectivePayload>(),
})
