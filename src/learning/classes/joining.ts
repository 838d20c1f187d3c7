import { listOpenClasses, readInvitation, takeInvitation } from '../../apps/invitations/invitations.ts'
import type { NameInvitation } from '../../apps/invitations/schema.ts'
import { JOINED, type Joined } from '../../apps/organisations/joined.ts'
import { admitMember, endOwnMembership } from '../../apps/organisations/organisations.ts'
import type { NameOrganisation } from '../../apps/organisations/schema.ts'
import { type ActingPerson, type PersonCaller, upkeepAt } from '../../kernel/caller.ts'
import type { Db, Tx } from '../../kernel/database/database.ts'
import type { Environment } from '../../kernel/environment.ts'
import { PlatformError } from '../../kernel/errors.ts'
import { growing, type JobKind } from '../../kernel/jobs/jobs.ts'
import { lockClass } from './enrolment-store.ts'
import { admitStudent, inTurn, leaveClasses } from './enrolments.ts'
import { admitStaff, leaveStaff } from './management.ts'

/** Accepts an invitation to an organisation or a class, for the caller or for a child of theirs. */
export async function acceptInvitation(db: Db, who: ActingPerson, what: NameInvitation): Promise<void> {
  const { class: classId } = await readInvitation(db, who, what)
  if (classId === null) return db.transaction((tx) => accept(tx, who, what))
  // The class is locked before the invitation, in the order in which people are invited.
  return inTurn(db, classId, async (tx) => {
    await tx.first(lockClass, { class: classId })
    await accept(tx, who, what)
  })
}

async function accept(tx: Tx, who: ActingPerson, what: NameInvitation): Promise<void> {
  const { organisation, class: classId, role, person_id: personId, student_key } = await takeInvitation(tx, who, what)
  if (classId === null) await admitMember(tx, who, { organisation, personId, role })
  else if (role === 'student') await admitStudent(tx, who, { classId, personId, studentId: student_key })
  else await admitStaff(tx, who, { classId, personId, role })
}

/** Ends the caller's membership in an organisation, and their places in its classes. What was recorded stays. */
export const leaveOrganisation = (db: Db, who: PersonCaller, what: NameOrganisation): Promise<void> =>
  db.transaction(async (tx) => {
    const organisation = await endOwnMembership(tx, who, what)
    await leaveClasses(tx, who, organisation)
    await leaveStaff(tx, who, organisation)
  })

/** Admits somebody who joined with the link of their account to the classes that the organisation invited them to. */
const joinedJob: JobKind<Environment, Joined> = {
  ...JOINED,
  atOnce: 1,
  leaseMs: 60_000,
  waits: growing(1000, 10 * 60_000),
  run: async (job, { db, clock }) => {
    const { personId, organisation } = job.payload
    const who = { ...upkeepAt(clock()), personId }
    for (const { key } of await listOpenClasses(db, who, organisation))
      await acceptInvitation(db, who, { invitationId: key }).catch(ignoreRefusal)
    await db.transaction((tx) => job.complete(tx))
    return undefined
  },
}

/** A class that was closed meanwhile admits nobody; its invitation stays open until it expires. */
const ignoreRefusal = (error: unknown): void => {
  if (!(error instanceof PlatformError)) throw error
}

export const joiningJobs: readonly JobKind<Environment>[] = [joinedJob]
