import { globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { enableCompileCache, flushCompileCache } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { CODE_CACHE } from './code-cache.ts'
import { Report } from './report.ts'

const TESTS = [
  'src/**/*.test.ts',
  'web/**/*.test.ts',
  'sdk/src/*.test.ts',
  'examples/**/*.test.ts',
  'interop/*.test.ts',
]
/** Its promises are seconds of the whole machine. */
const ALONE = 'src/operations/platform/machine.test.ts'
/** One more than CI has processors: each of them waits, for its database or for a clock, a part of its time. */
const SIDE_BY_SIDE = 3
/** So many files share a process: loading the platform takes longer than most of them. */
const TOGETHER = 6
/** Tests of these look at their own process, or have hooks for a whole file: each file has a process of its own. */
const APART = [
  'src/kernel',
  'src/kernel/database',
  'src/kernel/database/embedded',
  'src/identity/pictures',
  'src/operations/platform',
  'src/operations/testing',
  'web',
]
/** Except for these, which only send requests. */
const NOT_APART =
  /^src\/(operations\/platform\/(fuzz-|.*access|examples-of|house)|identity\/pictures\/(default|exif|formats|hidden|profiles|uploads))/
/**
 * These processes live for seconds and have two cores between them: threads that help to collect garbage only get in the way. What a failed test
 * has left behind must not keep its process alive: that would look like a suite that hangs.
 */
const NODE_FLAGS = ['--single-threaded-gc', '--test-force-exit']

/** `npm test` runs everything, `npm test -- FILE …` these files. `--long` does not cut down what chance decides. */
const { positionals, values } = parseArgs({ allowPositionals: true, options: { long: { type: 'boolean' } } })
if (values.long) process.env.GROUNDSCHOOL_LONG = '1'
const isNamed = positionals.length > 0
const files = globSync(isNamed ? positionals : TESTS).sort()
if (files.length === 0) throw new Error(`There is no such file: ${positionals.join(', ')}`)

// So that the first test processes already find what the setup has compiled.
enableCompileCache(CODE_CACHE)
const { globalSetup, globalTeardown } = await import('./setup.ts')
flushCompileCache()

const entries = mkdtempSync(join(tmpdir(), 'groundschool-entries-'))
await globalSetup()
try {
  const report = new Report((text) => process.stdout.write(text))
  for (const isAlone of [false, true]) {
    const some = files.filter((file) => (file === ALONE) === isAlone)
    if (some.length === 0) continue
    const events = run({ files: isNamed ? some : pack(some), concurrency: SIDE_BY_SIDE, execArgv: NODE_FLAGS })
    events.on('test:summary', ({ success }) => {
      if (!success) process.exitCode = 1
    })
    if (isNamed) for await (const text of events.compose(new spec())) process.stdout.write(text)
    else await report.follow(events)
  }
  if (!isNamed) report.end()
} finally {
  rmSync(entries, { recursive: true })
  await globalTeardown()
}

/** One process for the files of a folder, and of further folders while there is room; the fullest first. */
function pack(all: readonly string[]): string[] {
  const isApart = (file: string) => APART.includes(dirname(file)) && !NOT_APART.test(file)
  const folders = Map.groupBy(
    all.filter((file) => !isApart(file)),
    (file) => dirname(file),
  )
  const packs: { names: string[]; files: string[] }[] = []
  for (const [folder, files] of [...folders].toSorted(([, one], [, other]) => other.length - one.length)) {
    const name = folder.replace(/^src\/\w+\//, '').replaceAll('/', '-')
    const roomy = packs.find((one) => one.files.length + files.length <= TOGETHER)
    roomy?.names.push(name)
    roomy?.files.push(...files)
    if (!roomy) packs.push({ names: [name], files })
  }
  const shared = packs.map(({ names, files }) => {
    const entry = join(entries, `${names.join(', ')}.mjs`)
    writeFileSync(entry, renderEntry(files))
    return entry
  })
  return [...shared, ...all.filter(isApart)]
}

/** Loads these files. Their tests wait for that: a run is over when the tests of one file are, though another has not loaded yet. */
function renderEntry(files: readonly string[]): string {
  return `
import { test } from 'node:test'
const loading = Promise.withResolvers()
test('files load', () => loading.promise)
try {
${files.map((file) => `  await import('${pathToFileURL(resolve(file))}')`).join('\n')}
  loading.resolve()
} catch (error) {
  loading.reject(error)
}
`
}
