import { type Static, Type } from 'typebox'
import { Text, Whole } from '../../kernel/http/input/fields.ts'
import { UserEntry } from '../profiles/schema.ts'

export const MIN_TERM_LENGTH = 2
export const DEFAULT_LIMIT = 10
const MAX_TERM_LENGTH = 100
export const MAX_RANDOM = 25
/** Maximum sample size for anonymous users. It is small, because anybody can create anonymous users. */
export const MAX_RANDOM_ANONYMOUS = 5
/** The number of best matches that can be paged through. To find other people, the caller must refine the term. */
export const MAX_FOUND = 200

export const Search = Type.Object({
  term: Text(`A handle or a name, or the beginning of one; at least ${MIN_TERM_LENGTH} characters`, MAX_TERM_LENGTH),
  limit: Type.Optional(Whole(`Results per page. Default: ${DEFAULT_LIMIT}`, 1, 100)),
  page: Type.Optional(Whole('Page number, from 1', 1, 1_000_000_000)),
})
export type Search = Static<typeof Search>

export const FoundUsers = Type.Object(
  {
    docs: Type.Array(UserEntry, { description: 'Best match first' }),
    page: Type.Integer(),
    total: Type.Integer({ description: `Number of matches; at most the best ${MAX_FOUND}` }),
  },
  { title: 'FoundUsers' },
)
export type FoundUsers = Static<typeof FoundUsers>

/**
 * Validation accepts any number here, because the operation itself refuses numbers that are out of range, with the
 * error code that the API contract requires.
 */
const ANY = 1e21

export const Sample = Type.Object({
  count: Type.Optional(
    Whole(
      `Number of users, 1 to ${MAX_RANDOM}. Default: ${DEFAULT_LIMIT}. Anonymous users get at most ${MAX_RANDOM_ANONYMOUS}`,
      -ANY,
      ANY,
    ),
  ),
})
export type Sample = Static<typeof Sample>
