import { openapi } from '../api/operations.ts'
import { query } from '../api/query.ts'
import { type ApiDocument, type Reference, readReference } from './document.ts'

let last: { from: object; to: Reference } | undefined
const readOnce = (document: object): Reference => {
  if (last?.from !== document) last = { from: document, to: readReference(document as ApiDocument) }
  return last.to
}

/**
 * Returns the query for the parsed OpenAPI document. It never becomes stale, because it changes only with the
 * platform's version.
 */
export const reference = () => ({
  ...query(openapi, {}),
  staleTime: Number.POSITIVE_INFINITY,
  select: readOnce,
})
