import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { ENVIRONMENTS } from '../config.ts'
import { schemaOf } from '../environment.ts'
import { TEMPLATE } from '../testing.ts'
import { checkStatements } from './describe.ts'
import { listStatements } from './statement.ts'

const source = join(import.meta.dirname, '..')

/** Every file of the product that declares a statement, whatever its name. */
const declaringFiles = readdirSync(source, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
  .map((file) => join(source, file))
  .filter((file) =>
    /import \{[^}]*\b(?:read|write)\b[^}]*\} from '[./]+(?:database\/)?statement\.ts'/.test(readFileSync(file, 'utf8')),
  )

test("every statement of the product is what the migrated database's own description says", async () => {
  for (const file of declaringFiles) await import(file)
  const statements = listStatements()
  for (const room of ['sessions', 'people', 'apps', 'buckets', 'idempotency', 'audit', 'installation', 'database'])
    assert.ok(
      statements.some(({ name }) => name.startsWith(`${room}.`)),
      `no statement of ${room} was found`,
    )
  const server = JSON.parse(process.env.GROUNDSCHOOL_TEST_DATABASE ?? '')
  for (const environment of ENVIRONMENTS) {
    const differences = await checkStatements({ ...server, database: TEMPLATE }, schemaOf(environment), statements)
    assert.deepEqual(differences, [])
  }
})
