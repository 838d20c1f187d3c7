import { randomUUID } from 'node:crypto'
import { normaliseHandle } from '../../identity/people/handles.ts'
import type { Member } from '../../kernel/caller.ts'
import { type Db, hasCode } from '../../kernel/database/database.ts'
import { type Environment, service } from '../../kernel/environment.ts'
import { fail } from '../../kernel/errors.ts'
import { type Bases, handleOf, type Ids, translateV1, translateV2 } from './capture-rules.ts'
import * as store from './capture-store.ts'
import { findFaults } from './faults.ts'
import { type Named, resolveLinks } from './linking-rules.ts'
import { failWith } from './problems.ts'
import type { Captured, CaptureV1, CaptureV2 } from './schema.ts'
import type { Agent, Statement } from './statement.ts'
import { type Links, storeInTransaction, storeStatements } from './storing.ts'
import { PRESET_VERBS, STANDARD_VERBS, type Type, verbOfWords } from './vocabulary.ts'

/** How the platform's own things are called in statements. */
export const bases = service(
  ({ config, url }): Bases => ({
    homePage: config.XAPI_HOME_PAGE ?? url,
    objects: config.XAPI_OBJECTS_BASE ?? `${url}/xapi/objects`,
    apiIds: config.XAPI_API_ID_BASE ?? `${url}/xapi/api-id`,
    verbs: `${url}/xapi/verbs`,
  }),
)

/** Who somebody with an account is to the record store, by what they come through. */
export const senderKeyOf = ({ appId, personId }: Pick<Member, 'appId' | 'personId'>): string =>
  appId === undefined ? `person ${personId}` : `app ${appId} person ${personId}`

/** Statements that are made here are of this version. */
export const VERSION = '2.0.0'

type Parts = Pick<Environment, 'get'>

/** A statement of the interface's own v2. */
export async function captureV2({ get }: Parts, db: Db, who: Member, sent: CaptureV2): Promise<Captured> {
  const known = get(bases)
  const handle = normaliseHandle(handleOf(known, sent.actor))
  const verb = (sent.verb as { id?: unknown } | null)?.id
  if (typeof verb !== 'string') throw fail('validationFailed', 'verb.id must be the IRI of a verb')
  const { statement, ids } = translateV2(known, sent as Record<string, unknown>)
  const named = await findNamed(db, who, ids, { verb, handle, actor: null })
  if (!isInLibrary(known, verb) && !named.is_added_verb)
    throw fail(
      'validationFailed',
      `verb.id is not in the verb library, which GET /edu/v1/xapi/verbs lists: ${verb.slice(0, 200)}`,
    )
  const links = resolveLinks(named, who, ids, (type) => `${known.apiIds}/${type}`)
  const actor = { ...(sent.actor as Agent), account: accountOf(known, named) }
  return keep(
    { get },
    db,
    who,
    named,
    { ...statement, ...(sent.id === undefined ? {} : { id: sent.id }), actor },
    links,
  )
}

/** The keys of v1's object, by what they name. */
const V1_NAMES: Readonly<Record<Type, string>> = {
  course: 'courseId',
  lesson: 'lessonId',
  'lesson-result': 'lessonResultId',
  objective: 'objectiveId',
  badge: 'badgeId',
  student: 'studentId',
  'education-class': 'classId',
  user: 'userId',
}

/** A statement of v1: the actor is a user of the app, the verb is words. */
export async function captureV1({ get }: Parts, db: Db, who: Member, sent: CaptureV1): Promise<Captured> {
  const known = get(bases)
  const { statement, ids } = translateV1(known, sent)
  const named = await findNamed(db, who, ids, { verb: statement.verb.id, handle: null, actor: sent.actor })
  const links = resolveLinks(named, who, ids, (type) => `object.${V1_NAMES[type]}`)
  const actor = { objectType: 'Agent' as const, account: accountOf(known, named) }
  return keep({ get }, db, who, named, { ...statement, actor }, links)
}

/** The verbs that came with the platform. */
export const presetVerbs = ({ verbs }: Bases) => PRESET_VERBS.map((words) => verbOfWords(verbs, words))
const isInLibrary = (known: Bases, verb: string): boolean =>
  STANDARD_VERBS.has(verb) || presetVerbs(known).some(({ id }) => id === verb)

const accountOf = ({ homePage }: Bases, { actor_handle: name }: Named) => ({ homePage, name: name ?? '' })

/** One statement tells all that there is to know. */
export async function findNamed(
  db: Db,
  who: Pick<Member, 'personId' | 'appId'>,
  ids: Ids,
  more: { readonly verb: string; readonly handle: string | null; readonly actor: string | null },
): Promise<Named> {
  const row = await db.first(store.findNamed, {
    ...more,
    person: who.personId,
    app: who.appId ?? null,
    lesson: ids.lesson ?? null,
    class: ids['education-class'] ?? null,
    student: ids.student ?? null,
    course: ids.course ?? null,
    user: ids.user ?? null,
    objective: ids.objective ?? null,
    badge: ids.badge ?? null,
    attempt: ids['lesson-result'] ?? null,
  })
  return row!
}

const FOREIGN_KEY_VIOLATION = '23503'

async function keep(
  { get }: Parts,
  db: Db,
  who: Member,
  { client_id: clientId }: Named,
  sent: Statement,
  links: Links,
): Promise<Captured> {
  const faults = findFaults(sent, VERSION)
  if (faults.length > 0) throw failWith(faults)
  const { homePage } = get(bases)
  const authority = { objectType: 'Agent' as const, account: { homePage, name: clientId ?? 'groundschool' } }
  const id = sent.id?.toLowerCase() ?? randomUUID()
  const made = [{ statement: { ...sent, id, authority, version: VERSION }, links }]
  try {
    // With an Idempotency-Key it is kept together with the answer.
    const sender = { at: who.at, appId: who.appId, homePage, senderKey: senderKeyOf(who) }
    await (db.isTransaction ? storeInTransaction(db, sender, made) : storeStatements({ get }, sender, made))
  } catch (error) {
    if (!hasCode(error, FOREIGN_KEY_VIOLATION)) throw error
    throw fail('conflict', 'Something that the statement is about was removed meanwhile')
  }
  return { success: true, statementId: id }
}
