import { defineEvents, payload } from '../../kernel/events/events.ts'

/** Ids are internal. The subject is `person:<person>`. */
export const badgeEvents = defineEvents({
  'badge.asserted': payload<{
    readonly assertion: number
    readonly person: number
    /** Null for a badge of a plugin itself. */
    readonly badge: number | null
    readonly badgeKey: string
    readonly organisation: number | null
    /** The plugin that asserted it; null if the platform awarded it. */
    readonly plugin: number | null
  }>(),
})
