import { isFullBatch } from '../../kernel/database/retention.ts'
import type { Environment } from '../../kernel/environment.ts'
import type { Task } from '../../kernel/jobs/tasks.ts'
import { allRooms, type Room, type Upkeep } from '../../kernel/room.ts'

const EVERY_MS = 5 * 60_000
const DAY_MS = 24 * 60 * 60_000

/**
 * Returns the tasks that run the upkeep of all rooms: one task runs all upkeep every five minutes. Upkeep that has an
 * interval is also a task of its own.
 */
export const tasksOf = (rooms: readonly Room[]): Task<Environment>[] => [
  { name: 'tidying up', everyMs: EVERY_MS, run: tidy },
  ...rooms.flatMap(({ upkeep = [] }) => upkeep).filter(hasOwnInterval),
]

const hasOwnInterval = (work: Upkeep): work is Upkeep & Task<Environment> => work.everyMs !== undefined

/** Runs all upkeep once. If one step fails, the other steps still run. */
export async function tidy(environment: Environment): Promise<void> {
  const problems: unknown[] = []
  for (const work of upkeepOf(environment))
    await work.run(environment).catch((problem: unknown) => problems.push(problem))
  if (problems.length > 0) throw problems[0]
}

function upkeepOf(environment: Environment): Upkeep[] {
  const all = environment.get(allRooms).flatMap(({ upkeep = [] }) => upkeep)
  const isLate = ({ isAfterRetention = false }: Upkeep) => isAfterRetention
  return [...all.filter((work) => !isLate(work)), { name: 'expired rows', run: removeOld }, ...all.filter(isLate)]
}

async function removeOld({ db, clock, config, stopping, get }: Environment): Promise<void> {
  for (const { days, remove } of get(allRooms).flatMap((room) => room.retention?.(config) ?? [])) {
    const before = new Date(clock().getTime() - days * DAY_MS)
    while (!stopping.aborted && isFullBatch(await db.all(remove, { before })));
  }
}
