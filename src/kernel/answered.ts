import { service } from './environment.ts'

/**
 * A finished request of an app, for the app's request log. `app` is the app's internal id, or the client ID from the
 * request.
 */
export interface AnsweredRequest {
  readonly app: number | string
  readonly at: Date
  readonly operation: string
  readonly status: number
  readonly code: number | undefined
  readonly ms: number
  readonly requestId: string
}
/** A function that is called for each finished request; null unless a module provides one. */
export const noteRequest = service((): ((answered: AnsweredRequest) => void) | null => null)
