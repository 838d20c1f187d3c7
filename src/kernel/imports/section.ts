import type { TObject, TSchema } from 'typebox'
import type { Caller } from '../caller.ts'
import type { EnvironmentName } from '../config.ts'
import type { Db, Tx } from '../database/database.ts'
import { type Environment, provided } from '../environment.ts'

/*
 * How a module takes part in imports: it declares a section, which is a list of entries in the file, or a tie, which is
 * an additional field of another section's entries. This file imports no other module; the environment provides the
 * sections.
 */

/** All sections, in the order in which they are imported. */
export const importSections = provided<readonly ImportSection[]>('the sections of imports')

/** A mistake with its position in the file: `people[3].handle: must be …`. */
export type Mistake = string

/** The stored row of an entry. */
export interface StoredEntry {
  readonly id: number
  readonly key: string
}

/**
 * The properties of a section that are needed to resolve references to its entries. `F` is the stored row of an entry.
 */
interface Target<F extends StoredEntry = StoredEntry> {
  readonly name: string
  /** Noun that completes the error "… is no …", such as `person`. */
  readonly one: string
  find(db: Db, keys: string[], environment: EnvironmentName): Promise<F[]>
}

/** A reference from one entry to another entry, which must exist in the file or in the environment. */
export interface Reference {
  readonly place: string
  readonly to: Target
  readonly key: string
}

/** The environment as an import sees it: services, the time, and stored entries that the file names. */
export interface World {
  readonly environment: EnvironmentName
  readonly get: Environment['get']
  readonly now: Date
  find<F extends StoredEntry>(section: Target<F>, key: string): F | undefined
  /** Returns the entry of the file with this key. */
  inFile(section: Target, key: string): object | undefined
  /** Returns the id of a stored entry, including one that this import has just created. Throws if there is none. */
  idOf(section: Target, key: string): number
}

/** How secrets are to be hashed, and where progress is reported. */
export interface Preparation {
  /** In a dry run, secrets need not be hashed. */
  readonly isDryRun: boolean
  /** Hashes by password. Everybody with such a password gets the same hash, so it must be a public password. */
  readonly hashes?: ReadonlyMap<string, string> | undefined
  onProgress(done: number, total: number, label: string): void
}

export interface PreparedSecrets<E, F> {
  /**
   * Returns the entry with hashes instead of secrets, as it is stored until it is written. `was` is the stored row
   * before hashing, `is` the row after hashing.
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
 * A list of entries in the file, which one module stores. An existing entry keeps every value that the file leaves out;
 * a list in the file replaces the stored list. `E` is an entry, `F` its stored row, `C` the change to write.
 */
export interface ImportSection<E extends object = object, F extends StoredEntry = StoredEntry, C = unknown>
  extends Target<F> {
  /** Name of the field that identifies an entry. */
  readonly key: string
  /** Schema of an entry. Each field states its rule in `must` (fields.ts). */
  readonly schema: TObject
  /** Maps all spellings of a key to the same text. */
  normalise?(key: string): string
  /** Finds mistakes that the schema cannot express. The entry may have failed its schema. */
  check?(entry: Partial<E>, place: string, now: Date): Iterable<Mistake>
  /** Finds mistakes that depend on the state of the environment. */
  checkHere?(db: Db, entries: readonly E[], world: World): Promise<Mistake[]>
  refer?(entry: Partial<E>, place: string): Iterable<Reference>
  /** Locks these entries, and the people they refer to, until the transaction ends. */
  lock?(
    tx: Tx,
    keys: { readonly own: string[]; readonly named: string[] },
    environment: EnvironmentName,
  ): Promise<unknown>
  /**
   * Hashes secrets. This is slow, so it runs before the import is accepted. `found` has one map for each environment.
   */
  prepare?(
    entries: readonly E[],
    found: readonly ReadonlyMap<string, F>[],
    how: Preparation,
  ): Promise<PreparedSecrets<E, F>>
  plan(entry: E, found: F | undefined, world: World): { readonly change: C; readonly isSame: boolean }
  /**
   * Returns only the changed fields of an existing entry, because people may change its other fields before the part is
   * written.
   */
  pick?(entry: E, change: C): Partial<E>
  /** Returns, by id, the work of writing each of these entries in addition to the 1 that every entry counts. */
  weigh?(db: Db, ids: number[]): Promise<ReadonlyMap<number, number>>
  /** Writes any number of changes with a few statements. Returns the ids of new entries. */
  write(tx: Tx, who: Caller, changes: readonly Change<C>[], world: World): Promise<readonly StoredEntry[]>
  /** Runs after each part has been written, in the same transaction. */
  finish?(tx: Tx): Promise<void>
  readonly ties?: readonly ImportTie[]
}

/**
 * A field of a section's entries that another module stores. `S` is the stored state of the ties, `C` the change to
 * write for one entry.
 */
export interface ImportTie<E extends object = object, F extends StoredEntry = StoredEntry, S = unknown, C = unknown> {
  readonly field: string
  readonly schema: TSchema
  /**
   * `with`: the tie is written together with its entry. `after`: it is written once all entries of all sections exist.
   */
  readonly when: 'with' | 'after'
  /** True if the list adds to the stored list instead of replacing it, so that it can be written in several pieces. */
  readonly isAdded?: boolean
  check?(entries: readonly Partial<E>[], now: Date): Iterable<Mistake>
  /** Finds mistakes that depend on the state of the environment. */
  checkHere?(db: Db, entries: readonly E[], world: World): Promise<Mistake[]>
  refer(entry: Partial<E>, place: string): Iterable<Reference>
  /** Reads the stored ties of existing entries. */
  read(db: Db, entries: readonly { readonly id: number; readonly entry: E }[], world: World): Promise<S>
  /** Returns the change to write, or undefined if nothing changes. */
  plan(entry: E, found: F | undefined, state: S, world: World): C | undefined
  /** Reduces the value of the field to the changes. The result is stored until the part is written. */
  pick(entry: E, change: C): unknown
  /** Separates changes that would exceed a limit from those that fit, and reports the former as mistakes. */
  fit?(
    db: Db,
    changes: readonly Change<C>[],
    world: World,
  ): Promise<{ mistakes: Mistake[]; fitting: readonly Change<C>[] }>
  write(tx: Tx, who: Caller, changes: readonly (Change<C> & { readonly id: number })[], world: World): Promise<void>
}

/** Returns the strings in a list with their positions; an empty list if the value is not a list. */
export const textsIn = (list: unknown): [number, string][] =>
  Array.isArray(list)
    ? [...list.entries()].filter((entry): entry is [number, string] => typeof entry[1] === 'string')
    : []

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns the value in the file or, if the file has none, the stored value. */
export const given = <T>(value: T | null | undefined, stored: T | null | undefined): T | null =>
  value === undefined ? (stored ?? null) : value

/** Normalises text in the same way as text that users enter. */
export const lineOf = <T extends string | undefined>(text: T): T => text?.normalize('NFC').trim() as T

/** Maximum number of items that one statement looks up. */
const READ_AT_ONCE = 5000

export async function readInBatches<T, Row>(items: readonly T[], read: (batch: T[]) => Promise<Row[]>): Promise<Row[]> {
  const rows: Row[] = []
  for (let i = 0; i < items.length; i += READ_AT_ONCE)
    for (const row of await read(items.slice(i, i + READ_AT_ONCE))) rows.push(row)
  return rows
}
