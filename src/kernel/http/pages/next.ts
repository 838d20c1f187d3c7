const MAX_LENGTH = 4000

/**
 * Where to continue after signing in or out: a path of ours, or undefined. Browsers read `\` as `/` and drop tabs and
 * line breaks, so anything but a plain path could lead to another host.
 */
export function readNext(next: unknown): string | undefined {
  if (typeof next !== 'string' || next.length > MAX_LENGTH) return undefined
  return /^\/(?!\/)[!-[\]-~]*$/.test(next) ? next : undefined
}

/** A URL of ours that carries the path to continue at. */
export const withNext = (path: string, next: string | undefined): string =>
  next === undefined ? path : `${path}?${new URLSearchParams({ next })}`
