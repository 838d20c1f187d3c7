import { decodeCsv, FORMULA, findSeparator, readCsv } from './csv.ts'
import { fail } from './errors.ts'
import { isLine } from './lines.ts'

/** Maximum number of rows in a file that people import. */
export const MAX_CSV_ROWS = 20_000
const SHOWN_LENGTH = 100
const NAME_LENGTH = 100

interface Table<Column extends string> {
  readonly columns: readonly Column[]
  /** The file must have at least one of these columns. */
  readonly oneOf: readonly Column[]
  readonly most: number
  /** Names the file in errors, such as `A roster`. */
  readonly name: string
}

export interface TableRow<Column extends string> {
  /** Number of the record in the file; the first one names the columns. */
  readonly row: number
  /** Set if the number of fields differs from the number of columns. */
  readonly problem: string | undefined
  /** Returns a trimmed field; empty text if the file does not have the column. */
  field(name: Column): string
}

/** Reads a CSV file whose first line names its columns, in any order. Throws if the file as a whole is unusable. */
export function readTable<Column extends string>(file: Buffer, table: Table<Column>): TableRow<Column>[] {
  const firstLine = `its first line names the columns, separated by commas, semicolons or tabs: ${table.columns.join(', ')}`
  const rows: TableRow<Column>[] = []
  let columns: Column[] | undefined
  let number = 0
  const text = decodeCsv(file)
  for (const record of readCsv(text, findSeparator(text))) {
    number++
    if (!columns) columns = readColumns(record, table, firstLine)
    else if (record.length > 1 || record[0]!.trim() !== '') rows.push(toRow(number, record, columns))
    if (rows.length > table.most)
      throw fail('validationFailed', `${table.name} can have at most ${table.most} rows; split it into several files`)
  }
  if (!columns) throw fail('validationFailed', `The file is empty; ${firstLine}`)
  return rows
}

/** Compares column names without case, spaces, hyphens and underscores: `Given name` is `givenName`. */
const folded = (name: string): string => name.toLowerCase().replace(/[\s_-]+/g, '')

/** Other names of columns, folded, that spreadsheets of schools have. */
const SYNONYMS: Readonly<Record<string, string>> = {
  firstname: 'givenname',
  lastname: 'familyname',
  surname: 'familyname',
  emailaddress: 'email',
}

function readColumns<Column extends string>(
  names: readonly string[],
  { columns: known, oneOf }: Table<Column>,
  firstLine: string,
): Column[] {
  const columns = names.map((name) => {
    const wanted = SYNONYMS[folded(name)] ?? folded(name)
    const column = known.find((one) => folded(one) === wanted)
    if (!column) throw fail('validationFailed', `Unknown column ${name.trim().slice(0, SHOWN_LENGTH)}; ${firstLine}`)
    return column
  })
  const twice = columns.find((column, i) => columns.indexOf(column) !== i)
  if (twice) throw fail('validationFailed', `The file has two columns named ${twice}; remove one`)
  if (!oneOf.some((column) => columns.includes(column)))
    throw fail('validationFailed', `The column ${oneOf.join(' or ')} is missing; ${firstLine}`)
  return columns
}

const toRow = <Column extends string>(
  row: number,
  record: readonly string[],
  columns: readonly Column[],
): TableRow<Column> => ({
  row,
  problem:
    record.length === columns.length
      ? undefined
      : `has ${record.length} fields, but there are ${columns.length} columns`,
  field: (name) => record[columns.indexOf(name)]?.trim() ?? '',
})

/** Returns why a text cannot be a person's name in an imported file; undefined if it can. */
export function findNameProblem(column: string, text: string): string | undefined {
  if (FORMULA.test(text)) return `${column} must not begin like a formula: remove the ${text[0]}`
  if (text.length > NAME_LENGTH || !isLine(text))
    return `${column} must be one line of at most ${NAME_LENGTH} visible characters`
  return undefined
}
