import type { EnvironmentName } from '../../kernel/config.ts'
import { makeId } from '../../kernel/ids.ts'

/** The prefixes differ from those of client IDs, so that no key is ever equal to a client ID. */
const PREFIX: Record<EnvironmentName, string> = { production: 'gs_key_', sandbox: 'gs_sbx_key_' }
const KEY = /^gs_(sbx_)?key_[\w-]{22}$/

/** Makes a key, the public half of a credential. Its prefix shows the environment. */
export const makeKey = (environment: EnvironmentName, id = makeId()): string => PREFIX[environment] + id

/** Checks the form of a key. `foreign` means that it is a key of the other environment. */
export function inspectKey(key: string, environment: EnvironmentName): 'good' | 'foreign' | 'malformed' {
  if (!KEY.test(key)) return 'malformed'
  return key.startsWith(PREFIX[environment]) ? 'good' : 'foreign'
}
