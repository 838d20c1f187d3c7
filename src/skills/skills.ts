import type { PersonCaller } from '../caller.ts'
import type { Db } from '../database/database.ts'
import type { SetSkills, Skills } from './schema.ts'
import * as store from './store.ts'

export const readSkills = async (db: Db, personId: number): Promise<Skills> =>
  (await db.first(store.findSkills, { person: personId })) ?? { hobbies: [], skills: [] }

/** Replaces the lists that are given; the others stay. */
export const setSkills = async (db: Db, who: PersonCaller, what: SetSkills): Promise<Skills> => {
  const { hobbies = null, skills = null } = what
  return (await db.first(store.setSkills, { person: who.personId, hobbies, skills, now: who.at }))!
}
