/** True if the tests run with `npm run test:long`. */
export const isLong = process.env.GROUNDSCHOOL_LONG === '1'

/**
 * Returns the number of runs of a randomised test: all of them with `npm run test:long`, but only a tenth with `npm
 * test`.
 */
export const size = (full: number): number => (isLong ? full : Math.ceil(full / 10))
