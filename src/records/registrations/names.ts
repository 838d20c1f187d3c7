/** IRIs that cmi5 defines. */
const CONTEXT = 'https://w3id.org/xapi/cmi5/context'
const ADL = 'http://adlnet.gov/expapi/verbs'
const ADL_CMI5 = 'https://w3id.org/xapi/adl/verbs'

export const CATEGORY = { cmi5: `${CONTEXT}/categories/cmi5`, moveOn: `${CONTEXT}/categories/moveon` } as const

export const EXTENSION = {
  session: `${CONTEXT}/extensions/sessionid`,
  masteryScore: `${CONTEXT}/extensions/masteryscore`,
  launchMode: `${CONTEXT}/extensions/launchmode`,
  launchUrl: `${CONTEXT}/extensions/launchurl`,
  moveOn: `${CONTEXT}/extensions/moveon`,
  launchParameters: `${CONTEXT}/extensions/launchparameters`,
} as const

export const RESULT_EXTENSION = {
  reason: 'https://w3id.org/xapi/cmi5/result/extensions/reason',
  progress: 'https://w3id.org/xapi/cmi5/result/extensions/progress',
} as const

export const VERB = {
  launched: `${ADL}/launched`,
  initialized: `${ADL}/initialized`,
  completed: `${ADL}/completed`,
  passed: `${ADL}/passed`,
  failed: `${ADL}/failed`,
  terminated: `${ADL}/terminated`,
  abandoned: `${ADL_CMI5}/abandoned`,
  waived: `${ADL_CMI5}/waived`,
  satisfied: `${ADL_CMI5}/satisfied`,
} as const

export const ACTIVITY_TYPE = {
  course: 'https://w3id.org/xapi/cmi5/activitytype/course',
  block: 'https://w3id.org/xapi/cmi5/activitytype/block',
} as const

/** The State document with what content has to know about its launch (cmi5 10). */
export const LAUNCH_DATA = 'LMS.LaunchData'
/** The Agent Profile document with the learner's preferences (cmi5 11). */
export const PREFERENCES = 'cmi5LearnerPreferences'

export const LAUNCH_MODES = ['Normal', 'Browse', 'Review'] as const
export type LaunchMode = (typeof LAUNCH_MODES)[number]
export type MoveOn = 'NotApplicable' | 'Passed' | 'Completed' | 'CompletedAndPassed' | 'CompletedOrPassed'
