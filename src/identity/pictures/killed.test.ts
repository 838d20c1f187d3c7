import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isLong } from '../../operations/testing/sizes.ts'
import { assertError, testApp } from '../../operations/testing/testing.ts'
import { assertWithin } from '../../operations/testing/time-limits.ts'
import { signedIn } from '../passkeys/testing.ts'
import {
  isDecoding,
  mebibytesOf,
  onLinux,
  PICTURE,
  plain,
  sendImage,
  slow,
  TOO_MUCH,
  until,
  workersOf,
} from './testing.ts'
import { describe, exifInItself } from './testing-exif.ts'
import { imageWorker } from './worker.ts'

const TOO_MANY = /^Too many images are being processed/
const small = await plain().png().toBuffer()

test('a person whose image had to be killed waits for five minutes, and nobody else does', onLinux, async (t) => {
  const app = await testApp(t)
  const [avery, blake] = [await signedIn(app, 'avery'), await signedIn(app, 'blake')]
  const { gate } = app.environment().get(imageWorker)
  const startedMs = performance.now()
  // An image of 64 KiB that takes a minute to read.
  const killing = sendImage(avery, PICTURE, await describe('jpeg', exifInItself()))
  await until(() => gate.working === 1 && workersOf().length === 1)
  // Suspend the worker, which would otherwise compute for ten seconds until it is killed. That this image takes so long
  // is tested in hostile.test.ts.
  process.kill(workersOf()[0]!, 'SIGSTOP')
  const waiting = [avery, blake].map((browser) => sendImage(browser, PICTURE, small))
  await until(() => gate.waiting === 2)
  assert.equal((await app.nobody().get('/healthz')).status, 200)
  assertError(await killing, 400, 4003, TOO_MUCH.message)
  assertWithin(performance.now() - startedMs, 15_000)
  const [own, others] = await Promise.all(waiting)
  assertError(own!, 503, 5030, TOO_MANY)
  assert.equal(others!.status, 200, others!.text)
  const refused = await sendImage(avery, PICTURE, small)
  assertError(refused, 429, 4291, /Too many or too large images/)
  const wait = Number(refused.headers.get('retry-after'))
  assert.ok(wait > 240 && wait <= 300, String(wait))
  assert.equal((await sendImage(blake, PICTURE, small)).status, 200)
  assert.match(app.log(), /image exceeded the worker limits/)
})

test('nobody has to wait if the process was ended from outside', onLinux, async (t) => {
  const app = await testApp(t)
  const avery = await signedIn(app, 'avery')
  const killed = sendImage(avery, PICTURE, await slow())
  await until(() => workersOf().some(isDecoding))
  process.kill(workersOf()[0]!, 'SIGKILL')
  assertError(await killed, 503, 5030, /try again shortly/)
  assert.equal((await sendImage(avery, PICTURE, small)).status, 200)
})

/** Each image takes half a second of CPU time. Eight decoded at once are enough to exceed the limits below. */
const BOMBS = isLong ? 20 : 8

test(
  `${BOMBS} images at once that unpack to a thousand times their size take no more memory than one`,
  onLinux,
  async (t) => {
    const app = await testApp(t)
    const people = ['avery', 'blake', 'casey', 'drew', 'ellis'] as const
    const browsers = await Promise.all(people.map((person) => signedIn(app, person)))
    // An interlaced image, because it must be decoded as a whole.
    const bomb = await plain(2800, 2800).ensureAlpha().png({ progressive: true, compressionLevel: 9 }).toBuffer()
    assert.ok(bomb.length < (2800 * 2800 * 4) / 400)
    const startMiB = mebibytesOf(process.pid)
    let [mostMiB, mostInWorkers] = [startMiB, 0]
    const watch = setInterval(() => {
      mostMiB = Math.max(mostMiB, mebibytesOf(process.pid))
      mostInWorkers = Math.max(
        mostInWorkers,
        workersOf().reduce((sum, pid) => sum + mebibytesOf(pid), 0),
      )
    }, 30)
    const sent = Array.from({ length: BOMBS }, (_, i) => sendImage(browsers[i % browsers.length]!, PICTURE, bomb))
    const alive = await app.nobody().get('/healthz')
    const answers = await Promise.all(sent)
    clearInterval(watch)
    assert.equal(alive.status, 200)
    for (const answer of answers) if (answer.status !== 200) assertError(answer, 503, 5030, /Too many images/)
    const taken = answers.filter(({ status }) => status === 200).length
    t.diagnostic(
      `${taken} of ${BOMBS} taken, ${Math.round(mostMiB - startMiB)} MiB more, ${Math.round(mostInWorkers)} in the worker`,
    )
    // A worker takes 70 MiB, plus 30 MiB for this image; two workers at once would take 200 MiB.
    assert.ok(mostInWorkers < 180, `${mostInWorkers} MiB`)
    assert.ok(mostMiB - startMiB < 60, `${mostMiB - startMiB} MiB`)
  },
)
