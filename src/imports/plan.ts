import { BLOCK_BYTES, DEFAULT_STORAGE_BLOCKS, makeClientId } from '../apps/apps.ts'
import { hashSecret } from '../apps/secrets.ts'
import type { EnvironmentName } from '../config.ts'
import { normaliseHandle } from '../people/people.ts'
import type { Existing } from './existing.ts'
import type { ImportedApp, ImportedPerson, ImportFile } from './schema.ts'

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
  /** Of the row that it was compared with. */
  readonly row_version: string | undefined
  /** The columns of the row. */
  readonly row: Readonly<Record<string, string | boolean | null>>
  /** Role by organisation key; undefined: as they are. */
  readonly memberships: ReadonlyMap<string, string> | undefined
  /** A password replaces another one. */
  readonly isPasswordReplaced: boolean
}

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

/** The hash to keep for a person of the file: the stored one where the password is still the same. */
export type ChoosePasswordHash = (person: ImportedPerson, storedHash: string | null) => string | null

export function planImport(
  file: ImportFile,
  existing: Existing,
  target: { readonly name: EnvironmentName; readonly secretHashKey: Buffer },
  chooseHash: ChoosePasswordHash,
): Plan {
  const plan: Plan = { organisations: noChanges(), people: noChanges(), apps: noChanges() }
  for (const { key, name } of file.organisations) {
    const found = existing.organisations.get(key)
    note(plan.organisations, found?.id, { key, name: name.normalize('NFC') }, found?.name === name.normalize('NFC'))
  }
  for (const person of file.people) planPerson(plan.people, person, existing, chooseHash)
  for (const app of file.apps) planApp(plan.apps, app, existing, target)
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
  person: ImportedPerson,
  existing: Existing,
  chooseHash: ChoosePasswordHash,
): void {
  const key = normaliseHandle(person.handle)
  const found = existing.people.get(key)
  const storedHash = found?.password_hash ?? null
  const row = {
    handle: `@${person.handle.replace(/^@/, '')}`,
    first_name: person.firstName?.normalize('NFC') ?? found?.first_name ?? '',
    last_name: person.lastName?.normalize('NFC') ?? found?.last_name ?? '',
    email: given(person.email, found?.email),
    country: given(person.country, found?.country),
    date_of_birth: given(person.dateOfBirth, found?.date_of_birth),
    public_search: person.publicSearch ?? found?.public_search ?? false,
    administrator: person.administrator ?? found?.administrator ?? false,
    developer: person.developer ?? found?.developer ?? false,
    password_hash: chooseHash(person, storedHash),
  }
  const memberships =
    person.organisations === undefined ? undefined : new Map(Object.entries<string>(person.organisations))
  const isPasswordReplaced = storedHash !== null && storedHash !== row.password_hash
  const isSame =
    found !== undefined &&
    Object.entries(row).every(([column, value]) => found[column as keyof typeof row] === value) &&
    (memberships === undefined || isSameMap(memberships, existing.memberships.get(found.id) ?? new Map()))
  note(
    changes,
    found?.id,
    { handle_key: key, row_version: found?.row_version, row, memberships, isPasswordReplaced },
    isSame,
  )
}

const given = <T>(value: T | null | undefined, stored: T | null | undefined): T | null =>
  value === undefined ? (stored ?? null) : value

const isSameMap = (one: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>): boolean =>
  one.size === other.size && [...one].every(([key, value]) => other.get(key) === value)

function planApp(
  changes: Changes<AppPlan>,
  app: ImportedApp,
  existing: Existing,
  target: { readonly name: EnvironmentName; readonly secretHashKey: Buffer },
): void {
  const clientId = makeClientId(target.name, app.key)
  const found = existing.apps.get(clientId)
  const isPublic = app.public ?? found?.public_client ?? false
  const row = {
    name: app.name.normalize('NFC'),
    status: app.status ?? found?.status ?? 'approved',
    public_client: isPublic,
    pkce_required: isPublic || (app.pkce ?? found?.pkce_required ?? true),
    implicit_enabled: app.implicit ?? found?.implicit_enabled ?? false,
    basic_enabled: app.basic ?? found?.basic_enabled ?? false,
    device_enabled: app.device ?? found?.device_enabled ?? false,
  }
  const secrets = app.secrets?.map((secret) => hashSecret(secret, target.secretHashKey).toString('hex'))
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
    secrets: isPublic ? [] : sortedSet(secrets ?? found?.secrets ?? []),
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
