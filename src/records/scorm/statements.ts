import { randomUUID } from 'node:crypto'
import {
  durationText,
  type ItemNames,
  itemIri,
  packageIri,
  type StatementContext,
} from '../registrations/statements.ts'
import { accountAgent, MADE_VERSION, typeIri } from '../statements/model/names.ts'
import { type Activity, adlVerb, type Definition, type Result, type Statement } from '../statements/model/statement.ts'
import type { NewStatement } from '../statements/storing/schema.ts'
import { type Interaction, type ItemObjective, interactionTypeOf, successOf } from './rules.ts'

/** IRIs of ADL's xAPI profile for SCORM. */
const PROFILE = 'https://w3id.org/xapi/scorm'
const ATTEMPT_TYPE = 'http://adlnet.gov/expapi/activities/attempt'
const INTERACTION_TYPE = 'http://adlnet.gov/expapi/activities/cmi.interaction'
const OBJECTIVE_TYPE = 'http://adlnet.gov/expapi/activities/objective'

/** An item of a package in a session. */
export interface ItemContext extends StatementContext {
  readonly item: ItemNames
  /** The session, which the profile calls an attempt. */
  readonly session: string
}

export type ScormVerb =
  | 'initialized'
  | 'resumed'
  | 'suspended'
  | 'terminated'
  | 'completed'
  | 'passed'
  | 'failed'
  | 'scored'

const iriOf = ({ bases, package: key, item }: ItemContext) =>
  itemIri(bases, { package: key, position: item.position, lesson: item.lesson })

function itemActivity(context: ItemContext): Activity {
  const { bases, item } = context
  const name = Object.keys(item.title).length > 0 ? { name: item.title } : {}
  return { objectType: 'Activity', id: iriOf(context), definition: { ...name, type: typeIri(bases, 'lesson') } }
}

function make(
  context: ItemContext,
  verb: string,
  object: Activity,
  result: Result | undefined,
  parent: readonly Activity[],
): NewStatement {
  const { bases, handle, registration, at, links, item, session } = context
  const grouping: Activity[] = [
    { objectType: 'Activity', id: packageIri(bases, context.package) },
    {
      objectType: 'Activity',
      id: `${iriOf(context)}?attemptId=${session}`,
      definition: { type: ATTEMPT_TYPE },
    },
  ]
  const statement: Statement & { id: string } = {
    id: randomUUID(),
    actor: accountAgent(bases.homePage, handle),
    verb: { id: verb, display: { en: verb.split('/').at(-1)! } },
    object,
    ...(result && Object.keys(result).length > 0 && { result }),
    context: {
      registration,
      contextActivities: {
        ...(parent.length > 0 && { parent: [...parent] }),
        grouping,
        category: [{ objectType: 'Activity', id: PROFILE }],
      },
    },
    timestamp: at.toISOString(),
    authority: accountAgent(bases.homePage, `package:${context.package}`),
    version: MADE_VERSION,
  }
  return { statement, links: { ...links, ...(item.lessonId === null ? {} : { lesson: item.lessonId }) } }
}

/** Creates a statement about an item of the package. */
export const sayItem = (context: ItemContext, verb: ScormVerb, result?: Result): NewStatement =>
  make(context, adlVerb(verb), itemActivity(context), result, [])

/** Creates the statement about an answer of the student. */
export function sayInteraction(context: ItemContext, interaction: Interaction): NewStatement {
  const { id, description, response, correct, latencySeconds } = interaction
  const success = successOf(interaction)
  const score = numeric(interaction.result)
  const definition: Definition = {
    type: INTERACTION_TYPE,
    interactionType: interactionTypeOf(interaction),
    ...(description !== undefined && { description: { und: description } }),
    ...(correct.length > 0 && { correctResponsesPattern: [...correct] }),
  }
  const object: Activity = {
    objectType: 'Activity',
    id: `${iriOf(context)}/interaction/${encodeURIComponent(id)}`,
    definition,
  }
  const result: Result = {
    ...(response !== undefined && { response }),
    ...(success !== undefined && { success }),
    ...(score !== undefined && { score: { raw: score } }),
    ...(latencySeconds !== null && { duration: durationText(latencySeconds) }),
  }
  return make(context, adlVerb('responded'), object, result, [{ objectType: 'Activity', id: iriOf(context) }])
}

const numeric = (text: string | undefined): number | undefined =>
  text !== undefined && /^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : undefined

/** Creates the statement about the state of an objective; undefined if nothing is known about it yet. */
export function sayObjective(context: ItemContext, objective: ItemObjective): NewStatement | undefined {
  const { id, description, score, completion, success } = objective
  const verb = success === true ? 'passed' : success === false ? 'failed' : completion ? 'completed' : 'scored'
  if (verb === 'scored' && !score) return undefined
  const object: Activity = {
    objectType: 'Activity',
    id: `${iriOf(context)}/objective/${encodeURIComponent(id)}`,
    definition: { type: OBJECTIVE_TYPE, ...(description !== undefined && { description: { und: description } }) },
  }
  const result: Result = {
    ...(score && { score }),
    ...(success !== undefined && { success }),
    ...(completion !== undefined && { completion }),
  }
  return make(context, adlVerb(verb), object, result, [{ objectType: 'Activity', id: iriOf(context) }])
}
