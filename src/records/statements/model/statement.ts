/** The xAPI version that a request uses. Functions whose rules differ between versions take it as an argument. */
export type Version = '1.0.3' | '2.0.0'

/**
 * A fault in a statement: the JSON pointer of the value (RFC 6901), the rule that it breaks, and the end of the
 * sentence "… must …".
 */
export type Fault = { pointer: string; rule: string; must: string }

/** A valid statement, with the properties of xAPI-Data 2.4. */
export type Statement = {
  id?: string
  actor: Agent
  verb: Verb
  object: StatementObject | SubStatement
  result?: Result
  context?: Context
  timestamp?: string
  stored?: string
  authority?: Agent
  version?: string
  attachments?: Attachment[]
}

/**
 * A statement that is the object of another statement. It lacks the properties that a store sets, and cannot contain a
 * sub-statement itself.
 */
export type SubStatement = Omit<Statement, 'id' | 'stored' | 'authority' | 'version' | 'object'> & {
  objectType: 'SubStatement'
  object: StatementObject
}

export type StatementObject = Activity | (Agent & { objectType: 'Agent' | 'Group' }) | StatementRef

/** An agent or a group. A group without an identifier is called anonymous. */
export type Agent = {
  objectType?: 'Agent' | 'Group'
  name?: string
  mbox?: string
  mbox_sha1sum?: string
  openid?: string
  account?: { homePage: string; name: string }
  member?: Agent[]
}

export type LanguageMap = Record<string, string>
export type Verb = { id: string; display?: LanguageMap }
export type StatementRef = { objectType: 'StatementRef'; id: string }
export type Activity = { objectType?: 'Activity'; id: string; definition?: Definition }

export type Component = { id: string; description?: LanguageMap }
export const COMPONENT_LISTS = ['choices', 'scale', 'source', 'target', 'steps'] as const
export type Definition = {
  name?: LanguageMap
  description?: LanguageMap
  type?: string
  moreInfo?: string
  interactionType?: string
  correctResponsesPattern?: string[]
  extensions?: Record<string, unknown>
} & { [list in (typeof COMPONENT_LISTS)[number]]?: Component[] }

export type Result = {
  score?: { scaled?: number; raw?: number; min?: number; max?: number }
  success?: boolean
  completion?: boolean
  response?: string
  duration?: string
  extensions?: Record<string, unknown>
}

export const CONTEXT_ACTIVITIES = ['parent', 'grouping', 'category', 'other'] as const
type ContextActivities = { [kind in (typeof CONTEXT_ACTIVITIES)[number]]?: Activity | Activity[] }
export type Context = {
  registration?: string
  instructor?: Agent
  team?: Agent
  contextActivities?: ContextActivities
  contextAgents?: { objectType: 'contextAgent'; agent: Agent; relevantTypes?: string[] }[]
  contextGroups?: { objectType: 'contextGroup'; group: Agent; relevantTypes?: string[] }[]
  revision?: string
  platform?: string
  language?: string
  statement?: StatementRef
  extensions?: Record<string, unknown>
}

export type Attachment = {
  usageType: string
  display: LanguageMap
  description?: LanguageMap
  contentType: string
  length: number
  sha2: string
  fileUrl?: string
}

/** Returns the IRI of a verb that ADL defines. */
export const adlVerb = (name: string): string => `http://adlnet.gov/expapi/verbs/${name}`

/** The verb of voiding statements, the only verb that the specification reserves (xAPI-Data 2.3.2). */
export const VOIDED = adlVerb('voided')

/** The usageType of an attachment that is the signature of its statement (xAPI-Data 2.6). */
export const SIGNATURE = 'http://adlnet.gov/expapi/attachments/signature'

export const isSubStatement = (object: Statement['object']): object is SubStatement =>
  object.objectType === 'SubStatement'
export const isAgent = (object: Statement['object']): object is Agent & { objectType: 'Agent' | 'Group' } =>
  object.objectType === 'Agent' || object.objectType === 'Group'
export const isStatementRef = (object: Statement['object']): object is StatementRef =>
  object.objectType === 'StatementRef'
export const isActivity = (object: Statement['object']): object is Activity =>
  object.objectType === undefined || object.objectType === 'Activity'

/**
 * Wraps a single value in an array. A single context activity is stored as an array with one element (xAPI-Data
 * 2.4.6.2).
 */
export const toArray = <T>(value: T | T[]): T[] => (Array.isArray(value) ? value : [value])

/** Lists the attachments of a statement and of its sub-statement. */
export const attachmentsOf = ({ attachments = [], object }: Statement): Attachment[] =>
  isSubStatement(object) ? [...attachments, ...(object.attachments ?? [])] : attachments
