import type { Caller } from '../caller.ts'
import { type Db, hasCode, type Tx } from '../database/database.ts'
import { enqueue, growing, type JobEnvironment, type JobKind, type JobName } from '../jobs/jobs.ts'
import { parseJson } from '../json.ts'
import { batches } from './batches.ts'
import { fitPlan, planFile, writePlan } from './plan.ts'
import { type ImportFile, keyOf, leaveOut, listReferences } from './rules.ts'
import { importSections } from './section.ts'
import * as store from './store.ts'
import { checkHere, findDangling, type ImportEnvironment, listKeys, readWorld } from './world.ts'

/** Number of parts that one statement inserts. */
const PARTS_AT_ONCE = 20

/** Stores the parts that are to be written. Once this commits, the platform guarantees to write them. */
export async function keepParts(tx: Tx, who: Caller, parts: readonly ImportFile[]): Promise<void> {
  for (const batch of batches(parts, PARTS_AT_ONCE))
    await tx.all(store.insertParts, {
      rows: JSON.stringify(batch.map((part) => [part])),
      now: who.at,
      request: who.requestId,
      address: who.address,
    })
  if (parts.length === 0) return
  // A job finishes the import if this process ends before it has written all parts.
  const runAt = new Date(who.at.getTime() + WATCH_MS)
  await enqueue(tx, FINISH_IMPORT, { payload: {}, at: who.at, runAt, uniqueKey: 'parts' })
}

/**
 * Writes the stored parts of imports one by one, until none is left or `stopping` is aborted. Several processes may do
 * so at once.
 */
export async function carryOut(
  environment: ImportEnvironment,
  onPart: (entries: number) => void,
  stopping?: AbortSignal,
): Promise<void> {
  while (!stopping?.aborted) {
    const entries = await writeNextPart(environment)
    if (entries === undefined) return
    onPart(entries)
  }
}

/** If the same part is first in the queue for this long, the process that was writing it has probably ended. */
const WATCH_MS = 5000
interface ImportJob {
  /** Id of the part that was first in the queue at the last check. */
  readonly seen?: number
}
const FINISH_IMPORT: JobName<ImportJob> = { name: 'import' }

/**
 * Writes parts that another process has left behind. If the first part in the queue is the same as at the last check,
 * that process is assumed to have ended. The job never gives up, because the import has been accepted.
 */
const finishImportJob: JobKind<ImportEnvironment & JobEnvironment, ImportJob> = {
  ...FINISH_IMPORT,
  atOnce: 1,
  leaseMs: 60_000,
  waits: growing(WATCH_MS, 60_000),
  run: async ({ payload: { seen } }, environment) => {
    const findFirst = async () => (await environment.db.first(store.findFirstPart, {}))?.id
    const first = await findFirst()
    if (first !== undefined && first === seen) await carryOut(environment, () => {}, environment.stopping)
    const next = await findFirst()
    if (next !== undefined) return { againInMs: WATCH_MS, payload: { seen: next } }
  },
  onRetry: (_job, problem, { log }) =>
    log.warn({ problem }, 'finishing an abandoned import failed; it will be retried'),
}

export const importJobs: readonly JobKind<ImportEnvironment & JobEnvironment>[] = [finishImportJob]

/**
 * How often a part is retried after a conflict, because a new account has taken a handle or a referenced person was
 * deleted.
 */
const TRIES = 5
const TAKEN_OR_GONE = ['23505', '23503']
const TOOK_TOO_LONG = '57014'

/** Writes the first part in the queue. Returns the number of entries written, or undefined if no part is left. */
async function writeNextPart(environment: ImportEnvironment): Promise<number | undefined> {
  const { db } = environment
  for (let triesLeft = TRIES; ; triesLeft--) {
    let files: ImportFile[] = []
    try {
      return await db.transaction(async (tx) => {
        await tx.first(store.takeTurn, {})
        const part = await tx.first(store.readFirstPart, {})
        if (!part) return undefined
        files = parseJson(part.content) as ImportFile[]
        const [next, ...rest] = files as [ImportFile, ...ImportFile[]]
        await writePart(
          tx,
          { at: part.decided_at, requestId: part.request_id, address: part.address },
          next,
          environment,
        )
        if (rest.length > 0) await tx.first(store.keepRest, { part: part.id, content: JSON.stringify(rest) })
        else await tx.first(store.deletePart, { part: part.id })
        return countEntries(next)
      })
    } catch (error) {
      if (hasCode(error, ...TAKEN_OR_GONE) && triesLeft > 0) continue
      if (hasCode((error as Error).cause, TOOK_TOO_LONG) && (await halveFirst(db))) continue
      throw Object.assign(error as Error, { message: explain(environment, error as Error, files[0]) })
    }
  }
}

const explain = ({ get }: ImportEnvironment, { message, cause }: Error, file: ImportFile | undefined): string => {
  const reason = cause instanceof Error ? `${message} (${cause.message})` : message
  const section = get(importSections).find(({ name }) => file?.[name]?.length)
  if (!file || !section) return reason
  const first = file[section.name]![0]![section.key]
  const more = countEntries(file) - 1
  return `the part with ${first}${more > 0 ? ` and ${more} more` : ''} cannot be written: ${reason}`
}

/** Splits a part that exceeds the statement timeout into two. Returns false if the part has only one entry. */
const halveFirst = (db: Db): Promise<boolean> =>
  db.transaction(async (tx) => {
    await tx.first(store.takeTurn, {})
    const part = await tx.first(store.readFirstPart, {})
    if (!part) return true
    const [next, ...rest] = parseJson(part.content) as [ImportFile, ...ImportFile[]]
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
 * Locks and reads the current state, then applies the part. Since the import was accepted, people may have been
 * deleted, reached the limit of friends, or turned out to be too young to be a parent. Entries that have become invalid
 * are left out.
 */
async function writePart(tx: Tx, who: Caller, part: ImportFile, environment: ImportEnvironment): Promise<void> {
  const sections = environment.get(importSections)
  for (const [section, keys] of listKeys(sections, part))
    if (keys.own.length + keys.named.length > 0) await section.lock?.(tx, keys, environment.name)
  const world = await readWorld(tx, environment, part, who.at)
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
