import type { Static } from 'typebox'
import { recordAudit } from '../../kernel/audit/audit.ts'
import { PROVIDER } from '../../kernel/browsers/required.ts'
import type { ActingPerson, PersonCaller, Visitor } from '../../kernel/caller.ts'
import type { Db, Tx } from '../../kernel/database/database.ts'
import { fail } from '../../kernel/errors.ts'
import type { Connections, NameProvider } from './schema.ts'
import * as store from './sign-in-store.ts'

/**
 * Finds out whether an account is connected to the present provider of an organisation; undefined without an account.
 */
export async function findConnected(
  db: Db,
  { provider, personId }: { provider: { id: number; issuer: string }; personId: number },
): Promise<boolean | undefined> {
  const account = await db.first(store.findAccount, { organisation: provider.id, person: personId })
  return account && account.connected_issuer === provider.issuer
}

/** Lists the organisations of the caller that have a provider, and whether the caller's account is connected to it. */
export async function listConnections(db: Db, who: PersonCaller): Promise<Static<typeof Connections>> {
  return (await db.all(store.listConnections, { person: who.personId })).map((row) => ({
    organisation: row.organisation,
    name: row.name,
    issuer: row.issuer,
    mode: row.mode as 'off' | 'allowed' | 'enforced',
    linkedDate: row.linked_at,
    lastUsedDate: row.last_used_at,
    isRequired: row.is_required,
  }))
}

/** Lists the providers with which a signed-in person can sign in again, with the path of their page. */
export async function listOwnWays(db: Db, who: Visitor, next: string | undefined) {
  const rows = who.person ? await db.all(store.listConnections, { person: who.person.personId }) : []
  return rows
    .filter(({ linked_at, mode }) => linked_at !== null && mode !== 'off')
    .map(({ organisation, name }) => ({
      name,
      path: `${PROVIDER}?${new URLSearchParams({ organisation, ...(next !== undefined && { next }) })}`,
    }))
}

/** Disconnects the caller's account from a provider, unless they could then no longer sign in. */
export const removeConnection = (db: Db, who: PersonCaller, { organisation }: NameProvider): Promise<void> =>
  db.transaction(async (tx) => {
    const { personId, epoch } = who
    if (!(await tx.first(store.lockForRemoval, { person: personId, epoch })))
      throw fail('notAuthorized', 'You are no longer signed in; sign in again')
    const found = await tx.first(store.findRemovable, { person: personId, organisation })
    if (!found) throw fail('notFound', 'Your account is not connected to this organisation')
    if (found.is_required) throw fail('impossibleNow', 'Your organisation requires you to sign in this way')
    if (!found.has_credentials)
      throw fail('impossibleNow', 'This is the only way to sign in to your account: set a password first')
    const removed = await tx.first(store.deleteIdentity, { organisation: found.organisation_id, person: personId })
    if (!removed) throw fail('notFound', 'Your account is not connected to this organisation')
    await recordAudit(tx, who, {
      action: 'connection.removed',
      personId,
      detail: { organisation, issuer: removed.issuer },
    })
  })

/**
 * Deletes the connections of a person whose other ways in are removed too. `isAll` is true if this includes providers
 * that they have to use.
 */
export async function removeConnections(tx: Tx, who: ActingPerson, { isAll }: { isAll: boolean }): Promise<void> {
  const { personId } = who
  for (const detail of await tx.all(store.deleteIdentities, { person: personId, isAll }))
    await recordAudit(tx, who, { action: 'connection.removed', personId, detail })
}

/** Returns a person's connections for the data export. */
export async function exportConnections(db: Db, personId: number) {
  return (await db.all(store.exportConnections, { person: personId })).map((row) => ({
    organisation: row.organisation,
    issuer: row.issuer,
    subject: row.subject,
    linkedDate: row.linked_at,
    lastUsedDate: row.last_used_at,
  }))
}
