import { readSkills } from '../../identity/skills/skills.ts'
import type { Db } from '../../kernel/database/database.ts'
import { PAGE_BYTES } from '../../kernel/database/page-bytes.ts'
import { fail } from '../../kernel/errors.ts'
import { parseJson } from '../../kernel/json.ts'
import { spanOf } from '../../kernel/paging.ts'
import { readPluginOrganisations } from '../badges/plugin-organisations.ts'
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

/**
 * Reads one page of learning records of people whom the plugin may see, in a stable order. Courses and badges of a
 * person that exceed the person's share of the page are left out.
 */
export async function readRecords(db: Db, who: PluginCaller, what: ReadRecords): Promise<LearningRecord[]> {
  const organisations = await readPluginOrganisations(db, who, what.orgIds)
  const span = spanOf(what)
  // Each record has two lists that can be long.
  const share = Math.floor(PAGE_BYTES / span.limit / 2)
  const rows = await db.all(store.listRecords, { plugin: who.pluginId, organisations, ...span, share })
  const unnamed = rows.filter(({ user_id }) => user_id === null).map(({ person_id }) => person_id)
  const named = unnamed.length === 0 ? undefined : await nameForPlugin(db, { ...who, people: unnamed })
  return rows.flatMap((row) => {
    const userId = row.user_id ?? named?.get(row.person_id)
    // No userId could be created, because the person was deleted meanwhile.
    if (userId === undefined) return []
    const { afsc, education, skills } = row
    const [courses, badges] = [readDated(row.courses), readDated(row.badges)]
    return [{ userId, dutyTitle: row.duty_title, afsc, education, courses, badges, skills } as LearningRecord]
  })
}

/** Parses JSON from PostgreSQL and normalises its dates to ISO 8601 in UTC. */
const readDated = (text: string): unknown =>
  JSON.parse(text, (name, value) =>
    (name === 'completedDate' || name === 'issuedOn') && value !== null ? new Date(value).toISOString() : value,
  )

export async function readOtherSkills(db: Db, who: PluginCaller, { userId }: ReadOtherSkills): Promise<OtherSkills> {
  const { hobbies, skills } = await readSkills(db, await readPluginPerson(db, who, userId))
  return { userId, hobbies, skills }
}

const INFO_BYTES = 64 * 1024

/**
 * Replaces the data that the plugin stored about a person. No operation reads it: only the person's data export
 * contains it.
 */
export async function setAdditionalInfo(
  db: Db,
  who: PluginCaller,
  { userId, info }: SetAdditionalInfo,
): Promise<AdditionalInfo> {
  const text = JSON.stringify(info)
  if (Buffer.byteLength(text) > INFO_BYTES) throw fail('bodyTooLarge', 'info is larger than 64 KiB')
  const person = await readPluginPerson(db, who, userId)
  const row = await db.first(store.setInfo, { plugin: who.pluginId, person, info: text, now: who.at })
  if (!row) throw fail('notFound', 'There is no user with this userId in the organisations of this plugin')
  return { userId, info, updatedDate: row.changed_at }
}

/** Yields what plugins stored about the person, for the data export. */
export async function* exportInfo(db: Db, personId: number): AsyncGenerator<unknown> {
  for await (const { client_id: clientId, name, info, changed_at } of db.stream(store.exportInfo, { person: personId }))
    yield { clientId, name, info: parseJson(info), updatedDate: changed_at }
}
