/** One record of a CSV file (RFC 4180); `rest` is what needs no more care. */
export const csvLine = (cells: readonly (string | number | null)[], rest = ''): string =>
  `${cells.map(csvCell).join(',')}${rest}\r\n`

/** What spreadsheets begin a formula with, also in full width. */
const FORMULA = /^[=+\-@\t\r\uFF1D\uFF0B\uFF0D\uFF20]/

/**
 * Text that a spreadsheet would run as a formula is marked as text, and text is always quoted: one that separates by `;` would begin a cell in the middle of it.
 * Numbers are numbers, also those below zero.
 */
function csvCell(value: string | number | null): string {
  if (typeof value !== 'string') return value === null ? '' : String(value)
  const text = FORMULA.test(value) ? `'${value}` : value
  return `"${text.replaceAll('"', '""')}"`
}
