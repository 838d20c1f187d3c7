import { isDeepStrictEqual } from 'node:util'
import { type Static, Type } from 'typebox'
import { type Field, Seen } from '../../kernel/imports/fields.ts'
import { type ImportTie, lineOf, readInBatches, type StoredEntry } from '../../kernel/imports/section.ts'
import type { Skills } from './schema.ts'
import { NOTHING_SAID } from './skills.ts'
import * as store from './store.ts'

const Lines = (maxLength: number) => Type.Optional(Type.Array(Seen(1, maxLength), { maxItems: 50, uniqueItems: true }))
const Imported = Type.Object(
  {
    hobbies: Lines(100),
    skills: Lines(100),
    afsc: Type.Optional(Seen(0, 100)),
    education: Lines(200),
  },
  { additionalProperties: false },
)

interface PersonWithSkills {
  readonly skills?: Static<typeof Imported>
}

export const skillTie: ImportTie<PersonWithSkills, StoredEntry, ReadonlyMap<number, Skills>, Skills> = {
  field: 'skills',
  schema: Type.Optional({
    ...Imported,
    must: 'an object of hobbies, skills and education, each a list of up to 50 different lines, and afsc, one line',
    about:
      'Skills of the user: `{"hobbies": [], "skills": [], "afsc": "", "education": []}`; fields that are left out stay the same',
  } satisfies Field & typeof Imported),
  when: 'with',
  *refer() {},
  async read(db, people) {
    const named = people.filter(({ entry }) => entry.skills !== undefined).map(({ id }) => id)
    const rows = await readInBatches(named, (batch) => db.all(store.listSkills, { people: batch }))
    return new Map(rows.map(({ person_id, ...skills }) => [person_id, skills]))
  },
  plan({ skills }, found, state) {
    if (skills === undefined) return undefined
    const stored = (found && state.get(found.id)) ?? NOTHING_SAID
    const lines = Object.entries(skills).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.map(lineOf) : lineOf(value),
    ])
    const wanted: Skills = { ...stored, ...Object.fromEntries(lines) }
    return isDeepStrictEqual(wanted, stored) ? undefined : wanted
  },
  pick: (_entry, wanted) => wanted,
  async write(tx, who, changes) {
    const rows = changes.map(({ id, change }) => ({ person_id: id, ...change }))
    await tx.all(store.replaceSkills, { rows: JSON.stringify(rows), now: who.at })
  },
}
