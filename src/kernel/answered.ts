import { service } from './environment.ts'

/**
 * A finished request of an app, for the app's request log. `app` is its number, or the client ID that the request gave.
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
/** Called for each finished request. Null until a room provides it. */
export const noteRequest = service((): ((answered: AnsweredRequest) => void) | null => null)
