import assert from 'node:assert/strict'
import { test } from 'node:test'
import { signInBrowser } from '../../apps/account/testing.ts'
import { UNLIMITED } from '../../apps/buckets/testing.ts'
import { testApp } from '../../operations/testing/testing.ts'
import { fillBuckets, openExport, SlowReader, untilPlatformWaits } from './testing.ts'

test('a download is as slow as its reader, but nobody reads for longer than half an hour', async (t) => {
  const app = await testApp(t, UNLIMITED)
  const avery = await signInBrowser(app, 'avery')
  await fillBuckets(app, 200)
  // Capture the callback of the download's 30-minute time limit; no other timer set from here on has that duration.
  const ends: (() => void)[] = []
  const { setTimeout: later } = globalThis
  t.mock.method(globalThis, 'setTimeout', ((work: () => void, ms: number, ...rest: unknown[]) => {
    if (ms === 30 * 60_000) ends.push(work)
    return later(work, ms, ...(rest as []))
  }) as typeof setTimeout)
  const reader = new SlowReader(await openExport(avery))
  await untilPlatformWaits()
  assert.ok(await reader.read(600_000))
  assert.equal(ends.length, 1)
  assert.ok(!reader.answer.closed)
  ends[0]!()
  reader.answer.resume()
  assert.equal(await reader.isCut, true)
})
