import { type Static, Type } from 'typebox'
import { Text, Whole } from '../../kernel/http/input/fields.ts'
import { Entry } from '../profiles/schema.ts'

export const MIN_TERM_LENGTH = 2
export const DEFAULT_LIMIT = 10
const MAX_TERM_LENGTH = 100
export const MAX_RANDOM = 25
/** Anybody can be an anonymous user: such a one is shown this many of those asked for. */
export const MAX_RANDOM_ANONYMOUS = 5
/** How many of the best matches can be looked at: whoever has more should say more. */
export const MAX_FOUND = 200

export const Search = Type.Object({
  term: Text(`A handle or a name, or the beginning of one; at least ${MIN_TERM_LENGTH} characters`, MAX_TERM_LENGTH),
  limit: Type.Optional(Whole(`Results per page; ${DEFAULT_LIMIT} by default`, 1, 100)),
  page: Type.Optional(Whole('Starts at 1', 1, 1_000_000_000)),
})
export type Search = Static<typeof Search>

export const Found = Type.Object(
  {
    docs: Type.Array(Entry, { description: 'Best match first' }),
    page: Type.Integer(),
    total: Type.Integer({ description: `How many match; the best ${MAX_FOUND} at most` }),
  },
  { title: 'FoundUsers' },
)
export type Found = Static<typeof Found>

/** Whatever is out of range is told to be so by the operation itself, with the code of the contract. */
const ANY = 1e21

export const Sample = Type.Object({
  count: Type.Optional(
    Whole(
      `How many, 1 to ${MAX_RANDOM}; ${DEFAULT_LIMIT} by default. Anonymous users get at most ${MAX_RANDOM_ANONYMOUS}`,
      -ANY,
      ANY,
    ),
  ),
})
export type Sample = Static<typeof Sample>
