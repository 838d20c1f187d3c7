import { Type } from 'typebox'
import { normaliseHandle } from '../../identity/people/handles.ts'
import { peopleSection, type StoredPerson } from '../../identity/people/import.ts'
import { confirmEmails } from '../../identity/people/sign-up.ts'
import { Flag } from '../../kernel/imports/fields.ts'
import { type ImportTie, readInBatches } from '../../kernel/imports/section.ts'
import { findFacts, findReach, keepFacts } from '../../kernel/installation/installation.ts'

/**
 * Returns the name of the fact that marks a demo person. It contains the internal id, because another person may get
 * the handle later.
 */
export const markOf = (personId: number): string => `demo-person-${personId}`

interface DemoEntry {
  readonly handle: string
  readonly demo?: boolean
}

/** Marks a demo person in the transaction that creates the person, so that no demo person exists without the mark. */
export const demoTie: ImportTie<DemoEntry, StoredPerson, ReadonlySet<string>, true> = {
  field: 'demo',
  schema: Type.Optional(
    Flag(
      'A demo user, whose password is public: while there are any, the platform starts only if nobody else can reach it',
    ),
  ),
  when: 'with',

  /**
   * Reports the whole entry as a mistake, so that it is not imported: a real person must get neither the mark nor the
   * public password, and no demo person may be created on a public platform.
   */
  async checkHere(db, people, { find }) {
    const reach = people.some(({ demo }) => demo) ? await findReach(db) : undefined
    if (reach !== undefined)
      return people.flatMap(({ demo }, i) =>
        demo
          ? [`people[${i}]: must not be a demo user, because others can reach the platform of this database: ${reach}`]
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
      .map(({ place, handle }) => `${place}: must not be a demo user, because ${handle} already exists and is not one`)
  },

  *refer() {},

  read: async (db, people) =>
    findFacts(
      db,
      people.filter(({ entry }) => entry.demo).map(({ id }) => markOf(id)),
    ),
  plan: ({ demo }, found, marks) => (demo && !(found && marks.has(markOf(found.id))) ? true : undefined),
  pick: () => true,
  /** Their addresses count as confirmed: nobody reads them, and an invitation must not create a second account. */
  write: async (tx, who, changes) => {
    const ids = changes.map(({ id }) => id)
    await keepFacts(tx, ids.map(markOf), who.at.toISOString())
    await confirmEmails(tx, who, ids)
  },
}
