import type { EnvironmentName } from '../../kernel/config.ts'
import { makeId } from '../../kernel/ids.ts'

/** Client IDs have other prefixes, so no app can have the name of a key. */
const PREFIX: Record<EnvironmentName, string> = { production: 'gs_key_', sandbox: 'gs_sbx_key_' }
const KEY = /^gs_(sbx_)?key_[\w-]{22}$/

/** Makes the public half of a credential, which shows its environment. */
export const makeKey = (environment: EnvironmentName, id = makeId()): string => PREFIX[environment] + id

/** `foreign`: a key of the other environment. */
export function inspectKey(key: string, environment: EnvironmentName): 'good' | 'foreign' | 'malformed' {
  if (!KEY.test(key)) return 'malformed'
  return key.startsWith(PREFIX[environment]) ? 'good' : 'foreign'
}
