import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { EnvironmentName } from '../config.ts'
import { signedIn } from '../passkeys/testing.ts'
import type { TestBrowser } from '../testing/browser.ts'
import { openRaw } from '../testing/socket.ts'
import { assertError, type Person, type TestApp, testApp } from '../testing/testing.ts'
import { COVER, PICTURE, plain, sendImage, until } from './testing.ts'

const FIVE: Person[] = ['avery', 'blake', 'casey', 'drew', 'ellis']

/** 40 megapixels in 38 bytes. */
const bomb = await plain(6320, 6320).webp({ lossless: true, effort: 0 }).toBuffer()
const small = await plain().png().toBuffer()
const TOO_MANY = /^Too many images are being worked on/
const TOO_MUCH = /^Too many images, or too large ones/

async function addPeople(app: TestApp, handles: string[], name?: EnvironmentName): Promise<TestBrowser[]> {
  const rows = handles.map((handle) => `('@${handle}', '${handle}', now())`)
  await app.sql(`insert into people (handle, handle_key, created_at) values ${rows.join()}`, name)
  return Promise.all(handles.map((handle) => signedIn(app, handle as Person, name)))
}

/** Children of somebody, each with an account and a browser of its own. */
async function addChildren(app: TestApp, parent: Person, count: number): Promise<TestBrowser[]> {
  const browsers = await addPeople(
    app,
    Array.from({ length: count }, (_, i) => `child-${i}`),
  )
  await app.sql(`update people set date_of_birth = now() - interval '8 years' where handle_key like 'child-%'`)
  await app.sql(
    `insert into guardians (child_id, parent_id, created_at)
     select c.id, p.id, now() from people c, people p where c.handle_key like 'child-%' and p.handle_key = '${parent}'`,
  )
  return browsers
}

const waitingIn = (app: TestApp, name?: EnvironmentName) => app.environment(name).workshop.queue.countWaiting()

/** Keeps an environment at work, so that whoever sends an image waits; what it returns ends that. */
async function holdTurn(app: TestApp, name?: EnvironmentName): Promise<() => Promise<void>> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const holder = { household: 'test', network: 'test', hasLeft: () => false }
  const held = app.environment(name).workshop.queue.inTurn(holder, () => promise)
  return () => {
    resolve()
    return held
  }
}

/** People who send images, and may leave before they are answered. */
function crowd(app: TestApp, headers: Record<string, string> = {}, image = small) {
  const leaving = new AbortController()
  const statuses: number[] = []
  const sending: Promise<void>[] = []
  const send = async (browser: TestBrowser) => {
    const init = { method: 'PUT', body: image as never, signal: leaving.signal, headers }
    const seen = await browser.send(PICTURE, init).catch(() => undefined)
    if (seen) statuses.push(seen.status)
  }
  const count = (status: number) => statuses.filter((one) => one === status).length
  return {
    count,
    send: (browsers: TestBrowser[], times = 1) => {
      for (const browser of browsers) for (let i = 0; i < times; i++) sending.push(send(browser))
    },
    /** The next as soon as one is answered. */
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
    leave: async () => {
      leaving.abort()
      await Promise.all(sending)
      await until(() => waitingIn(app) === 0)
    },
  }
}

test('a crowd in the sandbox keeps nobody in production waiting', async (t) => {
  const app = await testApp(t)
  const trying = await Promise.all(FIVE.map((person) => signedIn(app, person, 'sandbox')))
  // The same numbers of people as in the sandbox.
  const people = await Promise.all(FIVE.map((person) => signedIn(app, person)))
  const endTurn = await holdTurn(app, 'sandbox')
  const [sandbox, production] = [crowd(app), crowd(app)]
  sandbox.send(trying, 4)
  await until(() => waitingIn(app, 'sandbox') === 20)
  production.send(people)
  await production.answered()
  assert.deepEqual([production.count(200), sandbox.count(200), waitingIn(app, 'sandbox')], [5, 0, 20])
  await endTurn()
  await sandbox.answered()
  assert.equal(sandbox.count(200), 20)
})

test('eleven children of one adult keep nobody from sending a picture', async (t) => {
  const app = await testApp(t, { RATE_IMAGE_BURST: '200', RATE_IMAGE_PER_SECOND: '1' })
  const family = [await signedIn(app, 'avery'), ...(await addChildren(app, 'avery', 11))]
  const blake = await signedIn(app, 'blake')
  const attack = crowd(app, {}, bomb)
  attack.keepSending(family, 4)
  await until(() => waitingIn(app) >= 4)
  for (let i = 0; i < 6; i++) {
    assert.ok(waitingIn(app) <= 4, 'a household has four places')
    const before = attack.count(200)
    const answer = await sendImage(blake, i % 2 ? COVER : PICTURE, small)
    assert.equal(answer.status, 200, answer.text)
    assert.ok(attack.count(200) - before <= 3, 'the one that was begun, and answers that were on their way')
  }
  await until(() => attack.count(429) > 0)
  assert.ok(attack.count(503) > 0)
  // 200 megapixels at once, and 1 a second.
  assert.ok(attack.count(200) <= 6, `${attack.count(200)} images`)
  await attack.leave()
})

test('an image waits for at most one of every other household', async (t) => {
  const app = await testApp(t)
  const [avery, blake, casey] = await Promise.all(FIVE.slice(0, 3).map((person) => signedIn(app, person)))
  const endTurn = await holdTurn(app)
  const [many, one, late] = [crowd(app), crowd(app), crowd(app)]
  many.send([avery!, casey!], 4)
  await until(() => waitingIn(app) === 8)
  one.send([blake!])
  await until(() => waitingIn(app) === 9)
  await endTurn()
  await one.answered()
  assert.ok(many.count(200) <= 3, `${many.count(200)} came first`)
  // Whoever comes while others have their turn is next but one.
  late.send([blake!])
  const before = many.count(200)
  await late.answered()
  assert.ok(many.count(200) - before <= 4)
  await many.answered()
  assert.equal(many.count(200), 8)
})

test('where no place is left, the household with the most images waiting loses one', async (t) => {
  const app = await testApp(t, { TRUST_PROXY: 'loopback' })
  const people = await addPeople(
    app,
    Array.from({ length: 40 }, (_, i) => `somebody-${i}`),
  )
  const [avery, blake, casey] = await Promise.all(FIVE.slice(0, 3).map((person) => signedIn(app, person)))
  const from = (network: number) => crowd(app, { 'x-forwarded-for': `192.0.2.${network}` })
  const refused = (...crowds: ReturnType<typeof crowd>[]) => crowds.reduce((sum, one) => sum + one.count(503), 0)

  await t.test('of one address, which has half of all places, and of all', async () => {
    const endTurn = await holdTurn(app)
    const [first, second, third, newcomers] = [from(1), from(2), from(3), from(1)]
    first.send(people.slice(0, 5), 5)
    await until(() => waitingIn(app) === 20 && refused(first) === 5)
    newcomers.send([avery!])
    await until(() => refused(first) === 6)
    assert.equal(waitingIn(app), 20)
    second.send(people.slice(5, 10), 4)
    await until(() => waitingIn(app) === 40)
    third.send([blake!, casey!])
    await until(() => refused(first, second) === 8)
    assert.equal(waitingIn(app), 40)
    await endTurn()
    await Promise.all([first, second, third, newcomers].map((one) => one.answered()))
    assert.deepEqual([newcomers.count(200), third.count(200), first.count(200) + second.count(200)], [1, 2, 37])
  })

  await t.test('and where everybody has one, whoever comes last is told to come again', async () => {
    const endTurn = await holdTurn(app)
    const [first, second, last] = [from(1), from(2), from(3)]
    first.send(people.slice(0, 20))
    await until(() => waitingIn(app) === 20)
    const late = await avery!.send(PICTURE, {
      method: 'PUT',
      body: small as never,
      headers: { 'x-forwarded-for': '192.0.2.1' },
    })
    assertError({ ...late, body: JSON.parse(late.text) }, 503, 5030, TOO_MANY)
    assert.equal(late.headers.get('retry-after'), '5')
    second.send(people.slice(20))
    await until(() => waitingIn(app) === 40)
    last.send([avery!])
    await until(() => last.count(503) === 1)
    await endTurn()
    await Promise.all([first, second].map((one) => one.answered()))
    assert.equal(refused(first, second), 0)
  })
})

test('a household sends so many megapixels, and more later', async (t) => {
  const app = await testApp(t, { RATE_IMAGE_PER_SECOND: '1', RATE_IMAGE_BURST: '60' })
  const [avery, blake] = [await signedIn(app, 'avery'), await signedIn(app, 'blake')]
  const [child] = await addChildren(app, 'avery', 1)
  const sandbox = await signedIn(app, 'avery', 'sandbox')
  assert.equal((await sendImage(child!, PICTURE, bomb)).status, 200)
  const refused = await sendImage(avery, PICTURE, bomb)
  assertError(refused, 429, 4291, TOO_MUCH)
  const wait = Number(refused.headers.get('retry-after'))
  // 60 less 40 and twice 3.5, until there are 40 again.
  assert.ok(wait >= 25 && wait <= 27, String(wait))
  assertError(await sendImage(child!, PICTURE, bomb), 429, 4291, TOO_MUCH)
  for (const other of [blake, sandbox]) assert.equal((await sendImage(other, PICTURE, bomb)).status, 200)
  // A cover counts for 17, however small it is.
  assertError(await sendImage(avery, COVER, small), 429, 4291, TOO_MUCH)
  assert.equal((await sendImage(avery, PICTURE, small)).status, 200)
  app.advance(60_000)
  assert.equal((await sendImage(avery, PICTURE, bomb)).status, 200)

  await t.test('and the page says so', async () => {
    const page = await avery.get('/account/profile')
    const [, action = '', key = ''] =
      /action="([^"]*picture[^"]*)" enctype[^>]*>.*?name="csrf_token" value="([^"]*)"/s.exec(page.text) ?? []
    const form = new FormData()
    form.append('csrf_token', key)
    form.append('image', new Blob([bomb]), 'bomb.webp')
    const seen = await avery.send(action, { method: 'POST', body: form })
    assert.equal(seen.status, 429)
    assert.ok(Number(seen.headers.get('retry-after')) > 10)
    assert.match(seen.text, /Too many images, or too large ones, in a short time\. Wait .*, then try again\./)
  })
})

test('a child that has grown up is a household of its own, from its thirteenth birthday on', async (t) => {
  const app = await testApp(t, { RATE_IMAGE_PER_SECOND: '1', RATE_IMAGE_BURST: '60' })
  const avery = await signedIn(app, 'avery')
  const [child] = await addChildren(app, 'avery', 1)
  const bear = (day: string) => app.sql(`update people set date_of_birth = ${day} where handle_key = 'child-0'`)
  const today = `(now() at time zone 'utc')::date - interval '13 years'`
  // Six megapixels are left, of the seventeen that a cover takes.
  for (const image of [bomb, small, small, small]) assert.equal((await sendImage(avery, PICTURE, image)).status, 200)
  await bear(`${today} + interval '2 days'`)
  assertError(await sendImage(child!, COVER, small), 429, 4291, TOO_MUCH)
  for (const day of [today, 'null']) {
    await bear(day)
    assert.equal((await sendImage(child!, COVER, small)).status, 200)
  }
})

test('a dozen photographs of 12 megapixels are fine', async (t) => {
  const app = await testApp(t)
  const avery = await signedIn(app, 'avery')
  const photograph = await plain(4000, 3000).jpeg().toBuffer()
  for (let i = 0; i < 12; i++) assert.equal((await sendImage(avery, PICTURE, photograph)).status, 200)
})

test('who leaves while waiting is not worked on and holds no place', async (t) => {
  const app = await testApp(t)
  const [avery, blake] = [await signedIn(app, 'avery'), await signedIn(app, 'blake')]
  const endTurn = await holdTurn(app)
  for (let round = 0; round < 5; round++) {
    const leaving = crowd(app)
    leaving.send([avery], 4)
    await until(() => waitingIn(app) === 4)
    await leaving.leave()
  }
  const staying = crowd(app)
  staying.send([avery, blake], 4)
  await until(() => waitingIn(app) === 8)
  await endTurn()
  await staying.answered()
  assert.deepEqual([staying.count(200), waitingIn(app)], [8, 0])
  const rows = await app.sql(`select picture_version as n from people where handle_key in ('avery', 'blake')`)
  assert.deepEqual(rows, [{ n: 4 }, { n: 4 }])
})

test('who sends slowly holds no turn', async (t) => {
  const app = await testApp(t)
  const [avery, blake] = [await signedIn(app, 'avery'), await signedIn(app, 'blake')]
  const cookie = [...avery.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const sockets = Array.from({ length: 10 }, () => {
    const socket = openRaw(app.address).on('error', () => undefined)
    socket.write(`PUT ${PICTURE} HTTP/1.1\r\nhost: x\r\ncookie: ${cookie}\r\ncontent-length: 9999\r\n\r\n`)
    return socket.on('connect', () => socket.write(small.subarray(0, 20)))
  })
  await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once('connect', resolve))))
  for (const browser of [blake, avery]) assert.equal((await sendImage(browser, PICTURE, small)).status, 200)
  assert.equal(waitingIn(app), 0)
  for (const socket of sockets) socket.destroy()
})
