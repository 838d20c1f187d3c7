import { findRequired } from '../../kernel/browsers/required.ts'
import type { AppUser, PersonCaller } from '../../kernel/caller.ts'
import type { ColumnType } from '../../kernel/database/columns.ts'
import type { Db } from '../../kernel/database/database.ts'
import type { RowOf, Statement } from '../../kernel/database/statement.ts'
import { fail } from '../../kernel/errors.ts'
import { readEmail, readLine } from '../../kernel/lines.ts'
import type { MessagePolicy } from '../../kernel/messages/messages.ts'
import { includesScopes } from '../../kernel/scopes.ts'
import { childrenBornAfter, isAdult, isChild, typesOf } from '../people/ages.ts'
import { changePeople, replaceEmail } from '../people/changes.ts'
import { readCountry } from '../people/countries.ts'
import { holdAccount } from '../people/people.ts'
import { proveAgain } from '../people/proof.ts'
import { SERVICE_FIELDS, type Service } from '../people/service.ts'
import { coverId, pictureId } from '../pictures/pictures.ts'
import { TRAINEE_ROLES, TRAINER_ROLES } from './rules.ts'
import type { ChangeSettings, OwnProfile, Settings, UserEntry } from './schema.ts'
import * as store from './store.ts'

/*
 * The boundary between people and apps. A person has a different user id in each app. Only this room converts people to
 * entries with the user ids of an app; other rooms pass in the ids of the people they have found.
 */

/** The fields of the caller that determine what an entry contains for them. */
type Reader = Pick<AppUser, 'at' | 'appId' | 'personId' | 'defaultCountry'>

type EntryRow = RowOf<typeof store.listEntries>

const NO_SUCH_USER = 'There is no such user in this app, or they cannot be found'

/**
 * Reads the entries of these people in the caller's app, in the given order. Leaves out people who do not use that app.
 */
export async function readEntries(db: Db, who: AppUser, personIds: readonly number[]): Promise<UserEntry[]> {
  const born = childrenBornAfter(who.at)
  const rows = await inParts(personIds, (people) => db.all(store.listEntries, { app: who.appId, people, born }))
  return rows.map((row) => toEntry(row, who))
}

type ValuesOf<C> = { readonly [K in keyof C]: C[K] extends ColumnType<infer T> ? T : never }

/** Makes an operation that reads the entries of findable people whom another room chooses by SQL of its own. */
export function readerOfFindable<C extends Readonly<Record<string, ColumnType<unknown>>>>(
  name: string,
  choice: store.Choice<C>,
): (db: Db, who: AppUser, what: ValuesOf<C>) => Promise<UserEntry[]> {
  const statement: Statement<ValuesOf<C> & { app: number; born: string }, EntryRow> = store.findableEntries(
    name,
    choice,
  )
  return async (db, who, what) => {
    const rows = await db.all(statement, { ...what, app: who.appId, born: childrenBornAfter(who.at) })
    return rows.map((row) => toEntry(row, who))
  }
}

/** Filters these people to those whom `me` can find: public search is on, and they have not blocked `me`. */
export async function findOpen(db: Db, me: number, personIds: readonly number[]): Promise<ReadonlySet<number>> {
  const rows = await inParts(personIds, (people) => db.all(store.listOpen, { me, people }))
  return new Set(rows.map(({ id }) => id))
}

/**
 * Maximum number of people per statement. Reads share a few connections, so a long list is split into several
 * statements, between which other requests get a connection.
 */
const MAX_IN_A_STATEMENT = 200

async function inParts<Row>(ids: readonly number[], readPart: (part: number[]) => Promise<Row[]>): Promise<Row[]> {
  const rows: Row[] = []
  for (let i = 0; i < ids.length; i += MAX_IN_A_STATEMENT)
    rows.push(...(await readPart(ids.slice(i, i + MAX_IN_A_STATEMENT))))
  return rows
}

/** Reads the entry of the caller, or of another user of the app whom the caller can find. */
export async function readProfile(db: Db, who: AppUser, what: { id: string }): Promise<UserEntry> {
  const row = await db.first(store.findEntry, {
    app: who.appId,
    user: what.id,
    me: who.personId,
    born: childrenBornAfter(who.at),
  })
  if (!row) throw fail('notFound', NO_SUCH_USER)
  return toEntry(row, who)
}

/** Returns the caller's profile. Without the scope `email`, the address is empty. */
export async function readOwnProfile(db: Db, who: Reader & Pick<AppUser, 'scopes'>): Promise<OwnProfile> {
  const row = await db.first(store.findOwn, {
    app: who.appId,
    person: who.personId,
    born: childrenBornAfter(who.at),
    trainers: [...TRAINER_ROLES],
    trainees: [...TRAINEE_ROLES],
  })
  if (!row) throw fail('tokenInvalid')
  return {
    ...toEntry(row, who),
    position: row.position ?? '',
    role: row.administrator ? 'administrator' : row.developer ? 'developer' : 'user',
    organizationRoles: JSON.parse(row.organisation_roles),
    email: (includesScopes(who.scopes, ['email']) && row.email) || '',
    gender: row.gender ?? '',
    trainer: row.trainer,
    trainee: row.trainee,
  }
}

function toEntry(row: EntryRow, who: Reader): UserEntry {
  const types = typesOf(
    { dateOfBirth: row.date_of_birth, accountKind: row.account_kind, hasChildren: row.has_children },
    who.at,
  )
  return {
    userId: row.user_id,
    handle: row.handle,
    firstName: row.first_name,
    lastName: row.last_name,
    ...types,
    country: row.country ?? who.defaultCountry,
    profilePic: pictureId(row.user_id, row.picture_version),
    coverPhoto: coverId(row.user_id, row.cover_version),
    anonymous: row.anonymous,
    ...(types.userType === 'child' && {
      parentFlags: { cameraDisabled: row.camera_disabled, proximityFriends: row.proximity_friends },
    }),
    ...serviceOf(row.service),
  }
}

function serviceOf(text: string): Service {
  if (text === '{}') return {}
  const given = JSON.parse(text) as Service
  return Object.fromEntries(SERVICE_FIELDS.flatMap((name) => (given[name] ? [[name, given[name]]] : [])))
}

export async function readSettings(db: Db, who: PersonCaller): Promise<Settings> {
  const row = await db.first(store.findSettings, { person: who.personId, born: childrenBornAfter(who.at) })
  if (!row) throw fail('notAuthorized')
  return toSettings(row, who.at)
}

const toSettings = (row: RowOf<typeof store.findSettings>, now: Date): Settings => ({
  handle: row.handle,
  firstName: row.first_name,
  lastName: row.last_name,
  ...typesOf({ dateOfBirth: row.date_of_birth, accountKind: row.account_kind, hasChildren: row.has_children }, now),
  country: row.country ?? '',
  gender: row.gender ?? '',
  position: row.position ?? '',
  email: row.email ?? '',
  dateOfBirth: row.date_of_birth ?? '',
  publicSearch: row.public_search,
  hasPassword: row.has_password,
  hasParent: row.has_parent,
  hasPicture: row.has_picture,
  hasCover: row.has_cover,
  storage: { usedBytes: row.used_bytes, limitBytes: row.limit_bytes },
  may: permissionsAt(row.date_of_birth, now),
})

/**
 * Returns what a person of this age may change. The operations of this module, `friends` and `families` enforce the
 * same rules.
 */
const permissionsAt = (dateOfBirth: string | null, now: Date): Settings['may'] => {
  const isGrown = !isChild(dateOfBirth, now)
  return {
    changeNames: isGrown,
    changePublicSearch: isGrown,
    changeEmail: isGrown,
    decideFriends: isGrown,
    lookAfterChildren: isAdult(dateOfBirth, now),
  }
}

const PARENT_DECIDES = {
  search: 'A parent decides whether a child can be found; ask a parent to turn on public search',
  names: 'A parent decides the name and the country of a child; ask a parent to change them',
  email: 'A parent decides the e-mail address of a child; ask a parent to change it',
}

/**
 * Changes the caller's own settings. If the caller is a child, only a parent may change public search, name and
 * country.
 */
export function changeSettings(db: Db, who: PersonCaller, what: ChangeSettings): Promise<Settings> {
  return db.transaction(async (tx) => {
    const row = await tx.first(store.lockSettings, { person: who.personId, born: childrenBornAfter(who.at) })
    if (!row) throw fail('notAuthorized')
    const changed = changeRow(row, what)
    if (isChild(row.date_of_birth, who.at)) checkChildsOwn(row, changed)
    const { handle, first_name, last_name, country, gender, position, public_search } = changed
    const names = { handle, first_name, last_name }
    await changePeople(tx, [{ id: who.personId, ...names, country, gender, position, public_search }])
    return toSettings(changed, who.at)
  })
}

type SettingsRow = RowOf<typeof store.findSettings>

function checkChildsOwn(before: SettingsRow, after: SettingsRow): void {
  if (before.public_search !== after.public_search) throw fail('forbidden', PARENT_DECIDES.search)
  const decided = ['first_name', 'last_name', 'country'] as const
  if (decided.some((name) => before[name] !== after[name])) throw fail('forbidden', PARENT_DECIDES.names)
}

const changeRow = (row: SettingsRow, what: ChangeSettings): SettingsRow => ({
  ...row,
  first_name: what.firstName === undefined ? row.first_name : readLine('firstName', what.firstName),
  last_name: what.lastName === undefined ? row.last_name : readLine('lastName', what.lastName),
  country: readCountry(what.country, row.country),
  gender: what.gender === undefined ? row.gender : readLine('gender', what.gender) || null,
  position: what.position === undefined ? row.position : readLine('position', what.position) || null,
  public_search: what.publicSearch ?? row.public_search,
})

/**
 * Changes the e-mail address. Because password reset links are sent to it, the change requires fresh proof of identity,
 * invalidates links already sent, and notifies the old address.
 */
export async function changeEmail(
  db: Db,
  who: PersonCaller,
  what: { email: string; password?: string | undefined },
  messages: MessagePolicy,
): Promise<void> {
  const email = readEmail(what.email)
  const settings = await readSettings(db, who)
  if (!settings.may.changeEmail) throw fail('forbidden', PARENT_DECIDES.email)
  // Another address could end what requires them to sign in there. One who has none can add one.
  const required = settings.email === '' ? undefined : await findRequired(db, who.personId)
  if (required)
    throw fail(
      'forbidden',
      `${required.name} decides how you sign in, so you cannot change your e-mail address: ask an owner of ${required.name}`,
    )
  const person = await proveAgain(db, who, what.password)
  await db.transaction(async (tx) => {
    await holdAccount(tx, person)
    await replaceEmail(tx, who, { personId: who.personId, handle: who.handle, email }, messages)
  })
}
