import { normaliseHandle } from '../../../identity/people/handles.ts'
import type { Member } from '../../../kernel/caller.ts'
import type { Db } from '../../../kernel/database/database.ts'
import type { Environment } from '../../../kernel/environment.ts'
import { PlatformError } from '../../../kernel/errors.ts'
import { type Bases, bases } from '../model/names.ts'
import type { Fault, Statement } from '../model/statement.ts'
import type { Links } from '../storing/schema.ts'
import { type Ids, readHandle, readIds } from './ids.ts'
import { type NamedRecords, resolveLinks } from './resolving.ts'
import * as store from './store.ts'

/** A sender of statements. A key may send for any actor, a user of an app for themselves and for their students. */
interface LinkingCaller {
  readonly personId: number | undefined
  readonly appId: number | undefined
}

/**
 * The links of a statement, or the reason why it is refused. `links` is undefined if the actor is not a person of the
 * platform.
 */
export type LinkingOutcome = { readonly links: Links | undefined; readonly fault?: never } | { readonly fault: Fault }

/**
 * Links a statement of any tool to the person who acts, and to the records that its ids name, if these belong together.
 * Links are optional, so ids that do not fit are ignored. But a statement of an app's user is refused if its actor is
 * neither that user nor a student of theirs.
 */
export async function linkStatement(
  db: Db,
  who: LinkingCaller,
  statement: Statement,
  { get }: Pick<Environment, 'get'>,
): Promise<LinkingOutcome> {
  const known = get(bases)
  // Most actors in statements of other tools have another home page; skip the database query for them.
  const isOurs = statement.actor.account?.homePage.startsWith(known.homePage)
  const handle = isOurs ? unlessRefused(() => normaliseHandle(readHandle(known, statement.actor))) : undefined
  const isAppUser = who.appId !== undefined
  if (handle === undefined) return isAppUser ? { fault: foreignActor(known) } : { links: undefined }
  const ids = unlessRefused(() => readIds(known, statement).ids) ?? {}
  const actor = isAppUser ? who.personId : (await db.first(store.findActor, { handle }))?.id
  if (actor === undefined) return { links: undefined }
  const named = await findNamedRecords(
    db,
    { personId: actor, appId: who.appId },
    { ids, verb: statement.verb.id, handle, actor: null },
  )
  if (isAppUser && !named.may_speak) return { fault: foreignActor(known) }
  const links = unlessRefused(() => resolveLinks(named, actor, ids, (type) => type)) ?? linkPerson(named.actor_id)
  const { sender: _sender, ...rest } = links
  return { links: who.personId === undefined ? rest : { ...rest, sender: who.personId } }
}

const linkPerson = (person: number | null): Links => (person === null ? {} : { person })

const foreignActor = ({ homePage }: Bases): Fault => ({
  pointer: '/actor',
  rule: 'interface',
  must: `be the signed-in user, as {"account": {"homePage": "${homePage}", "name": "@handle"}}, or a student of a class that they teach`,
})

function unlessRefused<T>(run: () => T): T | undefined {
  try {
    return run()
  } catch (error) {
    if (error instanceof PlatformError) return undefined
    throw error
  }
}

/** Reads everything that linking needs with one SQL statement. */
export async function findNamedRecords(
  db: Db,
  who: Pick<Member, 'personId' | 'appId'>,
  what: { readonly ids: Ids; readonly verb: string; readonly handle: string | null; readonly actor: string | null },
): Promise<NamedRecords> {
  const { ids, ...others } = what
  const row = await db.first(store.findNamedRecords, {
    ...others,
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
