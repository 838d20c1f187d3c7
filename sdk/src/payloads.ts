export type AtoStatus = 'not-started' | 'in-progress' | 'action-required' | 'under-review' | 'completed'

/**
 * The statuses that a request may change to, by its current status. The platform refuses any other change with
 * 400/4006.
 */
export const NEXT_STATUSES: Readonly<Record<AtoStatus, readonly AtoStatus[]>> = {
  'not-started': ['in-progress'],
  'in-progress': ['action-required', 'under-review'],
  'action-required': ['in-progress'],
  'under-review': ['in-progress', 'completed'],
  completed: [],
}

/** One downloadable item of an ATO package, such as an installer. */
export interface Distribution {
  readonly id: string
  readonly name: string
  readonly platform: string | null
  readonly version: string | null
  readonly uri: string
  /** Date and time in ISO 8601. */
  readonly addedDate: string
}

/** The document sent when somebody starts an ATO request. A field that the platform does not know is null. */
export interface StartDocument {
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
  readonly status: AtoStatus
  readonly completed: boolean
  readonly cancellable: boolean
  readonly distributions: readonly Distribution[]
}

/** The document sent when a distribution is added or removed. It contains the complete current list, not the change. */
export interface DistributionChange {
  readonly requestId: string
  readonly distributions: readonly Distribution[]
}

/** The document sent to find out which capabilities a mission needs. `text` describes the mission. */
export interface CapabilitiesSearch {
  readonly searchId: string
  readonly text: string
  readonly orgIds: readonly string[]
}

/** A capability that people can have. The plugin chooses its id. */
export interface Capability {
  readonly id: string
  readonly name: string
  readonly description: string
}

/** The document sent to find people with these capabilities. */
export interface CandidateSearch {
  readonly searchId: string
  readonly capabilityIds: readonly string[]
  readonly orgIds: readonly string[]
  readonly limit: number
}

export interface Candidate {
  readonly userId: string
  /** From 0 to 1. */
  readonly score: number
  /** Sentences that explain the score to people. */
  readonly reasons: readonly string[]
  /** Weight of each reason, from 0 to 1. The planner shows the weights graphically. */
  readonly weights?: readonly number[]
}

type Fields = Record<string, unknown>
const isText = (value: unknown): value is string => typeof value === 'string'
const isTexts = (value: unknown): value is string[] => Array.isArray(value) && value.every(isText)

/**
 * By purpose, a function that checks a received document and returns the first field that is missing or has the wrong
 * type. Unknown fields are allowed, and passed on to the handler.
 */
export const MISSING = {
  request: (it: Fields) => missing(it, { requestId: isText, status: isText, distributions: Array.isArray }),
  distributions: (it: Fields) => missing(it, { requestId: isText, distributions: Array.isArray }),
  capabilities: (it: Fields) => missing(it, { searchId: isText, text: isText, orgIds: isTexts }),
  candidates: (it: Fields) =>
    missing(it, { searchId: isText, capabilityIds: isTexts, orgIds: isTexts, limit: Number.isSafeInteger }),
} as const

function missing(fields: Fields, wanted: Record<string, (value: unknown) => boolean>): string | undefined {
  return Object.keys(wanted).find((name) => !wanted[name]!(fields[name]))
}

/** Maximum size of a response that the platform accepts. */
const ANSWER_LIMIT_BYTES = 256 * 1024
const isTextOf = (value: unknown, most: number, least = 0): boolean =>
  isText(value) && value.length >= least && value.length <= most

/**
 * Throws if the plugin's response is invalid, so that the plugin gets the error. If it were sent, the platform would
 * reject the whole response, and only the person who searched would see why.
 */
export function checkCapabilities(answer: readonly Capability[]): { capabilities: readonly Capability[] } {
  if (!Array.isArray(answer) || answer.length > 100)
    throw new TypeError('onCapabilitiesSearch must return an array of 100 capabilities at most.')
  for (const { id, name, description } of answer)
    if (!isTextOf(id, 200, 1) || !isTextOf(name, 200, 1) || !isTextOf(description, 1000))
      throw new TypeError('A capability is {id, name, description}: texts of up to 200, 200 and 1000 characters.')
  return checkSize({ capabilities: answer }, new Set(answer.map(({ id }) => id)).size === answer.length)
}

export function checkCandidates(answer: readonly Candidate[], limit: number): { candidates: readonly Candidate[] } {
  if (!Array.isArray(answer) || answer.length > limit)
    throw new TypeError(`onCandidateSearch must return an array of candidates, ${limit} at most here.`)
  for (const { userId, score, reasons, weights } of answer) {
    if (!isText(userId) || !isShare(score) || !isReasons(reasons))
      throw new TypeError(
        'A candidate is {userId, score, reasons}: a text, a number from 0 to 1, and up to 20 texts of up to 300 characters.',
      )
    if (
      weights !== undefined &&
      !(Array.isArray(weights) && weights.length === reasons.length && weights.every(isShare))
    )
      throw new TypeError('The weights of a candidate are numbers from 0 to 1, one for each reason.')
  }
  return checkSize({ candidates: answer }, new Set(answer.map(({ userId }) => userId)).size === answer.length)
}

const isShare = (value: unknown): boolean => typeof value === 'number' && value >= 0 && value <= 1
const isReasons = (reasons: unknown): boolean =>
  isTexts(reasons) && reasons.length <= 20 && reasons.every((reason) => reason.length <= 300)

function checkSize<T extends object>(answer: T, isDistinct: boolean): T {
  if (!isDistinct) throw new TypeError('The answer has the same id twice.')
  if (Buffer.byteLength(JSON.stringify(answer)) > ANSWER_LIMIT_BYTES)
    throw new TypeError(`The answer is larger than ${ANSWER_LIMIT_BYTES} bytes: name fewer, or give fewer reasons.`)
  return answer
}
