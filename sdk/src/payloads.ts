/** Status of an ATO request. */
export type AtoStatus = 'not-started' | 'in-progress' | 'action-required' | 'under-review' | 'completed'

/** Allowed next statuses. The platform refuses all others with 400/4006. */
export const NEXT_STATUSES: Readonly<Record<AtoStatus, readonly AtoStatus[]>> = {
  'not-started': ['in-progress'],
  'in-progress': ['action-required', 'under-review'],
  'action-required': ['in-progress'],
  'under-review': ['in-progress', 'completed'],
  completed: [],
}

/** One item that an ATO package ships. */
export interface Distribution {
  readonly id: string
  readonly name: string
  readonly platform: string | null
  readonly version: string | null
  readonly uri: string
  /** ISO 8601. */
  readonly addedDate: string
}

/** Sent when an app owner starts an ATO request. Unknown fields are null. */
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
  /** The page about the request, on the platform. */
  readonly reportUri: string
  readonly status: AtoStatus
  readonly completed: boolean
  readonly cancellable: boolean
  readonly distributions: readonly Distribution[]
}

/** Sent when distributions are added or removed. It contains the whole current set, not the change. */
export interface DistributionChange {
  readonly requestId: string
  readonly distributions: readonly Distribution[]
}

/** A search for capabilities that match a described need. */
export interface CapabilitiesSearch {
  readonly searchId: string
  readonly text: string
  readonly orgIds: readonly string[]
}

/** A capability of people, with an id of the plugin's own. */
export interface Capability {
  readonly id: string
  readonly name: string
  readonly description: string
}

/** A search for people with these capabilities. */
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
  /** Sentences for people to read. */
  readonly reasons: readonly string[]
  /** Weight of each reason, from 0 to 1. The planner draws them. */
  readonly weights?: readonly number[]
}

type Fields = Record<string, unknown>
const isText = (value: unknown): value is string => typeof value === 'string'
const isTexts = (value: unknown): value is string[] => Array.isArray(value) && value.every(isText)

/**
 * Checks a document before its handler is called, and names what is missing. Fields that this version does not know are
 * kept.
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

/** Largest response that the platform reads. */
const ANSWER_LIMIT_BYTES = 256 * 1024
const isTextOf = (value: unknown, most: number, least = 0): boolean =>
  isText(value) && value.length >= least && value.length <= most

/**
 * The platform rejects a malformed response as a whole, and tells the person who searched, not the plugin. This check
 * tells the plugin.
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
