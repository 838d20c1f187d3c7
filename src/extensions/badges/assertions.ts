import type { Db } from '../../kernel/database/database.ts'
import type { RowOf } from '../../kernel/database/statement.ts'
import { fail } from '../../kernel/errors.ts'
import { readLine, readName } from '../../kernel/lines.ts'
import type { PluginCaller } from '../plugins/authenticate.ts'
import { readPluginPerson } from '../plugins/users.ts'
import { toHeld } from './badges.ts'
import { badgeEvents } from './events.ts'
import { assertionIdOf, checkImage, checkIssued, MAX_ASSERTED } from './rules.ts'
import type { AssertBadge, Assertion, ListAssertions } from './schema.ts'
import * as store from './store.ts'

/**
 * A person holds a badge from now on, by this plugin's word. Whoever has it keeps it as it was given first, so that repeating changes nothing. A badge of the platform says itself what it is;
 * any other badgeId is a badge of the plugin's own, which says what is given here.
 */
export async function assertBadge(db: Db, who: PluginCaller, what: AssertBadge): Promise<Assertion> {
  const { userId, badgeId: key } = what
  const person = await readPluginPerson(db, who, userId)
  const given = readGiven(what, who.at)
  const badge = await db.first(store.findSeen, { plugin: who.pluginId, badge: key })
  if (badge) await checkContext(db, badge.course_id, given)
  const owner = badge ? null : who.pluginId
  const said = badge
    ? {
        badge: badge.id,
        organisation: badge.organisation_id,
        name: badge.name,
        type: badge.type,
        image: badge.image,
        issuer: badge.issuer_name,
      }
    : { badge: null, organisation: null }
  const row = { ...given, ...said, person, owner, key, client: who.clientId, most: MAX_ASSERTED, now: who.at }
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
    throw fail('impossibleNow', `A plugin can give a person at most ${MAX_ASSERTED} badges`)
  })
}

function readGiven(what: AssertBadge, now: Date) {
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

/** Where it was earned is in the course that the badge belongs to. */
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

/** What the person holds: badges of the plugin's organisations, and the plugin's own. The newest first. */
export async function listAssertions(db: Db, who: PluginCaller, { userId }: ListAssertions): Promise<Assertion[]> {
  const person = await readPluginPerson(db, who, userId)
  const rows = await db.all(store.listAssertions, { plugin: who.pluginId, person })
  return rows.map((row) => toAssertion(row, userId))
}

const toAssertion = (row: RowOf<typeof store.findAssertion>, userId: string): Assertion => ({
  assertionId: assertionIdOf({ userId, badgeId: row.badge_key, isOwn: row.owner_id !== null }),
  userId,
  ...toHeld(row),
})
