import { fail } from '../../kernel/errors.ts'

export const STATUSES = ['not-started', 'in-progress', 'action-required', 'under-review', 'completed'] as const
export type Status = (typeof STATUSES)[number]

/** The statuses that a request may change to, by its current status. */
export const MOVES: Readonly<Record<Status, readonly Status[]>> = {
  'not-started': ['in-progress'],
  'in-progress': ['action-required', 'under-review'],
  'action-required': ['in-progress'],
  'under-review': ['in-progress', 'completed'],
  completed: [],
}

export const ALERT_TYPES = ['info', 'success', 'warning', 'error'] as const

/** Maximum number of packages per app. */
export const MAX_PACKAGES = 50
/** Maximum number of distributions per package. */
export const MAX_DISTRIBUTIONS = 100
/** Maximum number of requests per package. */
export const MAX_REQUESTS = 200
/** Maximum number of alerts per request. */
export const MAX_ALERTS = 200

/** Returns the status that a report sets. `complete: true` means the same as the status `completed`. */
export function readStatus({ status, complete }: { readonly status?: string; readonly complete?: boolean }): Status {
  if (status === undefined && complete !== true) throw fail('parameterMissing', 'status is missing')
  if (status !== undefined && complete !== undefined && complete !== (status === 'completed'))
    throw fail('validationFailed', 'complete must be true with the status completed, and false with any other')
  return (status ?? 'completed') as Status
}

/**
 * Tells whether a report changes the status; throws if the transition is not allowed. Repeating the current status is
 * no error, because clients retry.
 */
export function checkMove(request: { readonly status: Status; readonly isCancelled: boolean }, to: Status): boolean {
  if (request.isCancelled) throw fail('impossibleNow', 'This request was cancelled')
  const { status } = request
  if (status === to) return false
  if (MOVES[status].includes(to)) return true
  if (status === 'completed') throw fail('impossibleNow', 'This request is completed and cannot be changed')
  throw fail('impossibleNow', `A request that is ${status} can become ${MOVES[status].join(' or ')}, not ${to}`)
}

/** Throws if the URI of a distribution is not http or https, because pages show it as a link. */
export function checkUri(uri: string): void {
  const url = URL.parse(uri)
  if (url?.protocol === 'https:' || url?.protocol === 'http:') return
  const problem = url ? `begins with ${url.protocol}` : 'is not a complete URL'
  throw fail(
    'validationFailed',
    `uri ${problem}; send one that begins with https:// or http://, such as https://downloads.example.org/app.msi`,
  )
}
