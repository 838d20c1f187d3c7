import { Type } from 'typebox'
import { admitSearch } from '../http/admit.ts'
import { type Operation, userOperation } from '../http/operation.ts'
import { Entry } from '../profiles/schema.ts'
import { countDrawn, drawUsers } from './draws.ts'
import { DEFAULT_LIMIT, Draw, Found, Search } from './schema.ts'
import { searchUsers } from './search.ts'

const area = 'User search'

export const searchOperations: readonly Operation[] = [
  userOperation({
    name: 'searchUsers',
    summary: 'Finds users of the app who have public search on, by handle or name; typing mistakes are forgiven',
    method: 'GET',
    path: '/user/v1/search',
    area,
    input: Search,
    place: 'query',
    answer: Found,
    errors: [],
    run: ({ db, who, environment, request }, input) => {
      admitSearch(environment, request, input.limit ?? DEFAULT_LIMIT)
      return searchUsers(db, who, input)
    },
  }),
  userOperation({
    name: 'drawUsers',
    summary: 'Draws users of the app at random who have public search on',
    method: 'GET',
    path: '/user/v1/search/random',
    area,
    input: Draw,
    place: 'query',
    answer: Type.Array(Entry),
    errors: [],
    run: ({ db, who, environment, request }, input) => {
      const count = countDrawn(input)
      admitSearch(environment, request, count)
      return drawUsers(db, who, count)
    },
  }),
]
