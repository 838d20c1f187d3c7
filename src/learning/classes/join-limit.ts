import { networkOf } from '../../kernel/bounds/networks.ts'
import { RateLimiter } from '../../kernel/bounds/rate-limiter.ts'
import { callerKey, type Member, type PersonCaller } from '../../kernel/caller.ts'
import { type Environment, service } from '../../kernel/environment.ts'

/** A whole school may share one network address. */
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
 * Limits attempts to guess join codes, per caller and per network. Successes do not count: a whole school may join on
 * one day.
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
