import { dirname, join, normalize } from 'node:path'

/** Files that affect how every test runs, or the schema of the test databases. A change of one selects every test. */
const REACHES_EVERYTHING =
  /^(migrations\/|package(-lock)?\.json$|tsconfig\.json$|\.npmrc$|src\/(\w+\/)?testing\/(?!.*\.test\.ts$))/
/** Matches what browsers load: sources of the web pages, and styles, scripts and images of server-rendered pages. */
const WEB_SOURCE = /^web\/(?!.*\.test\.ts$)|^src\/.*\.(css|js|svg)$/
/** Matches tests that use the whole platform over HTTP. Their imports do not say which rooms they depend on. */
const INTEROP = /^interop\//
const BROWSER = /\/testing\/chromium\.ts$/
/**
 * Files that list all rooms. Every test that starts a platform imports them indirectly, so following their imports
 * would select every test for every change. They are followed only if a test file imports them directly. Other tests
 * are selected by changes to their other imports, and to the sources in their own folder, the room that they test.
 */
const ROOMS = /^src\/app\.ts$|\/platform\/(forgetting|import-sections)\.ts$/
/** Matches tests that list files. Such a test may read any source or document, so every change selects it. */
const LISTS_FILES = /globSync\(|readdirSync\(source\b/

const SPECIFIERS =
  /(?:^|[\s;}])(?:import|export)\s(?!type\s)[^'"]*?from\s*['"](\.[^'"]+)['"]|(?:import\(|import\s)\s*['"](\.[^'"]+)['"]|URL\(\s*['"]([^'"/][^'"]*)['"]/g

export interface Tree {
  readonly files: readonly string[]
  read(file: string): string
}

export interface Selection {
  readonly tests: string[]
  readonly why: string
}

/** Lists the files that a file imports at run time or refers to by a relative URL. */
function importsOf(tree: Tree, known: ReadonlySet<string>, file: string): string[] {
  if (!isSource(file)) return []
  const found = [...tree.read(file).matchAll(SPECIFIERS)].map(([, from, direct, address]) =>
    normalize(join(dirname(file), (from ?? direct ?? address)!)),
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

  /** Returns the file and everything that it imports, directly or indirectly. */
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

/** Selects the tests that a change of these files can affect. */
export function selectTests(tree: Tree, tests: readonly string[], changed: readonly string[]): Selection {
  if (changed.length === 0) return { tests: [], why: 'no test files, because nothing changed' }
  const decisive = changed.find((file) => REACHES_EVERYTHING.test(file))
  if (decisive) return { tests: [...tests], why: `all ${tests.length} test files, because ${decisive} changed` }
  const graph = new ImportGraph(tree)
  const isWebChanged = changed.some((file) => WEB_SOURCE.test(file))
  const isProductChanged = changed.some((file) => file.startsWith('src/') && !isForTests(file))
  const documents = changed.filter((file) => !isSource(file))
  const selected = tests.filter((test) => {
    const siblings = tree.files.filter((file) => dirname(file) === dirname(test) && isSource(file) && !isForTests(file))
    const reached = new Set([test, ...siblings].flatMap((file) => [...graph.reachedFrom(file)]))
    const texts = [...reached].filter(isForTests).map((file) => tree.read(file))
    return (
      changed.some((file) => reached.has(file)) ||
      (isProductChanged && INTEROP.test(test)) ||
      (isWebChanged && [...reached].some((file) => BROWSER.test(file))) ||
      texts.some((text) => LISTS_FILES.test(text) || documents.some((name) => text.includes(name)))
    )
  })
  const files = changed.length === 1 ? '1 changed file' : `${changed.length} changed files`
  return { tests: selected, why: `${selected.length} of ${tests.length} test files, which ${files} can reach` }
}

const isSource = (file: string): boolean => /\.[jt]sx?$/.test(file)
const isForTests = (file: string): boolean => /(\.test|\/testing[\w-]*)\.ts$/.test(file)
