import { randomUUID } from 'node:crypto'
import type { Caller } from '../../kernel/caller.ts'

/** Whoever sits at the command line: the audit log shows it as such. */
export const operator = (): Caller => ({
  at: new Date(),
  requestId: `command-${randomUUID()}`,
  address: 'command line',
})
