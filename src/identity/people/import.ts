import type { RowOf } from '../../kernel/database/statement.ts'
import { given, type ImportSection, isObject, lineOf, readInBatches } from '../../kernel/imports/section.ts'
import { endSessionsOfPerson } from '../../kernel/sessions/sessions.ts'
import { isChild } from './ages.ts'
import { changePeople, type PersonColumns, searchColumns } from './changes.ts'
import { ANONYMOUS_PREFIX, normaliseHandle } from './handles.ts'
import { ImportedPerson } from './import-fields.ts'
import { preparePasswords } from './import-passwords.ts'
import * as store from './import-store.ts'
import { isImportedHash, readImportedHash } from './imported-hashes.ts'
import { SEARCH_VERSION } from './search-keys.ts'
import { SERVICE_FIELDS, type Service } from './service.ts'

export type StoredPerson = RowOf<typeof store.findPeople>

/** A person in the import file. Before the person is written, `prepare` replaces `password` with the hash to store. */
export type PersonEntry = ImportedPerson & {
  /**
   * The stored hash that `passwordHash` replaces. If the stored hash has changed meanwhile, it stays, because the
   * person has set a new password.
   */
  readonly replaces?: string | null
  /** Imported by `parentTie` of the module families; affects whether a child may be found. */
  readonly parents?: readonly string[]
}

type Row = Omit<PersonColumns, 'camera_disabled' | 'proximity_friends'>

interface PlannedPerson {
  readonly row: Row
  readonly changed: ReadonlySet<string>
  readonly isPasswordReplaced: boolean
}

/** Maps the fields of the file to columns. */
const COLUMNS: { readonly [Field in keyof PersonEntry]?: keyof Row } = {
  firstName: 'first_name',
  lastName: 'last_name',
  email: 'email',
  country: 'country',
  dateOfBirth: 'date_of_birth',
  gender: 'gender',
  position: 'position',
  accountType: 'account_kind',
  service: 'service',
  administrator: 'administrator',
  developer: 'developer',
  passwordHash: 'password_hash',
}

export const peopleSection: ImportSection<PersonEntry, StoredPerson, PlannedPerson> = {
  name: 'people',
  one: 'person',
  key: 'handle',
  schema: ImportedPerson,
  normalise: normaliseHandle,

  *check({ handle, dateOfBirth: day, password, passwordHash }, place, now) {
    if (typeof passwordHash === 'string' || isObject(passwordHash)) {
      const read = readImportedHash(passwordHash)
      if ('problem' in read) yield `${place}.passwordHash: ${read.problem}`
      if (password !== undefined) yield `${place}.passwordHash: must not be sent together with password`
    }
    // Other reserved handles, such as @admin, are allowed here, because operators may assign them.
    if (typeof handle === 'string' && normaliseHandle(handle).startsWith(ANONYMOUS_PREFIX))
      yield `${place}.handle: must be another handle: handles of anonymous users begin with @${ANONYMOUS_PREFIX}`
    if (typeof day !== 'string' || !/^\d{4}-\d{2}-\d{2}$/.test(day)) return
    const time = Date.parse(`${day}T00:00:00Z`)
    const isRealDay = !Number.isNaN(time) && new Date(time).toISOString().startsWith(day)
    if (!isRealDay || day < '1850-01-01' || day > now.toISOString().slice(0, 10))
      yield `${place}.dateOfBirth: must be in the past`
  },

  find: (db, handles) => db.all(store.findPeople, { handles }),
  lock: (tx, { own, named }) => tx.all(store.lockPeople, { handles: [...own, ...named] }),

  async prepare(entries, found, how) {
    const chooseHash = await preparePasswords(entries, found, how)
    return {
      hide({ password, passwordHash: given, ...person }, { was, is }) {
        const stored = is?.password_hash ?? null
        // Hashing takes long. If the person has set a password meanwhile, that password stays.
        if (stored !== (was?.password_hash ?? null)) return person
        const passwordHash = given === undefined ? chooseHash(person.handle, stored) : chooseImported(given, stored)
        return passwordHash === undefined ? person : { ...person, passwordHash, replaces: stored }
      },
    }
  },

  plan(person, found, { now }) {
    const storedHash = found?.password_hash ?? null
    const row: Row = {
      handle: `@${person.handle.replace(/^@/, '')}`,
      first_name: lineOf(person.firstName) ?? found?.first_name ?? '',
      last_name: lineOf(person.lastName) ?? found?.last_name ?? '',
      email: given(person.email, found?.email),
      country: given(person.country, found?.country),
      date_of_birth: given(person.dateOfBirth, found?.date_of_birth),
      gender: givenLine(person.gender, found?.gender),
      position: givenLine(person.position, found?.position),
      account_kind: given(person.accountType, found?.account_kind),
      service: printService(person.service ?? JSON.parse(found?.service ?? '{}')),
      public_search: mayBeFound(person, found, now),
      administrator: person.administrator ?? found?.administrator ?? false,
      developer: person.developer ?? found?.developer ?? false,
      password_hash:
        storedHash === (person.replaces ?? null) ? ((person.passwordHash as string) ?? storedHash) : storedHash,
    }
    const columns = Object.keys(row) as (keyof Row)[]
    const changed = new Set<string>(columns.filter((column) => row[column] !== found?.[column]))
    if (found?.search_version !== SEARCH_VERSION) changed.add('search_version')
    const isPasswordReplaced = storedHash !== null && storedHash !== row.password_hash
    return { change: { row, changed, isPasswordReplaced }, isSame: changed.size === 0 }
  },

  pick({ handle, publicSearch: _given, ...person }, { row, changed }) {
    const fields = Object.entries(person).filter(([name]) => {
      const column = COLUMNS[name as keyof PersonEntry]
      return column === undefined ? name === 'replaces' : changed.has(column)
    })
    return {
      handle,
      ...Object.fromEntries(fields),
      ...(changed.has('public_search') && { publicSearch: row.public_search }),
    }
  },

  async weigh(db, ids) {
    const rows = await readInBatches(ids, (people) => db.all(store.countPlaces, { people }))
    return new Map(rows.map(({ person_id, apps }) => [person_id, apps]))
  },

  async write(tx, who, changes) {
    const rows = changes.flatMap(({ key, id, change: { row } }) =>
      id === undefined ? [{ ...row, ...searchColumns(row), handle_key: key }] : [],
    )
    const kept = changes.flatMap(({ id, change }) =>
      id !== undefined && change.changed.size > 0 ? [{ id, ...change }] : [],
    )
    await changePeople(
      tx,
      kept.map(({ id, row }) => ({ id, ...row })),
    )
    for (const { id, isPasswordReplaced } of kept)
      if (isPasswordReplaced) await endSessionsOfPerson(tx, who, { personId: id, reason: 'password changed' })
    return rows.length === 0 ? [] : tx.all(store.insertPeople, { rows: JSON.stringify(rows), now: who.at })
  },
}

/**
 * Returns the imported hash to store, or undefined if the stored hash stays. A hash in our own format always stays: the
 * person has signed in with the imported password, or has set another password.
 */
function chooseImported(given: unknown, stored: string | null): string | undefined {
  const read = readImportedHash(given)
  if ('problem' in read || (stored !== null && !isImportedHash(stored)) || read.stored === stored) return undefined
  return read.stored
}

const givenLine = (text: string | null | undefined, stored: string | null | undefined): string | null =>
  given(text === null ? null : lineOf(text), stored) || null

/** Writes the fields in a fixed order, so that equal values give equal texts. */
const printService = (service: Service): string =>
  JSON.stringify(
    Object.fromEntries(
      SERVICE_FIELDS.flatMap((name) => {
        const text = lineOf(service[name])
        return text ? [[name, text]] : []
      }),
    ),
  )

/**
 * Whether the person may be found after the import. For a child, a parent's decision to turn public search on stays
 * valid unless the file turns public search off or removes all parents. A person whom the file makes a child is hidden.
 */
function mayBeFound(person: PersonEntry, found: StoredPerson | undefined, now: Date): boolean {
  const isWanted = person.publicSearch ?? found?.public_search ?? false
  if (!isChild(given(person.dateOfBirth, found?.date_of_birth), now)) return isWanted
  const isAllowed = found !== undefined && isChild(found.date_of_birth, now) && found.public_search
  return isWanted && isAllowed && person.parents?.length !== 0
}
