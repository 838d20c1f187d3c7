import type { Member } from '../../../kernel/caller.ts'
import { service } from '../../../kernel/environment.ts'
import type { Agent, Verb } from './statement.ts'

/** The types of platform records that a statement can be about. */
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

/** The bases of the IRIs with which statements name accounts, records and verbs of the platform. */
export interface Bases {
  /** The home page of the platform's accounts. */
  readonly homePage: string
  /** `{objects}/lesson` is the activity type of lessons; `{objects}/lesson/{id}` is one lesson. */
  readonly objects: string
  /** `{apiIds}/lesson` is the extension that contains a lessonId. */
  readonly apiIds: string
  /** `{verbs}/perfect-sequence` is the IRI of a verb that v1 sends as the words "Perfect Sequence". */
  readonly verbs: string
  /** `{extensions}/late` is the extension that says whether a lesson was completed after its due date. */
  readonly extensions: string
}

export const bases = service(
  ({ config, url }): Bases => ({
    homePage: config.XAPI_HOME_PAGE ?? url,
    objects: config.XAPI_OBJECTS_BASE ?? `${url}/xapi/objects`,
    apiIds: config.XAPI_API_ID_BASE ?? `${url}/xapi/api-id`,
    verbs: `${url}/xapi/verbs`,
    extensions: `${url}/xapi/extensions`,
  }),
)

export const typeIri = ({ objects }: Bases, type: string): string => `${objects}/${type}`
export const recordIri = ({ objects }: Bases, type: RecordType, id: string): string =>
  `${objects}/${type}/${encodeURIComponent(id)}`
/** Returns the record that an IRI of `recordIri` names; undefined for any other IRI. */
export function readRecordIri({ objects }: Bases, iri: string): { type: RecordType; id: string } | undefined {
  const [name, key = '', ...others] = iri.startsWith(`${objects}/`) ? iri.slice(objects.length + 1).split('/') : []
  const type = RECORD_TYPES.find((one) => one === name)
  if (!type || key === '' || others.length > 0) return undefined
  try {
    return { type, id: decodeURIComponent(key) }
  } catch {
    return undefined
  }
}
/** Returns the key of the extension that contains the platform's id of a record. */
export const idExtension = ({ apiIds }: Bases, type: string): string => `${apiIds}/${type}`

export const ownExtension = ({ extensions }: Bases, name: 'due' | 'late'): string => `${extensions}/${name}`

/** Makes the agent of an account under a home page. `name` is the display name. */
export const accountAgent = (homePage: string, account: string, name?: string): Agent => ({
  objectType: 'Agent',
  ...(name === undefined ? {} : { name }),
  account: { homePage, name: account },
})

/** The account that is the authority of the platform's own statements. */
export const PLATFORM_ACCOUNT = 'groundschool'

/** The xAPI version of the statements that the platform itself makes. */
export const MADE_VERSION = '2.0.0'

/** Identifies a person with an account as a sender, separately for each app through which they send. */
export const senderKeyOf = ({ appId, personId }: Pick<Member, 'appId' | 'personId'>): string =>
  appId === undefined ? `person ${personId}` : `app ${appId} person ${personId}`

/** Makes a verb from the words that v1 sends. Words that differ only in letter case or spacing give the same verb. */
export function verbOfWords({ verbs }: Pick<Bases, 'verbs'>, words: string): Required<Verb> {
  const text = words.normalize('NFC').trim().replace(/\s+/g, ' ')
  const slug = encodeURIComponent(text.toLowerCase().replaceAll(' ', '-'))
  return { id: `${verbs}/${slug}`, display: { en: text } }
}
