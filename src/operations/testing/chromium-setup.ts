import { execFile } from 'node:child_process'
import { accessSync, constants, readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** The path of a Chromium executable, or the reason why there is none. */
export type Chromium = { readonly path: string } | { readonly missing: string }
type Variables = Readonly<Record<string, string | undefined>>

/**
 * Names of executables, in order of preference. The headless shell needs a quarter less processor time than the others.
 */
const NAMES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
const ON_A_MAC = [
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]
const CURE = 'Install it (on Debian: apt-get install chromium-headless-shell) or name one in CHROMIUM_PATH'
const INSTALL_SECONDS = 300

/**
 * Shell script that installs Chromium. Updating the package lists is slow, so it does this only if a first installation
 * fails.
 */
const INSTALL = `
  export DEBIAN_FRONTEND=noninteractive
  get() { apt-get -o DPkg::Lock::Timeout=60 -o Acquire::Retries=1 -o Acquire::http::Timeout=20 "$@"; }
  install() { get install -y --no-install-recommends chromium-headless-shell; }
  install || { get update && install; }`

/** Finds or installs Chromium once for the whole suite and passes its path to the test processes. */
export async function provideChromium(variables: NodeJS.ProcessEnv = process.env): Promise<void> {
  let chromium = await findChromium(variables)
  if ('missing' in chromium && !variables.CHROMIUM_PATH) chromium = await installChromium(variables)
  if ('missing' in chromium) {
    if (variables.GROUNDSCHOOL_BROWSER === 'required') throw new Error(chromium.missing)
    process.stderr.write(`*** TESTS IN A REAL BROWSER ARE SKIPPED: ${chromium.missing} ***\n`)
  }
  variables.GROUNDSCHOOL_TEST_CHROMIUM = JSON.stringify(chromium)
}

/** Returns the result of `provideChromium`, which ran in the parent process. */
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
    // On Ubuntu, chromium-browser may be a script that only explains how to install the snap, so the executable is
    // tried.
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

/**
 * Tells whether this is Debian, but not Ubuntu, whose Chromium package is a snap that cannot read the files of a test.
 */
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
