import { readSkills } from '../../identity/skills/skills.ts'
import type { Db } from '../../kernel/database/database.ts'
import { fail } from '../../kernel/errors.ts'
import { spanOf } from '../../kernel/paging.ts'
import { readPluginOrganisations } from '../badges/asked.ts'
import type { PluginCaller } from '../plugins/authenticate.ts'
import { nameForPlugin, readPluginPerson } from '../plugins/users.ts'
import type {
  AdditionalInfo,
  LearningRecord,
  OtherSkills,
  ReadOtherSkills,
  ReadRecords,
  SetAdditionalInfo,
} from './schema.ts'
import * as store from './store.ts'

/** The learning records of the people whom the plugin sees, always in the same order. */
export async function readRecords(db: Db, who: PluginCaller, what: ReadRecords): Promise<LearningRecord[]> {
  const organisations = await readPluginOrganisations(db, who, what.orgIds)
  const rows = await db.all(store.listRecords, { plugin: who.pluginId, organisations, ...spanOf(what) })
  const unnamed = rows.filter(({ user_id }) => user_id === null).map(({ person_id }) => person_id)
  const named = unnamed.length === 0 ? undefined : await nameForPlugin(db, { ...who, people: unnamed })
  return rows.flatMap((row) => {
    const userId = row.user_id ?? named?.get(row.person_id)
    // Whoever has just gone.
    if (userId === undefined) return []
    const { afsc, education, skills } = row
    const [courses, badges] = [readDated(row.courses), readDated(row.badges)]
    return [{ userId, dutyTitle: row.duty_title, afsc, education, courses, badges, skills } as LearningRecord]
  })
}

/** Dates as PostgreSQL writes them in JSON become dates as we write them. */
const readDated = (text: string): unknown =>
  JSON.parse(text, (name, value) =>
    (name === 'completedDate' || name === 'issuedOn') && value !== null ? new Date(value).toISOString() : value,
  )

export async function readOtherSkills(db: Db, who: PluginCaller, { userId }: ReadOtherSkills): Promise<OtherSkills> {
  const { hobbies, skills } = await readSkills(db, await readPluginPerson(db, who, userId))
  return { userId, hobbies, skills }
}

const INFO_BYTES = 64 * 1024

/** What a plugin writes down about a person replaces what it wrote before. Nobody else reads it but the person, in their download. */
export async function setAdditionalInfo(
  db: Db,
  who: PluginCaller,
  { userId, info }: SetAdditionalInfo,
): Promise<AdditionalInfo> {
  const text = JSON.stringify(info)
  if (Buffer.byteLength(text) > INFO_BYTES) throw fail('bodyTooLarge', 'info is larger than 64 KiB')
  const person = await readPluginPerson(db, who, userId)
  const row = await db.first(store.setInfo, { plugin: who.pluginId, person, info: text, now: who.at })
  if (!row) throw fail('notFound', 'There is no user with that userId in the organisations of this plugin')
  return { userId, info, updatedDate: row.changed_at.toISOString() }
}

/** For the download of everything that is kept about a person. */
export async function* exportInfo(db: Db, personId: number): AsyncGenerator<unknown> {
  for await (const { client_id: clientId, name, info, changed_at } of db.stream(store.exportInfo, { person: personId }))
    yield { clientId, name, info: JSON.parse(info), updatedDate: changed_at.toISOString() }
}
