import { Type } from 'typebox'
import { networkOf } from '../../kernel/bounds/networks.ts'
import { RateLimiter } from '../../kernel/bounds/rate-limiter.ts'
import type { AppUser } from '../../kernel/caller.ts'
import { service } from '../../kernel/environment.ts'
import { appUser } from '../../kernel/http/callers/callers.ts'
import { type Operation, operation } from '../../kernel/http/operation.ts'
import { json } from '../../kernel/http/output/output.ts'
import { Entry } from '../profiles/schema.ts'
import { examples } from './examples.ts'
import { sampleSize, sampleUsers } from './sampling.ts'
import { DEFAULT_LIMIT, Found, Sample, Search } from './schema.ts'
import { searchUsers } from './search.ts'

const area = 'User search'

/** So many people shown count as one search, and one that an anonymous user makes as so many. */
const PEOPLE_A_SEARCH = 10
const ANONYMOUS_SEARCHES = 4

/**
 * Counts for the user, with any of their tokens, and by how many are shown at most, beside what they may ask at all. Anybody can make anonymous users, so those of
 * one network and app count together, and for more.
 */
const searchLimit = {
  limiter: service(({ config }) => new RateLimiter('search', config.RATE_SEARCH_PER_SECOND, config.RATE_SEARCH_BURST)),
  key: ({ userId, appId, isAnonymous, address }: AppUser) => (isAnonymous ? `${appId} ${networkOf(address)}` : userId),
}
const costOf = ({ isAnonymous }: AppUser, people: number): number =>
  Math.ceil(people / PEOPLE_A_SEARCH) * (isAnonymous ? ANONYMOUS_SEARCHES : 1)

/** A draw asks for nobody in particular, so everybody whom it shows to an anonymous user counts like a search of theirs. */
const drawCostOf = (who: AppUser, people: number): number =>
  who.isAnonymous ? people * ANONYMOUS_SEARCHES : costOf(who, people)

export const searchOperations: readonly Operation[] = [
  operation({
    who: appUser,
    name: 'searchUsers',
    ...examples.searchUsers,
    summary: 'Finds users of the app who have public search on, by handle or name; typing mistakes are forgiven',
    method: 'GET',
    path: '/user/v1/search',
    area,
    input: Search,
    from: 'query',
    output: json(Found),
    errors: [],
    limit: { ...searchLimit, cost: (who, { limit = DEFAULT_LIMIT }) => costOf(who, limit) },
    run: ({ db, who }, input) => searchUsers(db, who, input),
  }),
  operation({
    who: appUser,
    name: 'sampleUsers',
    ...examples.sampleUsers,
    summary: 'Gives a random sample of the users of the app who have public search on',
    method: 'GET',
    path: '/user/v1/search/random',
    area,
    input: Sample,
    from: 'query',
    output: json(Type.Array(Entry)),
    errors: [],
    limit: { ...searchLimit, cost: (who, input) => drawCostOf(who, sampleSize(who, input)) },
    run: ({ db, who }, input) => sampleUsers(db, who, sampleSize(who, input)),
  }),
]
