/**
 * Size of the large values at which a page of a list ends. The page is larger only by its last row, because a page with
 * no row could not be continued.
 */
export const PAGE_BYTES = 2 * 1024 * 1024

interface PageOptions {
  /**
   * Size of a row's large values. Take `octet_length` of a text column: PostgreSQL knows it without reading the value.
   * It does read the whole value of a JSON column.
   */
  readonly size: string
  readonly order: string
}

/**
 * Selects the rows of `rows`, which it calls `r`, up to the one at which their size reaches PAGE_BYTES. `found` is the
 * number of all `rows`. Large values are only read for the selected rows. `bytes` is another limit, or a parameter.
 */
export const withinBytes = (
  rows: string,
  { size, order, bytes = PAGE_BYTES }: PageOptions & { bytes?: number | string },
) => `
  (select w.* from (select r.*, count(*) over () as found, ${sizeBefore({ size, order })} as bytes_before from (${rows}) r) w
    where w.bytes_before < ${bytes})`

/**
 * Like `withinBytes`, but keeps the rows of one `group` together. `is_whole` is false for rows of a group that is
 * itself too large; their large values should be left out.
 */
export const groupsWithinBytes = (rows: string, { size, order, group }: PageOptions & { group: string }): string => `
  (select w.*, w.bytes_before < ${2 * PAGE_BYTES} as is_whole
     from (select r.*, count(*) over () as found, ${sizeBefore({ size, order })} as bytes_before,
                  sum(${size}) over (order by ${group} desc) - sum(${size}) over (partition by ${group}) as bytes_of_newer
             from (${rows}) r) w
    where w.bytes_of_newer < ${PAGE_BYTES})`

/**
 * Keeps all rows, for pages that are numbered and so must have the same entries whatever their size. `is_whole` is
 * false for rows after the first PAGE_BYTES, whose long texts should be `shortened`.
 */
export const markWithinBytes = (rows: string, { size, order }: PageOptions): string => `
  (select w.*, w.bytes_before < ${PAGE_BYTES} as is_whole
     from (select r.*, ${sizeBefore({ size, order })} as bytes_before from (${rows}) r) w)`

/** Number of characters that remain of a long text. */
const SHORTENED = 500

/** Selects the column, which must be of a row that `markWithinBytes` has marked, under its own name. */
export const shortened = (row: string, column: string): string =>
  `case when ${row}.is_whole or length(${row}.${column}) <= ${SHORTENED} then ${row}.${column} else left(${row}.${column}, ${SHORTENED}) || '…' end as ${column}`

const sizeBefore = ({ size, order }: PageOptions) =>
  `coalesce(sum(${size}) over (order by ${order} rows between unbounded preceding and 1 preceding), 0)`
