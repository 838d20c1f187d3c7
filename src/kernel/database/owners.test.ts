import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const source = join(import.meta.dirname, '../..')

/** All product files that belong to a room, each with the name of its room. */
const files = readdirSync(source, { recursive: true, encoding: 'utf8' })
  .filter((file) => /^\w+\/\w+\/(?:\w+\/)*[\w-]+\.ts$/.test(file) && !/test/.test(file))
  .map((file) => ({ file, room: file.split('/')[1]!, text: readFileSync(join(source, file), 'utf8') }))

test('a table is written by its own room only', () => {
  const writers = new Map<string, Set<string>>()
  for (const { room, text } of files)
    for (const [, table] of text.matchAll(/\b(?:(?:insert into|delete from|update)\s+|table: ')([a-z]\w+)\b(?!\()/g))
      if (!['set', 'skip', 'of'].includes(table!)) writers.set(table!, (writers.get(table!) ?? new Set()).add(room))
  assert.deepEqual([...(writers.get('people') ?? [])], ['people'])
  // The storage counters of buckets are updated by the SQL function `move_charge`, which this search does not find.
  const shared = [...writers].filter(([, rooms]) => rooms.size > 1).map(([table, rooms]) => [table, [...rooms].sort()])
  assert.deepEqual(shared, [])
})

test('visibility of people is decided by functions made for it, not by statements of other rooms', () => {
  const deciding = files.filter(
    ({ room, text }) => room !== 'friends' && /\b(?:from|join) (?:blocks|friendships)\b/.test(text),
  )
  // The only exception is the statement that counts a child's friend requests for its parents.
  assert.deepEqual(
    deciding.map(({ file }) => file),
    ['identity/families/store.ts'],
  )
})
