import { createHmac } from 'node:crypto'
import { secretSeal } from '../../apps/apps/secrets.ts'
import type { Db } from '../../kernel/database/database.ts'
import type { Environment } from '../../kernel/environment.ts'
import type { Purpose } from './schema.ts'
import * as store from './store.ts'

/** The address and credentials for calling a plugin. */
export interface PluginEndpoint {
  readonly pluginId: number
  readonly clientId: string
  readonly name: string
  readonly purpose: Purpose
  readonly uri: string
  /**
   * Oldest first. HTTP Basic uses the oldest secret, because the plugin certainly has it; webhooks are signed with each
   * of them.
   */
  readonly secrets: readonly string[]
}

/**
 * Finds the plugin's address for a purpose. Returns undefined if the plugin has no such address or it is switched off,
 * or if the plugin is not active, not approved or lacks the permission.
 */
export async function findHosted(
  db: Db,
  what: { pluginId: number; purpose: Purpose },
  { get }: Pick<Environment, 'get'>,
): Promise<PluginEndpoint | undefined> {
  const row = await db.first(store.findHosted, { plugin: what.pluginId, purpose: what.purpose })
  if (!row?.usable || row.sealed.length === 0) return undefined
  return {
    pluginId: row.id,
    clientId: row.client_id,
    name: row.name,
    purpose: what.purpose,
    uri: row.uri,
    secrets: row.sealed.map((sealed) => get(secretSeal).open(row.client_id, Buffer.from(sealed, 'hex'))),
  }
}

export interface WebhookMessage {
  /** Stays the same if the message is sent again. */
  readonly id: string
  readonly at: Date
  readonly body: string
}

/**
 * Returns the headers that the log of deliveries may show. All other headers contain secrets or are derived from them.
 */
export const shownHeaders = ({ id, at }: Omit<WebhookMessage, 'body'>): Record<string, string> => ({
  'content-type': 'application/json',
  'user-agent': 'Groundschool',
  'webhook-id': id,
  'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
})

/**
 * Returns the headers of a webhook, with HTTP Basic and one signature per secret (standardwebhooks.com). A plugin may
 * check Basic or the signatures; during a rotation it knows at least one of the secrets.
 */
export function headersFor(
  { clientId, secrets }: Pick<PluginEndpoint, 'clientId' | 'secrets'>,
  message: WebhookMessage,
) {
  const headers = shownHeaders(message)
  const text = `${message.id}.${headers['webhook-timestamp']}.${message.body}`
  const sign = (secret: string) => `v1,${createHmac('sha256', secret).update(text).digest('base64')}`
  return {
    ...headers,
    authorization: `Basic ${Buffer.from(`${clientId}:${secrets[0]}`).toString('base64')}`,
    'webhook-signature': secrets.map(sign).join(' '),
  }
}
