import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { signInBrowser } from '../account/testing.ts'
import { UNLIMITED } from '../buckets/testing.ts'
import type { TestBrowser } from '../testing/browser.ts'
import { type TestApp, testApp } from '../testing/testing.ts'
import { addReaders, fillBuckets, openExport, SlowReader, untilPlatformWaits } from './testing.ts'

const REFILL_MS = 150

/** Time that passes for the platform, and for what it looks at from time to time. */
async function pass(t: TestContext, app: TestApp, ms: number): Promise<void> {
  // So that what was read has reached the platform.
  await sleep(10)
  app.advance(ms)
  t.mock.timers.tick(ms)
  await sleep(10)
}

test('a download is as slow as its reader', async (t) => {
  const app = await testApp(t, UNLIMITED)
  const avery = await signInBrowser(app, 'avery')
  await fillBuckets(app, 200)
  const [blake] = await addReaders(app, 1)
  /** What is sent at first fits into the buffers on the way; from then on the platform waits for the reader. */
  const open = async (...browsers: TestBrowser[]) => {
    const answers = await Promise.all(browsers.map((browser) => openExport(browser)))
    const readers = answers.map((answer) => new SlowReader(answer))
    await untilPlatformWaits()
    return readers as [SlowReader, SlowReader]
  }

  await t.test('who takes 5 KB a second gets all of it, whatever the buffers on the way hold', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] })
    const [reader] = await open(avery)
    let seconds = 0
    for (; await reader.read(600_000); seconds += 120) {
      // What was read makes room in the buffers, which the platform fills at once.
      await sleep(REFILL_MS)
      await pass(t, app, 120_000)
    }
    assert.equal(await reader.isCut, false)
    assert.ok(reader.answer.complete && reader.bytes > 15_000_000, `${reader.bytes} bytes`)
    assert.ok(seconds > 1800, `${seconds} s`)
  })

  await t.test('who takes nothing for ten minutes has gone', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] })
    const [gone, steady] = await open(avery, blake!)
    await pass(t, app, 5_000)
    for (let minutes = 0; minutes < 10; minutes++) {
      await steady.read(500_000)
      await pass(t, app, 60_000)
    }
    gone.answer.resume()
    assert.equal(await gone.isCut, true)
    steady.answer.resume()
    assert.equal(await steady.isCut, false)
  })

  await t.test('nobody reads for longer than an hour', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] })
    const [reader] = await open(avery)
    for (let minutes = 0; minutes < 59; minutes++) {
      assert.ok(await reader.read(100_000))
      await pass(t, app, 60_000)
    }
    assert.ok(!reader.answer.closed)
    await pass(t, app, 60_000)
    reader.answer.resume()
    assert.equal(await reader.isCut, true)
  })
})
