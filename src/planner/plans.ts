import type { PersonCaller } from '../caller.ts'
import type { Db } from '../database/database.ts'
import type { RowOf } from '../database/statement.ts'
import { fail } from '../errors.ts'
import { makeId } from '../ids.ts'
import { readName } from '../lines.ts'
import { type Page, pageOf, spanOf } from '../paging.ts'
import { normaliseHandle } from '../people/handles.ts'
import { choosePeople } from './rules.ts'
import type { ChangePlan, ListPlans, NamePlan, Plan, PlanEntry, SavePlan } from './schema.ts'
import { findSearch, toCandidates } from './searches.ts'
import * as store from './store.ts'

const MAX_PLANS = 100
const NO_PLAN = 'You have no plan with that id'

/** Keeps candidates of a search, with where they came from and why, for as long as its owner wants. */
export async function savePlan(db: Db, who: PersonCaller, what: SavePlan): Promise<Plan> {
  const name = readName(what.name)
  const key = makeId()
  return db.transaction(async (tx) => {
    const person = who.personId
    await tx.first(store.lockPlans, { person })
    const search = await findSearch(tx, who, what.searchId)
    const { count } = (await tx.first(store.countPlans, { person }))!
    if (count >= MAX_PLANS) throw fail('impossibleNow', `You have ${MAX_PLANS} plans already; remove one first`)
    const candidates = await tx.all(store.listCandidates, { person, search: search.id })
    const people = choosePeople(candidates, what.people?.map(normaliseHandle)).map((row) => row.person_id)
    const fields = { name, notes: what.notes ?? '', now: who.at }
    const plan = await tx.first(store.insertPlan, { key, search: search.id, ...fields })
    await tx.all(store.insertPlanPeople, { plan: plan!.id, search: search.id, people })
    return readPlan(tx, who, { planId: key })
  })
}

/** What is given is changed. Of the people only who is named stays. */
export async function changePlan(db: Db, who: PersonCaller, what: ChangePlan): Promise<Plan> {
  const name = what.name === undefined ? null : readName(what.name)
  return db.transaction(async (tx) => {
    const { id } = await findPlan(tx, who, what.planId)
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

/** One's own, the one that was changed last first. */
export async function listPlans(db: Db, who: PersonCaller, what: ListPlans): Promise<Page<PlanEntry>> {
  const rows = await db.all(store.listPlans, { person: who.personId, ...spanOf(what) })
  return pageOf(
    rows.map((row) => ({ ...toFields(row), people: row.people })),
    rows[0]?.total ?? 0,
    what,
  )
}

export async function removePlan(db: Db, who: PersonCaller, { planId }: NamePlan): Promise<void> {
  const gone = await db.first(store.deletePlan, { person: who.personId, plan: planId })
  if (!gone) throw fail('notFound', NO_PLAN)
}

/** For the download of everything that is kept about a person. */
export async function* exportPlans(db: Db, personId: number): AsyncGenerator<Plan> {
  const rows = await db.all(store.listPlans, { person: personId, limit: MAX_PLANS, offset: 0 })
  for (const row of rows) yield await toPlan(db, personId, row)
}

/** Someone else's looks like none. */
async function findPlan(db: Db, who: PersonCaller, planId: string) {
  const row = await db.first(store.findPlan, { person: who.personId, plan: planId })
  if (!row) throw fail('notFound', NO_PLAN)
  return row
}

type PlanRow = RowOf<typeof store.findPlan>

const toPlan = async (db: Db, person: number, row: PlanRow): Promise<Plan> => ({
  ...toFields(row),
  people: toCandidates(await db.all(store.listPlanPeople, { person, plan: row.id })),
})

const toFields = (row: PlanRow): Omit<Plan, 'people'> => ({
  planId: row.key,
  name: row.name,
  notes: row.notes,
  text: row.text,
  organisations: row.organisations,
  createdDate: row.created_at.toISOString(),
  changedDate: row.changed_at.toISOString(),
})
