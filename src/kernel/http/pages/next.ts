const MAX_LENGTH = 4000

/**
 * Returns the path to continue at after signing in or out, or undefined if it is not a path of this platform. Browsers
 * read `\` as `/` and drop tabs and line breaks, so anything but a plain path could lead to another host.
 */
export function readNext(next: unknown, maxLength = MAX_LENGTH): string | undefined {
  if (typeof next !== 'string' || next.length > maxLength) return undefined
  return /^\/(?!\/)[!-[\]-~]*$/.test(next) ? next : undefined
}

/** Adds the path to continue at to a URL of this platform. */
export const withNext = (path: string, next: string | undefined): string =>
  next === undefined ? path : `${path}?${new URLSearchParams({ next })}`
