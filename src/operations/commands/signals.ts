/**
 * Signals within this time count as one: a terminal sends Ctrl-C to the whole process group, and some versions of npm
 * forward it in addition.
 */
const ECHO_MS = 1_000

export interface StopSignals {
  /** Resolves when the process is asked to stop. */
  readonly asked: Promise<void>
  isAsked(): boolean
}

/** Handles Ctrl-C and SIGTERM: the first signal requests a graceful stop, a second one ends the process immediately. */
export function catchSignals(): StopSignals {
  let askedAt: number | undefined
  const { promise, resolve } = Promise.withResolvers<void>()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (askedAt === undefined) {
        askedAt = performance.now()
        resolve()
      } else if (performance.now() - askedAt > ECHO_MS) process.exit(130)
    })
  }
  watchForLoss(() => {
    askedAt ??= performance.now()
    resolve()
  })
  return { asked: promise, isAsked: () => askedAt !== undefined }
}

const LOOK_EVERY_MS = 500

/**
 * Calls `onLost` if the parent process has ended. npm runs scripts in a shell, and a SIGTERM to npm ends that shell
 * without forwarding the signal. So the loss of the parent counts as a request to stop.
 */
function watchForLoss(onLost: () => void): void {
  if (process.env.npm_lifecycle_event === undefined) return
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    onLost()
  }, LOOK_EVERY_MS)
  timer.unref()
}
