import { recordAudit } from '../../kernel/audit/audit.ts'
import type { PersonCaller } from '../../kernel/caller.ts'
import type { Db } from '../../kernel/database/database.ts'
import type { Environment } from '../../kernel/environment.ts'
import { fail } from '../../kernel/errors.ts'
import { readName } from '../../kernel/lines.ts'
import { bases, presetVerbs } from './capture.ts'
import type { AddVerb, NameVerb, Verb } from './schema.ts'
import * as store from './store.ts'
import { isIri } from './syntax.ts'
import { STANDARD_VERBS } from './vocabulary.ts'

type Parts = Pick<Environment, 'get'>

/** What came with the platform, by IRI. */
const standardVerbs = ({ get }: Parts): ReadonlyMap<string, string> =>
  new Map([...STANDARD_VERBS, ...presetVerbs(get(bases)).map(({ id, display }): [string, string] => [id, display.en!])])

/** The verb library: what came with the platform, then what was added. */
export async function listVerbs(parts: Parts, db: Db): Promise<Verb[]> {
  const added = await db.all(store.listVerbs, {})
  return [
    ...[...standardVerbs(parts)].map(([verbId, name]) => ({ verbId, name, standard: true })),
    ...added.map(({ iri: verbId, name }) => ({ verbId, name, standard: false })),
  ]
}

/** Those of some verbs that are not in the library. */
export async function findStrangeVerbs(parts: Parts, db: Db, verbs: readonly string[]): Promise<string[]> {
  const standard = standardVerbs(parts)
  const others = [...new Set(verbs)].filter((iri) => !standard.has(iri))
  if (others.length === 0) return []
  const added = new Set((await db.all(store.listVerbs, {})).map(({ iri }) => iri))
  return others.filter((iri) => !added.has(iri))
}

export async function addVerb(parts: Parts, db: Db, who: PersonCaller, what: AddVerb): Promise<Verb> {
  const { verbId: iri } = what
  if (!isIri(iri)) throw fail('validationFailed', 'verbId must be an IRI, such as https://example.org/verbs/flew')
  const name = readName(what.name)
  await db.transaction(async (tx) => {
    const made =
      !standardVerbs(parts).has(iri) &&
      (await tx.first(store.insertVerb, { iri, name, person: who.personId, now: who.at }))
    if (!made) throw fail('conflict', 'This verb is in the library already')
    await recordAudit(tx, who, { action: 'verb.added', personId: who.personId, detail: { verb: iri, name } })
  })
  return { verbId: iri, name, standard: false }
}

/** Statements that have it stay; new ones are refused. */
export async function removeVerb(parts: Parts, db: Db, who: PersonCaller, { verbId: iri }: NameVerb): Promise<void> {
  if (standardVerbs(parts).has(iri))
    throw fail('impossibleNow', 'This verb came with the platform and cannot be removed')
  await db.transaction(async (tx) => {
    const gone = await tx.first(store.deleteVerb, { iri })
    if (!gone) throw fail('notFound', 'There is no such verb in the library')
    await recordAudit(tx, who, { action: 'verb.removed', personId: who.personId, detail: { verb: iri, ...gone } })
  })
}
