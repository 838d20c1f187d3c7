import type { Db } from '../../kernel/database/database.ts'
import type { RowOf } from '../../kernel/database/statement.ts'
import { fail } from '../../kernel/errors.ts'
import { readLine, readName } from '../../kernel/lines.ts'
import { isPaged, type Page, pageOf, spanOf } from '../../kernel/paging.ts'
import type { PluginCaller } from '../plugins/authenticate.ts'
import { readPluginPerson } from '../plugins/users.ts'
import { toHeld } from './badges.ts'
import { badgeEvents } from './events.ts'
import { assertionIdOf, checkImage, checkIssued, MAX_ASSERTED } from './rules.ts'
import type { AssertBadge, Assertion, ListAssertions } from './schema.ts'
import * as store from './store.ts'

/**
 * Records that a person holds a badge, because a plugin says so. Asserting the same badge again changes nothing. If
 * `badgeId` is a badge of the platform, its name, type, image and issuer are taken from there; any other `badgeId` is a
 * badge of the plugin's own, described by the request.
 */
export async function assertBadge(db: Db, who: PluginCaller, what: AssertBadge): Promise<Assertion> {
  const { userId, badgeId: key } = what
  const person = await readPluginPerson(db, who, userId)
  const fields = readFields(what, who.at)
  const badge = await db.first(store.findVisible, { plugin: who.pluginId, badge: key })
  if (badge) await checkContext(db, badge.course_id, fields)
  const owner = badge ? null : who.pluginId
  const badgeFields = badge
    ? {
        badge: badge.id,
        organisation: badge.organisation_id,
        name: badge.name,
        type: badge.type,
        image: badge.image,
        issuer: badge.issuer_name,
      }
    : { badge: null, organisation: null }
  const row = { ...fields, ...badgeFields, person, owner, key, client: who.clientId, most: MAX_ASSERTED, now: who.at }
  return db.transaction(async (tx) => {
    const made = await tx.first(store.insertAssertion, row)
    if (made) {
      const { badge, organisation } = row
      const payload = { assertion: made.id, person, badge, badgeKey: key, organisation, plugin: who.pluginId }
      await badgeEvents.emit(tx, { kind: 'badge.asserted', subject: `person:${person}`, payload, at: who.at })
    }
    const held = await tx.first(store.findAssertion, { person, owner, key })
    if (held) return toAssertion(held, userId)
    await readPluginPerson(tx, who, userId)
    throw fail('impossibleNow', `A plugin can give a user at most ${MAX_ASSERTED} badges`)
  })
}

function readFields(what: AssertBadge, now: Date) {
  const issued = new Date(what.issuedOn)
  checkIssued(issued, now)
  checkImage(what.image)
  return {
    name: readName(what.name),
    type: readLine('type', what.type),
    image: what.image,
    issuer: readLine('issuerName', what.issuerName),
    issued,
    lesson: what.lessonId ?? null,
    class: what.classId ?? null,
    version: what.versionId ?? null,
  }
}

/** Throws if the given lesson, class or version does not belong to the course of the badge. */
async function checkContext(
  db: Db,
  course: number,
  { lesson, class: named, version }: { lesson: string | null; class: string | null; version: string | null },
): Promise<void> {
  const found = (await db.first(store.findContext, { course, lesson, class: named, version }))!
  if (!found.has_lesson) throw fail('notFound', 'lessonId: the course of this badge has no such lesson')
  if (!found.has_class) throw fail('notFound', 'classId: the course of this badge has no such class')
  if (!found.has_version) throw fail('notFound', 'versionId: the course of this badge has no such version')
}

/**
 * Lists the person's badges that the plugin may see, newest first: badges of the plugin's organisations, and badges of
 * the plugin's own. A page if one is asked for, else as many as fit into one response.
 */
export async function listAssertions(
  db: Db,
  who: PluginCaller,
  what: ListAssertions,
): Promise<Assertion[] | Page<Assertion>> {
  const { userId } = what
  const holder = { plugin: who.pluginId, person: await readPluginPerson(db, who, userId) }
  if (!isPaged(what)) return (await db.all(store.listAssertions, holder)).map((row) => toAssertion(row, userId))
  const rows = await db.all(store.listAssertionsPage, { ...holder, ...spanOf(what) })
  return pageOf(
    rows.map((row) => toAssertion(row, userId)),
    rows[0]?.total ?? 0,
    what,
  )
}

const toAssertion = (row: RowOf<typeof store.findAssertion>, userId: string): Assertion => ({
  assertionId: assertionIdOf({ userId, badgeId: row.badge_key, isOwn: row.owner_id !== null }),
  userId,
  ...toHeld(row),
})
