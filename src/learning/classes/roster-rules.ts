import type { InvitationPlan } from '../../apps/invitations/schema.ts'
import { type Invitee, isName } from '../../apps/invitations/sending.ts'
import { normaliseHandle } from '../../identity/people/handles.ts'
import { findNameProblem, MAX_CSV_ROWS, readTable } from '../../kernel/csv-table.ts'
import { ACTIONS, type Action, NO_STUDENT, OUTCOMES, PAST_PARTICIPLES, type Status } from './enrolment-rules.ts'
import type { RosterReport } from './schema.ts'

/** The columns that a roster may have. The names are for the account that is created for an unknown e-mail address. */
const COLUMNS = ['handle', 'email', 'givenName', 'familyName', 'action', 'studentId'] as const
type Column = (typeof COLUMNS)[number]
const SHOWN_LENGTH = 100

/** A row of the file. `problem` is a mistake that can be found without the database. */
export interface RosterRow {
  readonly row: number
  /** The handle or e-mail address, normalised for comparison; `shown` is what the file has. */
  readonly handle: string
  readonly shown: string
  readonly action: string
  readonly studentId: string | undefined
  readonly firstName: string
  readonly lastName: string
  readonly problem: string | undefined
}

export function readRoster(file: Buffer): RosterRow[] {
  const seen = new Set<string>()
  const table = { columns: COLUMNS, oneOf: ['handle', 'email'], most: MAX_CSV_ROWS, name: 'A roster' } as const
  return readTable(file, table).map(({ row, field, problem }) => readRow(row, field, problem, seen))
}

function readRow(
  row: number,
  field: (name: Column) => string,
  wrongFields: string | undefined,
  seen: Set<string>,
): RosterRow {
  const shown = (field('handle') || field('email')).slice(0, 254)
  const isKnown = isName(shown)
  const handle = isKnown ? normaliseHandle(shown) : ''
  const action = field('action').toLowerCase().slice(0, SHOWN_LENGTH) || 'add'
  const studentId = field('studentId') || undefined
  const [firstName, lastName] = [field('givenName'), field('familyName')]
  const isTwice = isKnown && seen.has(handle)
  if (isKnown) seen.add(handle)
  const problem =
    wrongFields ??
    (!isKnown
      ? 'is neither a handle, such as @avery, nor an e-mail address'
      : isTwice
        ? TWICE
        : !(ACTIONS as readonly string[]).includes(action)
          ? `action must be ${ACTIONS.join(', ')}`
          : studentId !== undefined && !STUDENT_ID.test(studentId)
            ? 'studentId must be 1 to 64 letters, digits or . _ ~ -'
            : (findNameProblem('givenName', firstName) ?? findNameProblem('familyName', lastName)))
  return {
    row,
    handle,
    shown: shown.slice(0, SHOWN_LENGTH),
    action,
    studentId: problem === undefined ? studentId : undefined,
    firstName,
    lastName,
    problem,
  }
}

const TWICE = 'appears twice'

/** Replaces e-mail addresses by the handles that they stand for. Then a person may appear twice. */
export function resolveRows(rows: readonly RosterRow[], handles: ReadonlyMap<string, string>): RosterRow[] {
  const given = new Set(rows.map(({ handle }) => handle))
  return rows.map((row) => {
    const handle = handles.get(row.handle)
    if (handle === undefined) return row
    return given.has(handle) ? { ...row, problem: row.problem ?? TWICE } : { ...row, handle }
  })
}

const STUDENT_ID = /^[A-Za-z0-9._~-]{1,64}$/

/** The stored state with which the rows of a roster are compared. */
export interface RosterState {
  readonly hasEnded: boolean
  readonly people: readonly { readonly id: number; readonly handle: string; readonly is_able: boolean }[]
  readonly students: readonly {
    readonly id: number
    readonly student: string
    readonly person_id: number
    readonly status: string
    readonly has_left: boolean
  }[]
  readonly staff: readonly { readonly person_id: number }[]
  /** Those of the file's student ids that are already used in a class. */
  readonly taken: readonly string[]
  /**
   * What inviting a handle does, for those who are not members of the organisation. Undefined for the operator, who
   * adds everybody at once.
   */
  readonly invitations?: ReadonlyMap<string, InvitationPlan>
  makeId(): string
}

interface Change {
  readonly action: Action
  /** Undefined if the student is new. */
  readonly enrolmentId: number | undefined
  readonly student: string
  readonly personId: number
  readonly status: Status
}
type ReportRow = RosterReport['rows'][number]
export interface PlannedRow extends ReportRow {
  readonly change?: Change
  /** Set if an invitation is sent. */
  readonly invitee?: Invitee
}

const NO_ACCOUNT = 'there is no account with this handle'

const ON_STAFF = 'is on the staff of this class'
const HAS_ENDED = 'this class is closed; nobody can be added to it'
const HAS_LEFT = 'left the class; use add to invite them'
export const TAKEN = 'studentId is taken; choose another, or leave it empty'

/** Determines the result of each row, and the change to write. */
export function planRoster(rows: readonly RosterRow[], state: RosterState): PlannedRow[] {
  const people = new Map(state.people.map((person) => [person.handle, person]))
  const staff = new Set(state.staff.map(({ person_id }) => person_id))
  const students = new Map(state.students.map((student) => [student.person_id, student]))
  const taken = new Set(state.taken)
  return rows.map((row) => {
    const shown = { row: row.row, handle: row.shown, action: row.action }
    const refuse = (reason: string): PlannedRow => ({ ...shown, studentId: null, result: 'refused', reason })
    if (row.problem !== undefined) return refuse(row.problem)
    const person = people.get(row.handle)
    const student = person && students.get(person.id)
    const invitation = state.invitations?.get(row.handle)
    const isInvited = invitation !== undefined && (student === undefined || student.status === 'dropped')
    if (isInvited && (row.action === 'add' || student === undefined)) {
      if (row.action !== 'add') return refuse(NO_STUDENT)
      if (person && staff.has(person.id)) return refuse(ON_STAFF)
      if (state.hasEnded) return refuse(HAS_ENDED)
      if (row.studentId !== undefined && student === undefined && taken.has(row.studentId)) return refuse(TAKEN)
      if (typeof invitation === 'object') return refuse(invitation.refused)
      const done = { ...shown, studentId: null, reason: null }
      if (invitation === 'keep') return { ...done, result: 'unchanged' }
      const { firstName, lastName, studentId } = row
      const invitee = { handle: row.shown, role: 'student', studentId, firstName, lastName }
      return { ...done, result: 'invited', invitee }
    }
    if (!person || (!person.is_able && !student)) return refuse(NO_ACCOUNT)
    if (invitation !== undefined && row.action === 'reinstate' && student?.has_left) return refuse(HAS_LEFT)
    const own = student?.student
    if (row.studentId !== undefined && own !== undefined && row.studentId !== own)
      return refuse(`is already the student ${own} of this class`)
    if (row.studentId !== undefined && own === undefined && taken.has(row.studentId)) return refuse(TAKEN)
    const action = row.action as Action
    const outcome = OUTCOMES[action][(student?.status ?? 'none') as Status | 'none']
    if (typeof outcome !== 'string') return refuse(outcome.refused)
    const done = { ...shown, studentId: own ?? row.studentId ?? state.makeId(), reason: null }
    if (student?.status === outcome && !student.has_left) return { ...done, result: 'unchanged' }
    if (outcome === 'active' && staff.has(person.id)) return refuse(ON_STAFF)
    if (action === 'add' && state.hasEnded) return refuse(HAS_ENDED)
    taken.add(done.studentId)
    const change = { action, enrolmentId: student?.id, student: done.studentId, personId: person.id, status: outcome }
    return { ...done, result: PAST_PARTICIPLES[action], change }
  })
}
