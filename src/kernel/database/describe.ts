import pg from 'pg'
import type { ColumnType } from './columns.ts'
import type { Connection } from './database.ts'
import type { Statement } from './statement.ts'

/**
 * Compares declared statements with the server's description of them, and returns one sentence per difference. For
 * columns from outer joins and expressions the server does not say whether they can be null, so `nullable` is not
 * checked there.
 */
export async function checkStatements(
  connection: Connection,
  schema: string,
  statements: readonly Statement[],
): Promise<string[]> {
  const client = new pg.Client(connection)
  await client.connect()
  try {
    await client.query(`set search_path to ${pg.escapeIdentifier(schema)}`)
    const differences: string[] = []
    for (const statement of statements) differences.push(...(await checkStatement(client, statement)))
    return differences
  } finally {
    await client.end()
  }
}

interface Description {
  readonly params: readonly number[]
  readonly columns: readonly pg.FieldDef[]
}

async function checkStatement(client: pg.Client, statement: Statement): Promise<string[]> {
  const plain = await describe(client, statement.text)
  if (plain instanceof Error) return [`${statement.name} cannot be prepared: ${plain.message}`]
  const differences = [...(await checkParams(client, statement)), ...(await checkRow(client, statement, plain.columns))]
  if (differences.length === 0 && statement.gathered) {
    const gathered = await describe(client, statement.gathered.text)
    if (gathered instanceof Error) {
      return [`${statement.name} cannot be gathered, so it needs gather: false: ${gathered.message}`]
    }
  }
  return differences
}

/**
 * Compares the declared parameter types with those that the server infers. If the server cannot infer a type, the
 * declared type is accepted.
 */
async function checkParams(client: pg.Client, statement: Statement): Promise<string[]> {
  // The parameters of a batched statement are arrays with a cast to the declared type.
  if (statement.isBatched) return []
  const inferred = await describe(client, statement.untyped)
  if (inferred instanceof Error) return []
  const differences: string[] = []
  for (const [i, [name, type]] of Object.entries(statement.params).entries()) {
    const oid = inferred.params[i]!
    if (isSameType(type, oid)) continue
    differences.push(`${statement.name}: :${name} is declared ${type.sql}, but it is ${await nameType(client, oid)}`)
  }
  return differences
}

async function checkRow(client: pg.Client, statement: Statement, columns: readonly pg.FieldDef[]): Promise<string[]> {
  const differences: string[] = []
  for (const [name, type] of Object.entries(statement.row)) {
    const found = columns.filter((column) => column.name === name)
    const [column] = found
    if (!column) differences.push(`${statement.name}: column ${name} is declared, but the statement does not give it`)
    else if (found.length > 1) differences.push(`${statement.name}: column ${name} is given ${found.length} times`)
    else if (!isSameType(type, column.dataTypeID)) {
      const actual = await nameType(client, column.dataTypeID)
      differences.push(`${statement.name}: column ${name} is declared ${type.sql}, but it is ${actual}`)
    } else if (!type.isNullable && (await isNullable(client, column))) {
      differences.push(`${statement.name}: column ${name} can be null in its table, but is not declared nullable`)
    }
  }
  if (statement.isBatched && columns.every(({ name }) => name !== 'call'))
    differences.push(`${statement.name} does not give the number of the call`)
  for (const { name } of columns) {
    if (statement.isBatched && name === 'call') continue
    if (!Object.hasOwn(statement.row, name)) differences.push(`${statement.name}: column ${name} is not declared`)
  }
  return differences
}

const JSONB_OID = 3802

/**
 * Compares a declared type with the server's type. `json` and `jsonb` count as the same, because both are read as text.
 */
const isSameType = (type: ColumnType<unknown>, oid: number): boolean =>
  type.oid === oid || (type.sql === 'json' && oid === JSONB_OID)

async function nameType(client: pg.Client, oid: number): Promise<string> {
  const { rows } = await client.query<{ name: string }>('select format_type($1, null) as name', [oid])
  return rows[0]?.name ?? String(oid)
}

async function isNullable(client: pg.Client, column: pg.FieldDef): Promise<boolean> {
  const { rows } = await client.query<{ attnotnull: boolean }>(
    'select attnotnull from pg_attribute where attrelid = $1 and attnum = $2',
    [column.tableID, column.columnID],
  )
  return rows[0]?.attnotnull === false
}

/**
 * Sends Parse and Describe without running the statement. `pg` has no function for that, but lets a query class send
 * protocol messages itself.
 */
function describe(client: pg.Client, text: string): Promise<Description | Error> {
  return new Promise((resolve) => {
    let params: readonly number[] = []
    let columns: readonly pg.FieldDef[] = []
    const { connection } = client
    connection.once('parameterDescription', (message: { dataTypeIDs: number[] }) => {
      params = message.dataTypeIDs
    })
    client.query({
      submit: () => {
        connection.parse({ name: '', text, types: [] }, true)
        connection.describe({ type: 'S', name: '' }, true)
        connection.sync()
      },
      handleRowDescription: (message: { fields: pg.FieldDef[] }) => {
        columns = message.fields
      },
      handleError: (error: Error) => {
        connection.removeAllListeners('parameterDescription')
        resolve(error)
      },
      handleReadyForQuery: () => resolve({ params, columns }),
    } as pg.Submittable)
  })
}
