import { networkOf } from '../../kernel/bounds/networks.ts'
import { RateLimiter } from '../../kernel/bounds/rate-limiter.ts'
import { callerKey, type Member, type PersonCaller } from '../../kernel/caller.ts'
import { type Environment, service } from '../../kernel/environment.ts'

/**
 * The limit for a network is this many times the limit for a person, because a whole school may share one IP address.
 */
const PEOPLE_PER_NETWORK = 20
const HOUR_SECONDS = 3600
const hourly = (name: string, tries: number) => new RateLimiter(name, tries / HOUR_SECONDS, tries)
const joinLimit = service(({ config }) => hourly('join', config.RATE_JOIN_PER_HOUR))
const joinNetworkLimit = service(({ config }) => hourly('join-network', config.RATE_JOIN_PER_HOUR * PEOPLE_PER_NETWORK))

interface GuardedRequest {
  readonly who: Member | PersonCaller
  readonly environment: Environment
  readonly request: { limit(limiter: RateLimiter, key: string): void }
}

/**
 * Limits how often a caller and a network may try wrong join codes. Successful requests do not count, because a whole
 * school may join on one day. Neither do errors for which `isGuess` is false.
 */
export async function countGuess<T>(
  { who, environment, request }: GuardedRequest,
  work: () => Promise<T>,
  isGuess: (error: unknown) => boolean = () => true,
): Promise<T> {
  const tries = [
    { limiter: environment.get(joinLimit), key: callerKey(who) },
    { limiter: environment.get(joinNetworkLimit), key: networkOf(who.address) },
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
