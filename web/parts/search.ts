/** A page number out of an address; nothing that makes no sense. */
export const pageFrom = (value: unknown, most = 1000): number | undefined => {
  const page = Number(value)
  return Number.isInteger(page) && page > 1 && page <= most ? page : undefined
}

/** One of the words that a filter knows, out of an address. */
export const oneOf = <const T extends string>(known: readonly T[], value: unknown): T | undefined =>
  known.find((word) => word === value)

/**
 * What an address says, as a page reads it. What makes no sense stays in it as undefined: the router would hand the page what the address has instead of a field that is
 * not there.
 */
export const known = <T extends object>(fields: T): { [Name in keyof T]?: NonNullable<T[Name]> } => fields as never

/** Without what is undefined: addresses say nothing about it. */
export const only = <T extends object>(fields: T): { [Name in keyof T]?: NonNullable<T[Name]> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never

/** What somebody typed, out of an address. Where it looks like JSON, the router has read it already. */
export const textFrom = (value: unknown, most = 2000): string | undefined => {
  if (value === undefined || value === null || value === '') return undefined
  return (typeof value === 'object' ? JSON.stringify(value) : String(value)).slice(0, most)
}

/** A text of a known shape out of an address, such as where a page begins; nothing where it has another. */
export const matching = (shape: RegExp, value: unknown): string | undefined => {
  const text = textFrom(value)
  return text !== undefined && shape.test(text) ? text : undefined
}

/** A moment out of an address; nothing where it is none. */
export const momentFrom = (value: unknown): string | undefined => {
  const text = matching(/^\d{4}-\d\d-\d\d([T ][\d:.]+(Z|[+-]\d\d:\d\d)?)?$/, value)
  return text === undefined || Number.isNaN(Date.parse(text)) ? undefined : new Date(text).toISOString()
}

/** A few texts out of an address; nothing where there is anything else among them. */
export const textsFrom = (value: unknown, most: number): readonly string[] | undefined =>
  Array.isArray(value) && value.length <= most && value.every((one) => typeof one === 'string' && one.length <= 2000)
    ? value
    : undefined

export const flagFrom = (value: unknown): true | undefined => (value === true ? true : undefined)
