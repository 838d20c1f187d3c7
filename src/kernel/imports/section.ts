import type { TObject, TSchema } from 'typebox'
import type { Caller } from '../caller.ts'
import type { EnvironmentName } from '../config.ts'
import type { Db, Tx } from '../database/database.ts'
import { type Environment, provided } from '../environment.ts'

/*
 * How a room takes part in imports: it declares a section of the file, or a tie, which is a field of another section's
 * entries. This room knows no other room; the environment provides the list of sections.
 */

/** All sections, in the order in which they are imported. */
export const importSections = provided<readonly ImportSection[]>('the sections of imports')

/** A mistake with its place in the file: `people[3].handle: must be …`. */
export type Mistake = string

/** The stored row of an entry, as a section finds it. */
export interface StoredEntry {
  readonly id: number
  readonly key: string
}

/** A section as references see it. `F` is the stored row of an entry. */
interface Target<F extends StoredEntry = StoredEntry> {
  readonly name: string
  /** Completes the sentence "is no …". */
  readonly one: string
  find(db: Db, keys: string[], environment: EnvironmentName): Promise<F[]>
}

/** A reference from one entry to another, which must be in the file or in the environment. */
export interface Reference {
  readonly place: string
  readonly to: Target
  readonly key: string
}

/** The state of an environment, as far as a file refers to it. */
export interface World {
  readonly environment: EnvironmentName
  readonly get: Environment['get']
  readonly now: Date
  find<F extends StoredEntry>(section: Target<F>, key: string): F | undefined
  /** The entry of the file with this key. */
  inFile(section: Target, key: string): object | undefined
  /** Includes entries that this import has just created. */
  idOf(section: Target, key: string): number
}

/** How to hash secrets, and where to report progress. */
export interface Preparation {
  /** In a dry run nothing has to be hashed. */
  readonly isDryRun: boolean
  onProgress(done: number, total: number, label: string): void
}

export interface PreparedSecrets<E, F> {
  /**
   * The entry as it is stored until written, with hashes instead of secrets. `was` is the row before hashing, `is` the
   * row after.
   */
  hide(entry: E, known: { readonly was: F | undefined; readonly is: F | undefined }, get: Environment['get']): E
}

/** The change that an import makes to one entry. */
export interface Change<C> {
  readonly key: string
  /** Undefined for a new entry. */
  readonly id: number | undefined
  readonly change: C
}

/**
 * A list of entries in the file, stored in tables of one room. An existing entry keeps every value that the file leaves
 * out; a list in the file replaces the stored one. `E` is an entry, `F` its stored row, `C` the change to write.
 */
export interface ImportSection<E extends object = object, F extends StoredEntry = StoredEntry, C = unknown>
  extends Target<F> {
  /** The field that identifies an entry. */
  readonly key: string
  /** Each field states its rule in `must` (fields.ts). */
  readonly schema: TObject
  /** Maps all spellings of a key to one. */
  normalise?(key: string): string
  /** Checks that the schema cannot express. The entry may have failed its schema. */
  check?(entry: Partial<E>, place: string, now: Date): Iterable<Mistake>
  /** Checks that need the state of the environment. */
  checkHere?(db: Db, entries: readonly E[], world: World): Promise<Mistake[]>
  refer?(entry: Partial<E>, place: string): Iterable<Reference>
  /** Locks these entries, and the people they refer to, until the transaction ends. */
  lock?(
    tx: Tx,
    keys: { readonly own: string[]; readonly named: string[] },
    environment: EnvironmentName,
  ): Promise<unknown>
  /** Takes long, so it runs before the import is accepted. `found` has one map for each environment. */
  prepare?(
    entries: readonly E[],
    found: readonly ReadonlyMap<string, F>[],
    how: Preparation,
  ): Promise<PreparedSecrets<E, F>>
  plan(entry: E, found: F | undefined, world: World): { readonly change: C; readonly isSame: boolean }
  /** Keeps only the changed fields of an existing entry, because others may change the rest until it is written. */
  pick?(entry: E, change: C): Partial<E>
  /** The additional cost of writing these entries, by id. */
  weigh?(db: Db, ids: number[]): Promise<ReadonlyMap<number, number>>
  /** Writes any number of changes in a few statements. Returns the ids of new entries. */
  write(tx: Tx, who: Caller, changes: readonly Change<C>[], world: World): Promise<readonly StoredEntry[]>
  /** Runs after each part. */
  finish?(tx: Tx): Promise<void>
  readonly ties?: readonly ImportTie[]
}

/**
 * A field of a section's entries that another room stores. `S` is its stored state, `C` the change to write for one
 * entry.
 */
export interface ImportTie<E extends object = object, F extends StoredEntry = StoredEntry, S = unknown, C = unknown> {
  readonly field: string
  readonly schema: TSchema
  /** `with`: written together with its entry. `after`: written once all entries of all sections exist. */
  readonly when: 'with' | 'after'
  /** The list adds to the stored one instead of replacing it, so it can be written in pieces. */
  readonly isAdded?: boolean
  check?(entries: readonly Partial<E>[], now: Date): Iterable<Mistake>
  /** Checks that need the state of the environment. */
  checkHere?(db: Db, entries: readonly E[], world: World): Promise<Mistake[]>
  refer(entry: Partial<E>, place: string): Iterable<Reference>
  /** Reads the stored ties of existing entries. */
  read(db: Db, entries: readonly { readonly id: number; readonly entry: E }[], world: World): Promise<S>
  /** Undefined if nothing changes. */
  plan(entry: E, found: F | undefined, state: S, world: World): C | undefined
  /** The value of the field that waits to be written, reduced to the changes. */
  pick(entry: E, change: C): unknown
  /** Splits off the changes that would exceed a limit, and reports them as mistakes. */
  fit?(
    db: Db,
    changes: readonly Change<C>[],
    world: World,
  ): Promise<{ mistakes: Mistake[]; fitting: readonly Change<C>[] }>
  write(tx: Tx, who: Caller, changes: readonly (Change<C> & { readonly id: number })[], world: World): Promise<void>
}

/** The strings in a value that may not be a list, with their positions. */
export const textsIn = (list: unknown): [number, string][] =>
  Array.isArray(list)
    ? [...list.entries()].filter((entry): entry is [number, string] => typeof entry[1] === 'string')
    : []

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The value of the file or, if it is missing, the stored one. */
export const given = <T>(value: T | null | undefined, stored: T | null | undefined): T | null =>
  value === undefined ? (stored ?? null) : value

/** Normalised like text that users enter. */
export const lineOf = <T extends string | undefined>(text: T): T => text?.normalize('NFC').trim() as T

/** Maximum number of rows that one statement reads. */
const READ_AT_ONCE = 5000

export async function readInBatches<T, Row>(items: readonly T[], read: (batch: T[]) => Promise<Row[]>): Promise<Row[]> {
  const rows: Row[] = []
  for (let i = 0; i < items.length; i += READ_AT_ONCE)
    for (const row of await read(items.slice(i, i + READ_AT_ONCE))) rows.push(row)
  return rows
}
