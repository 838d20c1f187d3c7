import { isHandle, normaliseHandle } from '../../identity/people/handles.ts'
import { findNameProblem, MAX_CSV_ROWS, readTable, type TableRow } from '../../kernel/csv-table.ts'
import { isMailAddress } from '../../kernel/lines.ts'
import type { InvitationPlan } from '../invitations/schema.ts'
import type { Invitee } from '../invitations/sending.ts'
import { MEMBER_ROLES, type PeopleReport } from './schema.ts'

const COLUMNS = ['handle', 'email', 'givenName', 'familyName', 'role'] as const
type Column = (typeof COLUMNS)[number]
const SHOWN_LENGTH = 254

/** A row of the file. `problem` is a mistake that can be found without the database. */
export interface ImportedRow {
  readonly row: number
  /** The e-mail address or, without one, the handle; normalised for comparison. */
  readonly key: string
  /** The same as the file has it. */
  readonly shown: string
  /** The handle that a new account gets, if the row has an e-mail address too. */
  readonly wantedHandle: string | undefined
  readonly firstName: string
  readonly lastName: string
  /** Empty if the row leaves the role open. */
  readonly role: string
  readonly problem: string | undefined
}

export function readPeople(file: Buffer): ImportedRow[] {
  const seen = new Set<string>()
  const table = { columns: COLUMNS, oneOf: ['email', 'handle'], most: MAX_CSV_ROWS, name: 'A file' } as const
  return readTable(file, table).map((record) => readRow(record, seen))
}

function readRow({ row, field, problem: wrongFields }: TableRow<Column>, seen: Set<string>): ImportedRow {
  const [email, handle] = [field('email'), field('handle')]
  const shown = (email || handle).slice(0, SHOWN_LENGTH)
  const [firstName, lastName, role] = [field('givenName'), field('familyName'), field('role').toLowerCase()]
  const key = normaliseHandle(shown)
  const keys = [email, handle].filter((name) => name !== '').map(normaliseHandle)
  const isTwice = keys.some((one) => seen.has(one))
  for (const one of keys) seen.add(one)
  const problem =
    wrongFields ??
    (shown === ''
      ? 'has neither an e-mail address nor a handle'
      : email !== '' && !isMailAddress(email)
        ? 'is not an e-mail address'
        : handle !== '' && !isHandle(handle)
          ? `${handle.slice(0, 30)} is not a valid handle; a handle looks like @avery`
          : isTwice
            ? 'appears twice'
            : role !== '' && !(MEMBER_ROLES as readonly string[]).includes(role)
              ? `role must be ${MEMBER_ROLES.join(', ')}`
              : (findNameProblem('givenName', firstName) ?? findNameProblem('familyName', lastName)))
  const wantedHandle = email === '' || handle === '' ? undefined : handle
  return { row, key, shown, wantedHandle, firstName, lastName, role: role.slice(0, 60), problem }
}

/** A member whom a row of the file names. */
interface NamedMember {
  readonly id: number
  /** Null for the caller, if they are not a member. */
  readonly role: string | null
  readonly first_name: string
  readonly last_name: string
  readonly is_managed: boolean
}

export interface ImportState {
  readonly members: ReadonlyMap<string, NamedMember>
  readonly invitations: ReadonlyMap<string, InvitationPlan>
  readonly owners: readonly number[]
  /** The owners who can still sign in if the provider that the organisation enforces fails. */
  readonly waysIn: readonly number[]
  /** Whether the last owner may be replaced. */
  readonly administers: boolean
}

interface PeopleChange {
  readonly personId: number
  readonly role: string | undefined
  readonly names: { readonly firstName: string; readonly lastName: string } | undefined
}
type ReportRow = PeopleReport['rows'][number]
export interface PlannedPerson extends ReportRow {
  readonly change?: PeopleChange
  readonly invitee?: Invitee
}

/** Determines the result of each row, and what to write. */
export function planPeople(rows: readonly ImportedRow[], state: ImportState): PlannedPerson[] {
  const keepers = { owners: new Set(state.owners), waysIn: new Set(state.waysIn), administers: state.administers }
  return rows.map((row) => {
    const shown = { row: row.row, name: row.shown, role: row.role || 'member' }
    const refuse = (reason: string): PlannedPerson => ({ ...shown, result: 'refused', reason })
    if (row.problem !== undefined) return refuse(row.problem)
    const member = state.members.get(row.key)
    if (member) return planMember(row, member, keepers)
    const plan = state.invitations.get(row.key) ?? 'send'
    if (typeof plan === 'object' && plan.role !== undefined && (row.role || plan.role) === plan.role)
      return { ...shown, role: plan.role, result: 'unchanged', reason: null }
    if (typeof plan === 'object') return refuse(plan.refused)
    if (plan === 'keep') return { ...shown, result: 'unchanged', reason: null }
    const { firstName, lastName, wantedHandle } = row
    const invitee = { handle: row.shown, role: shown.role, firstName, lastName, wantedHandle }
    return { ...shown, result: 'invited', reason: null, invitee }
  })
}

function planMember(
  row: ImportedRow,
  member: NamedMember,
  { owners, waysIn, administers }: { owners: Set<number>; waysIn: Set<number>; administers: boolean },
): PlannedPerson {
  const role = row.role || member.role || 'member'
  const shown = { row: row.row, name: row.shown, role }
  const isRoleNew = role !== member.role
  if (isRoleNew && owners.has(member.id) && owners.size === 1 && !administers)
    return { ...shown, result: 'refused', reason: 'is the last owner: give another member the role owner first' }
  if (isRoleNew && waysIn.has(member.id) && waysIn.size === 1 && !administers)
    return { ...shown, result: 'refused', reason: 'is the last break-glass account: choose another owner for it first' }
  if (isRoleNew && role !== 'owner') waysIn.delete(member.id)
  if (isRoleNew && role === 'owner') owners.add(member.id)
  else if (isRoleNew) owners.delete(member.id)
  const firstName = row.firstName || member.first_name
  const lastName = row.lastName || member.last_name
  const isNamed = member.is_managed && (firstName !== member.first_name || lastName !== member.last_name)
  if (!isRoleNew && !isNamed) return { ...shown, result: 'unchanged', reason: null }
  const change = {
    personId: member.id,
    role: isRoleNew ? role : undefined,
    names: isNamed ? { firstName, lastName } : undefined,
  }
  return { ...shown, result: 'updated', reason: null, change }
}
