import type { JobParts } from './jobs.ts'
import { Loop, waitAtMost } from './loop.ts'

/** Work that every process does again and again, never twice at once in one process. What one process at a time should do is a job with `everyMs`. */
export interface Task<Parts = JobParts> {
  /** For the log: `tidying up`. */
  readonly name: string
  readonly everyMs: number
  /** Also once at the start. */
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
