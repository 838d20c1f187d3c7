import { AsyncResource } from 'node:async_hooks'
import { after } from 'node:test'

/** Made before any test runs, so that it stands outside of all of them. */
const outside = new AsyncResource('groundschool test process')

/** For what several files of tests share: it ends with their process. `after` in a file ends with that file. */
export const atProcessEnd = (end: () => unknown): void =>
  outside.runInAsyncScope(() => after(async () => void (await end())))
