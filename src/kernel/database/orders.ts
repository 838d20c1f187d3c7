/** A column of a list to sort by; with `-` in front, in descending order. */
export type Order<Column extends string> = Column | `-${Column}`

/** Returns all orders of a list: each column ascending and descending. */
export const ordersOf = <Column extends string>(columns: readonly Column[]): Order<Column>[] =>
  columns.flatMap((column): Order<Column>[] => [column, `-${column}`])

/**
 * Declares one statement for each order of a list, so that each has a plan of its own. `columns` holds the SQL
 * expressions to sort by; the last ones make the order unique, so that pages do not overlap.
 */
export const sortedBy = <Column extends string, S>(
  columns: Readonly<Record<Column, readonly string[]>>,
  declare: (order: string, suffix: string) => S,
): Readonly<Record<Order<Column>, S>> =>
  Object.fromEntries(
    ordersOf(Object.keys(columns) as Column[]).map((order) => {
      const direction = order.startsWith('-') ? 'desc' : 'asc'
      const expressions = columns[order.replace(/^-/, '') as Column]
      return [order, declare(expressions.map((one) => `${one} ${direction}`).join(', '), `.${order}`)]
    }),
  ) as never

/** SQL expression to sort names by: ignores case and accents, whatever the collation of the database is. */
export const foldedName = (name: string): string =>
  `regexp_replace(normalize(lower(${name}), NFD), '[\\u0300-\\u036f]', '', 'g') collate "C"`
