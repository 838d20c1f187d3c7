/** A terminal sends Ctrl-C to the whole group, and some versions of npm pass it on too: that is one wish, not two. */
const ECHO_MS = 1_000

export interface StopSignals {
  /** Resolves when somebody wants the process to stop. */
  readonly asked: Promise<void>
  isAsked(): boolean
}

/** Ctrl-C and SIGTERM ask for a graceful stop; asked again, the process ends at once. */
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

/** npm runs scripts in a shell, which a SIGTERM to npm ends without passing it on: whoever is left behind by its shell was meant too. */
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
