import type { JobEnvironment } from './jobs.ts'
import { Loop, waitAtMost } from './loop.ts'

/**
 * Periodic work of every process, never twice at once in one process. Work for one process at a time is a job with
 * `everyMs`.
 */
export interface Task<Context = JobEnvironment> {
  /** Shown in the log: `tidying up`. */
  readonly name: string
  readonly everyMs: number
  /** Also run at startup. */
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
