import { type TSchema, Type } from 'typebox'
import { type Order, ordersOf } from './database/orders.ts'
import { Id, Whole } from './http/input/fields.ts'
import { json, presentAs } from './http/output/output.ts'

const DEFAULT_LIMIT = 10

/** Input fields of an operation that returns a list in pages. */
export const paging = {
  page: Type.Optional(Whole('Page number, from 1', 1, 1_000_000_000)),
  limit: Type.Optional(Whole(`Entries per page. Default: ${DEFAULT_LIMIT}`, 1, 100)),
}

/** Input field with which the caller chooses the order of a list, from a closed list of columns. */
export const sorting = <const Column extends string>(columns: readonly Column[], byDefault: Order<Column>) =>
  Type.Optional(
    Type.Unsafe<Order<Column>>({
      ...Id(`Column to sort by, with \`-\` in front for descending order. Default: \`${byDefault}\``),
      enum: ordersOf(columns),
    }),
  )

interface Paging {
  readonly page?: number
  readonly limit?: number
}

export interface Page<T> {
  readonly docs: readonly T[]
  readonly total: number
  readonly limit: number
  readonly page: number
  readonly pages: number
}

export const PageOf = (schema: TSchema, title: string) =>
  Type.Object(
    {
      docs: Type.Array(schema),
      total: Type.Integer({ description: 'Number of entries on all pages' }),
      limit: Type.Integer({ description: 'Entries per page' }),
      page: Type.Integer(),
      pages: Type.Integer(),
    },
    { title },
  )

/** True if the caller asks for a page. Lists that were bare arrays before they had pages still are without it. */
export const isPaged = ({ page, limit }: Paging): boolean => page !== undefined || limit !== undefined

/** Declares the output of such a list: an array, or a page if one is asked for. */
export const listOrPage = (list: TSchema, page: TSchema) =>
  json(Type.Union([list, page]), { present: (result) => presentAs(Array.isArray(result) ? list : page, result) })

export const spanOf = ({ page = 1, limit = DEFAULT_LIMIT }: Paging): { limit: number; offset: number } => ({
  limit,
  offset: (page - 1) * limit,
})

export const pageOf = <T>(docs: readonly T[], total: number, { page = 1, limit = DEFAULT_LIMIT }: Paging): Page<T> => ({
  docs,
  total,
  limit,
  page,
  pages: Math.ceil(total / limit),
})
