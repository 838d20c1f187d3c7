import { defineEvents, payload } from '../../kernel/events/events.ts'

/** The events that this module emits. Their subject is `class:<id>`. All ids are internal. */
export const classEvents = defineEvents({
  'students.enrolled': payload<{
    readonly class: number
    /** Ids of the enrolments, at most 1000. */
    readonly enrolments: readonly number[]
    /** The person who did it; null for an operator. */
    readonly by: number | null
  }>(),
  'lesson.unlocked': payload<{
    readonly class: number
    readonly lesson: number
    /** Null if it was unlocked for the whole class. */
    readonly enrolment: number | null
    readonly by: number
  }>(),
})
