import { correctAccount, lockAccount } from '../../identity/people/accounts.ts'
import { recordAudit } from '../../kernel/audit/audit.ts'
import { gatePerOwner } from '../../kernel/bounds/gate.ts'
import { callerKey, type PersonCaller } from '../../kernel/caller.ts'
import type { Db, Tx } from '../../kernel/database/database.ts'
import type { MessagePolicy } from '../../kernel/messages/messages.ts'
import { findJoiners, type InvitationPolicy, planInvitations, sendInvitations } from '../invitations/sending.ts'
import { lockManaged, readManaged, writeRole } from './organisations.ts'
import { type ImportedRow, type PlannedPerson, planPeople, readPeople } from './people-import-rules.ts'
import type { ImportPeople, PeopleReport } from './schema.ts'
import * as store from './store.ts'

/** Limits concurrent imports, because each one holds a database connection for seconds. */
const importing = gatePerOwner({ atOnce: 2, perKey: 1, waiting: 100, waitingPerKey: 4 })

/**
 * Imports people into an organisation. Members get the role of their row; everybody else is invited, and an account is
 * created for an e-mail address that has none. With `allOrNothing`, nothing is changed if one row is refused.
 */
export async function importPeople(
  db: Db,
  who: PersonCaller,
  what: ImportPeople,
  policies: { readonly invitations: InvitationPolicy; readonly messages: MessagePolicy },
): Promise<PeopleReport> {
  await readManaged(db, who, what.organisation)
  const rows = readPeople(what.people)
  return importing(db).run(callerKey(who), () =>
    db.transaction(async (tx) => {
      const organisation = await lockManaged(tx, who, what.organisation)
      const plan = await planRows(tx, who, organisation, rows)
      const isRefused = plan.some(({ result }) => result === 'refused')
      const isWritten = what.dryRun !== true && !(what.allOrNothing === true && isRefused)
      if (isWritten) {
        await writeChanges(tx, who, organisation, plan, policies.messages)
        const invitees = plan.flatMap(({ invitee }) => invitee ?? [])
        await sendInvitations(tx, who, { organisation }, invitees, policies.invitations)
      }
      return report(plan, isWritten)
    }),
  )
}

async function planRows(
  tx: Tx,
  who: PersonCaller,
  organisation: { id: number; key: string; administers: boolean },
  rows: readonly ImportedRow[],
): Promise<PlannedPerson[]> {
  const named = rows.filter(({ problem }) => problem === undefined)
  const joiners = await findJoiners(
    tx,
    who,
    organisation.id,
    named.map(({ key }) => key),
  )
  const ids = [...new Set(joiners.values())]
  const members = new Map(
    (await tx.all(store.findNamed, { organisation: organisation.id, people: ids })).map((row) => [row.id, row]),
  )
  const strangers = named.filter(({ key }) => !joiners.has(key))
  const invitees = strangers.map(({ key, role }) => ({ handle: key, role: role || 'member' }))
  const owners = await tx.all(store.listOwners, { organisation: organisation.id })
  return planPeople(rows, {
    members: new Map([...joiners].map(([key, id]) => [key, members.get(id)!])),
    invitations: await planInvitations(tx, who, { organisation }, invitees),
    owners: owners.map(({ person_id }) => person_id),
    waysIn: owners.filter(({ is_way_in }) => is_way_in).map(({ person_id }) => person_id),
    administers: organisation.administers,
  })
}

async function writeChanges(
  tx: Tx,
  who: PersonCaller,
  organisation: { id: number; key: string },
  plan: readonly PlannedPerson[],
  messages: MessagePolicy,
): Promise<void> {
  for (const { personId, role, names } of plan.flatMap(({ change }) => change ?? [])) {
    if (names) {
      const changed = await correctAccount(tx, who, await lockAccount(tx, personId), names, messages)
      const detail = { by: who.personId, changed: changed.join(' ') }
      await recordAudit(tx, who, { action: 'person.corrected', personId, detail })
    }
    if (role !== undefined) await writeRole(tx, who, organisation, personId, role)
  }
}

function report(plan: readonly PlannedPerson[], written: boolean): PeopleReport {
  const counts = { invited: 0, updated: 0, unchanged: 0, refused: 0 }
  for (const { result } of plan) counts[result]++
  return { written, counts, rows: plan.map(({ change: _c, invitee: _i, ...row }) => row) }
}
