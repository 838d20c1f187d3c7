import { normaliseHandle } from '../../identity/people/handles.ts'
import type { Db } from '../../kernel/database/database.ts'
import type { Environment } from '../../kernel/environment.ts'
import { fail, PlatformError } from '../../kernel/errors.ts'
import { bases, findNamed } from './capture.ts'
import { type Bases, handleOf, translateV2 } from './capture-rules.ts'
import * as store from './capture-store.ts'
import { resolveLinks } from './linking-rules.ts'
import type { Statement } from './statement.ts'
import type { Links } from './storing.ts'

/** Who sends: a key of the record store, which speaks for all, or somebody who speaks for themselves and for those whom they teach. */
interface Sender {
  readonly personId: number | undefined
  readonly appId: number | undefined
  readonly credentialId: number | undefined
}

/**
 * What of the platform's own a statement of any tool is about: the person who acts, and what its ids name, where they belong together. What cannot be linked is no fault here.
 * But whoever sends as a user of an app speaks for nobody else.
 */
export async function findLinks(
  { get }: Pick<Environment, 'get'>,
  db: Db,
  who: Sender,
  statement: Statement,
): Promise<Links | undefined> {
  const known = get(bases)
  // Most actors of other tools are none of ours, which is told without an error.
  const isOurs = statement.actor.account?.homePage.startsWith(known.homePage)
  const handle = isOurs ? attempt(() => normaliseHandle(handleOf(known, statement.actor))) : undefined
  const isBound = who.appId !== undefined
  if (handle === undefined) {
    if (isBound) throw notTheirs(known)
    return undefined
  }
  const ids = attempt(() => translateV2(known, statement as unknown as Record<string, unknown>).ids) ?? {}
  const actor = isBound ? who.personId : (await db.first(store.findActor, { handle }))?.id
  if (actor === undefined) return undefined
  const named = await findNamed(db, { personId: actor, appId: who.appId }, ids, {
    verb: statement.verb.id,
    handle,
    actor: null,
  })
  if (isBound && !named.may_speak) throw notTheirs(known)
  const links = attempt(() => resolveLinks(named, { personId: actor }, ids, (type) => type)) ?? plain(named.actor_id)
  const { sender: _sender, ...rest } = links
  return who.personId === undefined ? rest : { ...rest, sender: who.personId }
}

const plain = (person: number | null): Links => (person === null ? {} : { person })

const notTheirs = ({ homePage }: Bases) =>
  fail(
    'forbidden',
    `actor must be the user who is signed in, as {"account": {"homePage": "${homePage}", "name": "@handle"}}, or a student of a class that they teach`,
  )

/** What is refused elsewhere is left out here. */
function attempt<T>(what: () => T): T | undefined {
  try {
    return what()
  } catch (error) {
    if (error instanceof PlatformError) return undefined
    throw error
  }
}
