import { fail } from '../../kernel/errors.ts'

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** A byte order mark, which Excel writes, is left out. */
export function decodeCsv(bytes: Buffer): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw fail('validationFailed', 'The file is not valid UTF-8; save it as "CSV UTF-8"')
  }
}

/**
 * The records of a CSV file (RFC 4180): commas, fields with quotes around them that may hold commas, line ends and doubled quotes. Lines end with CRLF, LF or CR. What
 * two readers could take apart differently is refused. An empty line is a record of one empty field.
 */
export function* readCsv(text: string): Generator<string[]> {
  let at = 0
  for (let row = 1; at < text.length; row++) {
    const record: string[] = []
    for (let isMore = true; isMore; ) {
      const field = text[at] === '"' ? readQuoted(text, at, row) : readPlain(text, at)
      record.push(field.value)
      at = field.end
      isMore = text[at] === ','
      if (isMore) at++
      else if (at < text.length) at = skipLineEnd(text, at, row)
    }
    yield record
  }
}

interface Read {
  readonly value: string
  /** What comes behind it. */
  readonly end: number
}

const PLAIN = /[^",\r\n]*/y

function readPlain(text: string, at: number): Read {
  PLAIN.lastIndex = at
  const value = PLAIN.exec(text)![0]
  return { value, end: at + value.length }
}

function readQuoted(text: string, start: number, row: number): Read {
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
    `Row ${row}: a quote belongs around a whole field, and is doubled within one: "say ""hi"""`,
  )
}
