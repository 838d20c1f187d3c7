import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { BUNDLE, isBundled } from '../../../bin/bundled.js'

const BIN = fileURLToPath(new URL('../../../bin/', import.meta.url))

test('groundschool runs the bundle of the present sources, and the sources themselves once they have changed', async (t) => {
  const clone = mkdtempSync(join(tmpdir(), 'groundschool-clone-'))
  t.after(() => rmSync(clone, { recursive: true }))
  const write = (file: string, text: string) => {
    mkdirSync(join(clone, file, '..'), { recursive: true })
    writeFileSync(join(clone, file), text)
  }
  cpSync(BIN, join(clone, 'bin'), { recursive: true })
  mkdirSync(join(clone, 'node_modules/.bin'), { recursive: true })
  symlinkSync(process.execPath, join(clone, 'node_modules/.bin/node'))
  write('package.json', '{ "type": "module" }')
  write('src/main.ts', "console.log('sources')")
  const run = (...args: string[]) =>
    execFileSync(process.execPath, [join(clone, 'bin/groundschool.js'), ...args], { encoding: 'utf8' }).trim()
  assert.equal(run('status'), 'sources')
  // Without development dependencies, `start` cannot make the bundle, and goes on without it.
  assert.equal(run('start'), 'sources')

  const { hashFiles } = await import(pathToFileURL(join(clone, 'bin/bundled.js')).href)
  const files = ['src/main.ts']
  const stamp = JSON.stringify({ files, hash: hashFiles(files) })
  write('node_modules/.cache/groundschool/server.mjs', `//${stamp}\nconsole.log('bundle')`)
  assert.deepEqual([run('status'), run('start')], ['bundle', 'bundle'])
  write('src/main.ts', "console.log('changed')")
  assert.deepEqual([run('status'), run('start')], ['changed', 'changed'])
})

test('the bundle imports packages only on demand, so that a start reads one file', () => {
  assert.ok(isBundled(), 'npm test makes the bundle')
  const imports = readFileSync(BUNDLE, 'utf8').matchAll(/(^import .* from |\bimport\()"([^".][^"]*)"/gm)
  const packages = [...imports].filter(([, , name]) => !name!.startsWith('node:'))
  assert.deepEqual(packages.map(([, how, name]) => `${how}${name}`).sort(), [
    'import(@simplewebauthn/server',
    'import(nodemailer',
  ])
})
