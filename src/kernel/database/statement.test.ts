import assert from 'node:assert/strict'
import { test } from 'node:test'
import { c, listStatements, read, write } from './statement.ts'

const row = { id: c.text }

test('names become positions with their types, one for each name', () => {
  const statement = write('test.positions', {
    params: { app: c.int8, id: c.text },
    row,
    text: 'select id from t where app = :app and (id = :id or parent = :id)',
  })
  assert.equal(statement.text, 'select id from t where app = $1::int8 and (id = $2::text or parent = $2::text)')
  assert.equal(statement.untyped, 'select id from t where app = $1 and (id = $2 or parent = $2)')
})

test('casts, strings, quoted names, dollar quotes and comments keep their colons', () => {
  const source = `select 'a:b it''s :c'::text, e'\\':d', "x:y", $$ :e $$, $q$ $$ :f $q$, -- :g
    /* :h */ :id::int8, x::text[] from t`
  const statement = write('test.colons', { params: { id: c.text }, row, text: source })
  assert.equal(statement.text, source.replace(':id::int8', '$1::text::int8'))
})

test('a name that is undeclared, unused or given twice is refused at once', () => {
  const declare = (name: string, source: string) => write(name, { params: { id: c.text }, row, text: source })
  assert.throws(() => declare('test.undeclared', 'select :id, :other'), /uses :other, which its params do not declare/)
  assert.throws(() => declare('test.unused', 'select 1 -- :id'), /declares :id and does not use it/)
  declare('test.twice', 'select :id')
  assert.throws(() => declare('test.twice', 'select :id'), /two statements with the name 'test.twice'/)
  assert.throws(() => declare('x'.repeat(61), 'select :id'), /must be 1 to 60/)
  const names = listStatements().map(({ name }) => name)
  assert.ok(names.includes('test.twice'))
  assert.ok(!names.includes('test.undeclared') && !names.includes('test.unused'))
})

test('reads with parameters can be gathered, with arrays sent as text', () => {
  const declaration = { params: { id: c.text }, row, text: 'select id from t where id = :id' }
  const array = { params: { ids: c.textArray }, row, text: 'select id from t where id = any(:ids)' }
  assert.ok(read('test.gathered', declaration).gathered?.text.includes('where id = calls_."id"'))
  assert.equal(read('test.alone', { ...declaration, gather: false }).gathered, undefined)
  assert.match(read('test.array', array).gathered!.text, /"ids"::text\[\] as "ids".*unnest\(\$1::text\[\]\)/)
  assert.equal(read('test.none', { params: {}, row, text: 'select id from t' }).gathered, undefined)
  assert.equal(write('test.write', declaration).gathered, undefined)
})

test('a column that the statement does not return is an error, not undefined', () => {
  const statement = write('test.missing', { params: {}, row, text: 'select 1 as other' })
  assert.throws(() => statement.makeRowReader(['other']), /'test.missing' gives no column 'id'/)
})

test('array literals are parsed, and a NULL inside is refused', () => {
  assert.deepEqual(c.textArray.decode('{}'), [])
  assert.deepEqual(c.textArray.decode('{a,"b,c","","NULL","x\\"y\\\\z","{}","two\nlines"}'), [
    'a',
    'b,c',
    '',
    'NULL',
    'x"y\\z',
    '{}',
    'two\nlines',
  ])
  assert.throws(() => c.textArray.decode('{a,NULL}'), /NULL/)
  assert.deepEqual(c.int8Array.decode('{}'), [])
  assert.deepEqual(c.int8Array.decode('{1,-2}'), [1, -2])
})

test('an invalid date is refused before it is sent', () => {
  assert.throws(() => c.timestamptz.encode(new Date(Number.NaN)), RangeError)
})

test('an instant is the text that a Date gives, without the microseconds', () => {
  for (const fraction of ['', '.1', '.02', '.108', '.10899', '.999999']) {
    const value = `2026-11-17 18:52:03${fraction}+00`
    assert.equal(c.instant.decode(value), c.timestamptz.decode(value).toISOString())
  }
  assert.equal(c.instant.decode('2026-11-17 18:52:03.1081+00'), '2026-11-17T18:52:03.108Z')
  for (const value of ['infinity', '10000-01-01 00:00:00+00', '0044-03-15 00:00:00+00 BC'])
    assert.throws(() => c.instant.decode(value), RangeError)
})
