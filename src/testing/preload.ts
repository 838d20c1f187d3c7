import { createRequire, syncBuiltinESMExports } from 'node:module'

/**
 * Loaded before the tests of every process. Node's test runner follows each promise back to the test that made it, to know whose
 * an uncaught error is: a tenth of what tests cost. They run one after the other here, so such an error fails the process,
 * and is shown, without that.
 */
const load = createRequire(import.meta.url)
const hooks: typeof import('node:async_hooks') = load('node:async_hooks')
const { createHook } = hooks
hooks.createHook = () => createHook({})
load('node:test')
hooks.createHook = createHook
syncBuiltinESMExports()

process.on('uncaughtExceptionMonitor', show)
process.on('unhandledRejection', (reason) => {
  show(reason)
  process.exitCode = 1
})

function show(error: unknown): void {
  process.stderr.write(`Nobody caught: ${error instanceof Error ? error.stack : error}\n`)
}
