import { Type } from 'typebox'
import { normaliseHandle } from '../../identity/people/handles.ts'
import { type FoundPerson, peopleSection } from '../../identity/people/import.ts'
import { Flag } from '../../kernel/imports/fields.ts'
import { type ImportTie, readInBatches } from '../../kernel/imports/section.ts'
import { findFacts, findReach, keepFacts } from '../../kernel/installation/installation.ts'

/** What the installation remembers of a demo person: by number, because a handle may be somebody else's one day. */
export const markOf = (personId: number): string => `demo-person-${personId}`

interface MadeUp {
  readonly handle: string
  readonly demo?: boolean
}

/** Marks a person as made up, with the row of the person itself: nobody of the demo is ever there without it. */
export const demoTie: ImportTie<MadeUp, FoundPerson, ReadonlySet<string>, true> = {
  field: 'demo',
  schema: Type.Optional(
    Flag('A demo person, whose password is public: while there are any, the platform starts only for its own machine'),
  ),
  when: 'with',

  /** The whole entry is the mistake: somebody real must get neither the mark nor the password, and nobody where others can sign in with it. */
  async checkHere(db, people, { find }) {
    const reach = people.some(({ demo }) => demo) ? await findReach(db) : undefined
    if (reach !== undefined)
      return people.flatMap(({ demo }, i) =>
        demo
          ? [`people[${i}]: must not be of the demo, because others can reach the platform of this database: ${reach}`]
          : [],
      )
    const known = people.flatMap(({ handle, demo }, i) => {
      const found = demo ? find(peopleSection, normaliseHandle(handle)) : undefined
      return found ? [{ place: `people[${i}]`, handle, mark: markOf(found.id) }] : []
    })
    const marks = await readInBatches(known, async (batch) => [
      ...(await findFacts(
        db,
        batch.map(({ mark }) => mark),
      )),
    ])
    const isMarked = new Set(marks)
    return known
      .filter(({ mark }) => !isMarked.has(mark))
      .map(({ place, handle }) => `${place}: must not be of the demo, because ${handle} is here already and is real`)
  },

  *refer() {},

  read: async (db, people) =>
    findFacts(
      db,
      people.filter(({ entry }) => entry.demo).map(({ id }) => markOf(id)),
    ),
  plan: ({ demo }, found, marks) => (demo && !(found && marks.has(markOf(found.id))) ? true : undefined),
  pick: () => true,
  write: (tx, who, changes) =>
    keepFacts(
      tx,
      changes.map(({ id }) => markOf(id)),
      who.at.toISOString(),
    ),
}
