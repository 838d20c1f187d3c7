import { childrenBornAfter } from '../../identity/people/ages.ts'
import { upkeepAt } from '../../kernel/caller.ts'
import type { RowOf } from '../../kernel/database/statement.ts'
import type { Environment } from '../../kernel/environment.ts'
import { growing, type JobKind, type JobName } from '../../kernel/jobs/jobs.ts'
import { messagePolicy, sendMessage } from '../../kernel/messages/messages.ts'
import * as store from './store.ts'

interface Invite {
  readonly invitations: readonly number[]
}
export const INVITE: JobName<Invite> = { name: 'invitation' }

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
      for (const id of job.payload.invitations)
        for (const row of await tx.all(store.listRecipients, { id, born: childrenBornAfter(who.at), now: who.at }))
          await sendMessage(
            tx,
            who,
            { personId: row.person_id, recipient: row.email!, ...letterOf(row, policy.url) },
            policy,
          )
      await job.complete(tx)
    })
    return undefined
  },
}

export const invitationJobs: readonly JobKind<Environment>[] = [inviteJob]

function letterOf(row: RowOf<typeof store.listRecipients>, url: string) {
  const target = row.class === null ? row.organisation : `the class ${row.class} of ${row.organisation}`
  return {
    kind: 'organisation-invitation',
    subject: `Invitation for ${row.handle} to ${row.class ?? row.organisation}`,
    text: `${row.inviter} invited ${row.handle} to ${target}, as ${row.role}. To see what this means and accept or decline, open:

${url}/account/invitations

Nothing changes until you accept. If you don’t know the sender, decline or ignore the invitation.
`,
  }
}
