import { isLanguageTag } from '../model/forms.ts'
import { CONTEXT_ACTIVITIES } from '../model/statement.ts'
import { checkActor, checkAgentAlone, checkTeam } from './agents.ts'
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
  type Shape,
  text,
  word,
} from './checks.ts'
import { checkActivity, checkStatementRef, uuid } from './objects.ts'

/** Checks an array of activities, or a single activity, as version 0.95 had it. */
const checkActivities: Check = (value, faults) =>
  Array.isArray(value)
    ? void checkArray(value, faults, 'XAPI-00094', 'activities', checkActivity)
    : checkActivity(value, faults)

const CONTEXT_ACTIVITY_SHAPE: Shape = new Map(CONTEXT_ACTIVITIES.map((kind) => [kind, checkActivities]))

const contextActivities: Check = (value, faults) =>
  void checkShape(value, faults, 'XAPI-00086', 'contextActivities', CONTEXT_ACTIVITY_SHAPE, 'XAPI-00093')

const relevantType = iri('context-relevant-types')
const relevantTypes: Check = (value, faults) => {
  const what = 'IRIs of activity types'
  if (checkArray(value, faults, 'context-relevant-types', what, relevantType) && value.length === 0)
    faults.add('context-relevant-types', `list at least one, or be left out: ${what}`)
}

/** Makes a check for an entry of contextAgents or contextGroups, which version 2.0 added. */
function contextEntry(objectType: string, property: string, check: Check): Check {
  const rule = `${objectType}s`
  const shape: Shape = new Map([
    ['objectType', word(rule, objectType)],
    [property, check],
    ['relevantTypes', relevantTypes],
  ])
  return (value, faults) => {
    if (checkShape(value, faults, rule, `a ${objectType}`, shape))
      checkPresent(value, faults, { objectType: rule, [property]: rule })
  }
}

const CONTEXT: Shape = new Map([
  ['registration', uuid('XAPI-00087')],
  ['instructor', checkActor],
  ['team', checkTeam],
  ['contextActivities', contextActivities],
  ['revision', text('XAPI-00089')],
  ['platform', text('XAPI-00090')],
  ['language', text('XAPI-00091', 'be a language tag by RFC 5646, such as "en-US"', isLanguageTag)],
  ['statement', checkStatementRef],
  ['extensions', extensions('XAPI-00078')],
])

const CONTEXT_2: Shape = new Map([
  ...CONTEXT,
  ['contextAgents', array('contextAgents', 'contextAgents', contextEntry('contextAgent', 'agent', checkAgentAlone))],
  ['contextGroups', array('contextGroups', 'contextGroups', contextEntry('contextGroup', 'group', checkTeam))],
])

export const checkContext: Check = (value, faults) =>
  void checkShape(value, faults, 'XAPI-00006', 'a context', faults.version === '2.0.0' ? CONTEXT_2 : CONTEXT)

/** Checks that `revision` and `platform` are present only if the object is an activity. */
export function checkContextFits(context: unknown, object: unknown, faults: Faults): void {
  if (!isObject(context) || !isObject(object) || (object.objectType ?? 'Activity') === 'Activity') return
  const must = 'be left out: the object of the statement is not an activity'
  if (context.revision !== undefined) faults.add('XAPI-00084', must, 'context', 'revision')
  if (context.platform !== undefined) faults.add('XAPI-00085', must, 'context', 'platform')
}
