import { createHmac } from 'node:crypto'
import { secretSeal } from '../apps/secrets.ts'
import type { Db } from '../database/database.ts'
import type { Environment } from '../environment.ts'
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

/** `Authorization` as a plugin expects it of the platform. */
export const basicOf = ({ clientId, secrets }: Pick<Hosted, 'clientId' | 'secrets'>): string =>
  `Basic ${Buffer.from(`${clientId}:${secrets[0]}`).toString('base64')}`

/** Standard Webhooks: an id, a moment and a signature by each secret, so that a receiver that changes its secret finds the one it knows. */
export function signed(
  { secrets }: Pick<Hosted, 'secrets'>,
  id: string,
  at: Date,
  body: string,
): Record<string, string> {
  const seconds = Math.floor(at.getTime() / 1000)
  const sign = (secret: string) => createHmac('sha256', secret).update(`${id}.${seconds}.${body}`).digest('base64')
  return {
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': secrets.map((secret) => `v1,${sign(secret)}`).join(' '),
  }
}
