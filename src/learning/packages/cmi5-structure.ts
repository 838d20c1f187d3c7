import { findCycle } from './cmi5-relations.ts'
import { CMI5, readModel, readTexts, reportValue } from './cmi5-schema.ts'
import { checkUrl } from './cmi5-urls.ts'
import type { Languages } from './languages.ts'
import { Faults, refusePackage } from './refusals.ts'
import type { Placed, XmlElement } from './xml.ts'

const MOST_ITEMS = 10_000
const MOST_DEPTH = 50
/** Ids are stored as keys and sent in URLs. */
const MOST_ID_LETTERS = 2_000

const MOVE_ON = ['NotApplicable', 'Passed', 'Completed', 'CompletedAndPassed', 'CompletedOrPassed'] as const
const LAUNCH_METHOD = ['AnyWindow', 'OwnWindow'] as const

/** An element of another namespace, as it is in the document. */
interface Extension {
  readonly name: string
  readonly namespace: string
  readonly attributes: Readonly<Record<string, string>>
  readonly text: string
  readonly children: readonly Extension[]
}

interface Node {
  readonly id: string
  readonly title: Languages
  readonly description: Languages
  readonly extensions?: readonly Extension[]
}
interface Item extends Node {
  readonly objectives: readonly string[]
  /** AUs that must be satisfied before this item can be started, by id. */
  readonly requires: readonly string[]
  /** AUs that are waived when this item is satisfied, by id. */
  readonly collateralCredit: readonly string[]
}

export interface AssignableUnit extends Item {
  readonly type: 'au'
  readonly url: string
  /** Path in the package of a relative URL, without its query. */
  readonly path?: string
  readonly launchMethod: (typeof LAUNCH_METHOD)[number]
  readonly moveOn: (typeof MOVE_ON)[number]
  readonly masteryScore?: number
  readonly launchParameters?: string
  readonly entitlementKey?: string
  readonly activityType?: string
}
export interface Block extends Item {
  readonly type: 'block'
  readonly children: readonly (AssignableUnit | Block)[]
}

/** A cmi5 course: what cmi5.xml says, after all checks. */
export interface Cmi5Structure extends Node {
  readonly kind: 'cmi5'
  readonly objectives: readonly Node[]
  readonly children: readonly (AssignableUnit | Block)[]
  readonly units: number
  readonly blocks: number
}

/** Requirements by their ids in `@cmi5/requirements`. */
const RULES = {
  iri: '3.0.0.0-1',
  conforming: '4.4.0.0-2',
  block: '13.1.2.0-1',
  objective: '13.1.3.0-1',
  au: '13.1.4.0-1',
} as const

/** State while a document is read. */
interface Reading {
  readonly faults: Faults
  /** Paths of the files of the package; undefined if the course structure came without a package. */
  readonly files: ReadonlySet<string> | undefined
  readonly objectives: Set<string>
  /** Blocks and AUs by id. */
  readonly items: Map<string, 'au' | 'block'>
  /** References to check once all items are known. */
  readonly references: { readonly from: string; readonly to: string; readonly kind: string; readonly pointer: string }[]
  readonly parents: Map<string, string>
  count: number
}

/**
 * Reads a course structure. Throws an error with all its faults unless it is valid by CourseStructure.xsd and by the
 * requirements of cmi5 on imports.
 */
export function readCmi5(root: XmlElement, files: ReadonlySet<string> | undefined): Cmi5Structure {
  const faults = new Faults()
  const placed = { element: root, pointer: '/courseStructure' }
  if (root.name !== 'courseStructure' || root.namespace !== CMI5) {
    faults.add('', '13.2.0.0-1', 'be a course structure', `cmi5.xml is no course structure in the namespace ${CMI5}`)
    throw refusePackage(faults.found)
  }
  const reading: Reading = {
    ...{ faults, files, objectives: new Set(), items: new Map(), references: [], parents: new Map(), count: 0 },
  }
  const { slots, others } = readModel(placed, 'courseStructure', faults)
  const [[course] = [], [objectives] = [], items = []] = slots
  const node = course && readNode(course, 'course', reading)
  const allObjectives = objectives ? readObjectives(objectives, reading) : []
  const children = readItems(items, undefined, 1, reading)
  checkReferences(reading)
  const cycle = faults.found.length === 0 && findCycle(reading)
  if (cycle)
    faults.add(
      '',
      undefined,
      'have no cycle in requires',
      `The item ${cycle} requires itself, directly or through others`,
    )
  if (faults.found.length > 0) throw refusePackage(faults.found)
  const units = [...reading.items.values()].filter((type) => type === 'au').length
  return {
    ...{ kind: 'cmi5', id: node!.id, title: node!.title, description: node!.description, objectives: allObjectives },
    ...{ children, units, blocks: reading.items.size - units },
    ...readExtensions([...node!.model.others, ...others]),
  }
}

/** Reads what courses, objectives, blocks and AUs have in common. */
function readNode(placed: Placed, type: 'course' | 'objective' | 'block' | 'au', reading: Reading) {
  const model = readModel(placed, type, reading.faults)
  const [[title] = [], [description] = []] = model.slots
  return {
    id: readIri(placed, 'id', reading.faults) ?? '',
    title: readTexts(title, reading.faults),
    description: readTexts(description, reading.faults),
    model,
  }
}

/** A scheme and something after it, without characters that no IRI has (RFC 3987). */
const IRI = /^[a-z][a-z0-9+.-]*:[^\s<>"{}|\\^`\p{Cc}]+$/iu

/** Reads an attribute that is an IRI. Returns undefined if the element does not have it. */
function readIri(placed: Placed, name: string, faults: Faults): string | undefined {
  const value = placed.element.attributes.get(name)?.trim()
  if (value !== undefined && (!IRI.test(value) || value.length > MOST_ID_LETTERS))
    faults.add(
      `${placed.pointer}/${name}`,
      RULES.iri,
      `be an IRI with a scheme, of at most ${MOST_ID_LETTERS} letters`,
      `The ${name} of <${placed.element.name}> in line ${placed.element.line} is no full IRI: ${JSON.stringify(value.slice(0, 100))}`,
    )
  return value
}

function readObjectives(placed: Placed, reading: Reading): Node[] {
  const { slots } = readModel(placed, 'objectives', reading.faults)
  return slots[0]!.map((objective) => {
    const { id, title, description } = readNode(objective, 'objective', reading)
    if (reading.objectives.has(id)) reportDuplicate(objective, id, RULES.objective, reading)
    reading.objectives.add(id)
    return { id, title, description }
  })
}

const reportDuplicate = ({ element, pointer }: Placed, id: string, rule: string, { faults }: Reading): void =>
  faults.add(
    `${pointer}/id`,
    rule,
    'be unique',
    `The id of <${element.name}> in line ${element.line} was used before: ${JSON.stringify(id.slice(0, 100))}`,
  )

function readItems(items: readonly Placed[], parent: string | undefined, depth: number, reading: Reading) {
  const { faults } = reading
  const [first] = items
  if (first && depth > MOST_DEPTH) {
    faults.add(
      first.pointer,
      undefined,
      `be at most ${MOST_DEPTH} blocks deep`,
      `The course has blocks more than ${MOST_DEPTH} levels deep`,
    )
    return []
  }
  return items.map((placed) => {
    if (++reading.count === MOST_ITEMS + 1)
      faults.add(
        '',
        undefined,
        `have at most ${MOST_ITEMS} AUs and blocks`,
        `The course has more than ${MOST_ITEMS} AUs and blocks`,
      )
    return placed.element.name === 'au' ? readUnit(placed, parent, reading) : readBlock(placed, parent, depth, reading)
  })
}

/** Reads what AUs and blocks have in common. */
function readItem(placed: Placed, type: 'au' | 'block', parent: string | undefined, reading: Reading) {
  const { id, title, description, model } = readNode(placed, type, reading)
  if (reading.items.has(id)) reportDuplicate(placed, id, RULES[type], reading)
  reading.items.set(id, type)
  if (parent !== undefined) reading.parents.set(id, parent)
  const item: Item = {
    ...{ id, title, description, objectives: readReferences(model.slots[2]?.[0], reading) },
    requires: readRelations(id, 'requires', model.relations, reading),
    collateralCredit: readRelations(id, 'collateralCredit', model.relations, reading),
    ...readExtensions(model.others),
  }
  return { item, slots: model.slots }
}

function readBlock(placed: Placed, parent: string | undefined, depth: number, reading: Reading): Block {
  const { item, slots } = readItem(placed, 'block', parent, reading)
  return { type: 'block', ...item, children: readItems(slots[3] ?? [], item.id, depth + 1, reading) }
}

function readUnit(placed: Placed, parent: string | undefined, reading: Reading): AssignableUnit {
  const { faults } = reading
  const { item, slots } = readItem(placed, 'au', parent, reading)
  const [, , , [url] = [], [parameters] = [], [key] = []] = slots
  const { attributes } = placed.element
  const choice = <T extends string>(name: string, values: readonly T[]): T => {
    const value = attributes.get(name) ?? values[0]!
    const found = values.find((known) => known === value.trim())
    if (!found) reportValue(placed, faults, { name, must: `be one of ${values.join(', ')}` })
    return found ?? values[0]!
  }
  const address = url && textOf(url.element)
  const path = url && checkUrl(url, address!, reading)
  const activityType = readIri(placed, 'activityType', faults)
  const masteryScore = readScore(placed, faults)
  return {
    ...{ type: 'au', ...item, url: address ?? '' },
    ...(path !== undefined && { path }),
    launchMethod: choice('launchMethod', LAUNCH_METHOD),
    moveOn: choice('moveOn', MOVE_ON),
    ...(masteryScore !== undefined && { masteryScore }),
    ...(parameters && { launchParameters: textOf(parameters.element) }),
    ...(key && { entitlementKey: textOf(key.element) }),
    ...(activityType !== undefined && { activityType }),
  }
}

const textOf = ({ text }: XmlElement): string => text.trim()

const DECIMAL = /^\+?(?:\d+(?:\.\d*)?|\.\d+)$/

/** Reads the score that is needed to pass: 0 to 1, with at most four decimals (cmi5 13.1.4). */
function readScore(placed: Placed, faults: Faults): number | undefined {
  const text = placed.element.attributes.get('masteryScore')?.trim()
  if (text === undefined) return undefined
  const value = Number(text)
  if (!DECIMAL.test(text) || value > 1) {
    reportValue(placed, faults, { name: 'masteryScore', must: 'be a decimal number from 0 to 1' })
    return undefined
  }
  const [, decimals = ''] = text.replace(/0+$/, '').split('.')
  if (decimals.length > 4)
    faults.add(
      `${placed.pointer}/masteryScore`,
      RULES.conforming,
      'have at most four decimals',
      `The masteryScore of <au> in line ${placed.element.line} has more than four decimals`,
    )
  return value
}

/** Reads the objectives of an AU or a block. */
function readReferences(placed: Placed | undefined, reading: Reading): string[] {
  if (!placed) return []
  const { slots } = readModel(placed, 'references', reading.faults)
  return slots[0]!.flatMap((reference) => {
    readModel(reference, 'reference', reading.faults)
    const id = reference.element.attributes.get('idref')?.trim()
    if (id !== undefined && !reading.objectives.has(id))
      reading.faults.add(
        `${reference.pointer}/idref`,
        RULES.conforming,
        'be the id of an objective of the course',
        `The objective in line ${reference.element.line} is not one of the course: ${JSON.stringify(id.slice(0, 100))}`,
      )
    return id ?? []
  })
}

/** Reads the ids in `<requires><require idref="…"/></requires>`, and in `collateralCredits` likewise. */
function readRelations(
  from: string,
  kind: 'requires' | 'collateralCredit',
  relations: readonly Placed[],
  { references }: Reading,
): string[] {
  const isKind = ({ name }: XmlElement) => name === kind || name === `${kind}s`
  const found = relations.flatMap(({ element, pointer }) => {
    if (!isKind(element)) return []
    const own = element.attributes.has('idref') ? [element] : element.children
    return own.flatMap((one) => {
      const to = one.attributes.get('idref')?.trim()
      if (to !== undefined) references.push({ from, to, kind, pointer })
      return to ?? []
    })
  })
  return [...new Set(found)]
}

function checkReferences({ references, items, faults }: Reading): void {
  for (const { to, kind, pointer } of references)
    if (items.get(to) !== 'au')
      faults.add(
        pointer,
        undefined,
        'name AUs of the course',
        `${kind} names ${JSON.stringify(to.slice(0, 100))}, which is no AU of the course`,
      )
}

/** Keeps the elements of other namespaces as they are. */
const readExtensions = (others: readonly Placed[]): { extensions?: readonly Extension[] } =>
  others.length === 0 ? {} : { extensions: others.map(({ element }) => extensionOf(element)) }

const extensionOf = ({ name, namespace, attributes, text, children }: XmlElement): Extension => ({
  ...{ name, namespace, attributes: Object.fromEntries(attributes), text: text.trim() },
  children: children.map(extensionOf),
})
