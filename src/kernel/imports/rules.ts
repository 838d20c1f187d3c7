import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { PlatformError } from '../errors.ts'
import { type ImportSection, isObject, type Mistake, type Reference } from './section.ts'

/** Entries by section name. In a part that waits to be written, `isKnown` marks each entry as existing or new. */
export type ImportFile = Readonly<Record<string, readonly ImportEntry[]>>
export interface ImportEntry {
  readonly [field: string]: unknown
  /**
   * True if the entry already existed, or was created by an earlier part. Such an entry is not created again if it has
   * been deleted since.
   */
  readonly isKnown?: boolean
}

/** Reports that the file was not imported because of these mistakes. Nothing was written. */
export class ImportRefused extends PlatformError {
  readonly mistakes: readonly Mistake[]

  constructor(mistakes: readonly Mistake[]) {
    const count = mistakes.length === 1 ? 'one error' : `${mistakes.length} errors`
    super(
      'validationFailed',
      `Nothing was imported, because the file has ${count}:\n${mistakes.map((mistake) => `  ${mistake}`).join('\n')}`,
    )
    this.mistakes = mistakes
  }
}

interface CompiledField {
  readonly name: string
  readonly isRequired: boolean
  readonly must: string
  check(value: unknown): boolean
}

/** Returns the fields of a section, including its ties. */
export const fieldsOf = ({ schema, ties = [] }: ImportSection): Readonly<Record<string, TSchema>> => ({
  ...schema.properties,
  ...Object.fromEntries(ties.map(({ field, schema }) => [field, schema])),
})

const compiled = new WeakMap<ImportSection, readonly CompiledField[]>()

function compileFields(section: ImportSection): readonly CompiledField[] {
  const known = compiled.get(section)
  if (known) return known
  const fields = Object.entries(fieldsOf(section)).map(([name, field]) => {
    const validator = Compile(field)
    return {
      name,
      isRequired: section.schema.required?.includes(name) ?? false,
      must: (field as unknown as { must: string }).must,
      check: (value: unknown) => validator.Check(value),
    }
  })
  compiled.set(section, fields)
  return fields
}

export interface CheckedFile {
  readonly mistakes: readonly Mistake[]
  readonly references: readonly Reference[]
  /** Only valid if `mistakes` is empty. */
  readonly file: ImportFile
}

/** The time for which a file was written. Only the demo data is moved by it; imports ignore it. */
const MADE_AT = 'madeAt'

/** Runs all checks that need no database. */
export function checkFile(sections: readonly ImportSection[], content: unknown, now: Date): CheckedFile {
  const mistakes: Mistake[] = []
  const names = sections.map(({ name }) => name)
  if (!isObject(content)) mistakes.push(`The file must be a JSON object with ${names.join(', ')}`)
  const given = isObject(content) ? content : {}
  for (const name of Object.keys(given)) {
    if (!names.includes(name) && name !== MADE_AT)
      mistakes.push(`${name}: is unknown; a file can have ${names.join(', ')}`)
  }
  const lists = sections.map((section): [ImportSection, unknown[]] => {
    const list = Object.hasOwn(given, section.name) ? given[section.name] : []
    if (Array.isArray(list)) return [section, list]
    mistakes.push(`${section.name}: must be a list`)
    return [section, []]
  })
  for (const [section, entries] of lists) {
    const fields = compileFields(section)
    for (const [i, entry] of entries.entries())
      for (const mistake of checkEntry(`${section.name}[${i}]`, fields, entry)) mistakes.push(mistake)
  }
  const file = Object.fromEntries(lists.map(([{ name }, entries]) => [name, entries])) as ImportFile
  for (const mistake of checkMeaning(sections, file, now)) mistakes.push(mistake)
  return { mistakes, references: [...listReferences(sections, file)], file }
}

function* checkEntry(place: string, fields: readonly CompiledField[], entry: unknown): Generator<Mistake> {
  if (!isObject(entry)) return yield `${place}: must be an object`
  for (const name of Object.keys(entry)) {
    if (!fields.some((field) => field.name === name))
      yield `${place}.${name}: is unknown; known fields are ${fields.map((field) => field.name).join(', ')}`
  }
  for (const { name, isRequired, must, check } of fields) {
    if (!Object.hasOwn(entry, name)) {
      if (isRequired) yield `${place}.${name}: is missing`
    } else if (!check(entry[name])) yield `${place}.${name}: must be ${must}`
  }
}

/** Returns the entries of a section. A value that is not an object is replaced by an empty entry. */
const entriesOf = (file: ImportFile, { name }: ImportSection): readonly object[] =>
  (file[name] ?? []).map((entry) => (isObject(entry) ? entry : {}))

/**
 * Runs the checks that a schema cannot express. Entries that fail their schema are checked too, so any field may have
 * the wrong type.
 */
function* checkMeaning(sections: readonly ImportSection[], file: ImportFile, now: Date): Generator<Mistake> {
  for (const section of sections) yield* findDuplicates(section, entriesOf(file, section))
  for (const section of sections) {
    const entries = entriesOf(file, section)
    if (section.check)
      for (const [i, entry] of entries.entries()) yield* section.check(entry, `${section.name}[${i}]`, now)
    for (const tie of section.ties ?? []) if (tie.check) yield* tie.check(entries, now)
  }
}

/** Returns the normalised key of the entry, or undefined if the entry has no key. */
export function keyOf({ key, normalise = (text) => text }: ImportSection, entry: object): string | undefined {
  const value = (entry as Record<string, unknown>)[key]
  return typeof value === 'string' ? normalise(value) : undefined
}

function* findDuplicates(section: ImportSection, entries: readonly object[]): Generator<Mistake> {
  const seen = new Map<string, number>()
  for (const [i, entry] of entries.entries()) {
    const key = keyOf(section, entry)
    if (key === undefined) continue
    const first = seen.get(key)
    if (first === undefined) seen.set(key, i)
    else yield `${section.name}[${i}].${section.key}: is the same as in ${section.name}[${first}]`
  }
}

/** Lists the references to entries that the file itself does not contain. */
export function* listReferences(sections: readonly ImportSection[], file: ImportFile): Generator<Reference> {
  const own = new Map(
    sections.map((section) => [section.name, new Set(entriesOf(file, section).map((entry) => keyOf(section, entry)))]),
  )
  for (const reference of listNames(sections, file))
    if (!own.get(reference.to.name)?.has(reference.key)) yield reference
}

/** Lists all references in the file. */
export function* listNames(sections: readonly ImportSection[], file: ImportFile): Generator<Reference> {
  for (const section of sections) {
    for (const [i, entry] of entriesOf(file, section).entries()) {
      const place = `${section.name}[${i}]`
      if (section.refer) yield* section.refer(entry, place)
      for (const tie of section.ties ?? []) yield* tie.refer(entry, place)
    }
  }
}

/** Returns the file without the values that these mistakes are about. */
export function leaveOut(file: ImportFile, mistakes: readonly Mistake[]): ImportFile {
  const places = new Set(mistakes.map((mistake) => mistake.slice(0, mistake.indexOf(': '))))
  const without = (value: unknown, place: string): unknown => {
    if (places.has(place)) return undefined
    if (Array.isArray(value))
      return value.map((item, i) => without(item, `${place}[${i}]`)).filter((item) => item !== undefined)
    if (!isObject(value)) return value
    const fields = Object.entries(value).map(([name, field]) => [
      name,
      without(field, place ? `${place}.${name}` : name),
    ])
    return Object.fromEntries(fields.filter(([, field]) => field !== undefined))
  }
  return places.size === 0 ? file : (without(file, '') as ImportFile)
}
