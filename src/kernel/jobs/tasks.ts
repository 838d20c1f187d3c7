import type { JobEnvironment } from './jobs.ts'
import { Loop, waitAtMost } from './loop.ts'

/**
 * Periodic work that every process runs, never concurrently within a process. For work that only one process at a time
 * may do, declare a job with `everyMs`.
 */
export interface Task<Context = JobEnvironment> {
  /** Name in the log, such as `tidying up`. */
  readonly name: string
  readonly everyMs: number
  /** If true, also runs at startup. */
  readonly isFirstAtOnce?: boolean
  run(context: Context): Promise<unknown>
}

export function startTasks<Context extends JobEnvironment>(
  context: Context,
  tasks: readonly Task<Context>[],
): { stop(): Promise<void> } {
  const loops = tasks.map(({ name, everyMs, isFirstAtOnce, run }) => {
    const loop = new Loop({
      everyMs,
      work: async () => void (await run(context)),
      onProblem: ({ message }) => context.log.warn({ task: name, problem: message }, `${name} failed`),
    })
    if (isFirstAtOnce) loop.wake()
    return loop
  })
  return {
    stop: () => waitAtMost(context.config.STOP_SECONDS * 1000, Promise.all(loops.map((loop) => loop.stop()))),
  }
}
