import assert from 'node:assert/strict'
import { test } from 'node:test'
import { signedIn } from '../passkeys/testing.ts'
import { assertError, testApp } from '../testing/testing.ts'
import {
  COVER,
  isDecoding,
  mebibytesOf,
  onLinux,
  PICTURE,
  plain,
  pressesOf,
  sendImage,
  slow,
  until,
} from './testing.ts'

const TOO_MUCH = /^The image takes too long, or too much memory, to read/
const TOO_MANY = /^Too many images are being worked on/
const small = await plain().png().toBuffer()

test('whose image ends the process that reads it pays for that, and nobody else does', onLinux, async (t) => {
  const app = await testApp(t, { RATE_IMAGE_PER_SECOND: '4', RATE_IMAGE_BURST: '400' })
  // What may be sent grows by the second, and an image takes as long as the machine lets it.
  app.holdClock()
  const [avery, blake, casey] = await Promise.all(
    (['avery', 'blake', 'casey'] as const).map((person) => signedIn(app, person)),
  )
  const { queue } = app.environment().get(imageWorker)
  assert.equal((await sendImage(blake!, PICTURE, small)).status, 200)
  const large = await slow()
  const [press] = pressesOf()
  const killing = sendImage(avery!, PICTURE, large)
  await until(() => isDecoding(press!))
  const waiting = [avery!, blake!].map((browser) => sendImage(browser, PICTURE, small))
  await until(() => queue.countWaiting() === 2)
  process.kill(press!, 'SIGSEGV')
  assertError(await killing, 400, 4003, TOO_MUCH)
  const [own, others] = await Promise.all(waiting)
  assertError(own!, 503, 5030, TOO_MANY)
  assert.equal(others!.status, 200, others!.text)

  // All that it may send is spent, and its next image takes all of it again.
  const refused = await sendImage(avery!, PICTURE, small)
  assertError(refused, 429, 4291, /Too many images, or too large ones/)
  const wait = Number(refused.headers.get('retry-after'))
  assert.ok(wait > 90 && wait <= 101, String(wait))
  app.advance(50_000)
  assertError(await sendImage(avery!, PICTURE, small), 429, 4291)
  for (const browser of [blake!, casey!]) assert.equal((await sendImage(browser, PICTURE, small)).status, 200)
  app.advance(51_000)
  assert.equal((await sendImage(avery!, PICTURE, large)).status, 200)
  assertError(await sendImage(avery!, COVER, small), 429, 4291)
  app.advance(10_000)
  assert.equal((await sendImage(avery!, COVER, small)).status, 200)
  assert.match(app.log(), /an image was more than the process that reads them may take/)
})

test('nobody pays where somebody else ends the process', onLinux, async (t) => {
  const app = await testApp(t)
  const avery = await signedIn(app, 'avery')
  assert.equal((await sendImage(avery, PICTURE, small)).status, 200)
  const [press] = pressesOf()
  const killed = sendImage(avery, PICTURE, await slow())
  await until(() => isDecoding(press!))
  process.kill(press!, 'SIGKILL')
  assertError(await killed, 503, 5030, /try again shortly/)
  assert.equal((await sendImage(avery, PICTURE, small)).status, 200)
})

test(
  'twenty images at once that unpack to a thousand times their size take no more memory than one',
  onLinux,
  async (t) => {
    const app = await testApp(t)
    const people = ['avery', 'blake', 'casey', 'drew', 'ellis'] as const
    const browsers = await Promise.all(people.map((person) => signedIn(app, person)))
    // Interlaced, so it is decoded as a whole.
    const bomb = await plain(2800, 2800).ensureAlpha().png({ progressive: true, compressionLevel: 9 }).toBuffer()
    assert.ok(bomb.length < (2800 * 2800 * 4) / 400)
    await sendImage(browsers[0]!, PICTURE, small)
    const [press] = pressesOf()
    const startMiB = mebibytesOf(process.pid)
    let [mostMiB, mostInPress] = [startMiB, 0]
    const watch = setInterval(() => {
      mostMiB = Math.max(mostMiB, mebibytesOf(process.pid))
      mostInPress = Math.max(mostInPress, mebibytesOf(press!))
    }, 10)
    const sent = Array.from({ length: 20 }, (_, i) => sendImage(browsers[i % browsers.length]!, PICTURE, bomb))
    const alive = await app.nobody().get('/healthz')
    const answers = await Promise.all(sent)
    clearInterval(watch)
    assert.equal(alive.status, 200)
    for (const answer of answers) if (answer.status !== 200) assertError(answer, 503, 5030, /Too many images/)
    const taken = answers.filter(({ status }) => status === 200).length
    t.diagnostic(
      `${taken} of 20 taken, ${Math.round(mostMiB - startMiB)} MiB more, ${Math.round(mostInPress)} in the press`,
    )
    // One takes 30 MiB, and the process itself up to 105; twenty would take 600.
    assert.ok(mostInPress < 180, `${mostInPress} MiB`)
    assert.ok(mostMiB - startMiB < 60, `${mostMiB - startMiB} MiB`)
  },
)
