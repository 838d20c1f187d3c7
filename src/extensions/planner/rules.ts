import { fail } from '../../kernel/errors.ts'
import type { FoundCapability, NamedCandidate } from './answers.ts'
import type { Candidate, Source } from './schema.ts'

/**
 * An engine offered to a person. `organisations` are those that the engine has access to and in which the person may
 * plan.
 */
export interface OfferedEngine {
  readonly pluginId: number
  readonly clientId: string
  readonly name: string
  readonly organisations: readonly Organisation[]
}

interface Organisation {
  readonly id: number
  readonly key: string
}

const MAX_ORGANISATIONS = 100

/**
 * Limits each engine to the requested organisations. If `keys` is undefined, each engine keeps all of its
 * organisations.
 */
export function chooseOrganisations(
  engines: readonly OfferedEngine[],
  keys: readonly string[] | undefined,
): OfferedEngine[] {
  const known = new Set(engines.flatMap(({ organisations }) => organisations.map(({ key }) => key)))
  const unknown = keys?.find((key) => !known.has(key))
  if (unknown !== undefined)
    throw fail('forbidden', `organisations: you cannot plan in ${unknown}, or none of these engines has access to it`)
  if (keys === undefined && known.size > MAX_ORGANISATIONS)
    throw fail('validationFailed', `organisations: send at most ${MAX_ORGANISATIONS}; there are ${known.size}`)
  return engines.map((engine) => {
    const organisations = engine.organisations.filter(({ key }) => keys === undefined || keys.includes(key))
    if (organisations.length === 0)
      throw fail(
        'validationFailed',
        `engines: ${engine.clientId} has access to none of these organisations; leave it out`,
      )
    return { ...engine, organisations }
  })
}

/**
 * Returns the public id of a capability: the number of the engine in the search, a dot, and the number of the
 * capability in the engine's response, both starting at 1. So ids of different engines cannot clash.
 */
export const capabilityIdOf = (engine: number, capability: number): string => `${engine + 1}.${capability + 1}`

/** Converts public capability ids to the engines' own ids, grouped by the index of the engine in the search. */
export function chooseCapabilities(
  found: readonly (readonly FoundCapability[])[],
  capabilityIds: readonly string[],
): Map<number, string[]> {
  const known = new Map(
    found.flatMap((capabilities, engine) =>
      capabilities.map(({ id }, place) => [capabilityIdOf(engine, place), { engine, id }] as const),
    ),
  )
  const chosen = new Map<number, string[]>()
  for (const capabilityId of new Set(capabilityIds)) {
    const named = known.get(capabilityId)
    if (!named) throw fail('validationFailed', 'capabilityIds: the search has no capability with one of these ids')
    chosen.set(named.engine, [...(chosen.get(named.engine) ?? []), named.id])
  }
  if (chosen.size === 0) throw fail('parameterMissing', 'capabilityIds is missing')
  return chosen
}

interface Person {
  readonly personId: number
  readonly handle: string
  readonly firstName: string
  readonly lastName: string
}

/** The candidates that one engine named, without people whom the caller may not see. */
export interface EngineAnswer {
  readonly clientId: string
  readonly name: string
  readonly people: readonly (NamedCandidate & { readonly person: Person })[]
}

/**
 * Merges the responses into one entry per person, best first. The score is the mean over all engines that answered; an
 * engine that did not name the person counts as 0, which favours people named by several engines.
 */
export function mergeCandidates(answers: readonly EngineAnswer[], limit: number): (Candidate & { personId: number })[] {
  const found = new Map<number, { person: Person; sources: Source[] }>()
  for (const { clientId, name, people } of answers)
    for (const { person, score, reasons, weights } of people) {
      const entry = found.get(person.personId) ?? { person, sources: [] }
      entry.sources.push({ clientId, name, score, reasons: [...reasons], ...(weights && { weights: [...weights] }) })
      found.set(person.personId, entry)
    }
  return [...found.values()]
    .map(({ person, sources }) => {
      const sum = sources.reduce((total, { score }) => total + score, 0)
      return { ...person, score: Math.round((sum / answers.length) * 10_000) / 10_000, sources }
    })
    .sort(byScore)
    .slice(0, limit)
}

type Ranked = Pick<Candidate, 'score' | 'handle'>
export const byScore = (one: Ranked, other: Ranked): number =>
  other.score - one.score || (one.handle < other.handle ? -1 : 1)

/** Returns the people with these handles; all people if `handles` is undefined. */
export function choosePeople<T extends { readonly handle_key: string }>(
  people: readonly T[],
  handles: readonly string[] | undefined,
): T[] {
  const unknown = handles?.find((handle) => !people.some(({ handle_key: key }) => key === handle))
  if (unknown !== undefined) throw fail('validationFailed', `people: ${unknown} is not among these candidates`)
  return people.filter(({ handle_key: key }) => handles === undefined || handles.includes(key))
}
