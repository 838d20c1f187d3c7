import { randomUUID } from 'node:crypto'
import type { Caller } from '../../kernel/caller.ts'

/** The person at the command line, as the audit log shows them. */
export const operator = (): Caller => ({
  at: new Date(),
  requestId: `command-${randomUUID()}`,
  address: 'command line',
})
