import { isFullBatch } from '../database/retention.ts'
import type { Environment } from '../environment.ts'
import { allRooms, type Upkeep } from '../room.ts'

const EVERY_MS = 5 * 60_000
const DAY_MS = 24 * 60 * 60_000

/** Does what the rooms have declared as upkeep, for as long as the process runs. Several processes may do so at once. */
export function keepTidy(environment: Environment): { stop(): void } {
  const often = upkeepOf(environment).filter((work) => work.everyMs !== undefined)
  const timers = [
    every(EVERY_MS * (0.8 + Math.random() * 0.4), () => tidy(environment)),
    ...often.map((work) => every(work.everyMs!, () => doIt(environment, work))),
  ]
  return { stop: () => timers.forEach(clearInterval) }
}

/** Again and again, and never twice at once. */
function every(everyMs: number, work: () => Promise<unknown>): NodeJS.Timeout {
  let isBusy = false
  const timer = setInterval(async () => {
    if (isBusy) return
    isBusy = true
    await work().catch(() => {})
    isBusy = false
  }, everyMs)
  return timer.unref()
}

async function doIt(environment: Environment, { name, run }: Upkeep): Promise<void> {
  try {
    await run(environment)
  } catch (error) {
    environment.log.warn({ work: name, problem: (error as Error).message }, 'upkeep failed and will be tried again')
    throw error
  }
}

/** All of it once. What fails in one place does not keep the rest from being tidied. */
export async function tidy(environment: Environment): Promise<void> {
  const problems: unknown[] = []
  for (const work of upkeepOf(environment))
    await doIt(environment, work).catch((problem: unknown) => problems.push(problem))
  if (problems.length > 0) throw problems[0]
}

const upkeepOf = (environment: Environment): Upkeep[] => {
  const rooms = environment.get(allRooms)
  // What goes by rows that grow old comes before these are removed.
  return [...rooms.flatMap(({ upkeep = [] }) => upkeep), { name: 'what has grown old', run: removeOld }]
}

async function removeOld({ db, clock, config, stopping, get }: Environment): Promise<void> {
  for (const { days, remove } of get(allRooms).flatMap((room) => room.retention?.(config) ?? [])) {
    const before = new Date(clock().getTime() - days * DAY_MS)
    while (!stopping.aborted && isFullBatch(await db.all(remove, { before })));
  }
}
