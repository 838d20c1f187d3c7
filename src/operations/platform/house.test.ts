import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { test } from 'node:test'
import { rooms } from '../../app.ts'
import { testApp } from '../testing/testing.ts'

/** The folder of a file, or the file itself where it lies in src/. What only describes a room to the house, or tests it, is not of it. */
const roomOf = (file: string): string => file.split('/')[1]!
const isOfRoom = (file: string): boolean =>
  !/\.test\.ts$|\/testing|\/test-|\/room\.ts$|^src\/(app|docs)\.ts$/.test(file)

function listImports(): [importer: string, imported: string][] {
  return globSync('src/**/*.ts')
    .filter(isOfRoom)
    .flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/(?:from|import) '(\.[^']+)'/g)].map(([, path]): [string, string] => [
        file,
        normalize(join(dirname(file), path!)),
      ]),
    )
    .filter(([, imported]) => imported.startsWith('src/') && isOfRoom(imported))
}

test('no two rooms import each other, types included', () => {
  const imports = listImports()
  assert.ok(imports.length > 500)
  const pairs = new Map<string, string>()
  for (const [from, to] of imports)
    if (roomOf(from) !== roomOf(to)) pairs.set(`${roomOf(from)} ${roomOf(to)}`, `${from} → ${to}`)
  const mutual = [...pairs].flatMap(([pair, example]) => {
    const back = pairs.get(pair.split(' ').reverse().join(' '))
    return back === undefined ? [] : [`${example}, ${back}`]
  })
  assert.deepEqual(mutual, [])
})

test('every table that refers to a person or a user is named by a room, which says what becomes of it', async (t) => {
  const app = await testApp(t)
  const rows = await app.sql(
    `select distinct c.table_name as name from information_schema.columns c
       join information_schema.tables t using (table_schema, table_name)
      where c.table_schema = 'gs_production' and t.table_type = 'BASE TABLE'
        and (c.column_name in ('person_id', 'user_id', 'handle', 'email', 'owner_id', 'caller', 'recipient')
          or exists (select from pg_constraint f
                      where f.contype = 'f' and f.conrelid = format('%I.%I', c.table_schema, c.table_name)::regclass
                        and f.confrelid = 'gs_production.people'::regclass))`,
  )
  const found = rows.map(({ name }) => String(name))
  assert.ok(found.length > 15)
  const named = rooms.flatMap(({ personalTables = {} }) => Object.keys(personalTables))
  assert.equal(new Set(named).size, named.length, 'a table has one room')
  assert.deepEqual(
    found.filter((name) => !named.includes(name)),
    [],
    'add it to personalTables of its room',
  )
  const files = rooms.flatMap(({ exports = [] }) => exports.map(({ file }) => file))
  for (const [table, { inExport }] of rooms.flatMap(({ personalTables = {} }) => Object.entries(personalTables)))
    for (const [, file] of inExport.matchAll(/`([\w-]+\.json)`/g)) assert.ok(files.includes(file!), `${table}: ${file}`)
})
