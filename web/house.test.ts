import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize, sep } from 'node:path'
import { test } from 'node:test'

const BELOW_AREAS = ['api', 'parts']
const AREAS = ['account', 'admin', 'console', 'dashboard', 'planner', 'reference']
/**
 * The folders that each folder may import, besides itself. Areas do not import one another; code that several areas
 * share is in `parts`.
 */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  api: [],
  parts: ['api'],
  ...Object.fromEntries(AREAS.map((area) => [area, BELOW_AREAS])),
  app: [...BELOW_AREAS, ...AREAS],
  // A page of its own, on another origin.
  player: [],
}

type Import = readonly [importer: string, imported: string]

const listImports = (): Import[] =>
  globSync('*/**/*.{ts,tsx,css}', { cwd: import.meta.dirname, exclude: ['dist*/**', '**/*.test.ts'] })
    .map((file) => file.replaceAll(sep, '/'))
    .sort()
    .flatMap((file) =>
      [
        ...readFileSync(join(import.meta.dirname, file), 'utf8').matchAll(/(?:from|import)\s*\(?\s*['"](\.[^'"]+)/g),
      ].map(([, path]): Import => [file, normalize(join(dirname(file), path!)).replaceAll(sep, '/')]),
    )

const areaOf = (file: string): string => file.split('/', 1)[0]!

/**
 * Returns the folder of a file inside an area. For a file directly in the area, returns the file itself, because
 * `routes.ts` imports the folders, and the folders import `words.ts`.
 */
const placeOf = (file: string): string => (file.split('/').length > 2 ? dirname(file) : file)

/** Finds imports that are part of a cycle, that is, imports inside a strongly connected component of the graph. */
function findCircles(imports: readonly Import[]): string[] {
  const edges = new Map<string, Set<string>>()
  for (const [from, to] of imports) {
    const targets = edges.get(placeOf(from)) ?? new Set()
    edges.set(placeOf(from), targets.add(placeOf(to)))
  }
  const reached = new Map([...edges.keys()].map((place) => [place, reachFrom(place, edges)]))
  return imports
    .filter(([from, to]) => placeOf(from) !== placeOf(to) && reached.get(placeOf(to))?.has(placeOf(from)))
    .map(([from, to]) => `${from} → ${to}`)
}

function reachFrom(start: string, edges: ReadonlyMap<string, ReadonlySet<string>>): Set<string> {
  const found = new Set<string>()
  const open = [start]
  for (let place = open.pop(); place !== undefined; place = open.pop())
    for (const next of edges.get(place) ?? [])
      if (!found.has(next)) {
        found.add(next)
        open.push(next)
      }
  return found
}

const findForbidden = (imports: readonly Import[]): string[] =>
  imports
    .filter(([from, to]) => areaOf(from) !== areaOf(to) && !MAY_IMPORT[areaOf(from)]?.includes(areaOf(to)))
    .map(([from, to]) => `${from} → ${to}`)

const imports = listImports()

test('imports run one way: api, parts, areas, app; no area imports another', () => {
  assert.ok(imports.length > 1000, String(imports.length))
  assert.deepEqual([...new Set(imports.flatMap((pair) => pair.map(areaOf)))].sort(), Object.keys(MAY_IMPORT).sort())
  assert.deepEqual(findForbidden(imports), [])
})

test('no folders of the pages import one another in a circle', () => {
  assert.deepEqual(findCircles(imports), [])
})

/** Forms without anything worth keeping: filters, confirmations, passwords and check boxes. */
const NOTHING_TO_KEEP = [
  'account/data/data-page.tsx',
  'app/layout/sign-in-again.tsx',
  'console/apps/requests-page.tsx',
  'parts/confirm.tsx',
  'parts/filters.tsx',
  'planner/search-page.tsx',
  'reference/sign-in-form.tsx',
  'reference/try-it.tsx',
]

const components = globSync('*/**/*.tsx', { cwd: import.meta.dirname, exclude: ['dist*/**'] }).map(
  (file) => [file.replaceAll(sep, '/'), readFileSync(join(import.meta.dirname, file), 'utf8')] as const,
)

test('every form asks before what was written in it is lost', () => {
  const files = components.filter(([, text]) => text.includes('<form'))
  assert.ok(files.length > 30, String(files.length))
  const unprotected = files.filter(([, text]) => !/\buseUnsaved\(|<Unsaved\b/.test(text)).map(([file]) => file)
  assert.deepEqual(unprotected.sort(), NOTHING_TO_KEEP)
})

test('a message about a failed write says what failed', () => {
  const problems = components
    .filter(([file]) => areaOf(file) !== 'reference')
    .flatMap(([file, text]) => [...text.matchAll(/<Problem\b[^>]*/g)].map(([tag]) => ({ file, tag })))
  assert.ok(problems.length > 60, String(problems.length))
  // A failed read has a default title.
  const untitled = problems.filter(({ tag }) => !tag.includes('title=') && !tag.includes('onRetry='))
  assert.deepEqual(untitled, [])
})

test('an import that breaks either rule is named', () => {
  assert.deepEqual(findForbidden([['planner/plan-page.tsx', 'console/words.ts']]), [
    'planner/plan-page.tsx → console/words.ts',
  ])
  const circle: Import[] = [
    ['console/apps/a.tsx', 'console/plugins/b.tsx'],
    ['console/plugins/c.tsx', 'console/ato/d.tsx'],
    ['console/ato/e.tsx', 'console/apps/f.tsx'],
  ]
  assert.deepEqual(
    findCircles([...circle, ['console/routes.ts', 'console/apps/a.tsx']]),
    circle.map(([from, to]) => `${from} → ${to}`),
  )
})
