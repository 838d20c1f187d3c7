import { defineEvents, payload } from '../../kernel/events/events.ts'

/** The events that this module emits. Their subject is `person:<id>`. All ids are internal. */
export const noteEvents = defineEvents({
  /** A note about a person was written by somebody else. */
  'note.written': payload<{ readonly note: number; readonly person: number; readonly author: number }>(),
})
