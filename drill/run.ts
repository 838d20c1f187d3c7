import type { Client } from './client.ts'
import type { Ledger } from './ledger.ts'
import type { Setup } from './school.ts'

/** What the drivers of the load share. */
export interface Run {
  readonly client: Client
  readonly setup: Setup
  readonly ledger: Ledger
  isOver(): boolean
  /** Waits until the client may send its next write. */
  pause(): Promise<void>
}
