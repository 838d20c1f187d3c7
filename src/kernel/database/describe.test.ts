import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { checkStatements } from './describe.ts'
import { batchedWrite, c, nullable, read, type Statement, write } from './statement.ts'
import { createTestDatabase, runSql } from './test-database.ts'

const { connection, drop } = await createTestDatabase()
before(() =>
  runSql(
    connection,
    `create schema described;
     create table described.items (id int8 primary key, name text not null, note text, data jsonb not null, at timestamptz)`,
  ),
)
after(drop)

const check = (...statements: Statement[]) => checkStatements(connection, 'described', statements)

test('correctly declared statements give no difference', async () => {
  const right = [
    read('described.find', {
      params: { id: c.int8, name: c.text },
      row: { id: c.int8, name: c.text, note: nullable(c.text), data: c.json, at: nullable(c.timestamptz) },
      text: 'select at, id, name, note, data from items where id = :id and name = :name',
    }),
    read('described.list', {
      params: { ids: c.textArray, after: nullable(c.int8), limit: c.int8 },
      row: { total: c.int8 },
      text: `select count(*) as total from items
        where name = any(:ids) and (:after::int8 is null or id > :after) limit :limit`,
    }),
    write('described.insert', {
      params: { id: c.int8, name: c.text, data: c.json },
      row: { id: c.int8 },
      text: 'insert into items (id, name, data) values (:id, :name, :data) returning id',
    }),
    batchedWrite('described.rename', {
      params: { id: c.int8, name: c.text },
      row: { id: c.int8 },
      text: 'update items i set name = calls.name from :calls where i.id = calls.id returning call, i.id',
    }),
    write('described.delete', { params: { id: c.int8 }, row: {}, text: 'delete from items where id = :id' }),
  ]
  assert.deepEqual(await check(...right), [])
})

const find = (name: string, declared: Partial<Parameters<typeof read>[1]>) =>
  read(`described.${name}`, {
    params: { id: c.int8 },
    row: { name: c.text },
    text: 'select name from items where id = :id',
    ...declared,
  })

const mistakes: [what: string, statement: Statement, sentence: RegExp][] = [
  [
    'a parameter of another type',
    find('param', { params: { id: c.int4 } }),
    /^described.param: :id is declared int4, but it is bigint$/,
  ],
  [
    'a parameter that cannot even be compared',
    find('operator', { params: { id: c.uuid } }),
    /^described.operator cannot be prepared: operator does not exist: bigint = uuid$/,
  ],
  [
    'a column that the statement does not give',
    find('missing', { row: { name: c.text, other: c.text } }),
    /^described.missing: column other is declared, but the statement does not give it$/,
  ],
  [
    'a column that is not declared',
    find('extra', { text: 'select name, data from items where id = :id' }),
    /^described.extra: column data is not declared$/,
  ],
  [
    'a column of another type',
    find('type', { row: { name: c.int8 } }),
    /^described.type: column name is declared int8, but it is text$/,
  ],
  [
    'a column given twice',
    find('twice', { text: 'select name, note as name from items where id = :id' }),
    /^described.twice: column name is given 2 times$/,
  ],
  [
    'a column that can be null',
    find('null', { row: { note: c.text }, text: 'select note from items where id = :id' }),
    /^described.null: column note can be null in its table, but is not declared nullable$/,
  ],
  [
    'a table that does not exist',
    find('table', { text: 'select name from nowhere where id = :id' }),
    /^described.table cannot be prepared: relation "nowhere" does not exist$/,
  ],
  [
    'a batched write without the number of the call',
    batchedWrite('described.numberless', {
      params: { id: c.int8 },
      row: { id: c.int8 },
      text: 'delete from items i using :calls where i.id = calls.id returning i.id',
    }),
    /^described.numberless does not give the number of the call$/,
  ],
  [
    'a read that cannot be gathered',
    find('write', { text: 'delete from items where id = :id returning name' }),
    /^described.write cannot be gathered, so it needs gather: false: /,
  ],
]

for (const [what, statement, sentence] of mistakes) {
  test(`${what} gives a sentence`, async () => {
    const differences = await check(statement)
    assert.equal(differences.length, 1, differences.join('\n'))
    assert.match(differences[0]!, sentence)
  })
}

test('a mistake in one statement does not hide those in the next', async () => {
  assert.equal((await check(...mistakes.map(([, statement]) => statement))).length, mistakes.length)
})
