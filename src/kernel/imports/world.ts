import type { EnvironmentName } from '../config.ts'
import type { Db } from '../database/database.ts'
import type { Environment } from '../environment.ts'
import { type ImportFile, keyOf, listNames } from './rules.ts'
import {
  type ImportSection,
  importSections,
  type Mistake,
  type Reference,
  readInBatches,
  type StoredEntry,
  type World,
} from './section.ts'

/** An environment that an import reads or writes. */
export interface ImportEnvironment {
  readonly name: EnvironmentName
  readonly db: Db
  readonly get: Environment['get']
}

export interface ReadWorld extends World {
  readonly found: ReadonlyMap<string, ReadonlyMap<string, StoredEntry>>
  /** Registers entries that this import has created. */
  add(section: ImportSection, made: readonly StoredEntry[]): void
}

/** The keys of a section that an import looks up: those of its own entries, and those that other entries refer to. */
export interface Keys {
  readonly own: string[]
  readonly named: string[]
}

/** Removes duplicates and NUL characters, because PostgreSQL cannot store or look up text with a NUL character. */
const plain = (keys: Iterable<string>): string[] => [...new Set(keys)].map((key) => key.replaceAll('\0', ''))

export function listKeys(sections: readonly ImportSection[], file: ImportFile): ReadonlyMap<ImportSection, Keys> {
  const named = new Map<string, string[]>(sections.map(({ name }) => [name, []]))
  for (const { to, key } of listNames(sections, file)) named.get(to.name)?.push(key)
  return new Map(
    sections.map((section) => {
      const own = (file[section.name] ?? []).flatMap((entry) => keyOf(section, entry ?? {}) ?? [])
      return [section, { own: plain(own), named: plain(named.get(section.name)!) }]
    }),
  )
}

/** Reads the stored entries that a file contains or refers to. */
export async function readWorld(
  db: Db,
  { name: environment, get }: Pick<ImportEnvironment, 'name' | 'get'>,
  file: ImportFile,
  now: Date,
): Promise<ReadWorld> {
  const found = new Map<string, Map<string, StoredEntry>>()
  const inFile = new Map<string, ReadonlyMap<string | undefined, object>>()
  for (const section of get(importSections))
    inFile.set(section.name, new Map((file[section.name] ?? []).map((entry) => [keyOf(section, entry ?? {}), entry])))
  for (const [section, { own, named }] of listKeys(get(importSections), file)) {
    const keys = [...new Set([...own, ...named])]
    const rows = await readInBatches(keys, (batch) => section.find(db, batch, environment))
    found.set(section.name, new Map(rows.map((row) => [row.key, row])))
  }
  const made = new Map<string, number>()
  return {
    environment,
    get,
    now,
    found,
    find: <F extends StoredEntry>(section: { readonly name: string }, key: string) =>
      found.get(section.name)?.get(key) as F | undefined,
    inFile: ({ name }, key) => inFile.get(name)?.get(key),
    idOf: ({ name, one }, key) => {
      const id = made.get(`${name} ${key}`) ?? found.get(name)?.get(key)?.id
      if (id === undefined) throw new Error(`There is no ${one} ${key}`)
      return id
    },
    add: ({ name }, rows) => {
      for (const { key, id } of rows) made.set(`${name} ${key}`, id)
    },
  }
}

/** Returns a mistake for each reference to an entry that neither the file nor the environment contains. */
export const findDangling = (references: readonly Reference[], { environment, find }: ReadWorld): Mistake[] =>
  references
    .filter(({ to, key }) => find(to, key) === undefined)
    .map(({ place, to }) => `${place}: refers to no ${to.one} in this file or in ${environment}`)

/** Runs the checks that depend on the state of the environment. */
export async function checkHere(
  db: Db,
  sections: readonly ImportSection[],
  file: ImportFile,
  world: ReadWorld,
): Promise<Mistake[]> {
  const mistakes: Mistake[] = []
  for (const section of sections.filter(({ name }) => file[name]?.length))
    for (const one of [section, ...(section.ties ?? [])])
      mistakes.push(...((await one.checkHere?.(db, file[section.name] ?? [], world)) ?? []))
  return mistakes
}
