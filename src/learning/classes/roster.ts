import { countGuesses, refuseGuesser } from '../../identity/people/naming.ts'
import { recordAudits } from '../../kernel/audit/audit.ts'
import { gatePerOwner } from '../../kernel/bounds/gate.ts'
import { type Caller, callerKey, type PersonCaller } from '../../kernel/caller.ts'
import { type Db, hasCode, type Tx } from '../../kernel/database/database.ts'
import { fail } from '../../kernel/errors.ts'
import { makeId } from '../../kernel/ids.ts'
import { batches } from '../../kernel/imports/batches.ts'
import { PAST_PARTICIPLES } from './enrolment-rules.ts'
import * as store from './enrolment-store.ts'
import { addStudents, inTurn, readClass } from './enrolments.ts'
import { mayChange } from './roles.ts'
import { type PlannedRow, planRoster, REVEALING, readRoster } from './roster-rules.ts'
import type { ImportRoster, RosterReport } from './schema.ts'
import { findStudentOwners } from './store.ts'

/** Limits concurrent roster imports, because each one holds a database connection for seconds. */
const importing = gatePerOwner({ atOnce: 2, perKey: 1, waiting: 100, waitingPerKey: 4 })

const STUDENTS_AT_ONCE = 1000
/**
 * The maximum number of unknown handles and taken student ids in a file. It is limited, because the result reveals
 * whether a handle or an id exists.
 */
const MAX_UNKNOWN = 100

interface RosterFile extends ImportRoster {
  onProgress?(done: number, total: number): void
  /** Called with the number of unknown handles and taken student ids; throws to refuse the file. */
  onUnknown?(count: number): void
}

/**
 * Imports a roster file of a class. Each row gets a result. With `allOrNothing`, nothing is changed if one row is
 * refused.
 */
export async function importRoster(db: Db, who: PersonCaller, what: ImportRoster): Promise<RosterReport> {
  await readClass(db, who, what.classId, mayChange)
  return importing(db).run(callerKey(who), async () => {
    await refuseGuesser(db, who)
    let unknown = 0
    const onUnknown = (count: number) => {
      unknown = count
      if (count > MAX_UNKNOWN)
        throw fail(
          'validationFailed',
          `${count} handles in this file have no account, or their studentId is taken, but at most ${MAX_UNKNOWN} may; check both columns`,
        )
    }
    try {
      return await importRosterUnchecked(db, who, { ...what, onUnknown })
    } finally {
      if (unknown > 0) await countGuesses(db, who, unknown)
    }
  })
}

/** Imports a roster without checking permissions, for the operator's command. */
export async function importRosterUnchecked(
  db: Db,
  who: Caller & { personId?: number },
  what: RosterFile,
): Promise<RosterReport> {
  const rows = readRoster(what.roster)
  try {
    return await inTurn(db, what.classId, async (tx) => {
      await tx.first(store.lockClass, { class: what.classId })
      const found = await tx.first(store.findClass, { person: null, class: what.classId })
      if (!found) throw fail('notFound', `There is no class ${what.classId}`)
      const people = await tx.all(store.lockPeople, { handles: rows.map(({ handle }) => handle) })
      const students = await tx.all(store.lockStudents, { class: found.id, people: people.map(({ id }) => id) })
      const keys = rows.flatMap(({ studentId }) => studentId ?? [])
      const taken = (await tx.all(findStudentOwners, { keys })).map(({ key }) => key)
      const staff = await tx.all(store.findStaffAmong, { class: found.id, people: people.map(({ id }) => id) })
      const plan = planRoster(rows, { hasEnded: found.has_ended, people, students, staff, taken, makeId })
      what.onUnknown?.(plan.filter(({ reason }) => REVEALING.includes(reason)).length)
      const isRefused = plan.some(({ result }) => result === 'refused')
      const isWritten = what.dryRun !== true && !(what.allOrNothing === true && isRefused)
      if (isWritten) await writeRoster(tx, who, { ...what, id: found.id }, plan)
      return report(plan, isWritten)
    })
  } catch (error) {
    if (hasCode(error, '23505')) throw fail('conflict', 'A studentId of this file was taken meanwhile; send it again')
    throw error
  }
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
  const counts = { added: 0, dropped: 0, suspended: 0, reinstated: 0, unchanged: 0, refused: 0 }
  for (const { result } of plan) counts[result]++
  return { written, counts, rows: plan.map(({ change: _, ...row }) => row) }
}
