import type { TObject, TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { findRedirectUriMistake, isAppKey, isOrigin } from '../apps/rules.ts'
import { PlatformError } from '../errors.ts'
import { isAdult, isChild } from '../people/ages.ts'
import { ANONYMOUS_PREFIX, normaliseHandle } from '../people/handles.ts'
import { type ImportedApp, type ImportedPerson, type ImportFile, SECTIONS } from './schema.ts'

export { MAX_FRIENDS } from '../friends/rules.ts'

/** A mistake and its place in the file: `people[3].handle: must be …`. */
export type Mistake = string

/** The file was not imported, for these reasons; nothing was written. */
export class ImportRefused extends PlatformError {
  readonly mistakes: readonly Mistake[]

  constructor(mistakes: readonly Mistake[]) {
    const count = mistakes.length === 1 ? 'one mistake' : `${mistakes.length} mistakes`
    super(
      'validationFailed',
      `Nothing was imported, the file has ${count}:\n${mistakes.map((mistake) => `  ${mistake}`).join('\n')}`,
    )
    this.mistakes = mistakes
  }
}

type SectionName = keyof typeof SECTIONS

interface CompiledField {
  readonly name: string
  readonly isRequired: boolean
  readonly must: string
  check(value: unknown): boolean
}

const compileFields = (schema: TObject): CompiledField[] =>
  Object.entries<TSchema>(schema.properties).map(([name, field]) => {
    const validator = Compile(field)
    return {
      name,
      isRequired: schema.required?.includes(name) ?? false,
      must: (field as unknown as { must: string }).must,
      check: (value) => validator.Check(value),
    }
  })

const FIELDS: Record<SectionName, readonly CompiledField[]> = {
  organisations: compileFields(SECTIONS.organisations),
  people: compileFields(SECTIONS.people),
  apps: compileFields(SECTIONS.apps),
}

/** Something that an entry names and that the file does not have, so the environment must. */
export interface Reference {
  readonly place: string
  readonly kind: 'organisation' | 'person' | 'app'
  /** The key of the organisation or the app, or the normal form of the handle. */
  readonly key: string
}

export interface CheckedFile {
  readonly mistakes: readonly Mistake[]
  readonly references: readonly Reference[]
  /** To be used only where there is no mistake. */
  readonly file: ImportFile
}

/** Everything that can be said about a file without looking into a database. */
export function checkFile(content: unknown, now: Date): CheckedFile {
  const mistakes: Mistake[] = []
  const known = Object.keys(SECTIONS) as SectionName[]
  if (!isObject(content)) mistakes.push(`The file must be a JSON object with ${known.join(', ')}`)
  const given = isObject(content) ? content : {}
  for (const name of Object.keys(given)) {
    if (!Object.hasOwn(SECTIONS, name)) mistakes.push(`${name}: is not known here; a file has ${known.join(', ')}`)
  }
  const sections = known.map((name): [SectionName, unknown[]] => {
    const section = Object.hasOwn(given, name) ? given[name] : []
    if (Array.isArray(section)) return [name, section]
    mistakes.push(`${name}: must be a list`)
    return [name, []]
  })
  for (const [name, entries] of sections) {
    entries.forEach((entry, i) => {
      mistakes.push(...checkEntry(`${name}[${i}]`, FIELDS[name], entry))
    })
  }
  const file = Object.fromEntries(sections) as unknown as ImportFile
  for (const mistake of checkMeaning(file, now)) mistakes.push(mistake)
  return { mistakes, references: [...listReferences(file)], file }
}

function* checkEntry(place: string, fields: readonly CompiledField[], entry: unknown): Generator<Mistake> {
  if (!isObject(entry)) return yield `${place}: must be an object`
  for (const name of Object.keys(entry)) {
    if (!fields.some((field) => field.name === name))
      yield `${place}.${name}: is not known here; there are ${fields.map((field) => field.name).join(', ')}`
  }
  for (const { name, isRequired, must, check } of fields) {
    if (!Object.hasOwn(entry, name)) {
      if (isRequired) yield `${place}.${name}: is missing`
    } else if (!check(entry[name])) yield `${place}.${name}: must be ${must}`
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** What shapes cannot say. Entries of a wrong shape are met here too, so nothing is taken for granted. */
function* checkMeaning(file: ImportFile, now: Date): Generator<Mistake> {
  yield* findTwins('organisations', file.organisations, 'key', (entry) => entry?.key)
  yield* findTwins('people', file.people, 'handle', (entry) => normalForm(entry?.handle))
  yield* findTwins('apps', file.apps, 'key', (entry) => entry?.key)
  const today = now.toISOString().slice(0, 10)
  for (const [i, person] of file.people.entries()) yield* checkPerson(`people[${i}]`, person, today)
  yield* findFamilyMistakes(file.people, readBirths(file.people), now)
  for (const [i, app] of file.apps.entries()) yield* checkApp(`apps[${i}]`, app)
}

function* findTwins<T>(
  section: SectionName,
  entries: readonly T[],
  field: string,
  keyOf: (entry: T) => unknown,
): Generator<Mistake> {
  const seen = new Map<unknown, number>()
  for (const [i, entry] of entries.entries()) {
    const key = keyOf(entry)
    if (key === undefined) continue
    const first = seen.get(key)
    if (first === undefined) seen.set(key, i)
    else yield `${section}[${i}].${field}: is the same as in ${section}[${first}]`
  }
}

function* checkPerson(place: string, person: ImportedPerson, today: string): Generator<Mistake> {
  // Others that are reserved, such as @admin, are the operator's to give.
  if (typeof person?.handle === 'string' && normaliseHandle(person.handle).startsWith(ANONYMOUS_PREFIX))
    yield `${place}.handle: must be another, because users that apps make up are called @${ANONYMOUS_PREFIX}…`
  for (const field of ['parents', 'friends'] as const) {
    for (const [i, handle] of textsIn(person?.[field])) {
      if (normalForm(handle) === normalForm(person.handle)) yield `${place}.${field}[${i}]: must be somebody else`
    }
  }
  const day = person?.dateOfBirth
  if (typeof day !== 'string' || !/^\d{4}-\d{2}-\d{2}$/.test(day)) return
  const time = Date.parse(`${day}T00:00:00Z`)
  const isRealDay = !Number.isNaN(time) && new Date(time).toISOString().startsWith(day)
  if (!isRealDay || day < '1850-01-01' || day > today) yield `${place}.dateOfBirth: must be a day that is past`
}

/** The date of birth by the handle's normal form, of those for whom it can be told: null where there is none. */
export type Births = ReadonlyMap<string, string | null>

/** What the file alone says; of others the environment may know more. */
export function readBirths(people: readonly ImportedPerson[]): Map<string, string | null> {
  const births = new Map<string, string | null>()
  for (const person of people) {
    const handle = normalForm(person?.handle)
    const born: unknown = person?.dateOfBirth
    if (handle !== undefined && (born === null || (typeof born === 'string' && !Number.isNaN(Date.parse(born)))))
      births.set(handle, born)
  }
  return births
}

/** Children are looked after by grown-ups, and only a parent decides that others find them. */
export function* findFamilyMistakes(people: readonly ImportedPerson[], births: Births, now: Date): Generator<Mistake> {
  const isKnownChild = (handle: string | undefined): boolean | undefined => {
    const born = handle === undefined ? undefined : births.get(handle)
    return born === undefined ? undefined : isChild(born, now)
  }
  for (const [i, person] of people.entries()) {
    const isYoung = isKnownChild(normalForm(person?.handle))
    if (isYoung === true && person.publicSearch === true)
      yield `people[${i}].publicSearch: must be left out for a child; a parent turns it on`
    const parents = textsIn(person?.parents)
    // Of whom is thirteen by now they count for nothing, and a file that was right yesterday is no mistake.
    if (parents.length > 0 && births.get(normalForm(person?.handle) ?? '') === null)
      yield `people[${i}].parents: must be left out or empty, because the person has no dateOfBirth and counts as grown up`
    for (const [j, parent] of parents) {
      const born = births.get(normalForm(parent) ?? '')
      if (born !== undefined && !isAdult(born, now)) yield `people[${i}].parents[${j}]: must be an adult`
    }
  }
}

function* checkApp(place: string, app: ImportedApp): Generator<Mistake> {
  if (typeof app?.key === 'string' && app.key.startsWith('sbx-') && !isAppKey(app.key))
    yield `${place}.key: must not start with sbx-, which marks the client IDs of the sandbox`
  if (app?.public === true && Array.isArray(app.secrets) && app.secrets.length > 0)
    yield `${place}.secrets: must be left out, because a public app can keep no secret`
  if (app?.public === true && app.pkce === false)
    yield `${place}.pkce: must be true, because a public app proves itself by it`
  for (const [i, uri] of textsIn(app?.redirectUris)) {
    const mistake = findRedirectUriMistake(uri)
    if (mistake) yield `${place}.redirectUris[${i}]: must ${mistake}`
  }
  for (const [i, origin] of textsIn(app?.origins)) {
    if (!isOrigin(origin)) yield `${place}.origins[${i}]: must be an origin, such as https://app.example.org`
  }
}

export function* listReferences(file: ImportFile): Generator<Reference> {
  const organisations = new Set<unknown>(file.organisations.map((organisation) => organisation?.key))
  const people = new Set(file.people.map((person) => normalForm(person?.handle)))
  const apps = new Set<unknown>(file.apps.map((app) => app?.key))
  for (const [i, person] of file.people.entries()) {
    const place = `people[${i}]`
    const memberships: unknown = person?.organisations
    for (const key of isObject(memberships) ? Object.keys(memberships) : []) {
      if (!organisations.has(key)) yield { place: `${place}.organisations.${key}`, kind: 'organisation', key }
    }
    for (const field of ['parents', 'friends'] as const) {
      for (const [j, handle] of textsIn(person?.[field])) {
        const key = normaliseHandle(handle)
        if (!people.has(key)) yield { place: `${place}.${field}[${j}]`, kind: 'person', key }
      }
    }
    for (const [j, key] of textsIn(person?.apps)) {
      if (!apps.has(key)) yield { place: `${place}.apps[${j}]`, kind: 'app', key }
    }
  }
  for (const [i, app] of file.apps.entries()) {
    const key: unknown = app?.organisation
    if (typeof key === 'string' && !organisations.has(key))
      yield { place: `apps[${i}].organisation`, kind: 'organisation', key }
    const owner = normalForm(app?.owner)
    if (owner !== undefined && !people.has(owner)) yield { place: `apps[${i}].owner`, kind: 'person', key: owner }
  }
}

const normalForm = (handle: unknown): string | undefined =>
  typeof handle === 'string' ? normaliseHandle(handle) : undefined

const textsIn = (list: unknown): [number, string][] =>
  Array.isArray(list)
    ? [...list.entries()].filter((entry): entry is [number, string] => typeof entry[1] === 'string')
    : []

/** The file without what stands at the places of these mistakes. */
export function leaveOut<T extends ImportFile>(file: T, mistakes: readonly Mistake[]): T {
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
  return (places.size === 0 ? file : without(file, '')) as T
}
