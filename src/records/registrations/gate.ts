import { failWithFaults } from '../statements/faults/faults.ts'
import { identify } from '../statements/model/agents.ts'
import { type Activity, isActivity, type Statement, toArray, VOIDED } from '../statements/model/statement.ts'
import { CATEGORY, EXTENSION, type LaunchMode, RESULT_EXTENSION, VERB } from './names.ts'

/** Verbs that content may use in statements that cmi5 defines (cmi5 9.3). */
const DEFINED = ['initialized', 'completed', 'passed', 'failed', 'terminated'] as const
type DefinedVerb = (typeof DEFINED)[number]

/** The state of a launch at the gate. `used` are the verbs of cmi5 that the session has used. */
export interface GateState {
  /** The identifier of the learner, as `identify` returns it. */
  readonly actor: string
  readonly registration: string
  readonly session: string
  readonly activity: string
  /** The id that the publisher gave the unit. */
  readonly publisher: string
  readonly mode: LaunchMode
  readonly masteryScore: number | null
  readonly arePreferencesRead: boolean
  readonly used: ReadonlySet<DefinedVerb>
  /** True if a session of the registration has completed or passed the unit. */
  readonly isCompleted: boolean
  readonly isPassed: boolean
}

/** Creates the refusal of a statement that breaks a requirement of cmi5. */
export const refuse = (rule: string, pointer: string, must: string) =>
  failWithFaults([{ pointer, rule: `cmi5 ${rule}`, must: `${must} (cmi5 ${rule})` }], 'forbidden')

const SESSION_POINTER = `/context/extensions/${EXTENSION.session.replaceAll('/', '~1')}`
const MASTERY_POINTER = `/context/extensions/${EXTENSION.masteryScore.replaceAll('/', '~1')}`

/**
 * Admits a statement of a launch, or throws the requirement of cmi5 that it breaks. Returns the verb that it uses, if
 * cmi5 defines the statement. `position` is the JSON pointer of the statement.
 */
export function admitStatement(state: GateState, statement: Statement, position = ''): DefinedVerb | undefined {
  const stop = (rule: string, pointer: string, must: string) => refuse(rule, position + pointer, must)
  const { id, actor, verb, timestamp, context } = statement
  if (!state.arePreferencesRead) throw stop('11.0.0.0-3', '', 'come after the learner preferences were read')
  if (id === undefined) throw stop('9.1.0.0-1', '/id', 'be a UUID that the content assigns')
  if (verb.id === VOIDED) throw stop('6.3.0.0-1', '/verb/id', 'not be that of voiding: content voids no statements')
  if (timestamp === undefined) throw stop('9.7.0.0-1', '/timestamp', 'be sent')
  if (!/(?:Z|[+-]00(?::?00)?)$/i.test(timestamp)) throw stop('9.7.0.0-2', '/timestamp', 'be in UTC')
  if (actor.objectType === 'Group') throw stop('9.2.0.0-2', '/actor/objectType', 'be Agent')
  if (identify(actor) !== state.actor) throw stop('8.1.3.0-3', '/actor', 'be the actor of the launch')
  if (!context) throw stop('9.6.0.0-1', '/context', 'be sent, made from the context template')
  const { contextActivities = {}, extensions = {}, registration } = context
  const hasActivity = (kind: 'category' | 'grouping', iri: string) =>
    toArray<Activity>(contextActivities[kind] ?? []).some((activity) => activity.id === iri)
  if (!hasActivity('grouping', state.publisher))
    throw stop(
      '10.2.1.0-6',
      '/context/contextActivities/grouping',
      'include the activity of the context template, with the id of the publisher',
    )
  if (extensions[EXTENSION.session] === undefined) throw stop('9.6.3.1-4', SESSION_POINTER, 'be the id of the session')
  if (extensions[EXTENSION.session] !== state.session)
    throw stop('10.2.1.0-7', SESSION_POINTER, 'be the id of the session, as in the context template')
  if (registration === undefined || registration.toLowerCase() !== state.registration)
    throw stop('9.6.1.0-1', '/context/registration', 'be the registration of the launch')

  const isDefined = hasActivity('category', CATEGORY.cmi5)
  const name = DEFINED.find((one) => VERB[one] === verb.id)
  const isJudgement = name === 'completed' || name === 'passed' || name === 'failed'
  const hasMoveOn = hasActivity('category', CATEGORY.moveOn)
  if (hasMoveOn && !(isDefined && isJudgement))
    throw stop(
      '9.6.2.2-2',
      '/context/contextActivities/category',
      'include the category moveOn only with the verbs completed, passed and failed of cmi5',
    )
  if (!state.used.has('initialized') && !(isDefined && name === 'initialized'))
    throw stop('9.3.0.0-4', '/verb/id', 'be initialized in the first statement of a session')
  if (state.used.has('terminated')) throw stop('9.3.0.0-5', '/verb/id', 'not follow terminated')
  if (!isDefined) return undefined

  if (!isActivity(statement.object)) throw stop('9.4.0.0-1', '/object', 'be the activity of the launch')
  if (statement.object.id !== state.activity) throw stop('8.1.5.0-6', '/object/id', 'be the activityId of the launch')
  if (!name)
    throw stop('9.3.0.0-1', '/verb/id', 'be a verb of cmi5 that content sends, if the category says that it is')
  if (isJudgement && state.mode !== 'Normal')
    throw stop(
      state.mode === 'Browse' ? '10.2.2.0-2' : '10.2.2.0-3',
      '/verb/id',
      `not be ${name} in the launch mode ${state.mode}`,
    )
  checkResult(state, statement, { name, hasMoveOn, stop })
  checkTurn(state, name, stop)
  return name
}

type Stop = (rule: string, pointer: string, must: string) => Error

/** The requirement on `duration` of each verb that needs one (cmi5 9.5.4.1). */
const DURATION_RULE: Partial<Record<DefinedVerb, string>> = {
  terminated: '9.5.4.1-1',
  completed: '9.5.4.1-2',
  passed: '9.5.4.1-3',
  failed: '9.5.4.1-4',
}

function checkResult(
  { masteryScore }: GateState,
  { result = {}, context }: Statement,
  { name, hasMoveOn, stop }: { readonly name: DefinedVerb; readonly hasMoveOn: boolean; readonly stop: Stop },
): void {
  const { completion, success, score, duration } = result
  if (name === 'completed' && completion !== true) throw stop('9.5.3.0-1', '/result/completion', 'be true')
  if (name !== 'completed' && completion !== undefined)
    throw stop('9.5.3.0-2', '/result/completion', `be left out with the verb ${name}`)
  if (name === 'passed' && success !== true) throw stop('9.5.2.0-1', '/result/success', 'be true')
  if (name === 'failed' && success !== false) throw stop('9.5.2.0-2', '/result/success', 'be false')
  const isJudged = name === 'passed' || name === 'failed'
  if (!isJudged && success !== undefined)
    throw stop('9.5.2.0-3', '/result/success', `be left out with the verb ${name}`)
  if ((completion !== undefined || success !== undefined) && !hasMoveOn)
    throw stop('9.6.2.2-1', '/context/contextActivities/category', 'include the category moveOn')
  if (score && !isJudged) throw stop('9.5.1.0-2', '/result/score', `be left out with the verb ${name}`)
  if (score?.raw !== undefined && (score.min === undefined || score.max === undefined))
    throw stop('9.5.1.0-3', '/result/score', 'have min and max, because it has raw')
  if (score && masteryScore !== null && context?.extensions?.[EXTENSION.masteryScore] !== masteryScore)
    throw stop('9.6.3.2-2', MASTERY_POINTER, `be the mastery score ${masteryScore}`)
  const rule = DURATION_RULE[name]
  if (rule !== undefined && duration === undefined) throw stop(rule, '/result/duration', 'be sent')
  const scaled = score?.scaled
  if (masteryScore === null || scaled === undefined) return
  if (name === 'passed' && scaled < masteryScore)
    throw stop('9.3.4.0-2', '/result/score/scaled', `be at least the mastery score ${masteryScore}`)
  if (name === 'failed' && scaled >= masteryScore)
    throw stop('9.3.5.0-2', '/result/score/scaled', `be less than the mastery score ${masteryScore}`)
}

/** Checks that a verb has its turn in the session and in the registration. */
function checkTurn({ used, isCompleted, isPassed }: GateState, name: DefinedVerb, stop: Stop): void {
  if (used.has(name)) throw stop('9.3.0.0-2', '/verb/id', `not be ${name} a second time in a session`)
  if ((name === 'passed' && used.has('failed')) || (name === 'failed' && used.has('passed')))
    throw stop('9.3.0.0-3', '/verb/id', 'not be both passed and failed in a session')
  if (name === 'completed' && isCompleted)
    throw stop('9.3.0.0-6', '/verb/id', 'not be completed a second time in a registration')
  if (name === 'passed' && isPassed)
    throw stop('9.3.0.0-7', '/verb/id', 'not be passed a second time in a registration')
  if (name === 'failed' && isPassed) throw stop('9.3.0.0-8', '/verb/id', 'not be failed after passed in a registration')
}

/** Returns the scaled score of a statement as a percentage with two decimals; null if it has none. */
export const percentOf = ({ result }: Statement): number | null =>
  result?.score?.scaled === undefined ? null : Math.round(result.score.scaled * 10_000) / 100

/** Returns the progress that a statement reports, in percent (cmi5 9.5.5.1); null if it reports none. */
export function progressOf({ result }: Statement): number | null {
  const progress = result?.extensions?.[RESULT_EXTENSION.progress]
  return typeof progress === 'number' && progress >= 0 && progress <= 100 ? Math.round(progress * 100) / 100 : null
}

/** The longest duration of a session that is recorded: about 30 years, in seconds. */
const MOST_SECONDS = 1e9

/** Returns the length of an ISO 8601 duration in seconds. Years have 365 days, and months 30. */
export function secondsOf(duration: string | undefined): number | null {
  const match =
    /^P(?:([\d.,]+)Y)?(?:([\d.,]+)M)?(?:([\d.,]+)W)?(?:([\d.,]+)D)?(?:T(?:([\d.,]+)H)?(?:([\d.,]+)M)?(?:([\d.,]+)S)?)?$/.exec(
      duration ?? '',
    )
  if (!match) return null
  const units = [365 * 86_400, 30 * 86_400, 7 * 86_400, 86_400, 3600, 60, 1]
  const sum = units.reduce((sum, seconds, i) => sum + Number((match[i + 1] ?? '0').replace(',', '.')) * seconds, 0)
  return Math.min(sum, MOST_SECONDS)
}

export type { DefinedVerb }
