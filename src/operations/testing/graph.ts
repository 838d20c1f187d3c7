import { dirname, join, normalize } from 'node:path'

/** Files that decide how every test runs, or what its database looks like. */
const REACHES_EVERYTHING =
  /^(migrations\/|package(-lock)?\.json$|tsconfig\.json$|\.npmrc$|src\/(\w+\/)?testing\/(?!.*\.test\.ts$))/
/** Pages are built from these. */
const WEB_SOURCE = /^web\/(?!.*\.test\.ts$)/
const BROWSER = /\/testing\/chromium\.ts$/
/**
 * The lists of all rooms. Every test with a platform imports them through it, so following them would make each change
 * reach everything. Only a test that imports them itself is about all rooms; any other one reaches, besides its imports,
 * what its own folder holds: the room that its requests are for.
 */
const ROOMS = /^src\/app\.ts$|\/platform\/(forgetting|import-sections)\.ts$/
/** A test that lists source files or documents reads any of them. */
const LISTS_FILES = /globSync\(|readdirSync\(source\b/

const SPECIFIERS =
  /(?:^|[\s;}])(?:import|export)\s(?!type\s)[^'"]*?from\s*['"](\.[^'"]+)['"]|(?:import\(|import\s|URL\()\s*['"](\.[^'"]+)['"]/g

export interface Tree {
  readonly files: readonly string[]
  read(file: string): string
}

export interface Selection {
  readonly tests: string[]
  readonly why: string
}

/** The files that a file imports at run time, or names by a URL relative to itself. */
function importsOf(tree: Tree, known: ReadonlySet<string>, file: string): string[] {
  if (!isSource(file)) return []
  const found = [...tree.read(file).matchAll(SPECIFIERS)].map(([, from, direct]) =>
    normalize(join(dirname(file), (from ?? direct)!)),
  )
  return found.filter((one) => known.has(one))
}

export class ImportGraph {
  readonly #tree: Tree
  readonly #known: ReadonlySet<string>
  readonly #imports = new Map<string, string[]>()

  constructor(tree: Tree) {
    this.#tree = tree
    this.#known = new Set(tree.files)
  }

  /** The file, and everything that it imports, directly or not. */
  reachedFrom(file: string): Set<string> {
    const reached = new Set([file])
    for (const one of reached) {
      if (!this.#imports.has(one)) this.#imports.set(one, importsOf(this.#tree, this.#known, one))
      for (const next of this.#imports.get(one)!) if (!ROOMS.test(next) || isForTests(one)) reached.add(next)
    }
    return reached
  }
}

export const opensBrowser = (graph: ImportGraph, test: string): boolean =>
  [...graph.reachedFrom(test)].some((file) => BROWSER.test(file))

/** The tests that a change of these files can reach. */
export function selectTests(tree: Tree, tests: readonly string[], changed: readonly string[]): Selection {
  if (changed.length === 0) return { tests: [], why: 'no test files, because nothing changed' }
  const decisive = changed.find((file) => REACHES_EVERYTHING.test(file))
  if (decisive) return { tests: [...tests], why: `all ${tests.length} test files, because ${decisive} changed` }
  const graph = new ImportGraph(tree)
  const isWebChanged = changed.some((file) => WEB_SOURCE.test(file))
  const documents = changed.filter((file) => !isSource(file))
  const selected = tests.filter((test) => {
    const siblings = tree.files.filter((file) => dirname(file) === dirname(test) && isSource(file) && !isForTests(file))
    const reached = new Set([test, ...siblings].flatMap((file) => [...graph.reachedFrom(file)]))
    const texts = [...reached].filter(isForTests).map((file) => tree.read(file))
    return (
      changed.some((file) => reached.has(file)) ||
      (isWebChanged && [...reached].some((file) => BROWSER.test(file))) ||
      texts.some((text) => LISTS_FILES.test(text) || documents.some((name) => text.includes(name)))
    )
  })
  const files = changed.length === 1 ? '1 changed file' : `${changed.length} changed files`
  return { tests: selected, why: `${selected.length} of ${tests.length} test files, which ${files} can reach` }
}

const isSource = (file: string): boolean => /\.[jt]sx?$/.test(file)
const isForTests = (file: string): boolean => /(\.test|\/testing[\w-]*)\.ts$/.test(file)
