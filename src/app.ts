import { bucketOperations } from './buckets/routes.ts'
import type { Operation } from './http/operation.ts'
import { oauthOperations } from './oauth/routes.ts'

/** The product's table of contents: every area, in the order in which a newcomer meets them. */
export const operations: readonly Operation[] = [
  ...oauthOperations, // GET /auth/basic: the first door
  ...bucketOperations, // /app/v1/bucket: small JSON documents of an app
]
