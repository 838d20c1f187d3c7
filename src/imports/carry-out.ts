import { makeClientId } from '../apps/apps.ts'
import type { Caller } from '../caller.ts'
import type { EnvironmentName } from '../config.ts'
import { type Db, hasCode } from '../database/database.ts'
import { enqueue, growing, type JobKind, type JobName, type JobParts } from '../jobs/jobs.ts'
import { normaliseHandle } from '../people/handles.ts'
import { placeNewcomers } from '../search/draws.ts'
import { batches } from './batches.ts'
import { type Existing, findDangling, findFamilyMistakesHere, listHandles, readExisting } from './existing.ts'
import * as peopleStore from './people-store.ts'
import { type Plan, planImport } from './plan.ts'
import type { PreparedFile } from './prepared.ts'
import { leaveOut, listReferences } from './rules.ts'
import * as store from './store.ts'
import { chooseFriends, findRoom } from './ties.ts'
import { writePlan } from './write.ts'

/** An environment whose imports are carried out. */
export interface Place {
  readonly name: EnvironmentName
  readonly db: Db
}

/** Parts that are sent to the database in one statement. */
const PARTS_AT_ONCE = 20

/** Makes the parts wait to be written. With the commit it is decided that they will be. */
export async function keepParts(tx: Db, who: Caller, parts: readonly PreparedFile[]): Promise<void> {
  for (const batch of batches(parts, PARTS_AT_ONCE))
    await tx.all(store.insertParts, {
      rows: JSON.stringify(batch.map((part) => [part])),
      now: who.at,
      request: who.requestId,
      address: who.address,
    })
  if (parts.length === 0) return
  // Should this process not get to the end.
  const runAt = new Date(who.at.getTime() + WATCH_MS)
  await enqueue(tx, FINISH_IMPORT, { payload: {}, at: who.at, runAt, uniqueKey: 'parts' })
}

/** Writes what imports have decided, a part at a time, until nothing is left or somebody says stop. Several processes may do so at once. */
export async function carryOut(place: Place, onPart: (entries: number) => void, stopping?: AbortSignal): Promise<void> {
  while (!stopping?.aborted) {
    const entries = await writeNextPart(place)
    if (entries === undefined) return
    onPart(entries)
  }
}

/** So long the first part may stay the same while somebody writes. */
const WATCH_MS = 5000
interface ImportJob {
  /** The first part of all, when somebody last looked. */
  readonly seen?: number
}
const FINISH_IMPORT: JobName<ImportJob> = { name: 'import' }

/** Writes what another process has left behind: a part that is still the first one of all is written by nobody. It is never given up, because it was decided. */
const finishImportJob: JobKind<Place & JobParts, ImportJob> = {
  ...FINISH_IMPORT,
  atOnce: 1,
  leaseMs: 60_000,
  waits: growing(WATCH_MS, 60_000),
  run: async ({ payload: { seen } }, place) => {
    const findFirst = async () => (await place.db.first(store.findFirstPart, {}))?.id
    const first = await findFirst()
    if (first !== undefined && first === seen) await carryOut(place, () => {}, place.stopping)
    const next = await findFirst()
    if (next !== undefined) return { againInMs: WATCH_MS, payload: { seen: next } }
  },
  onRetry: (_job, problem, { log }) => log.warn({ problem }, 'an import that was left behind cannot be finished yet'),
}

export const importJobs: readonly JobKind<Place & JobParts>[] = [finishImportJob]

/** How often a part begins anew because a newcomer took a handle, or somebody who was named left, while it was written. */
const TRIES = 5
const TAKEN_OR_GONE = ['23505', '23503']
const TOOK_TOO_LONG = '57014'

/** Returns how many entries it had; undefined if there is none. */
async function writeNextPart({ name, db }: Place): Promise<number | undefined> {
  for (let triesLeft = TRIES; ; triesLeft--) {
    let files: PreparedFile[] = []
    try {
      return await db.transaction(async (tx) => {
        await tx.first(store.takeTurn, {})
        const part = await tx.first(store.readFirstPart, {})
        if (!part) return undefined
        files = JSON.parse(part.content)
        const [next, ...rest] = files as [PreparedFile, ...PreparedFile[]]
        await writePart(tx, name, { at: part.decided_at, requestId: part.request_id, address: part.address }, next)
        if (rest.length > 0) await tx.first(store.keepRest, { part: part.id, content: JSON.stringify(rest) })
        else await tx.first(store.deletePart, { part: part.id })
        return countEntries(next)
      })
    } catch (error) {
      if (hasCode(error, ...TAKEN_OR_GONE) && triesLeft > 0) continue
      if (hasCode((error as Error).cause, TOOK_TOO_LONG) && (await halveFirst(db))) continue
      throw Object.assign(error as Error, { message: explain(error as Error, files[0]) })
    }
  }
}

const explain = ({ message, cause }: Error, file: PreparedFile | undefined): string => {
  const reason = cause instanceof Error ? `${message} (${cause.message})` : message
  if (!file) return reason
  const [first, second] = [
    file.people[0]?.handle ?? file.organisations[0]?.key ?? file.apps[0]?.key,
    countEntries(file) - 1,
  ]
  return `the part with ${first}${second > 0 ? ` and ${second} more` : ''} cannot be written: ${reason}`
}

/** A part that takes longer than a statement may is written as two. Returns whether that can be done. */
const halveFirst = (db: Db): Promise<boolean> =>
  db.transaction(async (tx) => {
    await tx.first(store.takeTurn, {})
    const part = await tx.first(store.readFirstPart, {})
    if (!part) return true
    const [next, ...rest] = JSON.parse(part.content) as [PreparedFile, ...PreparedFile[]]
    if (countEntries(next) < 2) return false
    const halve = <T>(list: readonly T[]) => [list.slice(0, list.length / 2), list.slice(list.length / 2)] as const
    const [organisations, people, apps] = [halve(next.organisations), halve(next.people), halve(next.apps)]
    const halves = [0, 1].map((i) => ({ organisations: organisations[i], people: people[i], apps: apps[i] }))
    await tx.first(store.keepRest, { part: part.id, content: JSON.stringify([...halves, ...rest]) })
    return true
  })

export const countEntries = ({ organisations, people, apps }: PreparedFile): number =>
  organisations.length + people.length + apps.length

/** Reads what is there once nobody can change it any more, and does what the part says to it. */
async function writePart(tx: Db, environment: EnvironmentName, who: Caller, part: PreparedFile): Promise<void> {
  await tx.all(peopleStore.lockPeople, { handles: [...listHandles(part)] })
  await tx.all(store.lockApps, { clients: part.apps.map(({ key }) => makeClientId(environment, key)) })
  const existing = await readExisting(tx, environment, part)
  const plan = await planWhatHolds(tx, environment, who, part, existing)
  await writePlan(tx, who, { plan, existing })
  // More may come at once than are drawn without a place.
  await placeNewcomers(tx)
}

/** Since it was decided, somebody may have left, been given too many friends, or become too young to be a parent: what would be a mistake now is left out. */
async function planWhatHolds(
  tx: Db,
  environment: EnvironmentName,
  who: Caller,
  part: PreparedFile,
  existing: Existing,
): Promise<Plan> {
  const findFound = (handle: string) => existing.people.get(normaliseHandle(handle))
  const present = { ...part, people: part.people.filter(({ handle, isKnown }) => !isKnown || findFound(handle)) }
  const valid = leaveOut(present, [
    ...(await findDangling(tx, environment, [...listReferences(present)])),
    ...(await findFamilyMistakesHere(tx, present, existing, who.at)),
  ])
  const plan = planImport(valid, existing, environment, who.at)
  const planned = [...plan.people.created, ...plan.people.updated]
  const room = await findRoom(tx, planned, (handle) => findFound(handle)?.id)
  if ([...room.values()].every((left) => left >= 0)) return plan
  const friends = chooseFriends(planned, room)
  const people = valid.people.map((person) => ({ ...person, ...friends.get(normaliseHandle(person.handle)) }))
  return planImport({ ...valid, people }, existing, environment, who.at)
}
