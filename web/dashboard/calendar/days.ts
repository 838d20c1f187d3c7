/** Formats a time, in the reader's zone unless another one is given. */
export const formatter = (options: Intl.DateTimeFormatOptions, timeZone: string | undefined) =>
  new Intl.DateTimeFormat('en-GB', { ...options, ...(timeZone !== undefined && { timeZone }) })

/** Returns the day of a moment in the zone, as 2026-11-20. */
export const dayOf = (at: Date, timeZone?: string): string =>
  formatter({ year: 'numeric', month: '2-digit', day: '2-digit' }, timeZone).format(at).split('/').reverse().join('-')
