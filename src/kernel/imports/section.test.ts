import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Static, Type } from 'typebox'
import { normaliseHandle } from '../../identity/people/handles.ts'
import { peopleSection } from '../../identity/people/import.ts'
import { testApp } from '../../operations/testing/testing.ts'
import { c, read, write } from '../database/statement.ts'
import type { Environment } from '../environment.ts'
import { Key, Line } from './fields.ts'
import { importContent } from './imports.ts'
import type { ImportSection } from './section.ts'
import { importSections } from './section.ts'
import { all, refused, who } from './testing.ts'

const Club = Type.Object({
  key: Key('What the club is known by'),
  name: Line(100, 'As people read it'),
  chair: Line(31, 'Handle of the person who leads it', { minLength: 1 }),
})

const findClubs = read('testing.findClubs', {
  params: { keys: c.textArray },
  row: { id: c.int8, key: c.text, name: c.text, chair_id: c.int8 },
  text: `select id, key, name, chair_id from clubs where key = any(:keys)`,
})
const writeClubs = write('testing.writeClubs', {
  params: { rows: c.json },
  row: { id: c.int8, key: c.text },
  text: `
    insert into clubs (key, name, chair_id)
    select r.key, r.name, r.chair_id from json_to_recordset(:rows) as r(key text, name text, chair_id bigint)
    on conflict (key) do update set name = excluded.name, chair_id = excluded.chair_id returning id, key`,
})

/** An import section with everything that a module can declare. */
const clubs: ImportSection<
  Static<typeof Club>,
  { id: number; key: string; name: string; chair_id: number },
  Static<typeof Club>
> = {
  name: 'clubs',
  one: 'club',
  key: 'key',
  schema: Club,
  *refer({ chair }, place) {
    if (typeof chair === 'string') yield { place: `${place}.chair`, to: peopleSection, key: normaliseHandle(chair) }
  },
  find: (db, keys) => db.all(findClubs, { keys }),
  plan: (club, found, { find }) => ({
    change: club,
    isSame: found?.name === club.name && found.chair_id === find(peopleSection, normaliseHandle(club.chair))?.id,
  }),
  write: (tx, _who, changes, { idOf }) => {
    const rows = changes.map(({ key, change }) => ({
      key,
      name: change.name,
      chair_id: idOf(peopleSection, normaliseHandle(change.chair)),
    }))
    return tx.all(writeClubs, { rows: JSON.stringify(rows) })
  },
}

test('another room adds a section of its own, which can refer to the entries of others', async (t) => {
  const app = await testApp(t)
  const environment = app.environment()
  await app.sql(
    `create table clubs (id bigint generated always as identity primary key, key text unique, name text, chair_id bigint not null references people)`,
  )
  const sections = [...environment.get(importSections), clubs]
  const get: Environment['get'] = (service) =>
    service === (importSections as unknown) ? (sections as never) : environment.get(service)
  const target = { ...environment, get }
  const run = (content: object) => importContent([target], who(), { content })
  const people = [{ handle: '@New' }]
  const club = { key: 'gliding', name: 'Gliding', chair: '@new' }

  assert.deepEqual(
    await refused(run({ clubs: [club, { key: 'rowing', name: 'Rowing', chair: '@avery', boats: 3 }] })),
    [
      'clubs[1].boats: is unknown; known fields are key, name, chair',
      'clubs[0].chair: refers to no person in this file or in production',
    ],
  )
  assert.deepEqual((await run({ people, clubs: [club] })).production!.clubs, all(1, 0, 0))
  assert.deepEqual((await run({ people, clubs: [club] })).production!.clubs, all(0, 0, 1))
  assert.deepEqual((await run({ clubs: [{ ...club, chair: '@avery' }] })).production!.clubs, all(0, 1, 0))
  assert.deepEqual(await app.sql(`select c.key, c.name, p.handle from clubs c join people p on p.id = c.chair_id`), [
    { key: 'gliding', name: 'Gliding', handle: '@avery' },
  ])
})
