import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ImportGraph, opensBrowser, selectTests } from './graph.ts'

const TEXTS: Record<string, string> = {
  'src/app.ts': `import { notes } from './learning/notes/room.ts'\nimport { skills } from './identity/skills/room.ts'`,
  'src/operations/platform/platform.ts': `import { rooms } from '../../app.ts'\nimport { serve } from '../../kernel/http/server.ts'`,
  'src/operations/platform/access.test.ts': `import { rooms } from '../../app.ts'`,
  'src/operations/platform/house.test.ts': `const files = globSync('src/**/*.ts')`,
  'src/kernel/http/server.ts': '',
  'src/operations/testing/testing.ts': `import { startPlatform } from '../platform/platform.ts'`,
  'src/operations/testing/chromium.ts': `import { isLong } from './sizes.ts'`,
  'src/operations/testing/sizes.ts': '',
  'src/learning/notes/room.ts': `import { createNote } from './notes.ts'`,
  'src/learning/notes/notes.ts': `import type { Skill } from '../../identity/skills/schema.ts'`,
  'src/learning/notes/notes.test.ts': `import {\n  testApp,\n} from '../../operations/testing/testing.ts'`,
  'src/identity/skills/room.ts': `import './skills.ts'`,
  'src/identity/skills/skills.ts': `export { createNote } from '../../learning/notes/notes.ts'`,
  'src/identity/skills/schema.ts': '',
  'src/identity/skills/skills.test.ts': `import { testApp } from '../../operations/testing/testing.ts'`,
  'src/identity/skills/worker.test.ts': `const worker = new URL('../../learning/notes/worker.ts', import.meta.url)`,
  'src/learning/notes/worker.ts': '',
  'src/kernel/pages/script.ts': `readFileSync(new URL('passkey.js', import.meta.url))\nnew URL('https://example.org')`,
  'src/kernel/pages/script.test.ts': `import { script } from './script.ts'`,
  'src/kernel/pages/passkey.js': '',
  'web/main.tsx': '',
  'web/story.test.ts': `const { openChromium } = await import('../src/operations/testing/chromium.ts')`,
  'sdk/src/client.ts': '',
  'sdk/src/client.test.ts': `import { connect } from './client.ts'\nreadText('docs/sdk.md')`,
  'docs/sdk.md': '',
  'interop/oauth.test.ts': `import { testApp } from '../src/operations/testing/testing.ts'`,
}
const tree = { files: Object.keys(TEXTS), read: (file: string) => TEXTS[file]! }
const tests = tree.files.filter((file) => file.endsWith('.test.ts'))

const HOUSE = 'src/operations/platform/house.test.ts'
const INTEROP = 'interop/oauth.test.ts'
const select = (...changed: string[]) =>
  selectTests(tree, tests, changed).tests.filter((file) => file !== HOUSE && file !== INTEROP)

test('a change reaches the tests of its own room, of rooms that import it, and those that are about all rooms', () => {
  const about = [
    'src/operations/platform/access.test.ts',
    'src/identity/skills/skills.test.ts',
    'src/identity/skills/worker.test.ts',
  ]
  assert.deepEqual(select('src/identity/skills/skills.ts'), about)
  assert.deepEqual(select('src/learning/notes/notes.ts').sort(), [...about, 'src/learning/notes/notes.test.ts'].sort())
})

test('what the platform itself stands on reaches every test that starts one', () => {
  assert.deepEqual(select('src/kernel/http/server.ts'), [
    'src/operations/platform/access.test.ts',
    'src/learning/notes/notes.test.ts',
    'src/identity/skills/skills.test.ts',
  ])
})

test('a type, and a file that nobody imports, reach nothing else', () => {
  assert.deepEqual(select('src/learning/notes/notes.test.ts'), ['src/learning/notes/notes.test.ts'])
  assert.ok(!select('src/identity/skills/schema.ts').includes('src/learning/notes/notes.test.ts'))
  assert.deepEqual(select('bench/main.ts', 'src/gone.ts'), [])
})

test('a file that is named by its address is an import', () => {
  assert.ok(select('src/learning/notes/worker.ts').includes('src/identity/skills/worker.test.ts'))
  assert.ok(select('src/kernel/pages/passkey.js').includes('src/kernel/pages/script.test.ts'))
})

test('any product file reaches the tests with the clients of others, which use the whole platform', () => {
  const isSelected = (file: string) => selectTests(tree, tests, [file]).tests.includes(INTEROP)
  assert.ok(isSelected('src/identity/skills/skills.ts') && isSelected('src/kernel/pages/passkey.js'))
  for (const file of ['src/identity/skills/skills.test.ts', 'web/main.tsx', 'docs/sdk.md'])
    assert.ok(!isSelected(file), file)
})

test('what a browser loads reaches the tests in a browser, and a document those that name it', () => {
  assert.deepEqual(select('web/main.tsx'), ['web/story.test.ts'])
  assert.ok(select('src/kernel/pages/passkey.js').includes('web/story.test.ts'))
  assert.deepEqual(select('docs/sdk.md'), ['sdk/src/client.test.ts'])
  const graph = new ImportGraph(tree)
  assert.deepEqual(
    tests.filter((file) => opensBrowser(graph, file)),
    ['web/story.test.ts'],
  )
})

test('a test that lists files runs after every change, and nothing runs without one', () => {
  assert.deepEqual(selectTests(tree, tests, []).tests, [])
  assert.deepEqual(selectTests(tree, tests, ['docs/sdk.md']).tests, [HOUSE, 'sdk/src/client.test.ts'])
  assert.match(selectTests(tree, tests, ['docs/sdk.md']).why, /^2 of 9 test files, which 1 changed file can reach$/)
})

test('migrations, packages and the tools of tests reach everything', () => {
  for (const file of ['migrations/0001_people.sql', 'package.json', 'src/operations/testing/sizes.ts']) {
    assert.deepEqual(selectTests(tree, tests, ['docs/sdk.md', file]), {
      tests,
      why: `all 9 test files, because ${file} changed`,
    })
  }
})
