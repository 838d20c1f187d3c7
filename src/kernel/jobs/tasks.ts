import type { JobParts } from './jobs.ts'
import { Loop, waitAtMost } from './loop.ts'

/**
 * Periodic work of every process, never twice at once in one process. Work for one process at a time is a job with
 * `everyMs`.
 */
export interface Task<Parts = JobParts> {
  /** Shown in the log: `tidying up`. */
  readonly name: string
  readonly everyMs: number
  /** Also run at startup. */
  readonly isFirstAtOnce?: boolean
  run(parts: Parts): Promise<unknown>
}

export function startTasks<Parts extends JobParts>(
  parts: Parts,
  tasks: readonly Task<Parts>[],
): { stop(): Promise<void> } {
  const loops = tasks.map(({ name, everyMs, isFirstAtOnce, run }) => {
    const loop = new Loop({
      everyMs,
      work: async () => void (await run(parts)),
      onProblem: ({ message }) => parts.log.warn({ task: name, problem: message }, `${name} failed`),
    })
    if (isFirstAtOnce) loop.wake()
    return loop
  })
  return {
    stop: () => waitAtMost(parts.config.STOP_SECONDS * 1000, Promise.all(loops.map((loop) => loop.stop()))),
  }
}
