import { recordAudit } from '../../../kernel/audit/audit.ts'
import type { PersonCaller } from '../../../kernel/caller.ts'
import type { Db } from '../../../kernel/database/database.ts'
import type { Environment } from '../../../kernel/environment.ts'
import { fail } from '../../../kernel/errors.ts'
import { readName } from '../../../kernel/lines.ts'
import { isIri } from '../model/forms.ts'
import { type Bases, bases } from '../model/names.ts'
import type { Fault } from '../model/statement.ts'
import { presetVerbs, STANDARD_VERBS } from './library.ts'
import type { AddVerb, LibraryVerb, NameVerb } from './schema.ts'
import * as store from './store.ts'

type Services = Pick<Environment, 'get'>

export const UNKNOWN_VERB: Fault = {
  pointer: '/verb/id',
  rule: 'verb library',
  must: 'be in the verb library, which GET /edu/v1/xapi/verbs lists',
}

/** The maximum number of verbs that administrators may add, so that the list of all verbs stays small. */
const MOST_VERBS = 400

/** Whether a verb is built into the platform. */
export const isStandardVerb = (known: Bases, iri: string): boolean =>
  STANDARD_VERBS.has(iri) || presetVerbs(known).some(({ id }) => id === iri)

/** Lists the verb library: built-in verbs first, then the verbs that administrators have added. */
export async function listVerbs(db: Db, { get }: Services): Promise<LibraryVerb[]> {
  const presets = presetVerbs(get(bases)).map(({ id, display }): [string, string] => [id, display.en!])
  const added = await db.all(store.listVerbs, {})
  return [
    ...[...STANDARD_VERBS, ...presets].map(([verbId, name]) => ({ verbId, name, standard: true })),
    ...added.map(({ iri: verbId, name }) => ({ verbId, name, standard: false })),
  ]
}

/** Returns those of the given verbs that are not in the library. */
export async function findUnknownVerbs(
  db: Db,
  verbs: readonly string[],
  { get }: Services,
): Promise<ReadonlySet<string>> {
  const known = get(bases)
  const others = new Set([...new Set(verbs)].filter((iri) => !isStandardVerb(known, iri)))
  if (others.size > 0) for (const { iri } of await db.all(store.listVerbs, {})) others.delete(iri)
  return others
}

export async function addVerb(db: Db, who: PersonCaller, what: AddVerb, { get }: Services): Promise<LibraryVerb> {
  const { verbId: iri } = what
  if (!isIri(iri)) throw fail('validationFailed', 'verbId must be an IRI, such as https://example.org/verbs/flew')
  const name = readName(what.name)
  await db.transaction(async (tx) => {
    if ((await tx.all(store.listVerbs, {})).length >= MOST_VERBS)
      throw fail('conflict', `The verb library has ${MOST_VERBS} added verbs, which is the maximum: delete one first`)
    const isAdded =
      !isStandardVerb(get(bases), iri) &&
      (await tx.first(store.insertVerb, { iri, name, person: who.personId, now: who.at }))
    if (!isAdded) throw fail('conflict', 'This verb is already in the library')
    await recordAudit(tx, who, { action: 'verb.added', personId: who.personId, detail: { verb: iri, name } })
  })
  return { verbId: iri, name, standard: false }
}

/**
 * Removes a verb from the library. Stored statements keep it. New statements with it are refused in v2, and from keys
 * that may use only verbs of the library.
 */
export async function removeVerb(db: Db, who: PersonCaller, what: NameVerb, { get }: Services): Promise<void> {
  const { verbId: iri } = what
  if (isStandardVerb(get(bases), iri)) throw fail('impossibleNow', 'This verb is built-in and cannot be deleted')
  await db.transaction(async (tx) => {
    const removed = await tx.first(store.deleteVerb, { iri })
    if (!removed) throw fail('notFound', 'There is no such verb in the library')
    await recordAudit(tx, who, { action: 'verb.removed', personId: who.personId, detail: { verb: iri, ...removed } })
  })
}
