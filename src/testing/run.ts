import { globSync } from 'node:fs'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { parseArgs } from 'node:util'
import { Report } from './report.ts'
import { globalSetup, globalTeardown } from './setup.ts'

/** Its promises are seconds of the whole machine. */
const ALONE = 'src/platform/machine.test.ts'
const SIDE_BY_SIDE = 2

/** `npm test` runs everything, `npm test -- FILE …` these files. `--long` does not cut down what chance decides. */
const { positionals, values } = parseArgs({ allowPositionals: true, options: { long: { type: 'boolean' } } })
if (values.long) process.env.GROUNDSCHOOL_LONG = '1'
const isNamed = positionals.length > 0
const files = globSync(isNamed ? positionals : 'src/**/*.test.ts').sort()
if (files.length === 0) throw new Error(`There is no such file: ${positionals.join(', ')}`)

await globalSetup()
try {
  const report = new Report((text) => process.stdout.write(text))
  for (const isAlone of [false, true]) {
    const group = files.filter((file) => (file === ALONE) === isAlone)
    if (group.length === 0) continue
    const events = run({ files: group, concurrency: SIDE_BY_SIDE })
    events.on('test:summary', ({ success }) => {
      if (!success) process.exitCode = 1
    })
    if (isNamed) for await (const text of events.compose(new spec())) process.stdout.write(text)
    else await report.follow(events)
  }
  if (!isNamed) report.end()
} finally {
  await globalTeardown()
}
