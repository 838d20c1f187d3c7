const MAX_LENGTH = 4000

/**
 * Where somebody goes on after signing in or out: a path of ours, or undefined. Browsers read `\` as `/` and leave out tabs and line breaks, so what is
 * not plainly a path could lead to another host.
 */
export function readNext(next: unknown): string | undefined {
  if (typeof next !== 'string' || next.length > MAX_LENGTH) return undefined
  return /^\/(?!\/)[!-[\]-~]*$/.test(next) ? next : undefined
}

/** An address of ours that remembers where to go on. */
export const withNext = (path: string, next: string | undefined): string =>
  next === undefined ? path : `${path}?${new URLSearchParams({ next })}`
