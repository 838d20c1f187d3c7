import { recordAudit } from '../../kernel/audit/audit.ts'
import type { Caller, PersonCaller } from '../../kernel/caller.ts'
import type { Db } from '../../kernel/database/database.ts'
import type { Environment } from '../../kernel/environment.ts'
import { fail } from '../../kernel/errors.ts'
import { hashToken, inspectToken, mintToken } from '../../kernel/sessions/tokens.ts'
import { readEntries } from './calendar.ts'
import { writeCalendar } from './icalendar.ts'
import type { CalendarFeed, NewCalendarFeed, ReadFeed } from './schema.ts'
import * as store from './store.ts'

const NOT_FOUND = 'There is no calendar at this address; create another one on the page Calendar'
const DAY_MS = 86_400_000
/** The feed has the last month, so that what was missed stays visible, and the coming year. */
const PAST_MS = 31 * DAY_MS
const FUTURE_MS = 366 * DAY_MS
/** How exactly the time of the last read is stored. */
const READ_MS = 10 * 60_000

type Site = Pick<Environment, 'name' | 'url'>

export async function readCalendarFeed(db: Db, { personId }: Pick<PersonCaller, 'personId'>): Promise<CalendarFeed> {
  const row = await db.first(store.findFeed, { person: personId })
  return { created: row?.created_at ?? null, lastRead: row?.read_at ?? null }
}

/** Creates the person's secret address, in place of an older one. Only its hash is stored. */
export async function createCalendarFeed(db: Db, who: PersonCaller, site: Site): Promise<NewCalendarFeed> {
  const token = mintToken('calendar', site.name)
  await db.transaction(async (tx) => {
    await tx.first(store.replaceFeed, { person: who.personId, hash: hashToken(token), now: who.at })
    await recordAudit(tx, who, { action: 'calendar-feed.created', personId: who.personId })
  })
  return { url: `${site.url}/calendar/${token}.ics` }
}

export async function deleteCalendarFeed(db: Db, who: PersonCaller): Promise<void> {
  await db.transaction(async (tx) => {
    if (await tx.first(store.deleteFeed, { person: who.personId }))
      await recordAudit(tx, who, { action: 'calendar-feed.deleted', personId: who.personId })
  })
}

/** Reads the calendar at a secret address. A wrong secret, and one of a disabled account, finds nothing. */
export async function readFeed(db: Db, { at: now }: Caller, { file }: ReadFeed, site: Site): Promise<string> {
  const token = file.replace(/\.ics$/, '')
  const hash = hashToken(token)
  const feed =
    inspectToken(token, 'calendar', site.name) === 'good' ? await db.first(store.findByToken, { hash }) : undefined
  if (!feed) throw fail('notFound', NOT_FOUND)
  const { person_id: person, read_at: readAt } = feed
  if (readAt === null || now.getTime() - readAt.getTime() >= READ_MS)
    await db.first(store.noteRead, { person, hash, now })
  const range = { from: new Date(now.getTime() - PAST_MS), to: new Date(now.getTime() + FUTURE_MS) }
  const { entries } = await readEntries(db, { person, now, class: null, ...range })
  return writeCalendar(site.name === 'sandbox' ? 'Groundschool (sandbox)' : 'Groundschool', site.url, entries)
}

/** Exports whether the person has a calendar address. The address itself is not stored. */
export const exportCalendarFeed = (db: Db, personId: number): Promise<CalendarFeed> =>
  readCalendarFeed(db, { personId })
