import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { testApp } from '../../operations/testing/testing.ts'
import { until } from '../database/test-database.ts'
import { startTasks } from './tasks.ts'

test('a task runs repeatedly, never twice at once, continues after a failure, and a stop waits for it', async (t) => {
  const app = await testApp(t)
  let [runs, under, ended] = [0, 0, 0]
  const tasks = startTasks(app.environment(), [
    {
      name: 'counting',
      everyMs: 20,
      isFirstAtOnce: true,
      run: async () => {
        assert.equal(under++, 0)
        runs++
        await sleep(50)
        under--
        ended++
        if (runs === 2) throw new Error('the second time')
      },
    },
    { name: 'waiting', everyMs: 60_000, run: async () => assert.fail('too early') },
  ])
  assert.equal(runs, 1)
  await until('it goes on', () => runs >= 5)
  await tasks.stop()
  assert.equal(ended, runs)
  const after = runs
  await sleep(100)
  assert.equal(runs, after)
  assert.match(app.log(), /"task":"counting","problem":"the second time","msg":"counting failed"/)
})
