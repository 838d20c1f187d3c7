/** A page number out of an address; nothing that makes no sense. */
export const pageFrom = (value: unknown): number | undefined => {
  const page = Number(value)
  return Number.isInteger(page) && page > 1 && page <= 1000 ? page : undefined
}

/** One of the words that a filter knows, out of an address. */
export const oneOf = <const T extends string>(known: readonly T[], value: unknown): T | undefined =>
  known.find((word) => word === value)

/** Without what is undefined: addresses say nothing about it. */
export const only = <T extends object>(fields: T): { [Name in keyof T]?: NonNullable<T[Name]> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never
