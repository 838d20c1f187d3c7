import { BLAKE } from '../profiles/examples.ts'

/** What people read about these operations. */
export const examples = {
  searchUsers: {
    description:
      'Finds users of your app by handle, by name, or by the beginning of one, and forgives small typing mistakes. The best match comes first; only the best 200 can be paged through. Searches are limited for each user, and every ten requested results count as one search.',
    example: { request: { term: 'blake', limit: 10 }, answer: { docs: [BLAKE], page: 1, total: 1 } },
  },
  sampleUsers: {
    description:
      'Use it to suggest people to meet. Every user who can be found is equally likely and comes at most once; fewer come back if there are not enough. It counts towards the same limit as searching, and anonymous users get at most five.',
    example: { request: { count: 1 }, answer: [BLAKE] },
  },
}
