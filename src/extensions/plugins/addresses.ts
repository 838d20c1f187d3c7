import { notify } from '../../identity/notifications/notifications.ts'
import { recordAudit } from '../../kernel/audit/audit.ts'
import type { Caller } from '../../kernel/caller.ts'
import type { Db, Tx } from '../../kernel/database/database.ts'
import { type MessagePolicy, sendMessage } from '../../kernel/messages/messages.ts'
import type { Purpose } from './schema.ts'
import * as store from './store.ts'

interface Address {
  readonly pluginId: number
  readonly purpose: Purpose
  readonly uri: string
}

/** Records that a call to the address succeeded, which ends a series of failures. */
export const recordSuccess = (db: Db, { pluginId, purpose }: Omit<Address, 'uri'>) =>
  db.first(store.recordSuccess, { plugin: pluginId, purpose })

/**
 * Records a failed call. Returns the time since which the address has been failing; undefined if the address was
 * replaced or switched off meanwhile.
 */
export async function recordFailure(
  db: Db,
  who: Caller,
  { pluginId, purpose, uri }: Address,
): Promise<Date | undefined> {
  return (
    (await db.first(store.recordFailure, { plugin: pluginId, purpose, uri, now: who.at }))?.failing_since ?? undefined
  )
}

/** Notifies the operators of a plugin that its address cannot be reached, once for each series of failures. */
export async function tellFailing(
  tx: Tx,
  { pluginId, purpose, uri, since, at }: Address & { readonly since: Date; readonly at: Date },
  policy: MessagePolicy,
): Promise<void> {
  const rows = await tx.all(store.listOperators, { plugin: pluginId })
  const notifications = rows.map(({ person_id: personId, client_id, name }) => ({
    personId,
    kind: 'delivery-failing' as const,
    key: `failing:${pluginId}:${purpose}:${since.toISOString()}`,
    title: `${name} cannot be reached`,
    text: `Deliveries to ${uri} have failed since ${since.toISOString().slice(0, 16).replace('T', ' ')} UTC. They are retried.`,
    link: `/console/plugins/${encodeURIComponent(client_id)}/deliveries`,
    at,
  }))
  await notify(tx, notifications, policy)
}

/**
 * Switches the address off: nothing is sent to it until the plugin's developers set it again. The owner of the plugin
 * and the owners of its organisation get a message.
 */
export async function switchOff(
  tx: Tx,
  who: Caller,
  what: Address & { readonly reason: string },
  policy: MessagePolicy,
): Promise<void> {
  const { pluginId, purpose, uri, reason } = what
  const off = await tx.first(store.switchOff, { plugin: pluginId, purpose, uri, reason, now: who.at })
  if (!off) return
  await recordAudit(tx, who, { action: 'plugin.address-off', appId: off.app_id, detail: { purpose, uri, reason } })
  const text = `The platform turned off this URL of the plugin ${off.name} (${off.client_id}), and no longer sends anything to it:\n\n  ${uri}\n\nReason: ${reason}\n\nOnce it works again, save the URL in the plugin’s settings to turn it on. You can then resend failed deliveries from the list of deliveries:\n\n${policy.url}/console/plugins/${off.client_id}/deliveries\n`
  for (const { person_id: personId, email } of await tx.all(store.listResponsible, { app: off.app_id }))
    if (email)
      await sendMessage(
        tx,
        who,
        {
          personId,
          recipient: email,
          kind: 'plugin-address-off',
          subject: `Plugin URL turned off (${off.name})`,
          text,
        },
        policy,
      )
}
