import { Type } from 'typebox'
import { networkOf } from '../../kernel/bounds/networks.ts'
import type { AppUser } from '../../kernel/caller.ts'
import { appUser } from '../../kernel/http/callers/callers.ts'
import { type Operation, operationsIn } from '../../kernel/http/operation.ts'
import { json } from '../../kernel/http/output/output.ts'
import { rateLimit } from '../../kernel/limits/limits.ts'
import { UserEntry } from '../profiles/schema.ts'
import { sampleSize, sampleUsers } from './sampling.ts'
import { DEFAULT_LIMIT, FoundUsers, Sample, Search } from './schema.ts'
import { searchUsers } from './search.ts'

const op = operationsIn({ area: 'User search', who: appUser, scope: 'people:search' })

/** This many requested results cost as much as one search. */
const PEOPLE_PER_SEARCH = 10
/** A search by an anonymous user costs this many times as much. */
const ANONYMOUS_COST = 4

/**
 * Limits the rate of searches per user, across all of their tokens, by the number of requested results. Anybody can
 * create anonymous users, so those of one network and app share a limit.
 */
const searchLimit = {
  limiter: rateLimit('search', (config) => ({
    perSecond: config.RATE_SEARCH_PER_SECOND,
    burst: config.RATE_SEARCH_BURST,
  })),
  key: ({ userId, appId, isAnonymous, address }: AppUser) => (isAnonymous ? `${appId} ${networkOf(address)}` : userId),
}
const costOf = ({ isAnonymous }: AppUser, people: number): number =>
  Math.ceil(people / PEOPLE_PER_SEARCH) * (isAnonymous ? ANONYMOUS_COST : 1)

/**
 * Returns the cost of a random sample. It needs no search term, so for anonymous users each person in it costs as much
 * as a search.
 */
const sampleCostOf = (who: AppUser, people: number): number =>
  who.isAnonymous ? people * ANONYMOUS_COST : costOf(who, people)

export const searchOperations: readonly Operation[] = [
  op('GET /user/v1/search', {
    name: 'searchUsers',
    summary: 'Search users',
    description:
      'Returns users of the app who have public search on, by handle, by name, or by the beginning of one; small typing mistakes are tolerated. The best match comes first, and only the best 200 can be paged through. Searches are limited for each user, and every ten requested results count as one search.',
    example: { request: { term: 'blake', limit: 10 } },
    input: Search,
    output: json(FoundUsers),
    limit: { ...searchLimit, cost: (who, { limit = DEFAULT_LIMIT }) => costOf(who, limit) },
    run: ({ db, who }, input) => searchUsers(db, who, input),
  }),
  op('GET /user/v1/search/random', {
    name: 'sampleUsers',
    summary: 'Get random users',
    description:
      'Returns a random sample of the users of the app who have public search on, for example to suggest people to meet. Every such user is equally likely and comes at most once; fewer are returned if there are not enough. It counts towards the same limit as searching, and anonymous users get at most five.',
    example: { request: { count: 1 } },
    input: Sample,
    output: json(Type.Array(UserEntry)),
    limit: { ...searchLimit, cost: (who, input) => sampleCostOf(who, sampleSize(who, input)) },
    run: ({ db, who }, input) => sampleUsers(db, who, sampleSize(who, input)),
  }),
]
