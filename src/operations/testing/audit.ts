import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** A package in the lock file. */
export interface LockedPackage {
  readonly license?: string
  readonly link?: boolean
  readonly dev?: boolean
}

const ALLOWED = new Set([
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'PostgreSQL',
  'Unlicense',
])

interface Exception {
  readonly packages: RegExp
  /** Licence of the package in the lock file; undefined if the package declares none. */
  readonly licence: string | undefined
  readonly why: string
  /** Set if the licence is only allowed for development dependencies. */
  readonly isDev?: true
}

const EXCEPTIONS: readonly Exception[] = [
  {
    packages: /^@img\/sharp-(libvips-|win32-|wasm32)/,
    licence: 'LGPL-3.0-or-later',
    why: 'libvips is a shared library of its own, unmodified, that anybody may replace: the LGPL asks for no more',
  },
  { packages: /^ical\.js$/, licence: 'MPL-2.0', why: 'reads calendar feeds in tests, unmodified', isDev: true },
  { packages: /^axe-core$/, licence: 'MPL-2.0', why: 'runs in tests, unmodified', isDev: true },
  { packages: /^lightningcss(-|$)/, licence: 'MPL-2.0', why: 'builds the pages, unmodified', isDev: true },
  {
    packages: /^@fontsource-variable\/inter$/,
    licence: 'OFL-1.1',
    why: 'a font, which may be embedded as long as it is not sold by itself',
    isDev: true,
  },
  { packages: /^passport-strategy$/, licence: undefined, why: 'MIT by its LICENSE file', isDev: true },
  { packages: /^pause$/, licence: undefined, why: 'MIT by its README', isDev: true },
  { packages: /^xapiwrapper$/, licence: undefined, why: 'Apache-2.0 by its LICENSE file', isDev: true },
]

/** Lists the packages whose licence is neither allowed nor an exception, as `name: licence`. */
export function findLicenceProblems(packages: Readonly<Record<string, LockedPackage>>): string[] {
  return Object.entries(packages)
    .filter(([path, { link }]) => path.includes('node_modules/') && !link)
    .map(([path, locked]) => ({ name: path.slice(path.lastIndexOf('node_modules/') + 13), ...locked }))
    .filter(({ name, license, dev = false }) => {
      const excepted = EXCEPTIONS.filter(({ packages, isDev }) => packages.test(name) && (dev || !isDev))
      return !isAllowed(license, (one) => ALLOWED.has(one!) || excepted.some(({ licence }) => licence === one))
    })
    .map(({ name, license = 'no licence' }) => `${name}: ${license}`)
}

/** Evaluates the forms of SPDX expressions that npm packages use: `A`, `A AND B`, `(A OR B)`. */
function isAllowed(expression: string | undefined, check: (licence: string | undefined) => boolean): boolean {
  if (expression === undefined) return check(undefined)
  const alternatives = expression.replaceAll(/[()]/g, '').split(' OR ')
  return alternatives.some((one) => one.split(' AND ').every(check))
}

export interface AuditResult {
  readonly outcome: 'clean' | 'vulnerable' | 'unavailable'
  readonly message: string
}

/** Parses the output of `npm audit --json`. Throws if it is neither a report nor an error of the registry. */
export function readAuditReport(printed: string): AuditResult {
  const report = JSON.parse(printed)
  if (report.auditReportVersion !== undefined) {
    const found: { name: string; severity: string; range: string }[] = Object.values(report.vulnerabilities)
    if (found.length === 0) return { outcome: 'clean', message: 'npm knows of no vulnerability' }
    const lines = found.map(({ name, severity, range }) => `${name} ${range}: ${severity}`)
    return { outcome: 'vulnerable', message: `Vulnerable packages:\n${lines.join('\n')}` }
  }
  // Messages about HTTP errors and failed connections both contain the path of the registry's audit endpoint.
  const message = String(report.message)
  if (!message.includes('/-/npm/v1/security/')) throw new Error(`npm audit failed: ${printed}`)
  return { outcome: 'unavailable', message: `Vulnerabilities were NOT checked: ${message}` }
}

if (import.meta.main) {
  const lock = new URL('../../../package-lock.json', import.meta.url)
  const offenders = findLicenceProblems(JSON.parse(readFileSync(lock, 'utf8')).packages)
  const licences = offenders.length === 0 ? 'All licences are allowed' : `Not allowed:\n${offenders.join('\n')}`
  const { stdout } = spawnSync('npm', ['audit', '--omit=dev', '--json'], {
    encoding: 'utf8',
    shell: process.platform === 'win32',
  })
  const { outcome, message } = readAuditReport(stdout)
  process.stdout.write(`${licences}\n${message}\n`)
  if (offenders.length > 0 || outcome === 'vulnerable') process.exitCode = 1
}
