import type { TObject, TSchema } from 'typebox'
import type { Caller } from '../caller.ts'
import type { EnvironmentName } from '../config.ts'
import type { Db, Tx } from '../database/database.ts'
import { type Environment, provided } from '../environment.ts'

/*
 * How a room takes part in imports. It declares a section of the file, or a tie: a field of another section's entries. This room knows no other; which sections
 * there are is given to it with the environment.
 */

/** What can be imported, in the order in which it is. */
export const importSections = provided<readonly ImportSection[]>('the sections of imports')

/** A mistake and its place in the file: `people[3].handle: must be …`. */
export type Mistake = string

/** What an environment has of an entry, by the entry's key. */
export interface Found {
  readonly id: number
  readonly key: string
}

/** A section, as far as others have to do with it. `F`: what is found of its entries. */
interface Target<F extends Found = Found> {
  readonly name: string
  /** Ends the sentence "is no …". */
  readonly one: string
  find(db: Db, keys: string[], environment: EnvironmentName): Promise<F[]>
}

/** Something that an entry names: the file must have it, or the environment. */
export interface Reference {
  readonly place: string
  readonly to: Target
  readonly key: string
}

/** What an environment has of everything that a file names. */
export interface World {
  readonly environment: EnvironmentName
  readonly get: Environment['get']
  readonly now: Date
  find<F extends Found>(section: Target<F>, key: string): F | undefined
  /** What the file says about an entry. */
  inFile(section: Target, key: string): object | undefined
  /** Also of what this import has just made. */
  idOf(section: Target, key: string): number
}

/** What is kept hashed, and how far that is. */
export interface Preparation {
  /** Says what would happen: nothing has to be hashed. */
  readonly isDryRun: boolean
  onProgress(done: number, total: number, label: string): void
}

export interface Prepared<E, F> {
  /** The entry as it waits to be written, with hashes instead of what is secret. `was` was found before these were made, `is` afterwards. */
  hide(entry: E, known: { readonly was: F | undefined; readonly is: F | undefined }, get: Environment['get']): E
}

/** What an import does to one entry. */
export interface Change<C> {
  readonly key: string
  /** Undefined: it is new. */
  readonly id: number | undefined
  readonly change: C
}

/**
 * A list of entries, in the file and in tables of one room. An entry that exists keeps every value that the file does not name; a list that is named replaces the one
 * that was there. `E`: an entry. `F`: what an environment has of it. `C`: what is to be written.
 */
export interface ImportSection<E extends object = object, F extends Found = Found, C = unknown> extends Target<F> {
  /** The field that entries are known by. */
  readonly key: string
  /** Each field says in `must` what it has to be (fields.ts). */
  readonly schema: TObject
  /** Keys that mean the same entry become the same. */
  normalise?(key: string): string
  /** What shapes cannot say. The entry may be of a wrong shape. */
  check?(entry: Partial<E>, place: string, now: Date): Iterable<Mistake>
  /** What can be said only with what the environment has. */
  checkHere?(db: Db, entries: readonly E[], world: World): Promise<Mistake[]>
  refer?(entry: Partial<E>, place: string): Iterable<Reference>
  /** Until the transaction ends nobody else changes these entries, and whom they name. */
  lock?(
    tx: Tx,
    keys: { readonly own: string[]; readonly named: string[] },
    environment: EnvironmentName,
  ): Promise<unknown>
  /** Takes long, so it is done before anything is decided. `found` has one map for each environment. */
  prepare?(entries: readonly E[], found: readonly ReadonlyMap<string, F>[], how: Preparation): Promise<Prepared<E, F>>
  plan(entry: E, found: F | undefined, world: World): { readonly change: C; readonly isSame: boolean }
  /** Of an entry that exists, only what is to change: the rest may be changed by others until it is written. */
  pick?(entry: E, change: C): Partial<E>
  /** How much more than others it is to write these entries, by their ids. */
  weigh?(db: Db, ids: number[]): Promise<ReadonlyMap<number, number>>
  /** In a few statements, however many they are. Gives the ids of new entries. */
  write(tx: Tx, who: Caller, changes: readonly Change<C>[], world: World): Promise<readonly Found[]>
  /** After each part. */
  finish?(tx: Tx): Promise<void>
  readonly ties?: readonly ImportTie[]
}

/** A field of a section's entries that another room keeps. `S`: what an environment has of it. `C`: what is to be written for one entry. */
export interface ImportTie<E extends object = object, F extends Found = Found, S = unknown, C = unknown> {
  readonly field: string
  readonly schema: TSchema
  /** `with`: written with its entry. `after`: when all entries of all sections are there. */
  readonly when: 'with' | 'after'
  /** The list is added to, and not replaced: so it may be written in pieces. */
  readonly isAdded?: boolean
  check?(entries: readonly Partial<E>[], now: Date): Iterable<Mistake>
  /** What can be said only with what the environment has. */
  checkHere?(db: Db, entries: readonly E[], world: World): Promise<Mistake[]>
  refer(entry: Partial<E>, place: string): Iterable<Reference>
  /** What is there of the ties of entries that exist. */
  read(db: Db, entries: readonly { readonly id: number; readonly entry: E }[], world: World): Promise<S>
  /** Undefined: nothing to do. */
  plan(entry: E, found: F | undefined, state: S, world: World): C | undefined
  /** The field of an entry that waits, with what is to change. */
  pick(entry: E, change: C): unknown
  /** Where there are limits: what is beyond them, and what is left without it. */
  fit?(
    db: Db,
    changes: readonly Change<C>[],
    world: World,
  ): Promise<{ mistakes: Mistake[]; fitting: readonly Change<C>[] }>
  write(tx: Tx, who: Caller, changes: readonly (Change<C> & { readonly id: number })[], world: World): Promise<void>
}

/** Texts of what may be no list, with their places in it. */
export const textsIn = (list: unknown): [number, string][] =>
  Array.isArray(list)
    ? [...list.entries()].filter((entry): entry is [number, string] => typeof entry[1] === 'string')
    : []

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** What the file names, or else what is there. */
export const given = <T>(value: T | null | undefined, stored: T | null | undefined): T | null =>
  value === undefined ? (stored ?? null) : value

/** As people's own changes are kept. */
export const lineOf = <T extends string | undefined>(text: T): T => text?.normalize('NFC').trim() as T

/** So many rows are read by one statement. */
const READ_AT_ONCE = 5000

export async function readInBatches<T, Row>(items: readonly T[], read: (batch: T[]) => Promise<Row[]>): Promise<Row[]> {
  const rows: Row[] = []
  for (let i = 0; i < items.length; i += READ_AT_ONCE)
    for (const row of await read(items.slice(i, i + READ_AT_ONCE))) rows.push(row)
  return rows
}
