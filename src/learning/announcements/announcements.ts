import { recordAudit } from '../../kernel/audit/audit.ts'
import type { PersonCaller } from '../../kernel/caller.ts'
import type { Db } from '../../kernel/database/database.ts'
import type { RowOf } from '../../kernel/database/statement.ts'
import { fail } from '../../kernel/errors.ts'
import { makeId } from '../../kernel/ids.ts'
import { enqueue } from '../../kernel/jobs/jobs.ts'
import { pageOf, spanOf } from '../../kernel/paging.ts'
import { DISTRIBUTION, keyOf, WITHDRAWAL } from './distribution.ts'
import { mayAnnounce, mayDelete, readContent, readTarget } from './rules.ts'
import type { Announcement, CreateAnnouncement, ListAnnouncements, NameAnnouncement } from './schema.ts'
import * as store from './store.ts'

const NOT_INSIDE = 'There is no such class or organisation, or you do not belong to it'
const NOT_FOUND = 'There is no announcement with this id, or you cannot read or delete it'

/**
 * Creates an announcement and notes who is to get it. A job distributes it. `isNew` is false if it was created before,
 * by a request with the same id.
 */
export async function createAnnouncement(
  db: Db,
  who: PersonCaller,
  what: CreateAnnouncement,
): Promise<{ announcement: Announcement; isNew: boolean }> {
  const names = readTarget(what)
  const content = readContent(what)
  const key = what.announcementId ?? makeId()
  return db.transaction(async (tx) => {
    const target = await findTarget(tx, who, names)
    if (!mayAnnounce(target)) throw fail('forbidden', NOT_INSIDE)
    if (target.has_ended) throw fail('impossibleNow', 'This class is closed; announcements can no longer be created')
    const { organisation_id: organisation, class_id: classId } = target
    const made = await tx.first(store.insertAnnouncement, {
      key,
      organisation,
      class: classId,
      author: who.personId,
      ...content,
      now: who.at,
    })
    const stored = await tx.first(store.findAnnouncement, { person: who.personId, key })
    if (!made && !(stored?.is_author && stored.class === target.class && stored.organisation === target.organisation))
      throw fail('conflict', 'announcementId belongs to another announcement; generate a new one')
    if (made) {
      await audit(tx, who, 'announcement.created', { ...stored!, recipients: made.recipients })
      await enqueue(tx, DISTRIBUTION, { payload: { id: made.id }, at: who.at, uniqueKey: keyOf(key) })
    }
    return { announcement: toAnnouncement(stored!), isNew: made !== undefined }
  })
}

/** Lists the announcements to a class or an organisation, newest first, for those who belong to it. */
export async function listAnnouncements(db: Db, who: PersonCaller, what: ListAnnouncements) {
  const target = await findTarget(db, who, readTarget(what))
  const { organisation_id: organisation, class_id: classId, teaches, manages } = target
  const audience = { organisation, class: classId }
  const person = who.personId
  const [rows, counted] = await Promise.all([
    db.all(store.listAnnouncements, { person, ...audience, teaches, manages, ...spanOf(what) }),
    mayAnnounce(target) ? db.first(store.countRecipients, { ...audience, author: person }) : undefined,
  ])
  return { ...pageOf(rows.map(toAnnouncement), rows[0]?.total ?? 0, what), recipients: counted?.recipients ?? null }
}

export async function readAnnouncement(db: Db, who: PersonCaller, what: NameAnnouncement): Promise<Announcement> {
  return toAnnouncement(await findAnnouncement(db, who, what))
}

/** Deletes an announcement. Nobody gets it any more, and notifications that were not read disappear. */
export async function deleteAnnouncement(db: Db, who: PersonCaller, what: NameAnnouncement): Promise<void> {
  await db.transaction(async (tx) => {
    const row = await findAnnouncement(tx, who, what)
    if (!mayDelete(row) || !(await tx.first(store.deleteAnnouncement, { id: row.id })))
      throw fail('notFound', NOT_FOUND)
    await audit(tx, who, 'announcement.deleted', row)
    await enqueue(tx, WITHDRAWAL, { payload: { key: keyOf(row.key) }, at: who.at })
  })
}

/** Exports the announcements that a person wrote. */
export async function* exportAnnouncements(db: Db, personId: number): AsyncGenerator<unknown> {
  for (let after = 0; ; ) {
    const rows = await db.all(store.exportAnnouncements, { person: personId, after })
    for (const { key, organisation, class: classId, title, text, created_at } of rows)
      yield { announcementId: key, organisation, classId, title, text, createdDate: created_at }
    if (rows.length === 0) return
    after = rows.at(-1)!.id
  }
}

async function findTarget(db: Db, who: PersonCaller, names: ReturnType<typeof readTarget>) {
  const target = await db.first(store.findTarget, { person: who.personId, ...names })
  if (!target) throw fail('forbidden', NOT_INSIDE)
  return target
}

async function findAnnouncement(db: Db, who: PersonCaller, { announcementId }: NameAnnouncement): Promise<Row> {
  const row = await db.first(store.findAnnouncement, { person: who.personId, key: announcementId })
  if (!row) throw fail('notFound', NOT_FOUND)
  return row
}

type Row = RowOf<typeof store.findAnnouncement>

const audit = (
  db: Db,
  who: PersonCaller,
  action: 'announcement.created' | 'announcement.deleted',
  {
    key,
    class: classId,
    organisation,
    recipients,
  }: Pick<Row, 'key' | 'class' | 'organisation'> & { recipients?: number },
) =>
  recordAudit(db, who, {
    action,
    personId: who.personId,
    detail: {
      announcement: key,
      ...(classId === null ? { organisation } : { class: classId }),
      ...(recipients !== undefined && { recipients }),
    },
  })

const toAnnouncement = (row: Row): Announcement => ({
  announcementId: row.key,
  organisation: row.organisation,
  organisationName: row.organisation_name,
  classId: row.class,
  className: row.class_name,
  title: row.title,
  text: row.text,
  authorName: row.author_name,
  createdDate: row.created_at,
  mayDelete: mayDelete(row),
})
