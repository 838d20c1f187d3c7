import { spawn } from 'node:child_process'
import { createWriteStream, existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findChromium } from '../chromium-setup.ts'
import { serveLms } from './lms.ts'
import { openSuitePlatform, print } from './platform.ts'

const ADAPTER = fileURLToPath(new URL('catapult-adapter.cjs', import.meta.url))

interface Suite {
  /** The folder `lts` of CATAPULT. */
  readonly folder: string
  readonly runner: string
  readonly grep: string | undefined
}

interface Report {
  readonly numTotalTests: number
  readonly numPassedTests: number
  readonly numFailedTests: number
  readonly numPendingTests: number
  readonly startTime: number
  readonly testResults: readonly {
    readonly message: string
    readonly assertionResults: readonly {
      readonly fullName: string
      readonly status: string
      readonly failureMessages: readonly string[]
    }[]
  }[]
}

/** Runs CATAPULT's LMS Test Suite, and keeps its logs and the log of our requests. Returns whether all tests pass. */
export async function runCmi5Suite({ folder, runner, grep }: Suite): Promise<boolean> {
  const chromium = await findChromium()
  if ('missing' in chromium) {
    print(chromium.missing)
    return false
  }
  const logs = mkdtempSync(join(tmpdir(), 'groundschool-cmi5-'))
  const inLogs = (name: string) => join(logs, name)
  const platform = await openSuitePlatform(inLogs('requests.log'))
  const actions = createWriteStream(inLogs('actions.log'))
  const lms = await serveLms(platform, (line) => actions.write(`${line}\n`))
  // Chromium cannot run its sandbox as root. No name server has to know the names of the content origin.
  const browserArguments = ['--no-sandbox', '--host-resolver-rules=MAP *.localhost 127.0.0.1']
  const launch = { executablePath: chromium.path, headless: true, args: browserArguments }
  writeFileSync(inLogs('browser.json'), JSON.stringify({ launch }))
  const report = inLogs('results.json')
  // Some of the suite's tests leave handles open, with which Jest would run on.
  const ending = ['--ci', '--forceExit', '--json', `--outputFile=${report}`]
  const args = [runner, ...ending, ...(grep ? ['--testNamePattern', grep] : [])]
  const child = spawn(process.execPath, args, {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      CATAPULT_LMS: ADAPTER,
      GROUNDSCHOOL_LMS: lms.url,
      GROUNDSCHOOL_LRS: `${platform.address}/xapi`,
      GROUNDSCHOOL_LRS_AUTHORIZATION: `Basic ${Buffer.from(`${platform.key}:${platform.secret}`).toString('base64')}`,
      JEST_PUPPETEER_CONFIG: inLogs('browser.json'),
      JEST_JUNIT_OUTPUT_DIR: logs,
      JEST_JUNIT_UNIQUE_OUTPUT_NAME: 'false',
      JEST_JUNIT_OUTPUT_NAME: 'junit.xml',
    },
  })
  const output = createWriteStream(inLogs('jest.log'))
  for (const stream of [child.stdout, child.stderr]) stream.pipe(output, { end: false })
  await new Promise((done) => child.on('close', done))
  output.end()
  actions.end()
  await lms.stop()
  await platform.stop()
  const isPassed = printReport(report, grep !== undefined)
  print(`The logs are in ${logs}: junit.xml and jest.log of the suite, actions.log of the adapter, requests.log.`)
  if (!isPassed) print('The beginning of jest.log says why a unit failed.')
  return isPassed
}

/** Prints the failed tests. Without a filter, a skipped test counts as failed. */
function printReport(file: string, isFiltered: boolean): boolean {
  if (!existsSync(file)) {
    print('The suite did not run.')
    return false
  }
  const { numTotalTests, numPassedTests, numFailedTests, numPendingTests, startTime, testResults } = JSON.parse(
    readFileSync(file, 'utf8'),
  ) as Report
  const seconds = Math.round((Date.now() - startTime) / 1000)
  const counts = `${numPassedTests} of ${numTotalTests} pass, ${numFailedTests} fail, ${numPendingTests} are skipped`
  print(`cmi5: ${counts} (${seconds} s)`)
  for (const { message, assertionResults } of testResults) {
    if (assertionResults.length === 0) print(`  ${message}`)
    for (const { fullName, status, failureMessages } of assertionResults)
      if (status === 'failed') print(`  ${fullName}\n    ${failureMessages[0]?.split('\n    at ')[0] ?? ''}`)
  }
  return numFailedTests === 0 && numPassedTests > 0 && (isFiltered || numPassedTests === numTotalTests)
}
