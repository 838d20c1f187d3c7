import { fail } from './errors.ts'

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Decodes a CSV file from UTF-8 and drops the byte order mark that Excel writes. Throws if the file is not UTF-8. */
export function decodeCsv(bytes: Buffer): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw fail('validationFailed', 'The file is not valid UTF-8; save it as "CSV UTF-8"')
  }
}

const SEPARATORS = [',', ';', '\t'] as const
type Separator = (typeof SEPARATORS)[number]

/**
 * Finds the separator in the first line: in some countries spreadsheets write semicolons, and copied cells have tabs.
 */
export function findSeparator(text: string): Separator {
  const line = /^[^\r\n]*/.exec(text)![0]
  const count = (separator: Separator) => line.split(separator).length
  return SEPARATORS.reduce((best, one) => (count(one) > count(best) ? one : best))
}

/**
 * Parses CSV (RFC 4180). Quoted fields may contain separators, line ends and doubled quotes. Records end with CRLF, LF
 * or CR. An empty line is a record of one empty field. Throws on input that other parsers could interpret differently.
 */
export function* readCsv(text: string, separator: Separator = ','): Generator<string[]> {
  const plain = new RegExp(`[^"${separator}\\r\\n]*`, 'y')
  let at = 0
  for (let row = 1; at < text.length; row++) {
    const record: string[] = []
    for (let isMore = true; isMore; ) {
      const field = text[at] === '"' ? readQuoted(text, at, row) : readPlain(text, at, plain)
      record.push(field.value)
      at = field.end
      isMore = text[at] === separator
      if (isMore) at++
      else if (at < text.length) at = skipLineEnd(text, at, row)
    }
    yield record
  }
}

interface ParsedField {
  readonly value: string
  /** Index of the first character after the field. */
  readonly end: number
}

function readPlain(text: string, at: number, plain: RegExp): ParsedField {
  plain.lastIndex = at
  const value = plain.exec(text)![0]
  return { value, end: at + value.length }
}

function readQuoted(text: string, start: number, row: number): ParsedField {
  let value = ''
  for (let at = start + 1; ; at++) {
    const quote = text.indexOf('"', at)
    if (quote < 0) throw fail('validationFailed', `Row ${row}: a quote is opened and not closed`)
    value += text.slice(at, quote)
    at = quote + 1
    if (text[at] !== '"') return { value, end: at }
    value += '"'
  }
}

function skipLineEnd(text: string, at: number, row: number): number {
  if (text[at] === '\r') return text[at + 1] === '\n' ? at + 2 : at + 1
  if (text[at] === '\n') return at + 1
  throw fail(
    'validationFailed',
    `Row ${row}: a quote must enclose a whole field, and is doubled within one: "say ""hi"""`,
  )
}

/** At the start of a file, makes spreadsheets read the file as UTF-8. */
export const BYTE_ORDER_MARK = '\uFEFF'

/** Formats one record (RFC 4180). `rest` is appended unchanged: a leading comma, then cells that need no quoting. */
export const csvLine = (cells: readonly (string | number | null)[], rest = ''): string =>
  `${cells.map(csvCell).join(',')}${rest}\r\n`

/** Matches text that spreadsheets would treat as a formula, including full-width forms of the first character. */
export const FORMULA = /^[=+\-@\t\r\uFF1D\uFF0B\uFF0D\uFF20]/

/**
 * Formats one cell. Text that a spreadsheet would run as a formula gets a leading apostrophe. Text is always quoted:
 * otherwise a spreadsheet that separates cells by `;` could start a new cell, and a formula, inside the text. Numbers
 * are not quoted.
 */
function csvCell(value: string | number | null): string {
  if (typeof value !== 'string') return value === null ? '' : String(value)
  const text = FORMULA.test(value) ? `'${value}` : value
  return `"${text.replaceAll('"', '""')}"`
}
