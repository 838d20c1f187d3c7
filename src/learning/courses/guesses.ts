import { networkOf } from '../../kernel/bounds/networks.ts'
import type { RateLimiter } from '../../kernel/bounds/rate-limiter.ts'
import { callerKey, type Member, type PersonCaller } from '../../kernel/caller.ts'
import type { Environment } from '../../kernel/environment.ts'
import { rateLimit } from '../../kernel/limits/limits.ts'

/**
 * The limit for a network is this many times the limit for a person, because a whole school may share one IP address.
 */
const PEOPLE_PER_NETWORK = 20
/**
 * Taken ids have this many times the limit of wrong join codes: they open nothing, and authors who choose their ids run
 * into a few.
 */
const IDS_PER_CODE = 10
const HOUR_SECONDS = 3600
const hourly = (name: string, times: number) =>
  rateLimit(name, ({ RATE_JOIN_PER_HOUR: tries }) => ({
    perSecond: (tries * times) / HOUR_SECONDS,
    burst: tries * times,
  }))
const makeLimits = (name: string, times: number) => ({
  person: hourly(name, times),
  network: hourly(`${name}-network`, times * PEOPLE_PER_NETWORK),
})
const CODES = makeLimits('join', 1)
const IDS = makeLimits('ids', IDS_PER_CODE)

interface GuardedRequest {
  readonly who: Member | PersonCaller
  readonly environment: Environment
  readonly request: { limit(limiter: RateLimiter, key: string): void }
}

/**
 * Limits how often a caller and a network may try wrong join codes. Successful requests do not count, because a whole
 * school may join on one day. Neither do errors for which `isGuess` is false.
 */
export const countCodeGuess = <T>(
  context: GuardedRequest,
  work: () => Promise<T>,
  isGuess: (error: unknown) => boolean = () => true,
): Promise<T> => countGuess(CODES, context, work, isGuess)

/**
 * Limits how often a caller and a network may be told that an id is taken. Ids are unique in an environment, so such an
 * error reveals an id of another organisation.
 */
export const countTakenId = <T>(context: GuardedRequest, work: () => Promise<T>): Promise<T> =>
  countGuess(IDS, context, work, (error) => revealing.has(error as Error))

const revealing = new WeakSet<Error>()
/** Marks an error that reveals that an id is taken, so that `countTakenId` counts it. */
export function revealsId<E extends Error>(error: E): E {
  revealing.add(error)
  return error
}

async function countGuess<T>(
  { person, network }: typeof CODES,
  { who, environment, request }: GuardedRequest,
  work: () => Promise<T>,
  isGuess: (error: unknown) => boolean,
): Promise<T> {
  const tries = [
    { limiter: environment.get(person), key: callerKey(who) },
    { limiter: environment.get(network), key: networkOf(who.address) },
  ]
  for (const { limiter, key } of tries) request.limit(limiter, key)
  const giveBack = () => {
    for (const { limiter, key } of tries) limiter.giveBack(key)
  }
  try {
    const done = await work()
    giveBack()
    return done
  } catch (error) {
    if (!isGuess(error)) giveBack()
    throw error
  }
}
