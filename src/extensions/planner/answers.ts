import { Type } from 'typebox'
import { Compile } from 'typebox/compile'

/**
 * Thrown if an engine's response violates the contract. The message is written by the platform, so it is safe to show.
 */
export class WrongAnswer extends Error {}

const id = Type.String({ minLength: 1, maxLength: 200 })
const Capabilities = Compile(
  Type.Object({
    capabilities: Type.Array(
      Type.Object({
        id,
        name: Type.String({ minLength: 1, maxLength: 200 }),
        description: Type.String({ maxLength: 1000 }),
      }),
      { maxItems: 100 },
    ),
  }),
)
const Candidates = Compile(
  Type.Object({
    candidates: Type.Array(
      Type.Object({
        userId: id,
        score: Type.Number({ minimum: 0, maximum: 1 }),
        reasons: Type.Array(Type.String({ maxLength: 300 }), { maxItems: 20 }),
      }),
    ),
  }),
)

/**
 * Weights are not part of the contract. If they are invalid, or their number differs from the number of reasons, they
 * are ignored and the response is still accepted.
 */
const Weights = Compile(Type.Array(Type.Number({ minimum: 0, maximum: 1 }), { maxItems: 20 }))

export interface FoundCapability {
  readonly id: string
  readonly name: string
  readonly description: string
}
export interface NamedCandidate {
  readonly userId: string
  readonly score: number
  readonly reasons: readonly string[]
  /** The weight of each reason, from 0 to 1, if the engine sent weights. */
  readonly weights?: readonly number[]
}

export function readCapabilities(text: string): FoundCapability[] {
  const { capabilities } = check(Capabilities, text) as { capabilities: FoundCapability[] }
  checkIds(capabilities.map((one) => one.id))
  return capabilities.map(({ id, name, description }) => ({ id, name: toLine(name), description: toLine(description) }))
}

export function readCandidates(text: string, limit: number): NamedCandidate[] {
  const { candidates } = check(Candidates, text) as { candidates: NamedCandidate[] }
  if (candidates.length > limit) throw new WrongAnswer(`It returned more than the ${limit} requested candidates`)
  checkIds(candidates.map(({ userId }) => userId))
  return candidates.map(({ userId, score, reasons, weights }) => ({
    ...{ userId, score, reasons: reasons.map(toLine) },
    ...(Weights.Check(weights) && weights.length === reasons.length ? { weights } : {}),
  }))
}

function check(schema: Pick<ReturnType<typeof Compile>, 'Check' | 'Errors'>, text: string): unknown {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new WrongAnswer('Its response is not JSON')
  }
  if (schema.Check(value)) return value
  const [problem] = schema.Errors(value)
  const where = problem?.instancePath.split('/').slice(1).join('.') || 'the whole response'
  throw new WrongAnswer(`Its response is not valid: ${where} ${problem?.message}`)
}

/**
 * Throws if ids of capabilities or people contain duplicates, control characters or unpaired surrogates. PostgreSQL
 * does not accept NUL and unpaired surrogates.
 */
function checkIds(ids: readonly string[]): void {
  if (ids.some((one) => /[\p{Cc}\p{Cs}]/u.test(one)))
    throw new WrongAnswer('Its response is not valid: an id has a control character')
  if (new Set(ids).size < ids.length) throw new WrongAnswer('Its response is not valid: it has the same id twice')
}

/**
 * Turns text of a third party into a single line, without control characters and characters that change the text
 * direction.
 */
const toLine = (text: string): string =>
  text
    .replace(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]+/gu, ' ')
    .replace(/ {2,}/g, ' ')
    .trim()
