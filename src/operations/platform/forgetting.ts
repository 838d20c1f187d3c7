import { rooms } from '../../app.ts'
import type { Forget } from '../../kernel/forget.ts'

/** The functions that each room contributes to the deletion of a person. */
export const FORGETTING: readonly Forget[] = rooms.flatMap(({ forget }) => forget ?? [])
