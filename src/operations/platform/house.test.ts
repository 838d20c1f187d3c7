import assert from 'node:assert/strict'
import { globSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { test } from 'node:test'
import { rooms } from '../../app.ts'
import { testApp } from '../testing/testing.ts'

/** For each wing, the wings that it may import. */
const WINGS: Readonly<Record<string, readonly string[]>> = {
  kernel: [],
  identity: ['kernel'],
  apps: ['kernel', 'identity'],
  learning: ['kernel', 'identity', 'apps'],
  records: ['kernel', 'identity', 'apps', 'learning'],
  extensions: ['kernel', 'identity', 'apps', 'learning'],
  operations: ['kernel', 'identity', 'apps', 'learning', 'records', 'extensions'],
}

/** The files above all wings. They may import every wing, and the command line may import the table of contents. */
const ABOVE: Readonly<Record<string, readonly string[]>> = {
  'app.ts': Object.keys(WINGS),
  'main.ts': ['app.ts', ...Object.keys(WINGS)],
}

/** The files that may import the table of contents from below, because they act on all rooms. */
const ACT_ON_ALL_ROOMS = [
  'src/operations/docs.ts',
  'src/operations/platform/forgetting.ts',
  'src/operations/platform/import-sections.ts',
  'src/operations/platform/platform.ts',
]

/** The files through which other rooms use the database. No other file passes on names of another file. */
const FRONT_DOORS = ['src/kernel/database/database.ts', 'src/kernel/database/statement.ts']

interface Import {
  readonly from: string
  readonly to: string
}

/** Returns the wing of a file. A file above all wings, such as `app.ts`, counts as a separate wing. */
const wingOf = (file: string): string => file.split('/')[1]!
/** Returns the room of a file, such as `kernel/http`. A file directly in a wing counts as a separate room. */
const roomOf = (file: string): string => file.split('/').slice(1, 3).join('/')
/** True for tests and the tools of tests. They may import anything, but no product file may import them. */
const isForTests = (file: string): boolean => /\.test\.ts$|\/testing|\/test-/.test(file)
/** True for SQL, decisions and addresses, which only their own room may import. */
const isPrivate = (file: string): boolean => /[/-](store|rules|routes)\.ts$/.test(file)
/** True for a room's description of itself. Only `src/app.ts` imports it, so it cannot be part of an import cycle. */
const isDescription = (file: string): boolean => /^src\/\w+\/\w+\/room\.ts$/.test(file)

/** Matches the relative specifiers of static, side-effect, dynamic and type imports, and of re-exports. */
const SPECIFIERS = /\b(?:from|import)\s*\(?\s*['"`](\.[^'"`]+)['"`]/g

const findImports = (from: string, text: string): Import[] =>
  [...text.matchAll(SPECIFIERS)].map(([, path]) => ({ from, to: normalize(join(dirname(from), path!)) }))

const listImports = (): Import[] =>
  globSync('src/**/*.ts')
    .filter((file) => !isForTests(file))
    .flatMap((file) => findImports(file, readFileSync(file, 'utf8')))
    .filter(({ to }) => to.startsWith('src/'))

const show = ({ from, to }: Import): string => `${from} imports ${to}`

/** Lists imports that the rules for wings do not allow. */
const listWrongArrows = (imports: readonly Import[]): string[] =>
  imports
    .filter(({ from, to }) => {
      if (to === 'src/app.ts' && ACT_ON_ALL_ROOMS.includes(from)) return false
      const allowed = WINGS[wingOf(from)] ?? ABOVE[wingOf(from)]
      return isForTests(to) || (wingOf(from) !== wingOf(to) && !allowed?.includes(wingOf(to)))
    })
    .map(show)

/** Lists imports of another room's SQL, decisions or addresses. */
const listIntrusions = (imports: readonly Import[]): string[] =>
  imports.filter(({ from, to }) => isPrivate(to) && roomOf(from) !== roomOf(to)).map(show)

/** Finds import cycles between rooms (strongly connected components), each with the imports that form it. */
function listCycles(imports: readonly Import[]): { rooms: string[]; imports: string[] }[] {
  const arrows = imports.filter(
    ({ from, to }) =>
      roomOf(from) !== roomOf(to) && wingOf(from) in WINGS && wingOf(to) in WINGS && !isDescription(from),
  )
  const below = Map.groupBy(arrows, ({ from }) => roomOf(from))
  const reach = (start: string): Set<string> => {
    const seen = new Set<string>()
    const open = [start]
    for (let room = open.pop(); room !== undefined; room = open.pop())
      for (const { to } of below.get(room) ?? [])
        if (!seen.has(roomOf(to))) {
          seen.add(roomOf(to))
          open.push(roomOf(to))
        }
    return seen
  }
  const reached = new Map([...below.keys()].map((room) => [room, reach(room)]))
  const isCyclic = (a: string, b: string) => reached.get(a)?.has(b) === true && reached.get(b)?.has(a) === true
  const cyclic = [...below.keys()].filter((room) => isCyclic(room, room)).sort()
  const groups = Map.groupBy(cyclic, (room) => cyclic.find((other) => isCyclic(room, other))!)
  return [...groups.values()].map((rooms) => ({
    rooms,
    imports: arrows.filter(({ from, to }) => rooms.includes(roomOf(from)) && rooms.includes(roomOf(to))).map(show),
  }))
}

test('src holds the seven wings, the command line and the table of contents, and nothing else', () => {
  assert.deepEqual(readdirSync('src').sort(), [...Object.keys(ABOVE), ...Object.keys(WINGS)].sort())
})

test('imports between wings point down, types included, and no product file imports the tools of tests', () => {
  const imports = listImports()
  assert.ok(imports.length > 1000)
  assert.deepEqual(listWrongArrows(imports), [])
})

test('no rooms import each other in a circle, however long, types included', () => {
  const imports = listImports()
  assert.deepEqual(listCycles(imports), [])
  const describing = imports.filter(({ from, to }) => isDescription(to) && from !== 'src/app.ts')
  assert.deepEqual(describing.map(show), [])
})

test('the SQL, the decisions and the addresses of a room are imported by no other room, types included', () => {
  assert.deepEqual(listIntrusions(listImports()), [])
})

test('a name is imported from the file that declares it, except through the front doors of the database', () => {
  const passing = globSync('src/**/*.ts').filter((file) =>
    /^export (?:type )?(?:\{[^}]*\}|\*[^'"]*) from /m.test(readFileSync(file, 'utf8')),
  )
  assert.deepEqual(passing.sort(), FRONT_DOORS)
})

test('every kind of import is found', () => {
  const text = [
    `import { a } from './a.ts'`,
    `import {\n  b,\n} from './b.ts'`,
    `import type { C } from './c.ts'`,
    `import './d.ts'`,
    `const e = await import('./e.ts')`,
    `type F = import('./f.ts').F`,
    `export * from './g.ts'`,
    `const h = await import(\n  './h.ts'\n)`,
  ].join('\n')
  const found = findImports('src/kernel/jobs/jobs.ts', text).map(({ to }) => to)
  assert.deepEqual(
    found,
    [...'abcdefgh'].map((name) => `src/kernel/jobs/${name}.ts`),
  )
})

test('the checks detect an import against the arrows, of a private file, and a circle of three rooms', () => {
  const climbing = { from: 'src/kernel/jobs/jobs.ts', to: 'src/identity/people/people.ts' }
  const wrong = [
    climbing,
    { from: 'src/operations/commands/start.ts', to: 'src/app.ts' },
    { from: 'src/app.ts', to: 'src/main.ts' },
    { from: 'src/main.ts', to: 'src/operations/testing/testing.ts' },
  ]
  const right = [
    { from: climbing.to, to: climbing.from },
    { from: 'src/operations/platform/platform.ts', to: 'src/app.ts' },
    { from: 'src/main.ts', to: 'src/app.ts' },
    { from: 'src/app.ts', to: climbing.from },
  ]
  assert.deepEqual(listWrongArrows([...wrong, ...right]), wrong.map(show))
  const intrusions = ['store', 'import-store', 'rules', 'routes'].map((name) => ({
    from: 'src/identity/friends/rules.ts',
    to: `src/identity/people/${name}.ts`,
  }))
  const inside = { from: 'src/identity/people/room.ts', to: 'src/identity/people/changes/store.ts' }
  assert.deepEqual(listIntrusions([...intrusions, inside, climbing]), intrusions.map(show))
  const circle = ['jobs', 'events', 'feeds'].map((room) => `src/kernel/${room}/${room}.ts`)
  const imports = circle.map((from, i) => ({ from, to: circle[(i + 1) % 3]! }))
  const innocent = { from: 'src/kernel/http/server.ts', to: circle[0]! }
  assert.deepEqual(listCycles([...imports, innocent]), [
    { rooms: ['kernel/events', 'kernel/feeds', 'kernel/jobs'], imports: imports.map(show) },
  ])
})

/** Finds what makes a function depend on more than its arguments, and variables that outlive a call. */
const findImpurities = (text: string): string[] =>
  text.match(
    /\basync\b|\bawait\b|Date\.now|new Date\(\)|performance\.now|process\.|'node:fs|Math\.random|\brandom(?:Int|Bytes|UUID|Fill)\w*|getRandomValues|^(?:export )?(?:let|var)\b/gm,
  ) ?? []

test('rules are pure: no await, clock, file, environment, random number or variable of the module', () => {
  const impure = globSync('src/**/{rules,*-rules}.ts').flatMap((file) =>
    findImpurities(readFileSync(file, 'utf8')).map((found) => `${file}: ${found}`),
  )
  assert.deepEqual(impure, [])
  for (const text of [
    `import { randomInt } from 'node:crypto'`,
    `const key = randomBytes(8)`,
    `const id = crypto.randomUUID()`,
    `crypto.getRandomValues(bytes)`,
    `const A = 1\nlet count = 0`,
    `const now = Date.now()`,
  ])
    assert.equal(findImpurities(text).length, 1, text)
  assert.deepEqual(findImpurities(`import { createHash } from 'node:crypto'\nfunction f() {\n  let n = 0\n}`), [])
})

/** Finds loops without a condition, which hang if what they wait for never comes. */
const findEndless = (text: string): string[] => text.match(/\bwhile \(true\)|\bfor \([^;\n]*; ?;/g) ?? []

test('every loop of a test has a bound, so that a cursor that never ends fails the test and does not hang it', () => {
  const own = 'src/operations/platform/house.test.ts'
  const endless = globSync('{src,web,sdk,examples,interop}/**/*.ts', { exclude: ['**/node_modules/**'] })
    .filter((file) => isForTests(file) && file !== own)
    .flatMap((file) => findEndless(readFileSync(file, 'utf8')).map((found) => `${file}: ${found}`))
  assert.deepEqual(endless, [])
  for (const text of ['while (true) {', 'for (;;) {', 'for (let page = 1; ; page++) {'])
    assert.equal(findEndless(text).length, 1, text)
  assert.deepEqual(findEndless('for (let i = 0; i < 3; i++) {\nfor (; i < 3; i++)'), [])
})

test('a room declares every table that refers to a person or a user, and what becomes of it on deletion', async (t) => {
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
