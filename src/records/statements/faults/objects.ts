import { isUuid } from '../model/forms.ts'
import { COMPONENT_LISTS } from '../model/statement.ts'
import { checkActor } from './agents.ts'
import {
  array,
  type Check,
  checkArray,
  checkPresent,
  checkShape,
  extensions,
  type Faults,
  iri,
  isObject,
  type Json,
  languageMap,
  type Shape,
  text,
  word,
} from './checks.ts'

export const uuid = (rule: string): Check =>
  text(rule, 'be a UUID, such as "fd41c918-b88b-4b20-a0a5-a4c32391aaa0"', isUuid)

const VERB: Shape = new Map([
  ['id', iri('XAPI-00044')],
  ['display', languageMap('XAPI-00045')],
])

export const checkVerb: Check = (value, faults) => {
  if (checkShape(value, faults, 'XAPI-00006', 'a verb', VERB)) checkPresent(value, faults, { id: 'XAPI-00044' })
}

const COMPONENT: Shape = new Map([
  ['id', text('XAPI-00006')],
  ['description', languageMap('XAPI-00006')],
])

const checkComponent: Check = (value, faults) => {
  if (checkShape(value, faults, 'XAPI-00006', 'an interaction component', COMPONENT))
    checkPresent(value, faults, { id: 'interaction-component-id' })
}

const checkComponents: Check = (value, faults) => {
  if (!checkArray(value, faults, 'XAPI-00006', 'interaction components', checkComponent)) return
  const seen = new Set<unknown>()
  for (let i = 0; i < value.length; i++) {
    const id = isObject(value[i]) ? (value[i] as Json).id : undefined
    if (id !== undefined && seen.has(id))
      faults.add('interaction-components-distinct', 'differ from those before it in the list', i, 'id')
    seen.add(id)
  }
}

const INTERACTION_TYPES =
  'true-false choice fill-in long-fill-in matching performance sequencing likert numeric other'.split(' ')

const DEFINITION: Shape = new Map([
  ['name', languageMap('XAPI-00056')],
  ['description', languageMap('XAPI-00059')],
  ['type', iri('XAPI-00060')],
  ['moreInfo', iri('XAPI-00061')],
  ['extensions', extensions('XAPI-00057')],
  ['interactionType', word('XAPI-00049', ...INTERACTION_TYPES)],
  ['correctResponsesPattern', array('XAPI-00006', 'texts', text('XAPI-00006'))],
  ...COMPONENT_LISTS.map((list): [string, Check] => [list, checkComponents]),
])

// The component lists need not match the interaction type: the specification leaves that open, and existing tools
// differ.
const checkDefinition: Check = (value, faults) => {
  if (!checkShape(value, faults, 'XAPI-00048', 'the definition of an activity', DEFINITION)) return
  if (value.interactionType !== undefined) return
  if (value.correctResponsesPattern !== undefined || COMPONENT_LISTS.some((list) => value[list] !== undefined))
    faults.add('XAPI-00049', 'be present: an interaction has a type', 'interactionType')
}

const ACTIVITY: Shape = new Map([
  ['objectType', word('XAPI-00046', 'Activity')],
  ['id', iri('XAPI-00047')],
  ['definition', checkDefinition],
])

export const checkActivity: Check = (value, faults) => {
  if (checkShape(value, faults, 'XAPI-00006', 'an activity', ACTIVITY))
    checkPresent(value, faults, { id: 'XAPI-00047' })
}

const STATEMENT_REF: Shape = new Map([
  ['objectType', word('XAPI-00073', 'StatementRef')],
  ['id', uuid('XAPI-00072')],
])

export const checkStatementRef: Check = (value, faults) => {
  if (checkShape(value, faults, 'XAPI-00092', 'a reference to a statement', STATEMENT_REF))
    checkPresent(value, faults, { objectType: 'XAPI-00073', id: 'XAPI-00072' })
}

const KINDS: ReadonlyMap<unknown, Check> = new Map([
  ['Activity', checkActivity],
  ['Agent', checkActor],
  ['Group', checkActor],
  ['StatementRef', checkStatementRef],
])

/**
 * Checks an object by its objectType. `subStatement` checks a sub-statement; it is left out inside a sub-statement,
 * where another one is not allowed.
 */
export function checkObject(value: unknown, faults: Faults, subStatement?: Check): void {
  const type = isObject(value) ? (value.objectType ?? 'Activity') : undefined
  const check = type === 'SubStatement' ? (subStatement ?? refuseNesting) : KINDS.get(type)
  if (check) check(value, faults)
  else if (type === undefined) faults.add('XAPI-00006', 'be an object')
  else faults.add('XAPI-00046', `be one of ${[...KINDS.keys(), 'SubStatement'].join(', ')}`, 'objectType')
}

const refuseNesting: Check = (_, faults) => faults.add('XAPI-00071', 'not be a sub-statement: it is already inside one')
