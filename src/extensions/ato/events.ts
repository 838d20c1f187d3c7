import { defineEvents, payload } from '../../kernel/events/events.ts'
import type { Distribution } from './schema.ts'

/** The document sent to a plugin when a request starts. A value that the platform does not know is null. */
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
  /** URL of the platform's page about the request. */
  readonly reportUri: string
  readonly status: string
  readonly completed: boolean
  readonly cancellable: boolean
  readonly distributions: readonly Distribution[]
}

/**
 * The document sent to a plugin when distributions change: always the complete current list, never only the changes.
 */
export interface DistributionsDocument {
  readonly requestId: string
  readonly distributions: readonly Distribution[]
}

/**
 * Events that are delivered to plugins. The payload holds the plugin's id and the document to send. The subject is
 * `request:<n>`.
 */
export const atoEvents = defineEvents({
  'request.started': payload<{ readonly plugin: number; readonly document: RequestDocument }>(),
  'distributions.changed': payload<{ readonly plugin: number; readonly document: DistributionsDocument }>(),
})

/** Events about the progress of requests, which are not delivered to plugins. The subject is `request:<n>`. */
export const atoStatusEvents = defineEvents({
  'request.moved': payload<{ readonly request: number; readonly status: string; readonly by: number }>(),
})
