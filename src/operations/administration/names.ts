import type { Db } from '../../kernel/database/database.ts'
import { type Bases, readRecordIri } from '../../records/statements/model/names.ts'
import * as store from './names-store.ts'
import type { Names, ReadNames } from './schema.ts'

/** Reads the names of people and of the platform's records that statements refer to, with one query for each. */
export async function readNames(db: Db, { handles = [], activities = [] }: ReadNames, bases: Bases): Promise<Names> {
  const records = activities.flatMap((iri) => {
    const record = readRecordIri(bases, iri)
    return record ? [{ iri, ...record }] : []
  })
  const [people, named] = await Promise.all([
    db.all(store.listNamesOfPeople, { handles: handles.map((one) => one.toLowerCase().replace(/^@/, '')) }),
    db.all(store.listNamesOfRecords, { types: records.map(({ type }) => type), keys: records.map(({ id }) => id) }),
  ])
  const nameOf = new Map(named.map(({ type, key, name }) => [`${type}/${key}`, name]))
  return {
    people: Object.fromEntries(people.map(({ handle, name }) => [handle, name])),
    activities: Object.fromEntries(
      records.flatMap(({ iri, type, id }) => {
        const name = nameOf.get(`${type}/${id}`)
        return name === undefined ? [] : [[iri, name]]
      }),
    ),
  }
}
