import { defineEvents, payload } from '../../kernel/events/events.ts'
import type { Distribution } from './schema.ts'

/** What a plugin is sent when a request starts. What is not known is null. */
export interface RequestDocument {
  readonly requestId: string
  readonly companyId: string | null
  readonly companyName: string | null
  readonly companyPhone: string | null
  readonly requestingUserFirstName: string | null
  readonly requestingUserLastName: string | null
  readonly requestingUserEmail: string | null
  readonly appName: string
  readonly packageName: string
  /** Where people read about the request. */
  readonly reportUri: string
  readonly status: string
  readonly completed: boolean
  readonly cancellable: boolean
  readonly distributions: readonly Distribution[]
}

/** All distributions that there are now, never a difference. */
export interface DistributionsDocument {
  readonly requestId: string
  readonly distributions: readonly Distribution[]
}

/** What plugins are sent, as it is sent: a plugin's number and a document. The subject is `request:<n>`. */
export const atoEvents = defineEvents({
  'request.started': payload<{ readonly plugin: number; readonly document: RequestDocument }>(),
  'distributions.changed': payload<{ readonly plugin: number; readonly document: DistributionsDocument }>(),
})
