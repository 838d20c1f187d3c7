import { rooms } from '../../app.ts'
import type { Forget } from '../../kernel/forget.ts'

/** What every room does when a person goes. */
export const FORGETTING: readonly Forget[] = rooms.flatMap(({ forget }) => forget ?? [])
