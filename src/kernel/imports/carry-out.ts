import type { Caller } from '../caller.ts'
import { type Db, hasCode, type Tx } from '../database/database.ts'
import { enqueue, growing, type JobKind, type JobName, type JobParts } from '../jobs/jobs.ts'
import { batches } from './batches.ts'
import { fitPlan, planFile, writePlan } from './plan.ts'
import { type ImportFile, keyOf, leaveOut, listReferences } from './rules.ts'
import { importSections } from './section.ts'
import * as store from './store.ts'
import { checkHere, findDangling, listKeys, type Place, readWorld } from './world.ts'

/** Parts that are sent to the database in one statement. */
const PARTS_AT_ONCE = 20

/** Makes the parts wait to be written. With the commit it is decided that they will be. */
export async function keepParts(tx: Tx, who: Caller, parts: readonly ImportFile[]): Promise<void> {
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
async function writeNextPart(place: Place): Promise<number | undefined> {
  const { db } = place
  for (let triesLeft = TRIES; ; triesLeft--) {
    let files: ImportFile[] = []
    try {
      return await db.transaction(async (tx) => {
        await tx.first(store.takeTurn, {})
        const part = await tx.first(store.readFirstPart, {})
        if (!part) return undefined
        files = JSON.parse(part.content)
        const [next, ...rest] = files as [ImportFile, ...ImportFile[]]
        await writePart(tx, { at: part.decided_at, requestId: part.request_id, address: part.address }, next, place)
        if (rest.length > 0) await tx.first(store.keepRest, { part: part.id, content: JSON.stringify(rest) })
        else await tx.first(store.deletePart, { part: part.id })
        return countEntries(next)
      })
    } catch (error) {
      if (hasCode(error, ...TAKEN_OR_GONE) && triesLeft > 0) continue
      if (hasCode((error as Error).cause, TOOK_TOO_LONG) && (await halveFirst(db))) continue
      throw Object.assign(error as Error, { message: explain(place, error as Error, files[0]) })
    }
  }
}

const explain = ({ get }: Place, { message, cause }: Error, file: ImportFile | undefined): string => {
  const reason = cause instanceof Error ? `${message} (${cause.message})` : message
  const section = get(importSections).find(({ name }) => file?.[name]?.length)
  if (!file || !section) return reason
  const first = file[section.name]![0]![section.key]
  const more = countEntries(file) - 1
  return `the part with ${first}${more > 0 ? ` and ${more} more` : ''} cannot be written: ${reason}`
}

/** A part that takes longer than a statement may is written as two. Returns whether that can be done. */
const halveFirst = (db: Db): Promise<boolean> =>
  db.transaction(async (tx) => {
    await tx.first(store.takeTurn, {})
    const part = await tx.first(store.readFirstPart, {})
    if (!part) return true
    const [next, ...rest] = JSON.parse(part.content) as [ImportFile, ...ImportFile[]]
    if (countEntries(next) < 2) return false
    const halves = [0, 1].map((i) =>
      Object.fromEntries(
        Object.entries(next).map(([name, { length }]) => {
          const middle = Math.ceil(length / 2)
          return [name, i === 0 ? next[name]!.slice(0, middle) : next[name]!.slice(middle)]
        }),
      ),
    )
    await tx.first(store.keepRest, { part: part.id, content: JSON.stringify([...halves, ...rest]) })
    return true
  })

export const countEntries = (file: ImportFile): number =>
  Object.values(file).reduce((sum, entries) => sum + entries.length, 0)

/**
 * Reads what is there once nobody can change it any more, and does what the part says to it. Since it was decided, somebody may have left, been given too many friends, or
 * become too young to be a parent: what would be a mistake now is left out.
 */
async function writePart(tx: Tx, who: Caller, part: ImportFile, place: Place): Promise<void> {
  const sections = place.get(importSections)
  for (const [section, keys] of listKeys(sections, part))
    if (keys.own.length + keys.named.length > 0) await section.lock?.(tx, keys, place.name)
  const world = await readWorld(tx, place, part, who.at)
  const present = Object.fromEntries(
    sections.map((section) => [
      section.name,
      (part[section.name] ?? []).filter((entry) => !entry.isKnown || world.find(section, keyOf(section, entry)!)),
    ]),
  )
  const valid = leaveOut(present, [
    ...findDangling([...listReferences(sections, present)], world),
    ...(await checkHere(tx, sections, present, world)),
  ])
  const { fitting } = await fitPlan(tx, await planFile(tx, sections, valid, world), world)
  await writePlan(tx, who, fitting, world)
}
