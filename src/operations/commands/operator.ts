import { randomUUID } from 'node:crypto'
import type { Caller } from '../../kernel/caller.ts'

/** Returns the caller for commands. The audit log shows it as `command line`. */
export const operator = (): Caller => ({
  at: new Date(),
  requestId: `command-${randomUUID()}`,
  address: 'command line',
})
