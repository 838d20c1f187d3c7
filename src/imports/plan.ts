import { BLOCK_BYTES, DEFAULT_STORAGE_BLOCKS, makeClientId } from '../apps/apps.ts'
import type { EnvironmentName } from '../config.ts'
import { isChild } from '../people/ages.ts'
import { normaliseHandle } from '../people/handles.ts'
import { SEARCH_VERSION } from '../people/search-keys.ts'
import { SERVICE_FIELDS, type Service } from '../people/service.ts'
import type { Existing, FoundPerson } from './existing.ts'
import type { PreparedApp, PreparedFile, PreparedPerson } from './prepared.ts'
import { planTies, type TiesPlan } from './ties.ts'

/**
 * What an import will do to one environment. An entry that exists keeps every value that the file does not name; a list that
 * is named replaces the one that was there.
 */
export interface Plan {
  readonly organisations: Changes<OrganisationPlan>
  readonly people: Changes<PersonPlan>
  readonly apps: Changes<AppPlan>
}

export interface Changes<T> {
  readonly created: T[]
  readonly updated: (T & { readonly id: number })[]
  unchanged: number
}

export interface OrganisationPlan {
  readonly key: string
  readonly name: string
}

export interface PersonPlan {
  readonly handle_key: string
  /** The columns of the row. */
  readonly row: PersonRow
  /** The columns that change. */
  readonly changed: ReadonlySet<string>
  /** Role by organisation key; undefined: as they are. */
  readonly memberships: ReadonlyMap<string, string> | undefined
  /** A password replaces another one. */
  readonly isPasswordReplaced: boolean
  readonly ties: TiesPlan
}

/** The columns but for search keys, which follow from the names. */
type PersonRow = Omit<FoundPerson, 'id' | 'handle_key' | 'anonymous'>

/** Which column a field of the file becomes. */
export const COLUMNS = {
  firstName: 'first_name',
  lastName: 'last_name',
  email: 'email',
  country: 'country',
  dateOfBirth: 'date_of_birth',
  gender: 'gender',
  position: 'position',
  accountType: 'account_kind',
  service: 'service',
  publicSearch: 'public_search',
  administrator: 'administrator',
  developer: 'developer',
  passwordHash: 'password_hash',
} as const satisfies { readonly [Field in keyof PreparedPerson]?: keyof PersonRow }

export interface AppPlan {
  readonly client_id: string
  readonly row: Readonly<Record<string, string | boolean>>
  readonly organisation: string | null
  /** The owner's handle in its normal form. */
  readonly owner: string | null
  readonly blocks_limit: number
  readonly redirectUris: readonly string[]
  readonly origins: readonly string[]
  /** Hashes, in hexadecimal. */
  readonly secrets: readonly string[]
  /** Was approved, and is no longer. */
  readonly isWithdrawn: boolean
}

export function planImport(file: PreparedFile, existing: Existing, environment: EnvironmentName, now: Date): Plan {
  const plan: Plan = { organisations: noChanges(), people: noChanges(), apps: noChanges() }
  for (const { key, name } of file.organisations) {
    const found = existing.organisations.get(key)
    note(plan.organisations, found?.id, { key, name: lineOf(name) }, found?.name === lineOf(name))
  }
  for (const person of file.people) planPerson(plan.people, person, existing, environment, now)
  for (const app of file.apps) planApp(plan.apps, app, existing, environment)
  return plan
}

const noChanges = <T>(): Changes<T> => ({ created: [], updated: [], unchanged: 0 })

function note<T>(changes: Changes<T>, id: number | undefined, entry: T, isSame: boolean): void {
  if (id === undefined) changes.created.push(entry)
  else if (isSame) changes.unchanged++
  else changes.updated.push({ ...entry, id })
}

function planPerson(
  changes: Changes<PersonPlan>,
  person: PreparedPerson,
  existing: Existing,
  environment: EnvironmentName,
  now: Date,
): void {
  const key = normaliseHandle(person.handle)
  const found = existing.people.get(key)
  const storedHash = found?.password_hash ?? null
  const row: PersonRow = {
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
    password_hash: storedHash === (person.replaces ?? null) ? (person.passwordHash ?? storedHash) : storedHash,
    search_version: SEARCH_VERSION,
  }
  const isPasswordReplaced = storedHash !== null && storedHash !== row.password_hash
  // Whoever is thirteen or older is looked after by nobody, whatever the file says.
  const { parents: _parents, ...grownUp } = person
  const { isSame: hasSameTies, ...ties } = planTies(
    isChild(row.date_of_birth, now) ? person : grownUp,
    environment,
    existing.ties,
    (handle) => existing.people.get(normaliseHandle(handle))?.id,
  )
  const columns = Object.keys(row) as (keyof typeof row)[]
  const changed = new Set(columns.filter((column) => row[column] !== found?.[column]))
  const stored = (found && existing.memberships.get(found.id)) ?? new Map<string, string>()
  const named = new Map(Object.entries<string>(person.organisations ?? {}))
  const memberships = person.organisations === undefined || isSameMap(named, stored) ? undefined : named
  note(
    changes,
    found?.id,
    { handle_key: key, row, changed, memberships, isPasswordReplaced, ties },
    changed.size === 0 && memberships === undefined && hasSameTies,
  )
}

const given = <T>(value: T | null | undefined, stored: T | null | undefined): T | null =>
  value === undefined ? (stored ?? null) : value

/** As people's own changes are kept. */
const lineOf = <T extends string | undefined>(text: T): T => text?.normalize('NFC').trim() as T

const givenLine = (text: string | null | undefined, stored: string | null | undefined): string | null =>
  given(text === null ? null : lineOf(text), stored) || null

/** Always in the same order, so that the same texts are the same text. */
const printService = (service: Service): string =>
  JSON.stringify(
    Object.fromEntries(
      SERVICE_FIELDS.flatMap((name) => {
        const text = lineOf(service[name])
        return text ? [[name, text]] : []
      }),
    ),
  )

/** What a parent has decided for a child stays, unless the file takes it back, makes a child of the person or takes the last parent away. */
function mayBeFound(person: PreparedPerson, found: FoundPerson | undefined, now: Date): boolean {
  const isWanted = person.publicSearch ?? found?.public_search ?? false
  if (!isChild(given(person.dateOfBirth, found?.date_of_birth), now)) return isWanted
  const isAllowed = found !== undefined && isChild(found.date_of_birth, now) && found.public_search
  return isWanted && isAllowed && person.parents?.length !== 0
}

const isSameMap = (one: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>): boolean =>
  one.size === other.size && [...one].every(([key, value]) => other.get(key) === value)

function planApp(changes: Changes<AppPlan>, app: PreparedApp, existing: Existing, environment: EnvironmentName): void {
  const clientId = makeClientId(environment, app.key)
  const found = existing.apps.get(clientId)
  const isPublic = app.public ?? found?.public_client ?? false
  const row = {
    name: lineOf(app.name),
    status: app.status ?? found?.status ?? 'approved',
    public_client: isPublic,
    pkce_required: isPublic || (app.pkce ?? found?.pkce_required ?? true),
    implicit_enabled: app.implicit ?? found?.implicit_enabled ?? false,
    basic_enabled: app.basic ?? found?.basic_enabled ?? false,
    device_enabled: app.device ?? found?.device_enabled ?? false,
  }
  const entry = {
    client_id: clientId,
    row,
    organisation: given(app.organisation, found?.organisation),
    owner: given(app.owner && normaliseHandle(app.owner), found?.owner),
    blocks_limit:
      app.storageBytes === undefined
        ? (found?.blocks_limit ?? DEFAULT_STORAGE_BLOCKS)
        : Math.floor(app.storageBytes / BLOCK_BYTES),
    redirectUris: sortedSet(app.redirectUris ?? found?.redirect_uris ?? []),
    origins: sortedSet(app.origins ?? found?.origins ?? []),
    secrets: isPublic ? [] : sortedSet(app.secretHashes ?? found?.secrets ?? []),
    isWithdrawn: found?.status === 'approved' && row.status !== 'approved',
  }
  const isSame =
    found !== undefined &&
    Object.entries(row).every(([column, value]) => found[column as keyof typeof row] === value) &&
    found.organisation === entry.organisation &&
    found.owner === entry.owner &&
    found.blocks_limit === entry.blocks_limit &&
    isSameList(found.redirect_uris, entry.redirectUris) &&
    isSameList(found.origins, entry.origins) &&
    isSameList(found.secrets, entry.secrets)
  note(changes, found?.id, entry, isSame)
}

const sortedSet = (items: readonly string[]): string[] => [...new Set(items)].sort()
const isSameList = (one: readonly string[], other: readonly string[]): boolean =>
  sortedSet(one).join('\n') === other.join('\n')
