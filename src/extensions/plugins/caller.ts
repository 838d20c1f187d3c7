import { secretHashKeys } from '../../apps/apps/secrets.ts'
import { fail } from '../../kernel/errors.ts'
import { type CallerKind, limitAddress } from '../../kernel/http/callers/callers.ts'
import { readBasic } from '../../kernel/http/callers/client-credentials.ts'
import type { Need } from '../../kernel/http/operation.ts'
import { rateLimit } from '../../kernel/limits/limits.ts'
import { authenticatePlugin, checkGranted, type PluginCaller } from './authenticate.ts'

const pluginLimit = rateLimit('plugin', (config) => ({
  perSecond: config.RATE_TOKEN_PER_SECOND,
  burst: config.RATE_TOKEN_BURST,
}))

/**
 * Callers that are plugins: they authenticate with HTTP Basic, using their client ID and secret. User tokens are not
 * accepted.
 */
export const plugin: CallerKind<PluginCaller> = {
  name: 'plugin',
  challenge: 'Basic',
  security: () => ['basic'],
  errors: () => ['notAuthorized', 'wrongCredentials', 'unknownClient', 'appNotUsable', 'permissionMissing'],
  keyOf: ({ clientId }) => clientId,
  admit: async (environment, request) => {
    const { db, name, get } = environment
    limitAddress(environment, request)
    const basic = readBasic(request.oneHeader('authorization'))
    if (!basic)
      throw fail(
        'notAuthorized',
        'A plugin must authenticate with the header Authorization: Basic base64(client_id:client_secret)',
      )
    const how = { environment: name, secretHashKeys: get(secretHashKeys) }
    const who = await authenticatePlugin(db, request.who, basic, how)
    request.limit(get(pluginLimit), who.clientId)
    return who
  },
}

/** A requirement of an operation: the plugin must have been granted this permission by an administrator. */
export const permission = (name: Parameters<typeof checkGranted>[1]): Need<PluginCaller> => ({
  name: `permission ${name}`,
  errors: ['permissionMissing'],
  check: ({ who }) => checkGranted(who, name),
})
