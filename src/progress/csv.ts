/** One record of a CSV file (RFC 4180); `rest` is what needs no more care. */
export const csvLine = (cells: readonly (string | number | null)[], rest = ''): string =>
  `${cells.map(csvCell).join(',')}${rest}\r\n`

/** Text that a spreadsheet would run as a formula is marked as text; numbers are numbers, also those below zero. */
function csvCell(value: string | number | null): string {
  if (typeof value !== 'string') return value === null ? '' : String(value)
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
