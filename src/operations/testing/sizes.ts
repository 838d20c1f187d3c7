/** True under `npm run test:long`. */
export const isLong = process.env.GROUNDSCHOOL_LONG === '1'

/** Number of runs of a randomised test: a tenth in `npm test`, all of them in `npm run test:long`. */
export const size = (full: number): number => (isLong ? full : Math.ceil(full / 10))
