/** Reads a page number from the URL; undefined if it is invalid, or 1, which is the default. */
export const pageFrom = (value: unknown, most = 1000): number | undefined => {
  const page = Number(value)
  return Number.isInteger(page) && page > 1 && page <= most ? page : undefined
}

/** Returns the value from the URL if it is one of the known values; undefined otherwise. */
export const oneOf = <const T extends string>(known: readonly T[], value: unknown): T | undefined =>
  known.find((word) => word === value)

/** Reads the order of a list from the URL: one of its columns, with `-` in front for descending order. */
export const sortFrom = <const Column extends string>(
  columns: readonly Column[],
  value: unknown,
): Column | `-${Column}` | undefined =>
  oneOf(
    columns.flatMap((column): (Column | `-${Column}`)[] => [column, `-${column}`]),
    value,
  )

/**
 * Types the search parameters that a page has checked. Invalid ones must be present as undefined: if one is missing,
 * the router passes the unchecked value from the URL to the page.
 */
export const known = <T extends object>(fields: T): { [Name in keyof T]?: NonNullable<T[Name]> } => fields as never

/** Removes undefined fields, so that they do not appear in the URL. */
export const only = <T extends object>(fields: T): { [Name in keyof T]?: NonNullable<T[Name]> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never

/**
 * Reads a text from the URL. The router has already parsed values that look like JSON, so these are turned back into
 * text.
 */
export const textFrom = (value: unknown, most = 2000): string | undefined => {
  if (value === undefined || value === null || value === '') return undefined
  return (typeof value === 'object' ? JSON.stringify(value) : String(value)).slice(0, most)
}

/** Reads a text from the URL, such as a cursor, if it matches the pattern; undefined otherwise. */
export const matching = (shape: RegExp, value: unknown): string | undefined => {
  const text = textFrom(value)
  return text !== undefined && shape.test(text) ? text : undefined
}

/** Reads a date and time from the URL; undefined if it is invalid. */
export const momentFrom = (value: unknown): string | undefined => {
  const text = matching(/^\d{4}-\d\d-\d\d([T ][\d:.]+(Z|[+-]\d\d:\d\d)?)?$/, value)
  return text === undefined || Number.isNaN(Date.parse(text)) ? undefined : new Date(text).toISOString()
}

/** Reads a list of texts from the URL; undefined if the value is anything else. */
export const textsFrom = (value: unknown, most: number): readonly string[] | undefined =>
  Array.isArray(value) && value.length <= most && value.every((one) => typeof one === 'string' && one.length <= 2000)
    ? value
    : undefined

export const flagFrom = (value: unknown): true | undefined => (value === true ? true : undefined)
