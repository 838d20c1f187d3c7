import {
  findJoiners,
  type InvitationPolicy,
  type InvitationTarget,
  planInvitations,
  sendInvitations,
} from '../../apps/invitations/sending.ts'
import { withdrawNotifications } from '../../identity/notifications/notifications.ts'
import { recordAudits } from '../../kernel/audit/audit.ts'
import { gatePerOwner } from '../../kernel/bounds/gate.ts'
import { type Caller, callerKey, type PersonCaller } from '../../kernel/caller.ts'
import { type Db, hasCode, type Tx } from '../../kernel/database/database.ts'
import { fail } from '../../kernel/errors.ts'
import { makeId } from '../../kernel/ids.ts'
import { batches } from '../../kernel/imports/batches.ts'
import { revealsId } from '../courses/guesses.ts'
import { PAST_PARTICIPLES } from './enrolment-rules.ts'
import * as store from './enrolment-store.ts'
import { addStudents, findHandles, inTurn, readClass, targetOf, tellEnrolled } from './enrolments.ts'
import { mayChange } from './roles.ts'
import { type PlannedRow, planRoster, type RosterRow, readRoster, resolveRows, TAKEN } from './roster-rules.ts'
import type { ImportRoster, RosterReport } from './schema.ts'
import { findStudentOwners } from './store.ts'

/** Limits concurrent roster imports, because each one holds a database connection for seconds. */
const importing = gatePerOwner({ atOnce: 2, perKey: 1, waiting: 100, waitingPerKey: 4 })

const STUDENTS_AT_ONCE = 1000
/** The maximum number of taken student ids in a file. It is limited, because the result reveals that an id exists. */
const MAX_TAKEN = 10

interface RosterFile extends ImportRoster {
  onProgress?(done: number, total: number): void
  /** Called with the number of taken student ids; throws to refuse the file. */
  onTaken?(count: number): void
  /** Set if people who are not members of the organisation are invited instead of added. */
  readonly inviting?: { readonly who: PersonCaller; readonly policy: InvitationPolicy }
}

/**
 * Imports a roster file of a class. Each row gets a result. With `allOrNothing`, nothing is changed if one row is
 * refused.
 */
export async function importRoster(
  db: Db,
  who: PersonCaller,
  what: ImportRoster,
  policy: InvitationPolicy,
): Promise<RosterReport> {
  await readClass(db, who, what.classId, mayChange)
  const onTaken = (count: number) => {
    if (count > MAX_TAKEN)
      throw revealsId(
        fail(
          'validationFailed',
          `${count} student ids in this file are taken, but at most ${MAX_TAKEN} can be; check the column`,
        ),
      )
  }
  return importing(db).run(callerKey(who), () =>
    importRosterUnchecked(db, who, { ...what, inviting: { who, policy }, onTaken }),
  )
}

/** Imports a roster without checking permissions. The operator's command adds everybody at once. */
export async function importRosterUnchecked(
  db: Db,
  who: Caller & { personId?: number },
  what: RosterFile,
): Promise<RosterReport> {
  const given = readRoster(what.roster)
  try {
    return await inTurn(db, what.classId, async (tx) => {
      await tx.first(store.lockClass, { class: what.classId })
      const found = await tx.first(store.findClass, { person: null, class: what.classId })
      if (!found) throw fail('notFound', `There is no class ${what.classId}`)
      const addresses = given.flatMap(({ handle }) => (handle.includes('@') ? [handle] : []))
      const rows = resolveRows(given, await findHandles(tx, found, addresses))
      const people = await tx.all(store.lockPeople, { handles: rows.map(({ handle }) => handle) })
      const students = await tx.all(store.lockStudents, { class: found.id, people: people.map(({ id }) => id) })
      const keys = rows.flatMap(({ studentId }) => studentId ?? [])
      const taken = (await tx.all(findStudentOwners, { keys })).map(({ key }) => key)
      const staff = await tx.all(store.findStaffAmong, { class: found.id, people: people.map(({ id }) => id) })
      const target = targetOf(found)
      const invitations = what.inviting && (await planStrangers(tx, what.inviting.who, target, rows))
      const plan = planRoster(rows, {
        hasEnded: found.has_ended,
        people,
        students,
        staff,
        taken,
        makeId,
        ...(invitations && { invitations }),
      })
      what.onTaken?.(plan.filter(({ reason }) => reason === TAKEN).length)
      const isRefused = plan.some(({ result }) => result === 'refused')
      const isWritten = what.dryRun !== true && !(what.allOrNothing === true && isRefused)
      if (isWritten) {
        await writeRoster(tx, who, { ...what, id: found.id }, plan)
        const invitees = plan.flatMap(({ invitee }) => invitee ?? [])
        if (what.inviting) await sendInvitations(tx, what.inviting.who, target, invitees, what.inviting.policy)
      }
      return report(plan, isWritten)
    })
  } catch (error) {
    if (hasCode(error, '23505'))
      throw fail('conflict', 'A studentId in this file was taken in the meantime; send the file again')
    throw error
  }
}

/** Plans the invitations of those in the file who are not added at once, whether or not somebody has the handle. */
async function planStrangers(tx: Tx, who: PersonCaller, target: InvitationTarget, rows: readonly RosterRow[]) {
  const named = rows.filter(({ problem }) => problem === undefined)
  const joiners = await findJoiners(
    tx,
    who,
    target.organisation.id,
    named.map(({ handle }) => handle),
  )
  const strangers = named.filter(({ handle }) => !joiners.has(handle))
  return planInvitations(
    tx,
    who,
    target,
    strangers.map(({ handle }) => ({ handle, role: 'student' })),
  )
}

async function writeRoster(
  tx: Tx,
  who: Caller & { personId?: number },
  { id, classId, onProgress }: RosterFile & { id: number },
  plan: readonly PlannedRow[],
): Promise<void> {
  const changes = plan.flatMap(({ change }) => change ?? [])
  let done = 0
  for (const batch of batches(changes, STUDENTS_AT_ONCE)) {
    const added = batch.filter(({ enrolmentId }) => enrolmentId === undefined)
    const changed = batch.filter(({ enrolmentId }) => enrolmentId !== undefined)
    if (added.length > 0)
      await addStudents(
        tx,
        who,
        id,
        added.map(({ student, personId }) => ({ student, person: personId })),
      )
    if (changed.length > 0)
      await tx.all(store.setStatuses, {
        rows: JSON.stringify(changed.map((one) => ({ id: one.enrolmentId, status: one.status, has_left: false }))),
        now: who.at,
      })
    const back = changed.filter(({ action }) => action === 'add' || action === 'reinstate')
    await tellEnrolled(
      tx,
      who,
      id,
      back.map(({ enrolmentId }) => enrolmentId!),
    )
    const gone = changed.filter(({ status }) => status !== 'active')
    await withdrawNotifications(
      tx,
      `class:${id}`,
      gone.map(({ personId }) => personId),
    )
    await recordAudits(
      tx,
      who,
      batch.map(({ action, personId }) => ({
        action: `student.${PAST_PARTICIPLES[action]}`,
        personId,
        detail: { class: classId, roster: true, ...(who.personId === undefined ? {} : { by: who.personId }) },
      })),
    )
    done += batch.length
    onProgress?.(done, changes.length)
  }
}

const report = (plan: readonly PlannedRow[], written: boolean): RosterReport => {
  const counts = { added: 0, dropped: 0, suspended: 0, reinstated: 0, invited: 0, unchanged: 0, refused: 0 }
  for (const { result } of plan) counts[result]++
  return { written, counts, rows: plan.map(({ change: _c, invitee: _i, ...row }) => row) }
}
