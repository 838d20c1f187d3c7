import { defineEvents, payload } from '../../kernel/events/events.ts'

/** Events about badges. All ids are internal database ids. The subject is `person:<person>`. */
export const badgeEvents = defineEvents({
  'badge.asserted': payload<{
    readonly assertion: number
    readonly person: number
    /** Null for a badge that a plugin defined itself. */
    readonly badge: number | null
    readonly badgeKey: string
    readonly organisation: number | null
    /** The plugin that asserted the badge; null if the platform awarded it. */
    readonly plugin: number | null
  }>(),
})
