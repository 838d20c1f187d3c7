import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { EnvironmentName } from '../../kernel/config.ts'
import type { TestBrowser } from '../../operations/testing/browser.ts'
import { openRaw } from '../../operations/testing/socket.ts'
import { assertError, type Person, type TestApp, testApp } from '../../operations/testing/testing.ts'
import { signedIn } from '../passkeys/testing.ts'
import { COVER, PICTURE, plain, sendImage, until } from './testing.ts'
import { imageWorker } from './worker.ts'

const FIVE: Person[] = ['avery', 'blake', 'casey', 'drew', 'ellis']

/** An image of 40 megapixels in a file of 38 bytes. */
const bomb = await plain(6320, 6320).webp({ lossless: true, effort: 0 }).toBuffer()
const small = await plain().png().toBuffer()
const TOO_MANY = /^Too many images are being processed/
const TOO_MUCH = /^Too many or too large images/

async function addPeople(app: TestApp, handles: string[], name?: EnvironmentName): Promise<TestBrowser[]> {
  const rows = handles.map((handle) => `('@${handle}', '${handle}', now())`)
  await app.sql(`insert into people (handle, handle_key, created_at) values ${rows.join()}`, name)
  return Promise.all(handles.map((handle) => signedIn(app, handle as Person, name)))
}

const waitingIn = (app: TestApp, name?: EnvironmentName) => app.environment(name).get(imageWorker).gate.waiting

/** Occupies the image worker of an environment, so that all uploads wait. Returns a function that releases it. */
function holdTurn(app: TestApp, name?: EnvironmentName): Promise<() => void> {
  return app.environment(name).get(imageWorker).gate.enter('test')
}

/** Uploads images for several people, who disconnect at the end of the test at the latest. */
function crowd(t: TestContext, image = small) {
  const leaving = new AbortController()
  const statuses: number[] = []
  const sending: Promise<void>[] = []
  const send = async (browser: TestBrowser) => {
    const init = { method: 'PUT', body: image as never, signal: leaving.signal }
    const seen = await browser.send(PICTURE, init).catch(() => undefined)
    if (seen) statuses.push(seen.status)
  }
  const leave = async () => {
    leaving.abort()
    await Promise.all(sending)
  }
  t.after(leave)
  const count = (status: number) => statuses.filter((one) => one === status).length
  return {
    count,
    send: (browsers: TestBrowser[], times = 1) => {
      for (const browser of browsers) for (let i = 0; i < times; i++) sending.push(send(browser))
    },
    /** Lets each browser upload images in a loop, each as soon as the previous one is answered. */
    keepSending: (browsers: TestBrowser[], times: number) => {
      const keepOn = async (browser: TestBrowser) => {
        while (!leaving.signal.aborted) {
          await send(browser)
          await pause(20)
        }
      }
      for (const browser of browsers) for (let i = 0; i < times; i++) sending.push(keepOn(browser))
    },
    answered: () => Promise.all(sending),
    leave,
  }
}

test('a crowd in the sandbox keeps nobody in production waiting', async (t) => {
  const app = await testApp(t, {}, { withSandbox: true })
  const trying = await Promise.all(FIVE.map((person) => signedIn(app, person, 'sandbox')))
  // Sign the same people in to production.
  const people = await Promise.all(FIVE.map((person) => signedIn(app, person)))
  const endTurn = await holdTurn(app, 'sandbox')
  const [sandbox, production] = [crowd(t), crowd(t)]
  sandbox.send(trying)
  await until(() => waitingIn(app, 'sandbox') === 5)
  // Few images, because those of the sandbox wait for 30 s at most.
  production.send(people.slice(0, 3))
  await production.answered()
  assert.deepEqual([production.count(200), sandbox.count(200), waitingIn(app, 'sandbox')], [3, 0, 5])
  endTurn()
  await sandbox.answered()
  assert.equal(sandbox.count(200), 5)
})

test('a person who sends endlessly does not keep others from sending a picture', async (t) => {
  const app = await testApp(t, { RATE_IMAGE_BURST: '200', RATE_IMAGE_PER_SECOND: '1' })
  const [avery, blake] = [await signedIn(app, 'avery'), await signedIn(app, 'blake')]
  const attack = crowd(t, bomb)
  attack.keepSending([avery], 10)
  await until(() => waitingIn(app) === 4)
  for (let i = 0; i < 6; i++) {
    assert.ok(waitingIn(app) <= 4, 'a person has four places')
    const before = attack.count(200)
    const answer = await sendImage(blake, i % 2 ? COVER : PICTURE, small)
    assert.equal(answer.status, 200, answer.text)
    assert.ok(attack.count(200) - before <= 3, 'the one that was begun, and answers that were on their way')
  }
  await until(() => attack.count(429) > 0)
  assert.ok(attack.count(503) > 0)
  // The burst is 200 megapixels, refilled by 1 per second, and an image has 40.
  assert.ok(attack.count(200) <= 6, `${attack.count(200)} images`)
})

test('an image waits for at most one of every other person', async (t) => {
  const app = await testApp(t)
  const [avery, blake, casey] = await Promise.all(FIVE.slice(0, 3).map((person) => signedIn(app, person)))
  const endTurn = await holdTurn(app)
  const [many, one, late] = [crowd(t), crowd(t), crowd(t)]
  many.send([avery!, casey!], 4)
  await until(() => waitingIn(app) === 8)
  one.send([blake!])
  await until(() => waitingIn(app) === 9)
  endTurn()
  await one.answered()
  assert.ok(many.count(200) <= 3, `${many.count(200)} came first`)
  // A person who uploads later waits for at most one image of each other person.
  late.send([blake!])
  const before = many.count(200)
  await late.answered()
  assert.ok(many.count(200) - before <= 4)
  await many.answered()
  assert.equal(many.count(200), 8)
})

test('forty wait, four of one person; then people are told to come again', async (t) => {
  const app = await testApp(t)
  const people = await addPeople(
    app,
    Array.from({ length: 10 }, (_, i) => `somebody-${i}`),
  )
  const avery = await signedIn(app, 'avery')
  const endTurn = await holdTurn(app)
  const waiting = crowd(t)
  waiting.send(people.slice(0, 1), 5)
  await until(() => waitingIn(app) === 4 && waiting.count(503) === 1)
  waiting.send(people.slice(1), 4)
  await until(() => waitingIn(app) === 40)
  const late = await sendImage(avery, PICTURE, small)
  assertError(late, 503, 5030, TOO_MANY)
  assert.equal(late.headers.get('retry-after'), '5')
  endTurn()
  await until(() => waitingIn(app) < 40)
  assert.equal((await sendImage(avery, PICTURE, small)).status, 200)
})

test('a person can send a limited number of megapixels, and more later', async (t) => {
  const app = await testApp(t, { RATE_IMAGE_PER_SECOND: '1', RATE_IMAGE_BURST: '60' }, { withSandbox: true })
  app.holdClock()
  const [avery, blake] = [await signedIn(app, 'avery'), await signedIn(app, 'blake')]
  const sandbox = await signedIn(app, 'avery', 'sandbox')
  assert.equal((await sendImage(avery, PICTURE, bomb)).status, 200)
  const refused = await sendImage(avery, PICTURE, bomb)
  assertError(refused, 429, 4291, TOO_MUCH)
  // The burst is 60 megapixels. The first image took 40, and each attempt 3.5 more, so 13 are left; at 1 per second it
  // takes 27 seconds until there are 40 again.
  assert.equal(refused.headers.get('retry-after'), '27')
  for (const other of [blake, sandbox]) assert.equal((await sendImage(other, PICTURE, bomb)).status, 200)
  // A cover is charged 17 megapixels for the sizes made from it, however small it is.
  assertError(await sendImage(avery, COVER, small), 429, 4291, TOO_MUCH)
  assert.equal((await sendImage(avery, PICTURE, small)).status, 200)
  app.advance(60_000)
  assert.equal((await sendImage(avery, PICTURE, bomb)).status, 200)
})

test('a dozen photographs of 12 megapixels are fine', async (t) => {
  const app = await testApp(t)
  const avery = await signedIn(app, 'avery')
  const photograph = await plain(4000, 3000).jpeg().toBuffer()
  for (let i = 0; i < 12; i++) assert.equal((await sendImage(avery, PICTURE, photograph)).status, 200)
})

test('an image whose sender disconnects while waiting is skipped', async (t) => {
  const app = await testApp(t)
  const [avery, blake] = [await signedIn(app, 'avery'), await signedIn(app, 'blake')]
  const endTurn = await holdTurn(app)
  const [leaving, staying] = [crowd(t), crowd(t)]
  leaving.send([avery], 4)
  staying.send([blake], 4)
  await until(() => waitingIn(app) === 8)
  await leaving.leave()
  // Give the platform time to notice the disconnection.
  await pause(200)
  endTurn()
  await staying.answered()
  await until(() => waitingIn(app) === 0)
  assert.equal(staying.count(200), 4)
  const rows = await app.sql(
    `select picture_version as n from people where handle_key in ('avery', 'blake') order by handle_key`,
  )
  assert.deepEqual(rows, [{ n: 0 }, { n: 4 }])
})

test('a slow sender does not occupy a turn', async (t) => {
  const app = await testApp(t)
  const [avery, blake] = [await signedIn(app, 'avery'), await signedIn(app, 'blake')]
  const cookie = [...avery.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const sockets = Array.from({ length: 10 }, () => {
    const socket = openRaw(app.address).on('error', () => undefined)
    socket.write(`PUT ${PICTURE} HTTP/1.1\r\nhost: localhost\r\ncookie: ${cookie}\r\ncontent-length: 9999\r\n\r\n`)
    return socket.on('connect', () => socket.write(small.subarray(0, 20)))
  })
  await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once('connect', resolve))))
  for (const browser of [blake, avery]) assert.equal((await sendImage(browser, PICTURE, small)).status, 200)
  assert.equal(waitingIn(app), 0)
  for (const socket of sockets) socket.destroy()
})
