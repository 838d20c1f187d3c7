import { c, list, write } from '../../../kernel/database/statement.ts'

const VERB = { iri: c.text, name: c.text }
export const listVerbs = list('statements.listVerbs', {
  params: {},
  row: VERB,
  text: `select iri, name from verbs order by iri`,
})

/** Adds a verb. Returns no row if the verb is already in the library. */
export const insertVerb = write('statements.insertVerb', {
  params: { ...VERB, person: c.int8, now: c.timestamptz },
  row: { iri: c.text },
  text: `insert into verbs (iri, name, added_at, added_by) values (:iri, :name, :now, :person) on conflict do nothing returning iri`,
})

export const deleteVerb = write('statements.deleteVerb', {
  params: { iri: c.text },
  row: { name: c.text },
  text: `delete from verbs where iri = :iri returning name`,
})
