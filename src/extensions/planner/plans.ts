import { normaliseHandle } from '../../identity/people/handles.ts'
import { recordAudit } from '../../kernel/audit/audit.ts'
import type { PersonCaller } from '../../kernel/caller.ts'
import type { Db, Tx } from '../../kernel/database/database.ts'
import type { RowOf } from '../../kernel/database/statement.ts'
import { fail } from '../../kernel/errors.ts'
import { makeId } from '../../kernel/ids.ts'
import { readName } from '../../kernel/lines.ts'
import { type Page, pageOf, spanOf } from '../../kernel/paging.ts'
import { choosePeople } from './rules.ts'
import type { ChangePlan, ListPlans, NamePlan, Plan, PlanEntry, SavePlan, SharePlan } from './schema.ts'
import { findSearch, toCandidates } from './searches.ts'
import * as store from './store.ts'

const MAX_PLANS = 100
const MAX_SHARES = 100
const NO_PLAN = 'You have no plan with this id'

/**
 * Saves candidates of a search as a plan, with their scores and reasons. Unlike a search, a plan stays until its owner
 * deletes it.
 */
export async function savePlan(db: Db, who: PersonCaller, what: SavePlan): Promise<Plan> {
  const name = readName(what.name)
  const key = makeId()
  return db.transaction(async (tx) => {
    const person = who.personId
    await tx.first(store.lockPlans, { person })
    const search = await findSearch(tx, who, what.searchId)
    const { count } = (await tx.first(store.countPlans, { person }))!
    if (count >= MAX_PLANS) throw fail('impossibleNow', `You already have ${MAX_PLANS} plans; delete one first`)
    const candidates = await tx.all(store.listCandidates, { person, search: search.id })
    const people = choosePeople(candidates, what.people?.map(normaliseHandle)).map((row) => row.person_id)
    const fields = { name, notes: what.notes ?? '', now: who.at }
    const plan = await tx.first(store.insertPlan, { key, search: search.id, ...fields })
    await tx.all(store.insertPlanPeople, { plan: plan!.id, search: search.id, people })
    return readPlan(tx, who, { planId: key })
  })
}

/**
 * Changes the given fields of a plan. `people` lists the handles that stay in the plan; all other people are removed.
 */
export async function changePlan(db: Db, who: PersonCaller, what: ChangePlan): Promise<Plan> {
  const name = what.name === undefined ? null : readName(what.name)
  return db.transaction(async (tx) => {
    const { id } = await findOwnPlan(tx, who, what.planId)
    if (what.people !== undefined) {
      const rows = await tx.all(store.listPlanPeople, { person: who.personId, plan: id })
      const people = choosePeople(rows, what.people.map(normaliseHandle)).map((row) => row.person_id)
      await tx.all(store.keepPlanPeople, { plan: id, people })
    }
    await tx.first(store.changePlan, { plan: id, name, notes: what.notes ?? null, now: who.at })
    return readPlan(tx, who, what)
  })
}

export async function readPlan(db: Db, who: PersonCaller, { planId }: NamePlan): Promise<Plan> {
  return toPlan(db, who.personId, await findPlan(db, who, planId))
}

/** Lets these people and the members of these organisations read the plan. Existing shares stay. */
export async function sharePlan(db: Db, who: PersonCaller, what: SharePlan): Promise<Plan> {
  const { organisations, handles } = readShared(what)
  return db.transaction(async (tx) => {
    const { id: plan } = await findOwnPlan(tx, who, what.planId)
    const { shares } = (await tx.first(store.lockPlan, { plan }))!
    const of = { person: who.personId, plan }
    const found = await tx.all(store.findSharedOrganisations, { ...of, organisations })
    refuseUnknown('organisations', organisations, found, 'is not an organisation of this plan in which you can plan')
    const people = await tx.all(store.findSharedPeople, { ...of, handles })
    const known = people.map(({ id, handle_key: key }) => ({ id, key }))
    refuseUnknown('people', handles, known, 'belongs to no organisation of this plan, or you cannot see them')
    const ids = { organisations: found.map(({ id }) => id), people: people.map(({ id }) => id) }
    const added = await tx.all(store.insertShares, { plan, ...ids, now: who.at })
    if (shares + added.length > MAX_SHARES)
      throw fail(
        'impossibleNow',
        `A plan can be shared at most ${MAX_SHARES} times; share it with an organisation instead`,
      )
    await auditShares(tx, who, 'plan.shared', what.planId, added)
    return readPlan(tx, who, what)
  })
}

/** Ends these shares. People with whom the plan is also shared in another way can still read it. */
export async function unsharePlan(db: Db, who: PersonCaller, what: SharePlan): Promise<Plan> {
  const named = readShared(what)
  return db.transaction(async (tx) => {
    const { id: plan } = await findOwnPlan(tx, who, what.planId)
    const ended = await tx.all(store.deleteShares, { plan, ...named })
    await auditShares(tx, who, 'plan.unshared', what.planId, ended)
    return readPlan(tx, who, what)
  })
}

/** Records each share in the audit log: about the person, or with the organisation that may read the plan. */
async function auditShares(
  tx: Tx,
  who: PersonCaller,
  action: 'plan.shared' | 'plan.unshared',
  plan: string,
  shares: readonly RowOf<typeof store.insertShares>[],
): Promise<void> {
  for (const { person_id: personId, organisation } of shares)
    await recordAudit(tx, who, {
      action,
      ...(personId !== null && { personId }),
      detail: { plan, by: who.personId, ...(organisation !== null && { organisation }) },
    })
}

function readShared({ organisations = [], people = [] }: SharePlan) {
  if (organisations.length + people.length === 0)
    throw fail(
      'parameterMissing',
      'organisations or people is missing: send the organisations or handles to share with',
    )
  return { organisations: [...organisations], handles: people.map(normaliseHandle) }
}

function refuseUnknown(field: string, asked: readonly string[], found: readonly { key: string }[], why: string): void {
  const other = asked.find((one) => !found.some(({ key }) => key === one))
  if (other !== undefined) throw fail('validationFailed', `${field}: ${other} ${why}`)
}

/** Lists the caller's own plans and the plans shared with the caller, most recently changed first. */
export async function listPlans(db: Db, who: PersonCaller, what: ListPlans): Promise<Page<PlanEntry>> {
  const rows = await db.all(store.listPlans[what.sort ?? '-changed'], {
    person: who.personId,
    own: what.own ?? false,
    ...spanOf(what),
  })
  return pageOf(
    rows.map((row) => ({ ...toFields(row), people: row.people })),
    rows[0]?.total ?? 0,
    what,
  )
}

export async function removePlan(db: Db, who: PersonCaller, { planId }: NamePlan): Promise<void> {
  await findOwnPlan(db, who, planId)
  const gone = await db.first(store.deletePlan, { person: who.personId, plan: planId })
  if (!gone) throw fail('notFound', NO_PLAN)
}

/** Yields the person's own plans, for the data export. */
export async function* exportPlans(db: Db, personId: number): AsyncGenerator<Plan> {
  const rows = await db.all(store.listPlans['-changed'], { person: personId, own: true, limit: MAX_PLANS, offset: 0 })
  for (const row of rows) yield await toPlan(db, personId, row)
}

/** Lists plans of other people that are shared with the person individually, for the data export. */
export const exportSharedPlans = async (db: Db, personId: number) =>
  (await db.all(store.exportShared, { person: personId })).map((row) => ({
    planId: row.key,
    name: row.name,
    owner: row.owner,
    sharedDate: row.created_at,
  }))

/** Finds a plan that the caller may read. Throws the same error for any other plan as for an unknown one. */
async function findPlan(db: Db, who: PersonCaller, planId: string) {
  const row = await db.first(store.findPlan, { person: who.personId, plan: planId })
  if (!row) throw fail('notFound', NO_PLAN)
  return row
}

async function findOwnPlan(db: Db, who: PersonCaller, planId: string) {
  const plan = await findPlan(db, who, planId)
  if (!plan.own) throw fail('forbidden', 'You can only read this plan; only its owner can change it')
  return plan
}

type PlanRow = RowOf<typeof store.findPlan>

async function toPlan(db: Db, person: number, row: PlanRow): Promise<Plan> {
  const of = { person, plan: row.id }
  const [people, shares] = await Promise.all([
    db.all(store.listPlanPeople, of),
    row.own ? db.all(store.listShares, of) : null,
  ])
  return { ...toFields(row), people: toCandidates(people), shared: shares && toShared(shares) }
}

const toShared = (rows: readonly RowOf<typeof store.listShares>[]): NonNullable<Plan['shared']> => ({
  organisations: rows.flatMap(({ organisation, organisation_name: name }) =>
    organisation === null ? [] : [{ organisation, name: name! }],
  ),
  people: rows.flatMap(({ handle, first_name: firstName, last_name: lastName }) =>
    handle === null ? [] : [{ handle, firstName: firstName!, lastName: lastName! }],
  ),
})

const toFields = (row: PlanRow): Omit<Plan, 'people' | 'shared'> => ({
  planId: row.key,
  name: row.name,
  notes: row.notes,
  text: row.text,
  organisations: row.organisations,
  own: row.own,
  owner: { handle: row.owner_handle, firstName: row.owner_first_name, lastName: row.owner_last_name },
  createdDate: row.created_at,
  changedDate: row.changed_at,
})
