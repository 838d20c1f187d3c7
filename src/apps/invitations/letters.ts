import { type NewNotification, notify } from '../../identity/notifications/notifications.ts'
import { provideAccount, renameUnclaimed } from '../../identity/people/accounts.ts'
import { childrenBornAfter } from '../../identity/people/ages.ts'
import { sendFirstLink } from '../../identity/people/invitations.ts'
import { type Caller, upkeepAt } from '../../kernel/caller.ts'
import type { Tx } from '../../kernel/database/database.ts'
import type { RowOf } from '../../kernel/database/statement.ts'
import type { Environment } from '../../kernel/environment.ts'
import { forgetting } from '../../kernel/forget.ts'
import { growing, type JobKind, type JobName } from '../../kernel/jobs/jobs.ts'
import { type MessagePolicy, messagePolicy, sendMessage } from '../../kernel/messages/messages.ts'
import { sweepAbandoned } from './abandoned.ts'
import * as store from './store.ts'

interface Invite {
  readonly invitations: readonly number[]
}
export const INVITE: JobName<Invite> = { name: 'invitation' }
export const SWEEP: JobName<object> = { name: 'withdrawn-invitation' }

/** Sends the messages about invitations. The inviter does not learn whether there was anybody to write to. */
const inviteJob: JobKind<Environment, Invite> = {
  ...INVITE,
  atOnce: 1,
  leaseMs: 60_000,
  waits: growing(1000, 10 * 60_000),
  run: async (job, { db, clock, get }) => {
    const who = upkeepAt(clock())
    const policy = get(messagePolicy)
    await db.transaction(async (tx) => {
      for (const id of job.payload.invitations) {
        if (await sendLinkToAddress(tx, who, id, policy)) continue
        const rows = await tx.all(store.listRecipients, { id, born: childrenBornAfter(who.at), now: who.at })
        for (const row of rows)
          if (row.email !== null)
            await sendMessage(
              tx,
              who,
              { personId: row.person_id, recipient: row.email, ...letterOf(row, policy.url) },
              policy,
            )
        // The letter above is the e-mail about it.
        await notify(
          tx,
          rows.map((row) => noticeOf(row, id, who.at)),
          { isOn: false },
        )
      }
      await job.complete(tx)
    })
    return undefined
  },
}

/**
 * Finds or creates the account of an invited e-mail address. Returns true if the message with its link tells all that
 * there is to tell.
 */
async function sendLinkToAddress(tx: Tx, who: Caller, id: number, policy: MessagePolicy): Promise<boolean> {
  const found = await tx.first(store.findByAddress, { id, now: who.at })
  if (!found) return false
  const person =
    found.person_id ??
    (await provideAccount(tx, who, {
      email: found.email,
      firstName: found.first_name,
      lastName: found.last_name,
      handle: found.wanted_handle ?? undefined,
      managedBy: found.organisation_id,
    }))
  if (person === undefined) return true
  if (found.person_id === null) await tx.first(store.setPerson, { id, person })
  await renameUnclaimed(tx, person, found)
  return sendFirstLink(tx, who, { personId: person, organisation: found.organisation_id }, policy)
}

/** Deletes the accounts whose invitations were withdrawn. */
const sweepJob: JobKind<Environment, object> = {
  ...SWEEP,
  atOnce: 1,
  leaseMs: 60_000,
  waits: growing(1000, 10 * 60_000),
  run: async (job, { db, clock, get, stopping }) => {
    await sweepAbandoned(db, upkeepAt(clock()), get(forgetting), stopping)
    await db.transaction((tx) => job.complete(tx))
    return undefined
  },
}

export const invitationJobs: readonly JobKind<Environment>[] = [inviteJob, sweepJob]

const targetOf = (row: RowOf<typeof store.listRecipients>): string =>
  row.class === null ? row.organisation : `the class ${row.class} of ${row.organisation}`

const noticeOf = (row: RowOf<typeof store.listRecipients>, id: number, at: Date): NewNotification => ({
  personId: row.person_id,
  kind: 'invited',
  key: `invited:${id}`,
  title: `Invitation for ${row.handle} to ${row.class ?? row.organisation}`,
  text: `${row.inviter} invited ${row.handle} to ${targetOf(row)}, as ${row.role}.`,
  link: '/account/invitations',
  at,
})

function letterOf(row: RowOf<typeof store.listRecipients>, url: string) {
  const target = targetOf(row)
  return {
    kind: 'organisation-invitation',
    subject: `Invitation for ${row.handle} to ${row.class ?? row.organisation}`,
    text: `${row.inviter} invited ${row.handle} to ${target}, as ${row.role}. To see what this means and accept or decline, open:

${url}/account/invitations

Nothing changes until you accept. If you don’t know the sender, decline or ignore the invitation.
`,
  }
}
