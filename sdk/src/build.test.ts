import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

const PROGRAM = `import { createPlugin, type StartDocument, signWebhook } from 'groundschool-sdk'
const seen: StartDocument['status'][] = []
const plugin = createPlugin({ clientId: 'c', secrets: 's', onRequestStarted: ({ status }) => void seen.push(status) })
const body = Buffer.from('{"requestId": "r", "status": "not-started", "distributions": []}')
const timestamp = Math.floor(Date.now() / 1000)
const { status } = await plugin.handle({ method: 'POST', path: '/request', body, headers: {
  authorization: 'Basic ' + btoa('c:s'), 'webhook-id': '1', 'webhook-timestamp': String(timestamp),
  'webhook-signature': signWebhook('s', { id: '1', timestamp, body }) } })
process.stdout.write(status + ' ' + seen)
`

test('what is published works from node_modules: plain JavaScript, with types, and without the tests', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'gs-sdk-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const installed = join(folder, 'node_modules/groundschool-sdk')
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(join(ROOT, 'node_modules/@types'), join(folder, 'node_modules/@types'))
  execFileSync(process.execPath, [join(ROOT, 'sdk/build.ts'), installed])
  assert.deepEqual(
    readdirSync(installed).filter((name) => !/^\w+\.(js|d\.ts)$|^README\.md$|^package\.json$/.test(name)),
    [],
  )
  assert.ok(!readdirSync(installed).some((name) => name.includes('test')))
  const about = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))
  assert.equal(about.dependencies, undefined)

  writeFileSync(join(folder, 'program.mts'), PROGRAM)
  const compile = [join(ROOT, 'node_modules/typescript/bin/tsc'), '--strict', '--module', 'nodenext', '--types', 'node']
  execFileSync(process.execPath, [...compile, '--target', 'es2024', 'program.mts'], { cwd: folder })
  const output = execFileSync(process.execPath, ['program.mjs'], { cwd: folder, encoding: 'utf8' })
  assert.equal(output, '200 not-started')
})
