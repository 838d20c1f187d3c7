import { readInvitation, takeInvitation } from '../../apps/invitations/invitations.ts'
import type { NameInvitation } from '../../apps/invitations/schema.ts'
import { admitMember, endOwnMembership } from '../../apps/organisations/organisations.ts'
import type { NameOrganisation } from '../../apps/organisations/schema.ts'
import type { PersonCaller } from '../../kernel/caller.ts'
import type { Db, Tx } from '../../kernel/database/database.ts'
import { lockClass } from './enrolment-store.ts'
import { admitStudent, inTurn, leaveClasses } from './enrolments.ts'
import { admitStaff, leaveStaff } from './management.ts'

/** Accepts an invitation to an organisation or a class, for the caller or for a child of theirs. */
export async function acceptInvitation(db: Db, who: PersonCaller, what: NameInvitation): Promise<void> {
  const { class: classId } = await readInvitation(db, who, what)
  if (classId === null) return db.transaction((tx) => accept(tx, who, what))
  // The class is locked before the invitation, in the order in which people are invited.
  return inTurn(db, classId, async (tx) => {
    await tx.first(lockClass, { class: classId })
    await accept(tx, who, what)
  })
}

async function accept(tx: Tx, who: PersonCaller, what: NameInvitation): Promise<void> {
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
