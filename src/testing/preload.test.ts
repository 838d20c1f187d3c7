import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'

const PRELOAD = new URL('preload.ts', import.meta.url).href
const outcomeOf = (body: string) => {
  const code = `import { test } from 'node:test'; test('one', async () => { ${body}; await new Promise((go) => setTimeout(go, 20)) })`
  const { NODE_TEST_CONTEXT, ...env } = process.env
  const { status, stderr } = spawnSync(process.execPath, ['--import', PRELOAD, '--input-type=module', '--eval', code], {
    env,
    encoding: 'utf8',
  })
  return { status, isShown: /Nobody caught: Error: lost/.test(stderr) }
}

test('an error that nobody catches fails the process of its test, and is shown', () => {
  assert.deepEqual(outcomeOf(''), { status: 0, isShown: false })
  for (const lost of [
    `setTimeout(() => { throw new Error('lost') }, 1)`,
    `setTimeout(() => { Promise.reject(new Error('lost')) }, 1)`,
    `void (async () => { throw new Error('lost') })()`,
  ])
    assert.deepEqual(outcomeOf(lost), { status: 1, isShown: true }, lost)
})
