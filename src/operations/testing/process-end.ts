import { AsyncResource } from 'node:async_hooks'
import { after } from 'node:test'

/** Made before any test runs, so that it stands outside of all of them. */
const outside = new AsyncResource('groundschool test process')

/** For what several files of tests share: it ends with their process. `after` in a file ends with that file. */
export const atProcessEnd = (end: () => unknown): void =>
  outside.runInAsyncScope(() => after(async () => void (await end())))

/**
 * Made once for all files of a process. This is no promise: node:test counts whoever awaits a promise to the test that
 * made it, which may be over by then.
 */
export function oncePerProcess<T>(make: () => Promise<T>): PromiseLike<T> {
  let made: Promise<T> | undefined
  const ask = () => {
    made ??= make()
    return made
  }
  // biome-ignore lint/suspicious/noThenProperty: it is awaited like the promise that it stands for
  return { then: (resolve, reject) => ask().then(resolve, reject) }
}
