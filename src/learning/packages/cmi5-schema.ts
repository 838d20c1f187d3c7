import type { Languages } from './languages.ts'
import type { Faults } from './refusals.ts'
import type { Placed, XmlElement } from './xml.ts'

export const CMI5 = 'https://w3id.org/xapi/profiles/cmi5/v1/CourseStructure.xsd'
/** The requirement that a course structure conforms to CourseStructure.xsd. */
const SCHEMA = '13.2.0.0-1'

/** Children of an element that follow each other in the schema. */
interface Slot {
  readonly names: readonly string[]
  readonly isOptional?: boolean
  readonly isRepeated?: boolean
}

interface Model {
  readonly slots: readonly Slot[]
  readonly attributes?: readonly string[]
  /** Attributes without which an element of this type is not valid. */
  readonly required?: readonly string[]
  /** Whether the children may be in any order. */
  readonly isUnordered?: boolean
  /** Whether elements of other namespaces may follow. */
  readonly isClosed?: boolean
}

const one = (...names: string[]): Slot => ({ names })
const optional = (...names: string[]): Slot => ({ names, isOptional: true })
const several = (...names: string[]): Slot => ({ names, isRepeated: true })

const TEXTS = [one('title'), one('description')]

/** The types of CourseStructure.xsd. */
const MODELS = {
  courseStructure: { slots: [one('course'), optional('objectives'), several('au', 'block')] },
  course: { slots: TEXTS, attributes: ['id'], required: ['id'] },
  objectives: { slots: [several('objective')] },
  objective: { slots: TEXTS, attributes: ['id'], required: ['id'], isUnordered: true, isClosed: true },
  references: { slots: [several('objective')] },
  reference: { slots: [], attributes: ['idref'], isClosed: true },
  block: {
    slots: [...TEXTS, optional('objectives'), several('au', 'block')],
    attributes: ['id'],
    required: ['id'],
  },
  au: {
    slots: [
      ...[...TEXTS, optional('objectives')],
      ...[one('url'), optional('launchParameters'), optional('entitlementKey')],
    ],
    attributes: ['id', 'moveOn', 'masteryScore', 'launchMethod', 'activityType'],
    required: ['id'],
  },
  texts: { slots: [several('langstring')] },
} as const satisfies Record<string, Model>

/**
 * Elements of the extensions `requires` and `collateralCredit`. They extend the schema of au and block itself, so they
 * are accepted there in the namespace of cmi5 and in every other, at any position.
 */
const EXTENSIONS = new Set(['requires', 'collateralCredits', 'collateralCredit'])

const isRelation = ({ name }: XmlElement): boolean => EXTENSIONS.has(name)
const isOurs = ({ namespace }: XmlElement) => namespace === CMI5
const say = ({ name, line }: XmlElement) => `<${name}> in line ${line}`

/** Checks an element against its type. Returns its children in the namespace of cmi5, by name, and the others. */
export function readModel({ element, pointer }: Placed, type: keyof typeof MODELS, faults: Faults) {
  const model: Model = MODELS[type]
  const report = (must: string, message: string, at = pointer) => faults.add(at, SCHEMA, must, message)
  for (const name of element.attributes.keys())
    if (!name.startsWith('{') && !model.attributes?.includes(name))
      report(`have no attribute ${name}`, `${say(element)} has the attribute ${name}, which does not exist`)
  for (const name of model.required ?? [])
    if (!element.attributes.has(name)) report(`have the attribute ${name}`, `${say(element)} has no attribute ${name}`)
  if (element.text.trim() !== '')
    report('have no text between its elements', `${say(element)} has text between its elements`)

  const counts = new Map<string, number>()
  const children: Placed[] = element.children.map((child) => {
    const count = (counts.get(child.name) ?? 0) + 1
    counts.set(child.name, count)
    return { element: child, pointer: `${pointer}/${child.name}${count > 1 ? `/${count}` : ''}` }
  })
  const hasRelations = type === 'au' || type === 'block'
  const relations = hasRelations ? children.filter((child) => isRelation(child.element)) : []
  const rest = children.filter((child) => !relations.includes(child))
  const bySlot = fill(model, rest, { element, report })
  const others = bySlot.others
  for (const { element: other, pointer: at } of others)
    if (isOurs(other) || other.namespace === '' || model.isClosed)
      report('have no other elements', `${say(other)} is not expected in <${element.name}>, or not at this place`, at)
  return { slots: bySlot.slots, relations, others: others.filter((other) => !isOurs(other.element)) }
}

type Report = (must: string, message: string, at?: string) => void

/** Divides the children among the slots of their parent's type. */
function fill(
  { slots, isUnordered = false }: Model,
  children: readonly Placed[],
  { element, report }: { element: XmlElement; report: Report },
) {
  const fits = ({ names }: Slot, { element: child }: Placed) => isOurs(child) && names.includes(child.name)
  let left = children
  const filled = slots.map((slot) => {
    let found: readonly Placed[]
    if (isUnordered) {
      found = left.filter((child) => fits(slot, child))
      left = left.filter((child) => !fits(slot, child))
    } else {
      const end = left.findIndex((child) => !fits(slot, child))
      const count = end === -1 ? left.length : end
      found = left.slice(0, slot.isRepeated ? count : Math.min(count, 1))
      left = left.slice(found.length)
    }
    const names = slot.names.map((name) => `<${name}>`).join(' or ')
    if (found.length === 0 && !slot.isOptional)
      report(`have ${names}`, `${say(element)} has no ${names}, or not at its place`)
    if (found.length > 1 && !slot.isRepeated) report(`have one ${names}`, `${say(element)} has several ${names}`)
    return found
  })
  return { slots: filled, others: left }
}

/** The attribute that XML itself has for languages. The schema allows it, and some authors use it instead. */
const XML_LANG = '{http://www.w3.org/XML/1998/namespace}lang'
const LANGUAGE = /^[a-z]{1,8}(?:-[a-z0-9]{1,8})*$/i

/** Reads a title or a description. */
export function readTexts(placed: Placed | undefined, faults: Faults): Languages {
  const texts: Record<string, string> = Object.create(null)
  if (!placed) return texts
  const { slots } = readModel(placed, 'texts', faults)
  for (const { element, pointer } of slots[0]!) {
    const tag = (element.attributes.get('lang') ?? element.attributes.get(XML_LANG))?.trim()
    for (const name of element.attributes.keys())
      if (!name.startsWith('{') && name !== 'lang')
        faults.add(pointer, SCHEMA, `have no attribute ${name}`, `${say(element)} has the attribute ${name}`)
    if (element.children.length > 0)
      faults.add(pointer, SCHEMA, 'have no elements', `${say(element)} has elements instead of text`)
    if (tag !== undefined && !LANGUAGE.test(tag))
      faults.add(
        pointer,
        SCHEMA,
        'have a language tag such as en-US',
        `${say(element)} has the language "${tag.slice(0, 40)}"`,
      )
    texts[tag ?? 'und'] ??= element.text.trim()
  }
  return texts
}

/** Reports a value that the schema does not allow. */
export const reportValue = (placed: Placed, faults: Faults, what: { name: string; must: string }): void =>
  faults.add(
    `${placed.pointer}/${what.name}`,
    SCHEMA,
    what.must,
    `The ${what.name} of ${say(placed.element)} must ${what.must}`,
  )
