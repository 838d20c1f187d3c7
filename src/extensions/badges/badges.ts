import { readManaged } from '../../apps/organisations/organisations.ts'
import type { AuditAction } from '../../kernel/audit/actions.ts'
import { recordAudit } from '../../kernel/audit/audit.ts'
import type { Caller, Member, PersonCaller } from '../../kernel/caller.ts'
import type { Db, Tx } from '../../kernel/database/database.ts'
import type { RowOf } from '../../kernel/database/statement.ts'
import { fail } from '../../kernel/errors.ts'
import { makeId } from '../../kernel/ids.ts'
import { readLine, readName } from '../../kernel/lines.ts'
import { isPaged, type Page, pageOf, spanOf } from '../../kernel/paging.ts'
import type { PluginCaller } from '../plugins/authenticate.ts'
import { awardLater } from './awarding.ts'
import { readPluginOrganisations } from './plugin-organisations.ts'
import { checkImage, checkTarget, MAX_BADGES } from './rules.ts'
import type {
  AddBadge,
  Badge,
  ChangeBadge,
  HeldBadge,
  ListBadges,
  ListCourseBadges,
  ListObjectiveBadges,
  ListOwnBadges,
  NameBadge,
} from './schema.ts'
import * as store from './store.ts'

// Badges belong to courses and objectives. Owners of the organisation and administrators manage them; plugins with
// access to the organisation can create badges, too. awarding.ts awards all of these badges automatically.

const NOT_MANAGED = 'There is no badge with this id, or you do not manage it'
const MAX_LISTED = 1000

type Target = RowOf<typeof store.findTargetOfPlugin>

/**
 * Creates a badge for a course or objective that the plugin may see. If the plugin has already created a badge of that
 * name there, changes that badge instead.
 */
export function addPluginBadge(db: Db, who: PluginCaller, what: AddBadge): Promise<Badge> {
  checkTarget(what)
  return db.transaction(async (tx) => {
    const { courseId: course = null, objectiveId: objective = null } = what
    const target = await tx.first(store.findTargetOfPlugin, { plugin: who.pluginId, course, objective })
    if (!target)
      throw fail('notFound', 'There is no course or objective with this id in the organisations of this plugin')
    const id = await insert(tx, who, target, what, who.pluginId)
    if (id !== undefined) return readBadge(tx, id)
    const named = { course: target.course_id, objective: target.objective_id, name: readName(what.name) }
    const own = await tx.first(store.findByBadgeName, named)
    if (own?.plugin_id !== who.pluginId) throw taken()
    await change(tx, who, own.id, what)
    return readBadge(tx, own.id)
  })
}

export function addBadge(db: Db, who: PersonCaller, what: AddBadge): Promise<Badge> {
  checkTarget(what)
  return db.transaction(async (tx) => {
    const { courseId: course = null, objectiveId: objective = null } = what
    const target = await tx.first(store.findTargetOfPerson, { person: who.personId, course, objective })
    if (!target) throw fail('forbidden', 'There is no course or objective with this id, or you do not manage it')
    const id = await insert(tx, who, target, what, null)
    if (id === undefined) throw taken()
    const badge = await readBadge(tx, id)
    await audit(tx, who, 'badge.created', badge)
    return badge
  })
}

const taken = () => fail('conflict', 'A badge with this name already exists; choose another')

/** Inserts a badge; returns undefined if the course or objective already has a badge of that name. */
async function insert(tx: Tx, who: Caller, target: Target, what: AddBadge, plugin: number | null) {
  const { course_id: course, objective_id: objective } = target
  const fields = readFields(what)
  if (!(await tx.first(store.lockCourse, { course })))
    throw fail('impossibleNow', 'The course was deleted at the same time')
  const made = await tx.first(store.insertBadge, {
    key: makeId(),
    course,
    objective,
    plugin,
    name: readName(what.name),
    description: fields.description ?? '',
    type: fields.type || (objective === null ? 'course' : 'objective'),
    image: fields.image ?? '',
    issuer: fields.issuer || target.organisation_name,
    criteria: fields.criteria ?? '',
    now: who.at,
  })
  if (!made) return undefined
  const { count } = (await tx.first(store.countBadges, { course, objective }))!
  if (count > MAX_BADGES)
    throw fail('impossibleNow', `A course or an objective can have at most ${MAX_BADGES} badges; delete one first`)
  await awardLater(tx, who, [made.id])
  return made.id
}

/** Checks the given fields and converts them to what is stored. Fields that are not given become null. */
function readFields(what: Partial<AddBadge>) {
  const line = (field: string, text: string | undefined) => (text === undefined ? null : readLine(field, text))
  if (what.image !== undefined) checkImage(what.image)
  return {
    description: what.description ?? null,
    criteria: what.criteria ?? null,
    type: line('type', what.type),
    image: what.image ?? null,
    issuer: line('issuerName', what.issuerName),
  }
}

async function change(tx: Tx, who: Caller, badge: number, what: Partial<AddBadge>): Promise<void> {
  const name = what.name === undefined ? null : readName(what.name)
  const changed = await tx.first(store.changeBadge, { badge, name, ...readFields(what), now: who.at })
  if (!changed) throw taken()
}

const readBadge = async (db: Db, id: number): Promise<Badge> =>
  toBadge((await db.first(store.findBadge, { badge: id }))!)

/**
 * Reads a badge that the caller manages, and locks its course, which serialises changes to badges. The badge is read
 * again under the lock. A badge that the caller does not manage is refused like an unknown one.
 */
async function lockManaged(tx: Tx, who: PersonCaller, badgeId: string) {
  const find = () => tx.first(store.findManaged, { person: who.personId, badge: badgeId })
  const seen = await find()
  if (seen) await tx.first(store.lockCourse, { course: seen.course_id })
  const badge = seen && (await find())
  if (!badge) throw fail('forbidden', NOT_MANAGED)
  return badge
}

/** Changes the given fields of the badge. People who already hold it keep the old version. */
export function changeBadge(db: Db, who: PersonCaller, what: ChangeBadge): Promise<Badge> {
  return db.transaction(async (tx) => {
    const { id } = await lockManaged(tx, who, what.badgeId)
    await change(tx, who, id, what)
    const badge = await readBadge(tx, id)
    await audit(tx, who, 'badge.changed', badge)
    return badge
  })
}

/** Removes the badge, so that nobody can earn it any more. People who hold it keep it. */
export function removeBadge(db: Db, who: PersonCaller, what: NameBadge): Promise<void> {
  return db.transaction(async (tx) => {
    const badge = await lockManaged(tx, who, what.badgeId)
    await tx.first(store.deleteBadge, { badge: badge.id })
    await audit(tx, who, 'badge.removed', toBadge(badge))
  })
}

const audit = (tx: Tx, who: PersonCaller, action: AuditAction, { badgeId, organisation, name }: Badge) =>
  recordAudit(tx, who, { action, personId: who.personId, detail: { badge: badgeId, organisation, name } })

export async function listBadges(db: Db, who: PersonCaller, what: ListBadges): Promise<Page<Badge>> {
  const { id: organisation } = await readManaged(db, who, what.organisation)
  const rows = await db.all(store.listManaged, { organisation, course: what.courseId ?? null, ...spanOf(what) })
  return pageOf(rows.map(toBadge), rows[0]?.total ?? 0, what)
}

export const listCourseBadges = (db: Db, who: PluginCaller, what: ListCourseBadges) =>
  listVisible(db, who, { ...what, ofObjectives: false })

export const listObjectiveBadges = (db: Db, who: PluginCaller, what: ListObjectiveBadges) =>
  listVisible(db, who, { ...what, ofObjectives: true })

type BadgeFilter = Partial<ListCourseBadges & ListObjectiveBadges> & { readonly ofObjectives: boolean }

/** Lists a page of badges if one is asked for, else as many as fit into one response. */
async function listVisible(db: Db, who: PluginCaller, what: BadgeFilter): Promise<Badge[] | Page<Badge>> {
  const { courseId: course = null, objectiveId: objective = null, ofObjectives } = what
  const organisations = await readPluginOrganisations(db, who, what.orgIds)
  const plugin = who.pluginId
  if ((course ?? objective) !== null && !(await db.first(store.findTargetOfPlugin, { plugin, course, objective })))
    throw fail('notFound', 'There is no course or objective with this id in the organisations of this plugin')
  const filter = { plugin, organisations, course, objective, ofObjectives }
  if (!isPaged(what)) return (await db.all(store.listVisible, { ...filter, limit: MAX_LISTED })).map(toBadge)
  const rows = await db.all(store.listVisiblePage, { ...filter, ...spanOf(what) })
  return pageOf(rows.map(toBadge), rows[0]?.total ?? 0, what)
}

/** Lists the badges that the caller holds, newest first. */
export async function listOwnBadges(db: Db, who: Member, what: ListOwnBadges): Promise<Page<HeldBadge>> {
  const rows = await db.all(store.listHeld, { person: who.personId, ...spanOf(what) })
  return pageOf(rows.map(toHeld), rows[0]?.total ?? 0, what)
}

/** Yields the badges that the person holds, for the data export. */
export async function* exportBadges(db: Db, personId: number): AsyncGenerator<unknown> {
  for await (const row of db.stream(store.exportHeld, { person: personId })) yield toHeld(row)
}

const toBadge = (row: RowOf<typeof store.findBadge>): Badge => ({
  badgeId: row.key,
  name: row.name,
  description: row.description,
  type: row.type,
  image: row.image,
  issuerName: row.issuer_name,
  criteria: row.criteria,
  courseId: row.course,
  objectiveId: row.objective,
  organisation: row.organisation,
  createdDate: row.created_at,
  updatedDate: row.changed_at,
})

export const toHeld = (row: RowOf<typeof store.findAssertion>): HeldBadge => ({
  badgeId: row.badge_key,
  name: row.name,
  type: row.type,
  image: row.image,
  issuerName: row.issuer_name,
  issuedOn: row.issued_at,
  lessonId: row.lesson,
  classId: row.class,
  versionId: row.version,
  organisation: row.organisation,
  assertedBy: row.asserted_by,
})
