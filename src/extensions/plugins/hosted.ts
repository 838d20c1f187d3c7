import { createHmac } from 'node:crypto'
import { secretSeal } from '../../apps/apps/secrets.ts'
import type { Db } from '../../kernel/database/database.ts'
import type { Environment } from '../../kernel/environment.ts'
import type { Purpose } from './rules.ts'
import * as store from './store.ts'

/** What is needed to call a plugin. */
export interface Hosted {
  readonly pluginId: number
  readonly clientId: string
  readonly name: string
  readonly purpose: Purpose
  readonly uri: string
  /** The older one first: that one is sent, because the plugin knows it for certain. All of them sign. */
  readonly secrets: readonly string[]
}

/** Where a plugin takes what is for this purpose; undefined where it takes nothing: no address, switched off, not active, not approved, or without the permission. */
export async function findHosted(
  { get }: Pick<Environment, 'get'>,
  db: Db,
  what: { pluginId: number; purpose: Purpose },
): Promise<Hosted | undefined> {
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

/** One message to a plugin. */
export interface Message {
  /** The same each time it is sent. */
  readonly id: string
  readonly at: Date
  readonly body: string
}

/** What may be shown of the headers of a message. The others are secret, or made from secrets. */
export const shownHeaders = ({ id, at }: Omit<Message, 'body'>): Record<string, string> => ({
  'content-type': 'application/json',
  'user-agent': 'Groundschool',
  'webhook-id': id,
  'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
})

/** Basic, and beside it a signature by each secret (standardwebhooks.com): a plugin may check either, and knows one of the secrets at any time. */
export function headersFor({ clientId, secrets }: Pick<Hosted, 'clientId' | 'secrets'>, message: Message) {
  const headers = shownHeaders(message)
  const text = `${message.id}.${headers['webhook-timestamp']}.${message.body}`
  const sign = (secret: string) => `v1,${createHmac('sha256', secret).update(text).digest('base64')}`
  return {
    ...headers,
    authorization: `Basic ${Buffer.from(`${clientId}:${secrets[0]}`).toString('base64')}`,
    'webhook-signature': secrets.map(sign).join(' '),
  }
}
