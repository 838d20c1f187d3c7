import { defineEvents, payload } from '../../kernel/events/events.ts'

/** What becomes of badges; ids are internal, and the subject is `person:<person>`. */
export const badgeEvents = defineEvents({
  'badge.asserted': payload<{
    readonly assertion: number
    readonly person: number
    /** Null where it is the own badge of a plugin. */
    readonly badge: number | null
    readonly badgeKey: string
    readonly organisation: number | null
    /** The plugin that asserted it; null where the platform gave it. */
    readonly plugin: number | null
  }>(),
})
