import { service } from './environment.ts'

/** What is told of a request of an app once it is answered: by the app's number, or by the client ID that it gave. */
export interface AnsweredRequest {
  readonly app: number | string
  readonly at: Date
  readonly operation: string
  readonly status: number
  readonly code: number | undefined
  readonly ms: number
  readonly requestId: string
}
/** Told of each of them; nobody is, until a room provides it. */
export const noteRequest = service((): ((answered: AnsweredRequest) => void) | null => null)
