import { failSaying } from './problems.ts'
import type { Statement } from './statement.ts'
import { TYPES, type Type, verbOfWords } from './vocabulary.ts'

/** What statements of the interface's own operations are made with: settings. */
export interface Bases {
  /** The home page of accounts. */
  readonly homePage: string
  /** `{objects}/lesson` is the type of a lesson, `{objects}/lesson/{id}` a lesson. */
  readonly objects: string
  /** `{apiIds}/lesson` is the extension that holds a lessonId. */
  readonly apiIds: string
  /** `{verbs}/perfect-sequence`: verbs that v1 says in words. */
  readonly verbs: string
}

/** Ids that a statement names, by type. */
export type Ids = Partial<Record<Type, string>>

const refuse = (text: string) => failSaying('interface', text)
/** What means "not given" for ids, everywhere in the interface. */
const isAbsent = (value: unknown): boolean => value === null || value === '' || value === 'nil'
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The type that an IRI under the base ends in; undefined where it is none of ours. */
function typeIn(base: string, iri: unknown): Type | undefined {
  if (typeof iri !== 'string' || !iri.startsWith(`${base}/`)) return undefined
  const [name] = iri.slice(base.length + 1).split('/')
  return TYPES.find((type) => type === name)
}

/** Ids in extensions. One without a type suffix is of the type that the object has. */
function idsIn(bases: Bases, extensions: unknown, where: string, bare: Type | undefined): Ids {
  if (extensions === undefined) return {}
  if (!isObject(extensions)) throw refuse(`${where} must be an object`)
  const ids: Ids = {}
  for (const [key, value] of Object.entries(extensions)) {
    const isBare = key.replace(/\/$/, '') === bases.apiIds
    const type = isBare ? bare : typeIn(bases.apiIds, key)
    if (isBare && !type) throw refuse(`${where}: add the type to ${key}, such as ${bases.apiIds}/lesson`)
    if (!type || isAbsent(value)) continue
    if (typeof value !== 'string') throw refuse(`${where}: ${key} must be an id`)
    ids[type] = value
  }
  return ids
}

export interface Translated {
  readonly statement: Statement
  readonly ids: Ids
}

/** The handle that an actor's account names. */
export function handleOf(bases: Bases, actor: unknown): string {
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

/** A statement of v2 as xAPI has it: what stands in `object.extensions` belongs into its definition. */
export function translateV2(bases: Bases, sent: Record<string, unknown>): Translated {
  const { actor, verb, object, result, context, timestamp } = sent
  if (!isObject(object)) throw refuse('object must be an object')
  const { extensions: outside, definition = {}, ...rest } = object
  if (rest.objectType !== undefined && rest.objectType !== 'Activity')
    throw refuse('object.objectType must be Activity')
  if (!isObject(definition)) throw refuse('object.definition must be an object')
  const type = typeIn(bases.objects, object.id) ?? typeIn(bases.objects, definition.type)
  const own = {
    ...idsIn(bases, definition.extensions, 'object.definition.extensions', type),
    ...idsIn(bases, outside, 'object.extensions', type),
  }
  const named = Object.keys(own) as Type[]
  const kind = type ?? named[0]
  if (kind === undefined || own[kind] === undefined)
    throw refuse(
      `object.extensions must hold the platform's id of the object, such as ${bases.apiIds}/${kind ?? 'lesson'}`,
    )
  const extensions = { ...asObject(definition.extensions), ...asObject(outside) }
  const statement = {
    actor,
    verb,
    object: {
      ...rest,
      objectType: 'Activity',
      // The type alone would be the same activity for all of them.
      id:
        object.id === `${bases.objects}/${kind}` || object.id === undefined
          ? `${bases.objects}/${kind}/${encodeURIComponent(own[kind])}`
          : object.id,
      definition: { type: `${bases.objects}/${kind}`, ...definition, extensions },
    },
    ...(result === undefined ? {} : { result }),
    ...(context === undefined ? {} : { context }),
    ...(timestamp === undefined ? {} : { timestamp }),
  } as unknown as Statement
  const around = isObject(context) ? idsIn(bases, context.extensions, 'context.extensions', undefined) : {}
  for (const [name, id] of Object.entries(own))
    if (around[name as Type] !== undefined && around[name as Type] !== id)
      throw refuse(`${name}: object and context name different ids`)
  return { statement, ids: { ...around, ...own } }
}

const asObject = (value: unknown): Record<string, unknown> => (isObject(value) ? value : {})

/** The keys of v1's object that link the statement. */
const V1_IDS: Readonly<Record<string, Type>> = {
  lessonId: 'lesson',
  courseId: 'course',
  classId: 'education-class',
  studentId: 'student',
  lessonResultId: 'lesson-result',
  objectiveId: 'objective',
  badgeId: 'badge',
}
/** What the object is, where it names several: the most particular first. */
const V1_KINDS = ['objective', 'badge', 'lesson', 'course', 'education-class', 'lesson-result', 'student'] as const

/** A statement of v1 as xAPI has it. The actor is put in by whoever knows the handle. */
export function translateV1(
  bases: Bases,
  sent: { readonly verb: string; readonly object: Record<string, unknown>; readonly timestamp?: string },
): { readonly statement: Omit<Statement, 'actor'>; readonly ids: Ids } {
  if (sent.verb.trim() === '') throw refuse('verb must say what was done, such as Perfect Sequence')
  const ids: Ids = {}
  const flags: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(sent.object)) {
    const type = Object.hasOwn(V1_IDS, name) ? V1_IDS[name] : undefined
    if (!type) flags[name] = value
    else if (isAbsent(value)) continue
    else if (typeof value === 'string') ids[type] = value
    else throw refuse(`object.${name} must be an id`)
  }
  const kind = V1_KINDS.find((one) => ids[one] !== undefined)
  const extension = (name: string) => `${bases.apiIds}/v1/${encodeURIComponent(name)}`
  const inContext = Object.entries(ids).filter(([type]) => type !== kind)
  const statement = {
    verb: verbOfWords(bases.verbs, sent.verb),
    object: {
      objectType: 'Activity' as const,
      id: kind ? `${bases.objects}/${kind}/${encodeURIComponent(ids[kind]!)}` : `${bases.objects}/item`,
      definition: {
        type: kind ? `${bases.objects}/${kind}` : `${bases.objects}/item`,
        extensions: {
          ...(kind ? { [`${bases.apiIds}/${kind}`]: ids[kind] } : {}),
          ...Object.fromEntries(Object.entries(flags).map(([name, value]) => [extension(name), value])),
        },
      },
    },
    ...(inContext.length > 0
      ? { context: { extensions: Object.fromEntries(inContext.map(([type, id]) => [`${bases.apiIds}/${type}`, id])) } }
      : {}),
    ...(sent.timestamp === undefined ? {} : { timestamp: sent.timestamp }),
  }
  return { statement, ids }
}
