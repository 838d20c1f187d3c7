import { failByRule } from '../faults/faults.ts'
import { type Bases, idExtension, RECORD_TYPES, type RecordType } from '../model/names.ts'

/** The ids of the platform's records that a statement contains, by record type. */
export type Ids = Partial<Record<RecordType, string>>

export const refuse = (message: string) => failByRule('interface', message)
/** Whether a value means "no id". The same values mean this everywhere in the API. */
export const isAbsent = (value: unknown): boolean => value === null || value === '' || value === 'nil'
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns the record type in an IRI that starts with `base`; undefined for any other IRI. */
function typeIn(base: string, iri: unknown): RecordType | undefined {
  if (typeof iri !== 'string' || !iri.startsWith(`${base}/`)) return undefined
  const [name] = iri.slice(base.length + 1).split('/')
  return RECORD_TYPES.find((type) => type === name)
}

/**
 * Reads the ids in extensions. The id under a key without a record type is that of the object. Throws if the type of
 * the object is not known either, or if an id is not text.
 */
function idsIn(bases: Bases, extensions: unknown, where: string, objectType: RecordType | undefined): Ids {
  if (extensions === undefined) return {}
  if (!isObject(extensions)) throw refuse(`${where} must be an object`)
  const ids: Ids = {}
  for (const [key, value] of Object.entries(extensions)) {
    const isBare = key.replace(/\/$/, '') === bases.apiIds
    const type = isBare ? objectType : typeIn(bases.apiIds, key)
    if (isBare && !type) throw refuse(`${where}: add the type to ${key}, such as ${idExtension(bases, 'lesson')}`)
    if (!type || isAbsent(value)) continue
    if (typeof value !== 'string') throw refuse(`${where}: ${key} must be an id`)
    ids[type] = value
  }
  return ids
}

/** Reads the handle from an actor's account. Throws if it is not an account of the platform. */
export function readHandle(bases: Bases, actor: unknown): string {
  const account = isObject(actor) ? actor.account : undefined
  if (!isObject(account)) throw refuse('actor must have an account')
  if (isObject(actor) && actor.objectType !== undefined && actor.objectType !== 'Agent')
    throw refuse('actor.objectType must be Agent')
  if (typeof account.homePage !== 'string' || account.homePage.replace(/\/$/, '') !== bases.homePage)
    throw refuse(`actor.account.homePage must be ${bases.homePage}`)
  if (typeof account.name !== 'string' || account.name === '')
    throw refuse('actor.account.name must be the handle of the actor, such as @avery')
  return account.name
}

export interface StatementIds {
  /** The record type and the id of the statement's object. */
  readonly objectType: RecordType
  readonly objectId: string
  /** The ids in the object and in the context. */
  readonly ids: Ids
}

/**
 * Reads the ids in the object, which must contain its own id, and in the context. v2 also allows `object.extensions`.
 */
export function readIds(bases: Bases, sent: { readonly object?: unknown; readonly context?: unknown }): StatementIds {
  const { object, context } = sent
  if (!isObject(object)) throw refuse('object must be an object')
  const { definition = {} } = object
  if (object.objectType !== undefined && object.objectType !== 'Activity')
    throw refuse('object.objectType must be Activity')
  if (!isObject(definition)) throw refuse('object.definition must be an object')
  const typeOfObject = typeIn(bases.objects, object.id) ?? typeIn(bases.objects, definition.type)
  const own = {
    ...idsIn(bases, definition.extensions, 'object.definition.extensions', typeOfObject),
    ...idsIn(bases, object.extensions, 'object.extensions', typeOfObject),
  }
  const objectType = typeOfObject ?? (Object.keys(own) as RecordType[])[0]
  const objectId = objectType && own[objectType]
  if (objectType === undefined || objectId === undefined)
    throw refuse(
      `object.extensions must have the platform id of the object, such as ${idExtension(bases, objectType ?? 'lesson')}`,
    )
  const around = isObject(context) ? idsIn(bases, context.extensions, 'context.extensions', undefined) : {}
  for (const [type, id] of Object.entries(own))
    if (around[type as RecordType] !== undefined && around[type as RecordType] !== id)
      throw refuse(`${type}: object and context have different ids`)
  return { objectType, objectId, ids: { ...around, ...own } }
}
