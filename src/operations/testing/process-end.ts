import { AsyncResource } from 'node:async_hooks'
import { after } from 'node:test'

/**
 * Created before any test runs, so that hooks registered in this scope belong to the process and not to a single test.
 */
const outside = new AsyncResource('groundschool test process')

/**
 * Runs a hook at the end of the process, for resources that several test files share. Plain `after` runs at the end of
 * a file.
 */
export const atProcessEnd = (end: () => unknown): void =>
  outside.runInAsyncScope(() => after(async () => void (await end())))

/**
 * Creates a resource once for all test files of a process. It returns a thenable instead of a promise, because
 * node:test attributes code that awaits a promise to the test that created the promise, which may have ended by then.
 */
export function oncePerProcess<T>(make: () => Promise<T>): PromiseLike<T> {
  let made: Promise<T> | undefined
  const start = () => {
    made ??= make()
    return made
  }
  // biome-ignore lint/suspicious/noThenProperty: callers await this object like a promise
  return { then: (resolve, reject) => start().then(resolve, reject) }
}
