import { defineEvents, payload } from '../../kernel/events/events.ts'

/** An answer to a question of a submitted quiz. All ids are internal; the response is in `quiz_answers`. */
interface AnswerPayload {
  readonly attempt: number
  readonly enrolment: number
  readonly lesson: number
  readonly class: number
  readonly course: number
  readonly person: number
  readonly question: number
  readonly position: number
  /** Null if an instructor has to grade the answer. */
  readonly correct: boolean | null
  readonly points: number | null
  readonly maxPoints: number
}

/** The events that this module emits. Their subject is `student:<enrolment>`. */
export const quizEvents = defineEvents({
  'quiz.answered': payload<AnswerPayload>(),
})
