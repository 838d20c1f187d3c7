import type { Member } from '../../../kernel/caller.ts'
import { service } from '../../../kernel/environment.ts'
import type { Agent, Verb } from './statement.ts'

/** The kinds of records of the platform that a statement can be about. */
export const RECORD_TYPES = [
  'course',
  'lesson',
  'lesson-result',
  'objective',
  'badge',
  'student',
  'education-class',
  'user',
] as const
export type RecordType = (typeof RECORD_TYPES)[number]

/** The IRI bases under which statements name the platform's own things. */
export interface Bases {
  /** The home page of accounts. */
  readonly homePage: string
  /** `{objects}/lesson` is the type of a lesson, `{objects}/lesson/{id}` a lesson. */
  readonly objects: string
  /** `{apiIds}/lesson` is the extension that holds a lessonId. */
  readonly apiIds: string
  /** `{verbs}/perfect-sequence` is a verb that v1 sends as words. */
  readonly verbs: string
}

export const bases = service(
  ({ config, url }): Bases => ({
    homePage: config.XAPI_HOME_PAGE ?? url,
    objects: config.XAPI_OBJECTS_BASE ?? `${url}/xapi/objects`,
    apiIds: config.XAPI_API_ID_BASE ?? `${url}/xapi/api-id`,
    verbs: `${url}/xapi/verbs`,
  }),
)

export const typeIri = ({ objects }: Bases, type: string): string => `${objects}/${type}`
export const recordIri = ({ objects }: Bases, type: RecordType, id: string): string =>
  `${objects}/${type}/${encodeURIComponent(id)}`
/** The key of the extension that holds the platform's id of a record. */
export const idExtension = ({ apiIds }: Bases, type: string): string => `${apiIds}/${type}`

/** The agent of an account under a home page, with the name that people read. */
export const accountAgent = (homePage: string, account: string, name?: string): Agent => ({
  objectType: 'Agent',
  ...(name === undefined ? {} : { name }),
  account: { homePage, name: account },
})

/** The account that the platform's own statements are asserted by. */
export const PLATFORM_ACCOUNT = 'groundschool'

/** The version of the statements that the platform itself makes. */
export const MADE_VERSION = '2.0.0'

/** Identifies somebody with an account as a sender, separately for each app that they send through. */
export const senderKeyOf = ({ appId, personId }: Pick<Member, 'appId' | 'personId'>): string =>
  appId === undefined ? `person ${personId}` : `app ${appId} person ${personId}`

/** v1 sends a verb as words. The same words in any case and spacing are the same verb. */
export function verbOfWords({ verbs }: Pick<Bases, 'verbs'>, words: string): Required<Verb> {
  const text = words.normalize('NFC').trim().replace(/\s+/g, ' ')
  const slug = encodeURIComponent(text.toLowerCase().replaceAll(' ', '-'))
  return { id: `${verbs}/${slug}`, display: { en: text } }
}
