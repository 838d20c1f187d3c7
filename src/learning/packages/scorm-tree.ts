import type { ReadItem } from './importing.ts'
import { inEnglish } from './languages.ts'
import type { ItemSettings } from './scorm-items.ts'
import type { ScormStructure } from './scorm-structure.ts'
import type { Objective, RuleCondition, Sequencing } from './scorm-vocabulary.ts'

/** An objective in the settings of `scorm-again`. */
interface ObjectiveSettings {
  objectiveID: string
  isPrimary?: boolean
  satisfiedByMeasure: boolean
  minNormalizedMeasure: number | null
  mapInfo: ({ targetObjectiveID: string } & Record<string, string | boolean>)[]
}
interface ConditionSettings {
  condition: string
  operator?: 'not'
  referencedObjective?: string
  parameters?: { threshold: number }
}
interface RuleSettings {
  action: string
  conditionCombination: 'all' | 'any'
  conditions: ConditionSettings[]
}
interface RollupRuleSettings extends RuleSettings {
  consideration: string
  minimumCount?: number
  minimumPercent?: number
}

/** An activity in the settings of `scorm-again`. */
interface ActivitySettings {
  id: string
  title: string
  isVisible: boolean
  attemptLimit?: number
  attemptAbsoluteDurationLimit?: string
  activityAbsoluteDurationLimit?: string
  beginTimeLimit?: string
  endTimeLimit?: string
  timeLimitAction?: string
  primaryObjective?: ObjectiveSettings
  objectives?: ObjectiveSettings[]
  sequencingControls: Record<string, boolean | number | string>
  deliveryControls: { tracked: boolean; completionSetByContent: boolean; objectiveSetByContent: boolean }
  sequencingRules?: {
    preConditionRules: RuleSettings[]
    exitConditionRules: RuleSettings[]
    postConditionRules: RuleSettings[]
  }
  rollupRules?: { rules: RollupRuleSettings[] }
  rollupConsiderations?: Sequencing['rollupConsiderations']
  completionThreshold?: ItemSettings['completionThreshold']
  hideLmsUi?: string[]
  auxiliaryResources?: { resourceId: string; purpose: string }[]
  sharedDataMaps?: { targetID: string; readSharedData: boolean; writeSharedData: boolean }[]
  children?: ActivitySettings[]
}

/** The course of a package, and its items in the order of the document. */
interface SequencedPackage {
  readonly structure: Pick<ScormStructure, 'title' | 'organisation'>
  readonly items: readonly Pick<ReadItem, 'position' | 'parent' | 'item'>[]
}

/** Returns the setting `sequencing` of `scorm-again` for a package of SCORM 2004. */
export function activityTree({ structure, items }: SequencedPackage): { activityTree: ActivitySettings } {
  const { organisation, title } = structure
  const root = toActivity({ ...organisation, title: inEnglish(title) })
  const byPosition = new Map<number | null, ActivitySettings>([[null, root]])
  for (const { position, parent, item } of items) {
    const activity = toActivity({ ...item, title: inEnglish(item.title) })
    byPosition.set(position, activity)
    const holder = byPosition.get(parent)
    if (!holder) throw new Error(`item ${position} of ${organisation.id} comes before its parent`)
    holder.children ??= []
    holder.children.push(activity)
  }
  return { activityTree: root }
}

type NamedItem = ItemSettings & { readonly id: string; readonly title: string; readonly sequencing?: Sequencing }

/** Settings are complete, because some defaults of `scorm-again`, such as `flow`, are not those of SCORM. */
function toActivity({ id, title, sequencing = {}, ...item }: NamedItem): ActivitySettings {
  const { limitConditions: limits = {}, deliveryControls, rollup, rollupConsiderations } = sequencing
  const { primaryObjective: primary, objectives = [] } = sequencing
  const { attemptAbsoluteDurationLimit: attempt, activityAbsoluteDurationLimit: activity } = limits
  return {
    ...{ id, title, isVisible: item.isVisible ?? true },
    ...(limits.attemptLimit !== undefined && { attemptLimit: limits.attemptLimit }),
    ...(attempt !== undefined && { attemptAbsoluteDurationLimit: inHundredths(attempt) }),
    ...(activity !== undefined && { activityAbsoluteDurationLimit: inHundredths(activity) }),
    ...(limits.beginTimeLimit !== undefined && { beginTimeLimit: limits.beginTimeLimit }),
    ...(limits.endTimeLimit !== undefined && { endTimeLimit: limits.endTimeLimit }),
    ...(item.timeLimitAction !== undefined && { timeLimitAction: item.timeLimitAction }),
    ...(primary && isUsed(primary) && { primaryObjective: { ...toObjective(primary), isPrimary: true } }),
    ...(objectives.length > 0 && { objectives: objectives.map(toObjective) }),
    sequencingControls: toControls(sequencing),
    deliveryControls: {
      ...{ tracked: true, completionSetByContent: false, objectiveSetByContent: false, ...deliveryControls },
    },
    ...toRules(sequencing),
    ...(rollup && rollup.rules.length > 0 && { rollupRules: { rules: toRollupRules(rollup) } }),
    ...(rollupConsiderations && { rollupConsiderations }),
    ...(item.completionThreshold && { completionThreshold: item.completionThreshold }),
    ...(item.hideLMSUI && { hideLmsUi: [...item.hideLMSUI] }),
    ...(sequencing.auxiliaryResources && { auxiliaryResources: [...sequencing.auxiliaryResources] }),
    ...(item.data && { sharedDataMaps: [...item.data] }),
  }
}

/** Durations of `scorm-again` have at most two decimals. */
const inHundredths = (duration: string): string => duration.replace(/(\.\d\d)\d+S$/, '$1S')

function toControls(sequencing: Sequencing): ActivitySettings['sequencingControls'] {
  const { controlMode, constrainedChoice, rollup, randomization = {} } = sequencing
  const { selectionTiming = 'never', randomizationTiming = 'never', selectCount, reorderChildren } = randomization
  return {
    ...{ choice: true, choiceExit: true, flow: false, forwardOnly: false },
    ...{ useCurrentAttemptObjectiveInfo: true, useCurrentAttemptProgressInfo: true, ...controlMode },
    ...{ preventActivation: false, constrainChoice: false, ...constrainedChoice },
    rollupObjectiveSatisfied: rollup?.rollupObjectiveSatisfied ?? true,
    rollupProgressCompletion: rollup?.rollupProgressCompletion ?? true,
    objectiveMeasureWeight: rollup?.objectiveMeasureWeight ?? 1,
    ...{ selectionTiming, randomizationTiming, ...(selectCount !== undefined && { selectCount }) },
    // Its `reorderChildren` is a state, which says that the children were reordered.
    randomizeChildren: randomizationTiming !== 'never' && (reorderChildren ?? false),
  }
}

/** A primary objective without an id that says nothing is the same as none. */
const isUsed = (objective: Objective): boolean =>
  objective.objectiveID !== undefined ||
  objective.satisfiedByMeasure !== undefined ||
  objective.minNormalizedMeasure !== undefined ||
  objective.maps !== undefined

/** The id of a primary objective that has none: `scorm-again` demands one, and does not show it to content. */
const NO_ID = ' '

function toObjective({ objectiveID, satisfiedByMeasure = false, ...objective }: Objective): ObjectiveSettings {
  const { minNormalizedMeasure, maps = [] } = objective
  return {
    objectiveID: objectiveID ?? NO_ID,
    satisfiedByMeasure,
    // The default of IMS; without it, `scorm-again` keeps what it had.
    minNormalizedMeasure: minNormalizedMeasure ?? (satisfiedByMeasure ? 1 : null),
    mapInfo: maps.map(({ targetObjectiveID, read, write }) => ({
      targetObjectiveID,
      ...Object.fromEntries(MAPPED.map((name) => [`read${name}`, read.includes(name)])),
      ...Object.fromEntries(MAPPED.map((name) => [`write${name}`, write.includes(name)])),
    })),
  }
}

const MAPPED = [
  ...(['SatisfiedStatus', 'NormalizedMeasure', 'CompletionStatus', 'ProgressMeasure'] as const),
  ...(['RawScore', 'MinScore', 'MaxScore'] as const),
]

function toRules(sequencing: Sequencing): Pick<ActivitySettings, 'sequencingRules'> {
  const { preConditionRules = [], exitConditionRules = [], postConditionRules = [] } = sequencing
  if (preConditionRules.length + exitConditionRules.length + postConditionRules.length === 0) return {}
  type Rules = NonNullable<
    Sequencing['preConditionRules'] | Sequencing['exitConditionRules'] | Sequencing['postConditionRules']
  >
  const toRule = ({ action, combination, conditions }: Rules[number]): RuleSettings => ({
    ...{ action, conditionCombination: combination, conditions: conditions.map(toCondition) },
  })
  return {
    sequencingRules: {
      preConditionRules: preConditionRules.map(toRule),
      exitConditionRules: exitConditionRules.map(toRule),
      postConditionRules: postConditionRules.map(toRule),
    },
  }
}

const toCondition = (one: RuleCondition<string>): ConditionSettings => ({
  condition: one.condition,
  ...(one.isNegated && { operator: 'not' }),
  ...(one.referencedObjective !== undefined && { referencedObjective: one.referencedObjective }),
  ...(one.measureThreshold !== undefined && { parameters: { threshold: one.measureThreshold } }),
})

const toRollupRules = ({ rules }: NonNullable<Sequencing['rollup']>): RollupRuleSettings[] =>
  rules.map(({ action, childActivitySet, minimumCount, minimumPercent, combination, conditions }) => ({
    ...{ action, conditionCombination: combination, consideration: childActivitySet },
    ...(minimumCount !== undefined && { minimumCount }),
    ...(minimumPercent !== undefined && { minimumPercent: minimumPercent * 100 }),
    conditions: conditions.map((one) => {
      const condition = toCondition(one)
      // It has another name in rules of rollup.
      return one.condition === 'activityProgressKnown' ? { ...condition, condition: 'progressKnown' } : condition
    }),
  }))
