import { randomUUID } from 'node:crypto'
import { isIri } from '../statements/model/forms.ts'
import {
  accountAgent,
  type Bases,
  MADE_VERSION,
  PLATFORM_ACCOUNT,
  recordIri,
  typeIri,
} from '../statements/model/names.ts'
import type { Activity, Definition, LanguageMap, Result, Statement } from '../statements/model/statement.ts'
import type { Links, NewStatement } from '../statements/storing/schema.ts'
import { ACTIVITY_TYPE, CATEGORY, EXTENSION, VERB } from './names.ts'
import { COURSE } from './satisfaction.ts'

/** The registration that statements of the platform are about. */
export interface StatementContext {
  readonly bases: Bases
  readonly at: Date
  readonly handle: string
  readonly registration: string
  readonly package: string
  /** Links that all statements of the registration have. */
  readonly links: Links
}

/** An item of the package, or the course itself, as an activity. */
export interface ItemNames {
  readonly position: number
  readonly kind: 'unit' | 'block' | 'course'
  readonly publisher: string
  readonly title: LanguageMap
  readonly lesson: string | null
  readonly lessonId: number | null
}

/** Returns the IRI of a unit or a block: that of its lesson, if the class has one. */
export const itemIri = (
  bases: Bases,
  { package: key, position, lesson }: { package: string; position: number; lesson: string | null },
): string => (lesson === null ? `${packageIri(bases, key)}/${position}` : recordIri(bases, 'lesson', lesson))

export const packageIri = ({ objects }: Bases, key: string): string => `${objects}/package/${key}`

function activityOf({ bases, package: key }: StatementContext, { kind, position, title, lesson }: ItemNames): Activity {
  const id = kind === 'course' ? packageIri(bases, key) : itemIri(bases, { package: key, position, lesson })
  const type = kind === 'unit' ? typeIri(bases, 'lesson') : ACTIVITY_TYPE[kind]
  return { objectType: 'Activity', id, definition: { ...nameOf(title), type } }
}

/** Returns the id of the publisher, or that of the course if it is no IRI: manifests of SCORM have other ids. */
const publisherIri = ({ bases, package: key }: StatementContext, { publisher }: ItemNames): string =>
  isIri(publisher) ? publisher : packageIri(bases, key)

const nameOf = (title: LanguageMap): Pick<Definition, 'name'> => (Object.keys(title).length > 0 ? { name: title } : {})

/** The contents of a statement of the platform. */
interface OwnStatement {
  readonly verb: keyof typeof VERB
  readonly item: ItemNames
  readonly session: string
  readonly result?: Result
  readonly extensions?: Readonly<Record<string, unknown>>
}

/** Creates a statement that cmi5 requires of the platform itself. */
export function makeStatement(context: StatementContext, what: OwnStatement): NewStatement {
  const { bases, at, handle, registration, links } = context
  const { verb, item, session, result, extensions = {} } = what
  const categories = result?.success === undefined ? [CATEGORY.cmi5] : [CATEGORY.cmi5, CATEGORY.moveOn]
  const statement: Statement & { id: string } = {
    id: randomUUID(),
    actor: accountAgent(bases.homePage, handle),
    verb: { id: VERB[verb], display: { en: verb } },
    object: activityOf(context, item),
    ...(result && { result }),
    context: {
      registration,
      contextActivities: {
        grouping: [{ objectType: 'Activity', id: publisherIri(context, item) }],
        category: categories.map((id) => ({ objectType: 'Activity', id })),
      },
      extensions: { ...extensions, [EXTENSION.session]: session },
    },
    timestamp: at.toISOString(),
    authority: accountAgent(bases.homePage, PLATFORM_ACCOUNT),
    version: MADE_VERSION,
  }
  return {
    statement,
    links: { ...links, own: true, ...(item.lessonId === null ? {} : { lesson: item.lessonId }) },
  }
}

export const courseNames = (course: { readonly structure_id: string; readonly title: string }): ItemNames => ({
  ...{ position: COURSE, kind: 'course', publisher: course.structure_id, title: { en: course.title } },
  ...{ lesson: null, lessonId: null },
})

/** Formats a length in seconds as an ISO 8601 duration. */
export const durationText = (seconds: number): string => `PT${Math.max(0, seconds).toFixed(2)}S`
