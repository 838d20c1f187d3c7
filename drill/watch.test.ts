import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { KINDS, type Kind, Watch } from './watch.ts'

const acknowledge = (watch: Watch, kind: Kind, tries = 1) => {
  const write = watch.begin(kind)
  write.acknowledge(performance.now(), tries)
  write.end()
}

test('writes work again when each kind has succeeded, nothing is refused, and no write is stuck', async (t) => {
  const watch = new Watch(100)
  const keepWriting = (kinds: readonly Kind[]) => {
    const timer = setInterval(() => kinds.forEach((kind) => void acknowledge(watch, kind)), 10)
    t.after(() => clearInterval(timer))
  }
  keepWriting(KINDS.slice(1))
  await assert.rejects(watch.recovered('kill', 300), /^Error: kill: after 300 ms, sign-in still failed$/)

  let hasRecovered = false
  const recovering = watch.recovered('freeze', 10_000).finally(() => {
    hasRecovered = true
  })
  await delay(300)
  const stuck = watch.begin('sign-in')
  stuck.refuse()
  acknowledge(watch, 'bucket', 2)
  acknowledge(watch, 'bucket', 5)
  keepWriting(['sign-in'])
  await delay(500)
  assert.equal(hasRecovered, false, 'a write is still under way')
  stuck.end()
  const { writeGapMs, ...counts } = await recovering
  assert.deepEqual(counts, { name: 'freeze', refused: 1, retriedOnce: 1, retriedMore: 1 })
  assert.ok(writeGapMs >= 290 && writeGapMs < 5_000, `${writeGapMs} ms`)
})
