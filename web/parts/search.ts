/** A page number from the URL; undefined if it is invalid. */
export const pageFrom = (value: unknown, most = 1000): number | undefined => {
  const page = Number(value)
  return Number.isInteger(page) && page > 1 && page <= most ? page : undefined
}

/** One of the known values of a filter from the URL; undefined for any other. */
export const oneOf = <const T extends string>(known: readonly T[], value: unknown): T | undefined =>
  known.find((word) => word === value)

/**
 * Fields of the URL as a page reads them. Invalid ones must be present as undefined: for a field that is left out, the
 * router would hand the page the unchecked value of the URL.
 */
export const known = <T extends object>(fields: T): { [Name in keyof T]?: NonNullable<T[Name]> } => fields as never

/** Drops undefined fields, so that they do not appear in the URL. */
export const only = <T extends object>(fields: T): { [Name in keyof T]?: NonNullable<T[Name]> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never

/** A text from the URL. The router has already parsed text that looks like JSON. */
export const textFrom = (value: unknown, most = 2000): string | undefined => {
  if (value === undefined || value === null || value === '') return undefined
  return (typeof value === 'object' ? JSON.stringify(value) : String(value)).slice(0, most)
}

/** A text from the URL if it has the expected format, such as a cursor; undefined otherwise. */
export const matching = (shape: RegExp, value: unknown): string | undefined => {
  const text = textFrom(value)
  return text !== undefined && shape.test(text) ? text : undefined
}

/** A date and time from the URL; undefined if it is invalid. */
export const momentFrom = (value: unknown): string | undefined => {
  const text = matching(/^\d{4}-\d\d-\d\d([T ][\d:.]+(Z|[+-]\d\d:\d\d)?)?$/, value)
  return text === undefined || Number.isNaN(Date.parse(text)) ? undefined : new Date(text).toISOString()
}

/** A list of texts from the URL; undefined if it is anything else. */
export const textsFrom = (value: unknown, most: number): readonly string[] | undefined =>
  Array.isArray(value) && value.length <= most && value.every((one) => typeof one === 'string' && one.length <= 2000)
    ? value
    : undefined

export const flagFrom = (value: unknown): true | undefined => (value === true ? true : undefined)
