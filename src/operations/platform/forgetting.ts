import { rooms } from '../../app.ts'
import type { Forget } from '../../kernel/forget.ts'

/** Every module's part in deleting a person. */
export const FORGETTING: readonly Forget[] = rooms.flatMap(({ forget }) => forget ?? [])
