/** Values of IMS Simple Sequencing and of ADL's extensions. */
export const CONTROLS = [
  ...(['choice', 'choiceExit', 'flow', 'forwardOnly'] as const),
  ...(['useCurrentAttemptObjectiveInfo', 'useCurrentAttemptProgressInfo'] as const),
]
export const CONSTRAINED = ['preventActivation', 'constrainChoice'] as const
export const DELIVERY = ['tracked', 'completionSetByContent', 'objectiveSetByContent'] as const
export const TIMING = ['never', 'once', 'onEachNewAttempt'] as const
export const CONDITIONS = [
  ...(['satisfied', 'objectiveStatusKnown', 'objectiveMeasureKnown', 'objectiveMeasureGreaterThan'] as const),
  ...(['objectiveMeasureLessThan', 'completed', 'activityProgressKnown', 'attempted', 'attemptLimitExceeded'] as const),
  ...(['timeLimitExceeded', 'outsideAvailableTimeRange', 'always'] as const),
]
export const ROLLUP_CONDITIONS = [
  ...(['satisfied', 'objectiveStatusKnown', 'objectiveMeasureKnown', 'completed', 'activityProgressKnown'] as const),
  ...(['attempted', 'attemptLimitExceeded', 'timeLimitExceeded', 'outsideAvailableTimeRange', 'never'] as const),
]
export const ACTIONS = {
  preConditionRule: ['skip', 'disabled', 'hiddenFromChoice', 'stopForwardTraversal'],
  exitConditionRule: ['exit'],
  postConditionRule: ['exitParent', 'exitAll', 'retry', 'retryAll', 'continue', 'previous'],
} as const
export const ROLLUP_ACTIONS = ['satisfied', 'notSatisfied', 'completed', 'incomplete'] as const
export const CHILDREN = ['all', 'any', 'none', 'atLeastCount', 'atLeastPercent'] as const
export const REQUIRED = ['always', 'ifAttempted', 'ifNotSkipped', 'ifNotSuspended'] as const
export const REQUIRED_FOR = [
  ...(['requiredForSatisfied', 'requiredForNotSatisfied', 'requiredForCompleted', 'requiredForIncomplete'] as const),
]
/** Objectives exchange these values by IMS, and those of ADL's extension. Attributes add `read` or `write` in front. */
export const IMS_MAPS = ['SatisfiedStatus', 'NormalizedMeasure'] as const
export const ADL_MAPS = ['RawScore', 'MinScore', 'MaxScore', 'CompletionStatus', 'ProgressMeasure'] as const
export const DURATION_LIMITS = [
  ...(['attemptAbsoluteDurationLimit', 'attemptExperiencedDurationLimit'] as const),
  ...(['activityAbsoluteDurationLimit', 'activityExperiencedDurationLimit'] as const),
]
export const TIME_LIMITS = ['beginTimeLimit', 'endTimeLimit'] as const
export const DURATION = /^P(?=\d|T\d)(?:\d+Y)?(?:\d+M)?(?:\d+D)?(?:T(?=\d)(?:\d+H)?(?:\d+M)?(?:\d+(?:\.\d+)?S)?)?$/
export const TIME = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)?)?$/

export type Flags<T extends string> = { readonly [name in T]?: boolean }

export interface RuleCondition<T extends string = (typeof CONDITIONS)[number]> {
  readonly condition: T
  readonly isNegated?: true
  readonly referencedObjective?: string
  readonly measureThreshold?: number
}
export interface SequencingRule<A extends string> {
  readonly action: A
  readonly combination: 'all' | 'any'
  readonly conditions: readonly RuleCondition[]
}
export interface RollupRule {
  readonly action: (typeof ROLLUP_ACTIONS)[number]
  readonly childActivitySet: (typeof CHILDREN)[number]
  readonly minimumCount?: number
  /** From 0 to 1. */
  readonly minimumPercent?: number
  readonly combination: 'all' | 'any'
  readonly conditions: readonly RuleCondition<(typeof ROLLUP_CONDITIONS)[number]>[]
}
export type MapName = (typeof IMS_MAPS | typeof ADL_MAPS)[number]
/** Values that an objective reads from a global objective, and writes to it. */
export interface ObjectiveMap {
  readonly targetObjectiveID: string
  readonly read: readonly MapName[]
  readonly write: readonly MapName[]
}
export interface Objective {
  /** A primary objective may have none. */
  readonly objectiveID?: string
  readonly satisfiedByMeasure?: boolean
  readonly minNormalizedMeasure?: number
  readonly maps?: readonly ObjectiveMap[]
}

/** The sequencing of an item or an organisation. What the manifest does not say is absent and has its default. */
export interface Sequencing {
  readonly controlMode?: Flags<(typeof CONTROLS)[number]>
  readonly constrainedChoice?: Flags<(typeof CONSTRAINED)[number]>
  readonly deliveryControls?: Flags<(typeof DELIVERY)[number]>
  readonly preConditionRules?: readonly SequencingRule<(typeof ACTIONS)['preConditionRule'][number]>[]
  readonly exitConditionRules?: readonly SequencingRule<(typeof ACTIONS)['exitConditionRule'][number]>[]
  readonly postConditionRules?: readonly SequencingRule<(typeof ACTIONS)['postConditionRule'][number]>[]
  readonly limitConditions?: { readonly attemptLimit?: number } & {
    readonly [name in (typeof DURATION_LIMITS | typeof TIME_LIMITS)[number]]?: string
  }
  readonly rollup?: {
    readonly rollupObjectiveSatisfied?: boolean
    readonly rollupProgressCompletion?: boolean
    readonly objectiveMeasureWeight?: number
    readonly rules: readonly RollupRule[]
  }
  readonly rollupConsiderations?: { readonly [name in (typeof REQUIRED_FOR)[number]]?: (typeof REQUIRED)[number] } & {
    readonly measureSatisfactionIfActive?: boolean
  }
  readonly primaryObjective?: Objective
  readonly objectives?: readonly Objective[]
  readonly randomization?: {
    readonly randomizationTiming?: (typeof TIMING)[number]
    readonly selectionTiming?: (typeof TIMING)[number]
    readonly selectCount?: number
    readonly reorderChildren?: boolean
  }
  readonly auxiliaryResources?: readonly { readonly resourceId: string; readonly purpose: string }[]
}

/** Controls that a player can hide. */
export const HIDDEN = ['previous', 'continue', 'exit', 'exitAll', 'abandon', 'abandonAll', 'suspendAll'] as const
export type HiddenControl = (typeof HIDDEN)[number]
