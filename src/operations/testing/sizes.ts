/** `npm run test:long` sets it. */
export const isLong = process.env.GROUNDSCHOOL_LONG === '1'

/** How often a test does what chance decides: a tenth of it in `npm test`, all of it in `npm run test:long`. */
export const size = (full: number): number => (isLong ? full : Math.ceil(full / 10))
