import { execFile } from 'node:child_process'
import { accessSync, constants, readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Where a Chromium is, or why there is none. */
export type Chromium = { readonly path: string } | { readonly missing: string }
type Variables = Readonly<Record<string, string | undefined>>

/** The first draws no window and takes a quarter less of the processor for the same pages. */
const NAMES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
const ON_A_MAC = [
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]
const CURE = 'Install it (on Debian: apt-get install chromium-headless-shell) or name one in CHROMIUM_PATH'
const INSTALL_SECONDS = 300

/** Only once the package is not found (or no longer there) are the lists of packages worth the wait. */
const INSTALL = `
  export DEBIAN_FRONTEND=noninteractive
  get() { apt-get -o DPkg::Lock::Timeout=60 -o Acquire::Retries=1 -o Acquire::http::Timeout=20 "$@"; }
  install() { get install -y --no-install-recommends chromium-headless-shell; }
  install || { get update && install; }`

/** Once for the whole suite, so that no two test processes install at once: finds or installs it, and tells them where. */
export async function provideChromium(variables: NodeJS.ProcessEnv = process.env): Promise<void> {
  let chromium = await findChromium(variables)
  if ('missing' in chromium && !variables.CHROMIUM_PATH) chromium = await installChromium(variables)
  if ('missing' in chromium) {
    if (variables.GROUNDSCHOOL_BROWSER === 'required') throw new Error(chromium.missing)
    process.stderr.write(`*** TESTS IN A REAL BROWSER ARE SKIPPED: ${chromium.missing} ***\n`)
  }
  variables.GROUNDSCHOOL_TEST_CHROMIUM = JSON.stringify(chromium)
}

/** The Chromium that `provideChromium` found. */
export const readChromium = (variables: Variables = process.env): Chromium =>
  JSON.parse(variables.GROUNDSCHOOL_TEST_CHROMIUM ?? '{"missing":"Run the tests with npm test."}')

export async function findChromium(variables: Variables = process.env): Promise<Chromium> {
  const given = variables.CHROMIUM_PATH
  const folders = (variables.PATH ?? '').split(delimiter).filter((folder) => folder !== '')
  const places = given
    ? [given]
    : [
        ...NAMES.flatMap((name) => folders.map((folder) => join(folder, name))),
        ...(process.platform === 'darwin' ? ON_A_MAC : []),
      ]
  for (const path of places.filter(isExecutable)) {
    // Ubuntu has a chromium-browser that only says where to get the real one.
    if ((await run([path, '--version'])).isDone) return { path }
  }
  return missing(given ? `CHROMIUM_PATH names ${given}, which does not start` : 'there is no Chromium on this machine')
}

async function installChromium(variables: Variables): Promise<Chromium> {
  if (!isDebian()) return findChromium(variables)
  const sudo = process.getuid?.() === 0 ? [] : ['sudo', '-n']
  if (sudo.length > 0 && !(await run([...sudo, 'true'])).isDone) {
    return missing('there is no Chromium on this machine, and only root may install it')
  }
  process.stderr.write('Installing Chromium for the tests in a real browser …\n')
  const command = ['timeout', '--kill-after=10', String(INSTALL_SECONDS), 'sh', '-c', INSTALL]
  const { output } = await run([...sudo, ...command], (INSTALL_SECONDS + 20) * 1000)
  const found = await findChromium(variables)
  if ('path' in found) return found
  process.stderr.write(output)
  return missing('Chromium could not be installed (the lines above say why)')
}

const missing = (why: string): Chromium => ({ missing: `${why}. ${CURE}.` })

/** What Ubuntu's apt-get calls Chromium is a snap, which may not see a test's files. */
function isDebian(): boolean {
  try {
    const system = readFileSync('/etc/os-release', 'utf8')
    return /^ID(_LIKE)?=.*\bdebian\b/m.test(system) && !/^ID="?ubuntu\b/m.test(system)
  } catch {
    return false
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

const run = ([file = '', ...rest]: readonly string[], timeout = 10_000): Promise<{ isDone: boolean; output: string }> =>
  new Promise((resolve) => {
    execFile(file, rest, { timeout, maxBuffer: 2 ** 26 }, (error, stdout, stderr) => {
      resolve({ isDone: error === null, output: `${stdout}${stderr}` })
    })
  })
