import type { AuthorizationParams } from './authorize.ts'
import { authorizationFields, openidFields } from './schema.ts'

/**
 * Writes the authorization request as a query string for the next page. The order of the parameters is fixed, because
 * CSRF tokens depend on it.
 */
export function queryOf(params: AuthorizationParams): string {
  const names = Object.keys({ ...authorizationFields, ...openidFields }) as (keyof AuthorizationParams)[]
  const pairs = names.flatMap((name) => {
    const value = params[name]
    if (value === undefined) return []
    return [`${name}=${name === 'state' ? value : encodeURIComponent(value)}`]
  })
  return pairs.join('&')
}
