import { Type } from 'typebox'
import { Handles } from '../../kernel/imports/fields.ts'
import { given, type ImportTie, type Mistake, readInBatches, textsIn } from '../../kernel/imports/section.ts'
import { childrenBornAfter, isAdult, isChild } from '../people/ages.ts'
import { normaliseHandle } from '../people/handles.ts'
import { type PersonEntry, peopleSection, type StoredPerson } from '../people/import.ts'
import * as store from './store.ts'

const MAX_PARENTS = 4

/** The normalised handles of a child's parents. */
type Parents = ReadonlySet<string>

/** Imports the parents of children. */
export const parentTie: ImportTie<PersonEntry, StoredPerson, ReadonlyMap<number, Parents>, Parents> = {
  field: 'parents',
  schema: Type.Optional(Handles(MAX_PARENTS, 'All parents of a child (under 13); others are removed')),
  when: 'after',

  *check(people, now) {
    for (const [i, { handle, parents }] of people.entries())
      for (const [j, parent] of textsIn(parents))
        if (normaliseHandle(parent) === normalForm(handle)) yield `people[${i}].parents[${j}]: must be another user`
    yield* findFamilyMistakes(people, readBirths(people), now)
  },

  /**
   * Repeats the checks of `check`, using the stored date of birth of people for whom the file has none. Also reports a
   * date of birth that would make a child of somebody who is a parent.
   */
  async checkHere(db, people, { find, now }) {
    const births = readBirths(people)
    const madeChildren = new Map<string, { id: number; place: string }>()
    for (const [i, person] of people.entries()) {
      const handle = normaliseHandle(person.handle)
      const found = find(peopleSection, handle)
      if (!births.has(handle)) births.set(handle, found?.date_of_birth ?? null)
      else if (found && isChild(births.get(handle)!, now) && !isChild(found.date_of_birth, now))
        madeChildren.set(handle, { id: found.id, place: `people[${i}].dateOfBirth` })
    }
    for (const handle of people.flatMap(({ parents = [] }) => parents.map(normaliseHandle))) {
      const found = births.has(handle) ? undefined : find(peopleSection, handle)
      if (found) births.set(handle, found.date_of_birth)
    }
    const ids = [...madeChildren.values()].map(({ id }) => id)
    const born = childrenBornAfter(now)
    const parents = await readInBatches(ids, (batch) => db.all(store.findThoseWithChildren, { people: batch, born }))
    return [
      ...findFamilyMistakes(people, births, now),
      ...parents.map(
        ({ handle_key }) =>
          `${madeChildren.get(handle_key)!.place}: must not be a child, because this user is a parent`,
      ),
    ]
  },

  *refer({ parents }, place) {
    for (const [j, parent] of textsIn(parents))
      yield { place: `${place}.parents[${j}]`, to: peopleSection, key: normaliseHandle(parent) }
  },

  async read(db, people) {
    const children = people.filter(({ entry }) => entry.parents !== undefined).map(({ id }) => id)
    const parents = new Map<number, Set<string>>()
    for (const row of await readInBatches(children, (batch) => db.all(store.findParents, { children: batch })))
      parents.set(row.child_id, (parents.get(row.child_id) ?? new Set()).add(row.parent))
    return parents
  },

  plan({ parents, dateOfBirth }, found, state, { now }) {
    // For people of 13 or older, the parents in the file are ignored.
    if (!parents || !isChild(given(dateOfBirth, found?.date_of_birth), now)) return undefined
    const wanted = new Set(parents.map(normaliseHandle))
    const stored = (found && state.get(found.id)) ?? new Set()
    return wanted.size === stored.size && [...wanted].every((parent) => stored.has(parent)) ? undefined : wanted
  },

  pick: ({ parents }) => parents,

  async write(tx, who, changes, { idOf }) {
    const rows = changes.flatMap(({ id, change }) =>
      [...change].map((parent) => ({ child_id: id, parent_id: idOf(peopleSection, parent) })),
    )
    const children = changes.map(({ id }) => id)
    await tx.all(store.replaceParents, { children, rows: JSON.stringify(rows), now: who.at })
  },
}

const normalForm = (handle: unknown): string | undefined =>
  typeof handle === 'string' ? normaliseHandle(handle) : undefined

/** Known dates of birth by normalised handle; null for people without a date of birth. */
type Births = ReadonlyMap<string, string | null>

/** Reads the dates of birth in the file. The database may have dates for people who have none in the file. */
function readBirths(people: readonly Partial<PersonEntry>[]): Map<string, string | null> {
  const births = new Map<string, string | null>()
  for (const person of people) {
    const handle = normalForm(person.handle)
    const born: unknown = person.dateOfBirth
    if (handle !== undefined && (born === null || (typeof born === 'string' && !Number.isNaN(Date.parse(born)))))
      births.set(handle, born)
  }
  return births
}

/**
 * Finds parents who are not adults, and children for whom the file turns on public search, which only a parent may do.
 */
function* findFamilyMistakes(people: readonly Partial<PersonEntry>[], births: Births, now: Date): Generator<Mistake> {
  for (const [i, person] of people.entries()) {
    const born = births.get(normalForm(person.handle) ?? '')
    if (born !== undefined && isChild(born, now) && person.publicSearch === true)
      yield `people[${i}].publicSearch: must be left out for a child; a parent turns it on`
    const parents = textsIn(person.parents)
    // Parents of a person who is 13 or older are not a mistake, because the person may have turned 13 since the file
    // was written; `plan` ignores them.
    if (parents.length > 0 && born === null)
      yield `people[${i}].parents: must be left out or empty, because the user has no dateOfBirth and counts as an adult`
    for (const [j, parent] of parents) {
      const bornParent = births.get(normaliseHandle(parent))
      if (bornParent !== undefined && !isAdult(bornParent, now)) yield `people[${i}].parents[${j}]: must be an adult`
    }
  }
}
