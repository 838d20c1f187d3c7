import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { ownDatabase, place, runAll } from './testing.ts'

const DEMO = fileURLToPath(new URL('../../demo/demo.json', import.meta.url))

test('import reports what it does, and what is wrong', async () => {
  const { settings, drop } = await ownDatabase()
  const file = join(place, 'mistakes.json')
  writeFileSync(file, JSON.stringify({ people: [{ handle: '@fine' }, { handle: 'not fine' }], apps: [{}] }))
  const lines = [
    ['import', DEMO, '--dry-run', '--environment', 'sandbox'],
    ['import', DEMO],
    ['import', DEMO],
    ['import', file],
    ['user', 'list'],
  ]
  try {
    const [dry, first, again, refused, people] = await runAll(lines.map((args) => ({ args, settings })))
    const counts = [
      '  organisations 2 created, 0 updated, 0 unchanged',
      '  people        202 created, 5 updated, 0 unchanged',
      '  apps          1 created, 0 updated, 0 unchanged',
    ].join('\n')
    assert.equal(dry!.out, `sandbox:\n${counts}\nThis was a dry run: nothing was written.\n`)
    assert.equal(first!.out, `production:\n${counts}\nsandbox:\n${counts}\n`)
    assert.equal(again!.out.match(/ 0 created, 0 updated, (2|207|1) unchanged/g)?.length, 6, again!.out)
    assert.deepEqual([refused!.code, refused!.out], [1, ''])
    assert.match(
      refused!.err,
      /^Nothing was imported, the file has 3 mistakes:\n {2}people\[1\]\.handle: must be .*\n {2}apps\[0\]\.key: is missing\n {2}apps\[0\]\.name: is missing\n$/,
    )
    assert.ok(people!.out.includes('@avery') && !people!.out.includes('@fine'))
  } finally {
    await drop()
  }
})
