import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { giveBack, takeDatabase } from '../../operations/testing/databases.ts'
import { ENVIRONMENTS } from '../config.ts'
import { schemaOf } from '../environment.ts'
import { checkStatements } from './describe.ts'
import { listStatements } from './statement.ts'
import { runSql } from './test-database.ts'

const source = join(import.meta.dirname, '../..')

const files = readdirSync(source, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
  .map((file) => join(source, file))
  .map((file) => ({ file, text: readFileSync(file, 'utf8') }))

/** Every product file that declares a statement, whatever the name of the file. */
const declaringFiles = files
  .filter(({ text }) =>
    /import \{[^}]*\b(?:read|write|batchedWrite|list|report)\b[^}]*\} from '[./]+(?:kernel\/)?(?:database\/)?statement\.ts'/.test(
      text,
    ),
  )
  .map(({ file }) => file)

test('every statement of the product matches the description of the migrated database', async (t) => {
  const connection = await takeDatabase()
  t.after(() => giveBack(connection))
  for (const file of declaringFiles) await import(file)
  const statements = listStatements()
  for (const room of ['sessions', 'people', 'apps', 'buckets', 'idempotency', 'audit', 'installation', 'database'])
    assert.ok(
      statements.some(({ name }) => name.startsWith(`${room}.`)),
      `no statement of ${room} was found`,
    )
  for (const environment of ENVIRONMENTS) {
    const differences = await checkStatements(connection, schemaOf(environment), statements)
    assert.deepEqual(differences, [])
  }
})

test('retention deletes rows by the primary key of their table, so that no younger ones are deleted', async (t) => {
  const connection = await takeDatabase()
  t.after(() => giveBack(connection))
  for (const file of declaringFiles) await import(file)
  const statements = new Map(listStatements().map((statement) => [statement.name, statement]))
  const calls = files.flatMap(({ text }) => [...text.matchAll(/\bdeleteOlder\((?:'([^']+)', \{\s*table: '(\w+)')?/g)])
  assert.ok(calls.length > 8)
  for (const [call, name, table] of calls) {
    const statement = statements.get(name ?? '')
    assert.ok(statement, `${call} is not written as the others are`)
    const key = await runSql(
      connection,
      `select a.attname as column from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any(i.indkey)
        where i.indisprimary and i.indrelid = '${schemaOf('production')}.${table}'::regclass order by a.attname`,
    )
    assert.deepEqual(
      Object.keys(statement.row).sort(),
      key.map(({ column }) => column),
      name,
    )
  }
})
