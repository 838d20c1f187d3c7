import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { openSuitePlatform, print, type SuitePlatform } from './platform.ts'

interface Node {
  readonly title?: string
  readonly status?: string
  readonly error?: string
  readonly tests?: readonly Node[]
}

/** Lists the titles and errors of the failed tests. */
const listFailures = ({ title = '', status, error, tests = [] }: Node): string[] =>
  tests.length > 0 ? tests.flatMap(listFailures) : status === 'failed' ? [`${title}\n    ${error ?? ''}`] : []

interface Suite {
  readonly folder: string
  readonly runner: string
  readonly version: string
  readonly grep: string | undefined
}

async function runVersion({ address, key, secret }: SuitePlatform, { folder, runner, version, grep }: Suite) {
  const endpoint = `${address}/xapi`
  const args = [
    ...[runner, '-x', version, '-e', endpoint, '-a', '-u', key, '-p', secret, '-z'],
    ...(grep ? ['-g', grep] : []),
  ]
  const child = spawn(process.execPath, args, { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  child.stdout.on('data', (piece) => (output += piece))
  await new Promise((done) => child.on('close', done))
  const summaries = output.match(/^\{"total".*\}$/gm) ?? []
  const file = /written to (.*)$/m.exec(output)?.[1]
  const { total, passed, failed } = JSON.parse(summaries.at(-1) ?? '{}')
  print(`xAPI ${version}: ${passed} of ${total} pass, ${failed} fail (${/completed in ([\d.]+)/.exec(output)?.[1]} s)`)
  if (file) for (const failure of listFailures(JSON.parse(readFileSync(file, 'utf8')).log ?? {})) print(`  ${failure}`)
  return total > 0 && failed === 0 && passed === total
}

/** Runs ADL's suite for record stores, one version after the other. Returns whether all tests pass. */
export async function runLrsSuite(suite: Omit<Suite, 'version'>, versions: readonly string[]): Promise<boolean> {
  const platform = await openSuitePlatform()
  const outcomes: boolean[] = []
  for (const version of versions) outcomes.push(await runVersion(platform, { ...suite, version }))
  await platform.stop()
  return outcomes.every(Boolean)
}
