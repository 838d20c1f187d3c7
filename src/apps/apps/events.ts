import { defineEvents, payload } from '../../kernel/events/events.ts'

/** The events that this module emits. Their subject is `app:<id>`. */
export const appEvents = defineEvents({
  'app.decided': payload<{
    readonly app: number
    readonly status: 'approved' | 'suspended'
    readonly reason: string | null
    /** The administrator; null for an operator. */
    readonly by: number | null
  }>(),
})
