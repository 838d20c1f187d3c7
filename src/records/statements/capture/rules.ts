import { type Ids, isAbsent, isObject, readIds, refuse } from '../linking/ids.ts'
import { type Bases, idExtension, type RecordType, recordIri, typeIri, verbOfWords } from '../model/names.ts'
import type { Statement } from '../model/statement.ts'

export interface TranslatedStatement {
  readonly statement: Statement
  readonly ids: Ids
}

const asObject = (value: unknown): Record<string, unknown> => (isObject(value) ? value : {})

/** Translates a v2 statement into xAPI: `object.extensions` moves into `object.definition.extensions`. */
export function translateV2(bases: Bases, sent: Record<string, unknown>): TranslatedStatement {
  const { objectType, objectId, ids } = readIds(bases, sent)
  const { actor, verb, object, result, context, timestamp } = sent
  const { extensions: outside, definition, ...rest } = asObject(object)
  const extensions = { ...asObject(asObject(definition).extensions), ...asObject(outside) }
  const type = typeIri(bases, objectType)
  const statement = {
    actor,
    verb,
    object: {
      ...rest,
      objectType: 'Activity',
      // If only the IRI of the type is given, add the record's id: otherwise all records of that type would be one
      // activity.
      id: rest.id === type || rest.id === undefined ? recordIri(bases, objectType, objectId) : rest.id,
      definition: { type, ...asObject(definition), extensions },
    },
    ...(result === undefined ? {} : { result }),
    ...(context === undefined ? {} : { context }),
    ...(timestamp === undefined ? {} : { timestamp }),
  } as unknown as Statement
  return { statement, ids }
}

/** The properties of a v1 object that contain ids, and the type of record that each identifies. */
const V1_IDS: Readonly<Record<string, RecordType>> = {
  lessonId: 'lesson',
  courseId: 'course',
  classId: 'education-class',
  studentId: 'student',
  lessonResultId: 'lesson-result',
  objectiveId: 'objective',
  badgeId: 'badge',
}
/** Returns the property of a v1 object that contains the id of a record type. */
export const keyInV1 = (type: RecordType): string =>
  Object.keys(V1_IDS).find((key) => V1_IDS[key] === type) ?? `${type}Id`

/**
 * If a v1 object has several ids, the first type in this list, the most specific one, becomes the object of the
 * statement.
 */
const V1_OBJECTS = ['objective', 'badge', 'lesson', 'course', 'education-class', 'lesson-result', 'student'] as const

/**
 * Translates a v1 statement into xAPI. It leaves out the actor, because the actor's handle must be read from the
 * database.
 */
export function translateV1(
  bases: Bases,
  sent: { readonly verb: string; readonly object: Record<string, unknown>; readonly timestamp?: string },
): { readonly statement: Omit<Statement, 'actor'>; readonly ids: Ids } {
  if (sent.verb.trim() === '') throw refuse('verb is missing; send the action, such as Perfect Sequence')
  const ids: Ids = {}
  const flags: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(sent.object)) {
    const type = Object.hasOwn(V1_IDS, name) ? V1_IDS[name] : undefined
    if (!type) flags[name] = value
    else if (isAbsent(value)) continue
    else if (typeof value === 'string') ids[type] = value
    else throw refuse(`object.${name} must be an id`)
  }
  const objectType = V1_OBJECTS.find((type) => ids[type] !== undefined)
  const flagExtension = (name: string) => idExtension(bases, `v1/${encodeURIComponent(name)}`)
  const inContext = Object.entries(ids).filter(([type]) => type !== objectType)
  const statement = {
    verb: verbOfWords(bases, sent.verb),
    object: {
      objectType: 'Activity' as const,
      id: objectType ? recordIri(bases, objectType, ids[objectType]!) : typeIri(bases, 'item'),
      definition: {
        type: typeIri(bases, objectType ?? 'item'),
        extensions: {
          ...(objectType ? { [idExtension(bases, objectType)]: ids[objectType] } : {}),
          ...Object.fromEntries(Object.entries(flags).map(([name, value]) => [flagExtension(name), value])),
        },
      },
    },
    ...(inContext.length > 0
      ? { context: { extensions: Object.fromEntries(inContext.map(([type, id]) => [idExtension(bases, type), id])) } }
      : {}),
    ...(sent.timestamp === undefined ? {} : { timestamp: sent.timestamp }),
  }
  return { statement, ids }
}
