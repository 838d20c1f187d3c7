import { setImmediate } from 'node:timers/promises'
import type { Languages } from './languages.ts'
import { Faults, type Notes, type PackageNote, refusePackage } from './refusals.ts'
import { attributeOf, Elements, idOf, quote, textOf, Values } from './scorm-elements.ts'
import { type ItemSettings, readItemSettings } from './scorm-items.ts'
import { languageOf, type Metadata, readMetadata } from './scorm-metadata.ts'
import { Resources } from './scorm-resources.ts'
import { SequencingReader } from './scorm-sequencing.ts'
import { addParameters, Files } from './scorm-urls.ts'
import { type Edition, findVersion, noteUndeclared, type ScormKind } from './scorm-version.ts'
import type { Sequencing } from './scorm-vocabulary.ts'
import type { Placed, XmlElement } from './xml.ts'

const MOST_ITEMS = 10_000
const MOST_DEPTH = 50
const PAUSE_ITEMS = 100
/** Ids are stored as keys and sent in URLs. */
const MOST_ID_LETTERS = 2_000

/** Fields that items of every standard have. SCORM has no objectives and relations like those of cmi5. */
interface Item extends ItemSettings {
  readonly id: string
  readonly title: Languages
  readonly description: Languages
  readonly objectives: readonly string[]
  readonly requires: readonly string[]
  readonly collateralCredit: readonly string[]
}
export interface ScormUnit extends Item {
  readonly type: 'unit'
  /** URL of the first page, with the parameters of the item; relative to the package, or absolute. */
  readonly url: string
  /** Path in the package of a relative URL, without its query. */
  readonly path?: string
  /** The content of a `sco` uses the API of SCORM, that of an `asset` does not. */
  readonly scormType: 'sco' | 'asset'
}
export interface ScormBlock extends Item {
  readonly type: 'block'
  readonly children: readonly (ScormUnit | ScormBlock)[]
}

/** The organisation that is used: the course. */
interface Organisation {
  readonly id: string
  readonly sequencing?: Sequencing
  /** True if the student keeps shared objectives for other courses. */
  readonly objectivesGlobalToSystem: boolean
  readonly sharedDataGlobalToSystem: boolean
}

/** A SCORM package: what imsmanifest.xml says, after all checks. */
export interface ScormStructure {
  readonly kind: ScormKind
  /** Identifier of the manifest. */
  readonly id: string
  readonly title: Languages
  readonly description: Languages
  readonly objectives: readonly never[]
  readonly edition: Edition
  readonly organisation: Organisation
  readonly metadata: Metadata
  /** Faults that were tolerated. */
  readonly notes: readonly PackageNote[]
  readonly children: readonly (ScormUnit | ScormBlock)[]
  readonly units: number
  readonly blocks: number
}

/** State while a manifest is read. */
interface Reading {
  readonly kind: ScormKind
  readonly elements: Elements
  readonly values: Values
  readonly notes: Notes
  readonly faults: Faults
  readonly resources: Resources
  readonly sequencing: SequencingReader
  readonly ids: Set<string>
  count: number
  done: number
  /** Identifiers that were made up because others had them. */
  named: number
  units: number
  blocks: number
}

interface Package {
  /** Paths of the files of the package; undefined if they are not looked for. */
  readonly files: ReadonlySet<string> | undefined
  readonly notes: Notes
  /** Reads a document of the package; undefined if it cannot be read. */
  readonly readDocument?: (path: string) => Promise<XmlElement | undefined>
}

/**
 * Reads the manifest of a SCORM package. Throws an error with all its faults if a unit could not be started or tracked.
 * Other faults are noted, because authors seldom can correct what their tools wrote.
 */
export async function readScorm(
  root: XmlElement,
  { files, notes, readDocument = async () => undefined }: Package,
): Promise<ScormStructure> {
  if (root.name !== 'manifest') throw refuse('have a <manifest>', 'imsmanifest.xml does not begin with <manifest>')
  noteUndeclared(root, notes)
  const elements = new Elements(root)
  const version = findVersion(root, files, elements, notes)
  if (typeof version === 'string') throw refuse('follow SCORM 1.2 or SCORM 2004', version)
  const manifest = { element: root, pointer: '/manifest' }
  const faults = new Faults()
  const values = new Values(notes)
  const context = { elements, values, notes, faults }
  const resources = new Resources(manifest, { ...context, files: files && new Files(files) })
  const reading: Reading = {
    ...{ kind: version.kind, ...context, resources, sequencing: new SequencingReader(manifest, context) },
    ...{ ids: new Set(), count: 0, done: 0, named: 1, units: 0, blocks: 0 },
  }
  const placed = findOrganisation(manifest, reading)
  if (!placed) throw refusePackage(faults.found)
  const id = takeId(placed, 'organization', reading)
  const organisation: Organisation = {
    ...{ id, ...sequencingOf(placed, reading) },
    objectivesGlobalToSystem: values.boolean(placed, 'objectivesGlobalToSystem') ?? true,
    sharedDataGlobalToSystem: values.boolean(placed, 'sharedDataGlobalToSystem') ?? true,
  }
  const children = await readItems(placed, 1, reading)
  if (reading.units === 0 && faults.found.length === 0)
    faults.add(placed.pointer, undefined, 'have an item with a resource', 'The package has no item that can be started')
  if (faults.found.length > 0) throw refusePackage(faults.found)
  resources.noteMissing()
  const metadata = await readAllMetadata([placed, manifest], reading, readDocument)
  const title = titleOf(placed, reading) ?? metadata.title
  if (!textOf(elements.first(placed, 'title')))
    notes.add(placed.pointer, `The organization in line ${placed.element.line} has no title`)
  const { kind, edition } = version
  const { units, blocks } = reading
  return {
    ...{ kind, id: idOf(root, 'identifier') ?? id, title: Object.keys(title).length > 0 ? title : { und: id } },
    ...{ description: metadata.description, objectives: [], edition, organisation, metadata, notes: notes.list },
    ...{ children, units, blocks },
  }
}

const refuse = (must: string, message: string) => refusePackage([{ pointer: '', must, message }])

/** Finds the organisation that the manifest names as the default, or else the first one with items. */
function findOrganisation(manifest: Placed, { elements, notes, faults }: Reading): Placed | undefined {
  const holder = elements.first(manifest, 'organizations')
  const all = holder ? elements.all(holder, 'organization') : []
  const named = holder && idOf(holder.element, 'default')
  const hasItems = (one: Placed) => elements.first(one, 'item') !== undefined
  const wanted = named === undefined ? undefined : all.find(({ element }) => idOf(element, 'identifier') === named)
  const found = wanted && hasItems(wanted) ? wanted : all.find(hasItems)
  if (!found) {
    const message = 'The manifest has no organization with items, so that there is nothing to start'
    faults.add('/manifest/organizations', undefined, 'have an organization with items', message)
    return undefined
  }
  const say = (one: Placed) => quote(textOf(elements.first(one, 'title')) ?? idOf(one.element, 'identifier') ?? '')
  if (found !== wanted && (named !== undefined || all.length > 1)) {
    const what = named === undefined ? 'is not given' : `${quote(named)} ${wanted ? 'has no items' : 'does not exist'}`
    notes.add(`${holder!.pointer}/default`, `The default organization ${what}; ${say(found)} is used`)
  }
  const others = all.filter((one) => one !== found)
  if (others.length > 0) {
    const names = others.slice(0, 5).map(say).join(', ')
    const more = others.length > 5 ? ` and ${others.length - 5} more` : ''
    notes.add(
      holder!.pointer,
      `The package has ${all.length} organizations. ${say(found)} is used, not ${names}${more}`,
    )
  }
  return found
}

async function readItems(parent: Placed, depth: number, reading: Reading): Promise<(ScormUnit | ScormBlock)[]> {
  const { elements, faults } = reading
  const items = elements.all(parent, 'item')
  const [first] = items
  if (first && depth > MOST_DEPTH) {
    faults.add(
      ...([first.pointer, undefined, `be at most ${MOST_DEPTH} items deep`] as const),
      `The package has items more than ${MOST_DEPTH} levels deep`,
    )
    return []
  }
  reading.count += items.length
  if (reading.count > MOST_ITEMS) {
    if (reading.count - items.length <= MOST_ITEMS)
      faults.add('', undefined, `have at most ${MOST_ITEMS} items`, `The package has more than ${MOST_ITEMS} items`)
    return []
  }
  const found: (ScormUnit | ScormBlock)[] = []
  for (const item of items) {
    found.push(...(await readItem(item, depth, reading)))
    // A large manifest keeps no other request waiting.
    if (++reading.done % PAUSE_ITEMS === 0) await setImmediate()
  }
  return found
}

async function readItem(placed: Placed, depth: number, reading: Reading): Promise<readonly (ScormUnit | ScormBlock)[]> {
  const { elements, notes, kind } = reading
  const id = takeId(placed, 'item', reading)
  const reference = idOf(placed.element, 'identifierref')
  const hasItems = elements.first(placed, 'item') !== undefined
  const title = titleOf(placed, reading) ?? { und: id }
  if (!elements.first(placed, 'title')) notes.add(placed.pointer, `The item ${quote(id)} has no title`)
  const common = { objectives: [], requires: [], collateralCredit: [] }
  const description = readMetadata(elements.first(placed, 'metadata')?.element).description
  const settings = readItemSettings(placed, reading)
  const launch = reference === undefined ? undefined : reading.resources.launch(reference, { placed, id, hasItems })
  const isStarted = launch && !(hasItems && kind === 'scorm2004')
  if (launch && !isStarted)
    notes.add(placed.pointer, `The item ${quote(id)} has items and a resource; SCORM 2004 never starts the resource`)
  const units: ScormUnit[] = []
  if (isStarted) {
    const { url, path, scormType } = launch
    const whole = addParameters(url, attributeOf(placed.element, 'parameters') ?? '')
    units.push({
      ...{ type: 'unit', id, title, description, ...common, url: whole, ...(path !== undefined && { path }) },
      ...{ scormType, ...settings },
      ...(hasItems ? {} : sequencingOf(placed, reading)),
    })
    reading.units++
  }
  if (hasItems) {
    const children = await readItems(placed, depth + 1, reading)
    reading.blocks++
    if (!isStarted)
      return [
        { type: 'block', id, title, description, ...common, ...settings, ...sequencingOf(placed, reading), children },
      ]
    notes.add(placed.pointer, `The item ${quote(id)} has items and a resource, which became its first unit`)
    const blockId = freeId(`${id}-items`, reading)
    return [{ type: 'block', id: blockId, title, description, ...common, children: [...units, ...children] }]
  }
  if (!launch && reference === undefined)
    notes.add(placed.pointer, `The item ${quote(id)} has neither a resource nor items, and was left out`)
  return units
}

const sequencingOf = (placed: Placed, { kind, sequencing }: Reading): { sequencing?: Sequencing } => {
  const found = kind === 'scorm2004' ? sequencing.read(placed) : undefined
  return found ? { sequencing: found } : {}
}

function titleOf(placed: Placed, { elements }: Reading): Languages | undefined {
  const title = elements.first(placed, 'title')
  const text = textOf(title)
  return text === undefined ? undefined : { [languageOf(title!.element)]: text }
}

/** Returns the identifier of an element, which no other one may have. */
function takeId(placed: Placed, what: string, reading: Reading): string {
  const { ids, notes, faults } = reading
  const { element, pointer } = placed
  const id = idOf(element, 'identifier')
  if (id === undefined) {
    const free = freeId(`${what}-${element.line}`, reading)
    notes.add(pointer, `The ${what} in line ${element.line} has no identifier; it is called ${free}`)
    return free
  }
  if (id.length > MOST_ID_LETTERS) {
    const message = `The identifier of the ${what} in line ${element.line} has more than ${MOST_ID_LETTERS} letters`
    faults.add(`${pointer}/identifier`, undefined, `have at most ${MOST_ID_LETTERS} letters`, message)
  } else if (ids.has(id)) {
    const message = `The identifier of the ${what} in line ${element.line} was used before: ${quote(id)}`
    faults.add(`${pointer}/identifier`, undefined, 'be unique', message)
  }
  ids.add(id)
  return id
}

/** Returns an identifier that no element has. */
function freeId(wanted: string, reading: Reading): string {
  const { ids } = reading
  let id = wanted
  while (ids.has(id)) id = `${wanted}-${++reading.named}`
  ids.add(id)
  return id
}

/** Reads the metadata of the organisation, and what it does not say from those of the manifest. */
async function readAllMetadata(
  holders: readonly Placed[],
  { elements, notes }: Reading,
  readDocument: (path: string) => Promise<XmlElement | undefined>,
): Promise<Metadata> {
  let found: Metadata = { title: {}, description: {} }
  for (const holder of holders) {
    const metadata = elements.first(holder, 'metadata')
    if (!metadata) continue
    const path = textOf(elements.first(metadata, 'location', 'adlcp'))
    const document = path === undefined ? undefined : await readDocument(path)
    if (path !== undefined && !document) notes.add(metadata.pointer, `The metadata ${quote(path)} cannot be read`)
    for (const one of [readMetadata(metadata.element), readMetadata(document)])
      found = { title: either(found.title, one.title), description: either(found.description, one.description) }
  }
  return found
}

const either = (first: Languages, second: Languages): Languages => (Object.keys(first).length > 0 ? first : second)
