import { int8, read, text, timestamptz, write } from '../../../kernel/database/statement.ts'

const VERB = { iri: text, name: text }
export const listVerbs = read('statements.listVerbs', {
  params: {},
  row: VERB,
  gather: false,
  text: `select iri, name from verbs order by iri`,
})

/** Returns no row if the verb is there already. */
export const insertVerb = write('statements.insertVerb', {
  params: { ...VERB, person: int8, now: timestamptz },
  row: { iri: text },
  text: `insert into verbs (iri, name, added_at, added_by) values (:iri, :name, :now, :person) on conflict do nothing returning iri`,
})

export const deleteVerb = write('statements.deleteVerb', {
  params: { iri: text },
  row: { name: text },
  text: `delete from verbs where iri = :iri returning name`,
})
