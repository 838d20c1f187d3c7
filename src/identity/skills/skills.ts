import type { PersonCaller } from '../../kernel/caller.ts'
import type { Db } from '../../kernel/database/database.ts'
import type { SetSkills, Skills } from './schema.ts'
import * as store from './store.ts'

export const NOTHING_SAID: Skills = { hobbies: [], skills: [], afsc: '', education: [] }

export const readSkills = async (db: Db, personId: number): Promise<Skills> =>
  (await db.first(store.findSkills, { person: personId })) ?? NOTHING_SAID

/** Replaces the given fields and keeps the values of the others. */
export const setSkills = async (db: Db, who: PersonCaller, what: SetSkills): Promise<Skills> => {
  const { hobbies = null, skills = null, afsc = null, education = null } = what
  return (await db.first(store.setSkills, { person: who.personId, hobbies, skills, afsc, education, now: who.at }))!
}
