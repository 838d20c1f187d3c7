import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { call, isSignedIn, PASSWORD } from '../../apps/account/testing.ts'
import { hashPassword } from '../../identity/people/passwords.ts'
import type { TestBrowser } from '../../operations/testing/browser.ts'
import {
  type Answer,
  assertError,
  hashAtFullCost,
  type Person,
  sharedApp,
  testApp,
} from '../../operations/testing/testing.ts'

const app = await sharedApp({
  RATE_ADDRESS_PER_SECOND: '100000',
  RATE_ADDRESS_BURST: '1000000',
  TRUST_PROXY: '127.0.0.1',
})
const NEW = 'a new password'

const signIn = (browser: TestBrowser, handle: string, password: string, address: string): Promise<Answer> =>
  call(browser, 'POST', '/account/v1/signin', { handle, password }, { 'x-forwarded-for': address })

/** Creates a browser in which the person has signed in and out again, so that it is known. */
async function knownBrowser(person: Person, address = '198.51.100.9'): Promise<TestBrowser> {
  await app.givePassword(person)
  const browser = app.visitor()
  assert.equal((await signIn(browser, person, PASSWORD, address)).status, 200)
  assert.equal((await call(browser, 'POST', '/account/v1/signout', {})).status, 200)
  assert.equal(await isSignedIn(browser), false)
  return browser
}

/**
 * Guesses passwords from many addresses, each of which has its own free tries, until the handle is locked, and then
 * prolongs the wait. Returns the number of guesses that were answered.
 */
async function guessFromEverywhere(handle: string, net: string): Promise<number> {
  for (let guesses = 0; guesses < 60; guesses++) {
    const { status } = await signIn(app.visitor(), handle, `guess ${guesses}`, `${net}.${guesses}`)
    if (status !== 429) assert.equal(status, 401)
    else {
      const longer = `update sign_in_failures set blocked_until = blocked_until + interval '10 minutes'`
      await app.sql(`${longer} where subject = 'account:${handle}' returning 1`)
      return guesses
    }
  }
  return Number.POSITIVE_INFINITY
}

const quietly = (name: string, run: (t: TestContext) => Promise<void>) =>
  test(name, async (t) => {
    await app.sql('delete from sign_in_failures')
    await run(t)
  })

quietly(
  'O21: while a stranger keeps guessing for a handle, the owner can sign in from a known browser and change the password there',
  async () => {
    const browser = await knownBrowser('avery')
    const open = await knownBrowser('avery')
    assert.equal((await signIn(open, 'avery', PASSWORD, '203.0.113.1')).status, 200)
    const guesses = await guessFromEverywhere('avery', '198.18.0')
    assert.ok(guesses <= 20, `${guesses} guesses from many addresses`)
    // The right password from a new address is refused too, because all unknown browsers share a limit.
    assertError(await signIn(app.visitor(), 'avery', PASSWORD, '198.18.1.1'), 429, 4291)

    assert.equal((await signIn(browser, 'avery', PASSWORD, '198.18.0.1')).status, 200)
    const change = (password: string, newPassword: string) =>
      call(browser, 'POST', '/account/v1/password', { password, newPassword })
    assert.equal((await change(PASSWORD, NEW)).status, 200)
    // `open` is the other known browser. The person last signed in there with the old password.
    await guessFromEverywhere('avery', '198.18.2')
    assert.equal(await isSignedIn(open), false)
    assert.equal((await signIn(open, 'avery', NEW, '198.18.2.1')).status, 200)
  },
)

quietly(
  'O21: a signed-in person can prove their identity whatever strangers try, and their own mistakes lock nobody out elsewhere',
  async () => {
    const [browser, other] = [await knownBrowser('blake'), await knownBrowser('blake')]
    assert.equal((await signIn(browser, 'blake', PASSWORD, '203.0.113.2')).status, 200)
    await guessFromEverywhere('blake', '198.18.3')
    const change = (password: string) => call(browser, 'POST', '/account/v1/password', { password, newPassword: NEW })
    for (let i = 0; i < 5; i++) assert.equal((await change('wrong')).status, 401)
    const waiting = await change(PASSWORD)
    assertError(waiting, 429, 4291)
    assert.equal(waiting.headers.get('retry-after'), '1')
    assert.equal((await signIn(other, 'blake', PASSWORD, '203.0.113.2')).status, 200)
    app.advance(2_000)
    assert.equal((await change(PASSWORD)).status, 200)
  },
)

quietly('O21: a classroom behind one address: guesses for one handle do not lock classmates out', async () => {
  const room = '192.0.2.20'
  await app.givePassword('casey')
  await app.givePassword('drew')
  const statuses: number[] = []
  for (let i = 0; i < 30; i++) statuses.push((await signIn(app.visitor(), 'casey', `guess ${i}`, room)).status)
  assert.equal(statuses[0], 401)
  assert.equal(statuses.at(-1), 429)
  assert.equal((await signIn(app.visitor(), 'drew', PASSWORD, room)).status, 200)
  assert.equal((await signIn(app.visitor(), 'casey', PASSWORD, '203.0.113.3')).status, 200, 'from home')
})

quietly(
  'O21: hundreds who mistype behind one address do not wait; a guesser of all handles does, except in known browsers',
  async () => {
    const room = '192.0.2.30'
    const browser = await knownBrowser('ellis')
    await app.givePassword('drew')
    await signIn(app.visitor(), 'pupil', 'wrong', room)
    const failed = (count: number) =>
      app.sql(`update sign_in_failures set failures = ${count} where subject = 'address:${room}' returning 1`)
    await failed(598)
    assertError(await signIn(app.visitor(), 'another-pupil', 'wrong', room), 401, 4011)
    assert.equal((await signIn(app.visitor(), 'drew', PASSWORD, room)).status, 200)
    await failed(700)
    assertError(await signIn(app.visitor(), 'a-third-pupil', 'wrong', room), 401, 4011)
    const blocked = await signIn(app.visitor(), 'drew', PASSWORD, room)
    assertError(blocked, 429, 4291)
    assert.ok(Number(blocked.headers.get('retry-after')) <= 60)
    assert.equal((await signIn(browser, 'ellis', PASSWORD, room)).status, 200)
  },
)

quietly('a known browser has its own tries, and waits when they are used up, until they are restored', async () => {
  const [browser, other] = [await knownBrowser('finley'), await knownBrowser('finley')]
  for (let i = 0; i < 10; i++) assertError(await signIn(browser, 'finley', 'wrong', '203.0.113.4'), 401, 4011)
  assertError(await signIn(browser, 'finley', PASSWORD, '203.0.113.4'), 429, 4291, /^Too many failed sign-ins/)
  assert.equal((await signIn(other, 'finley', PASSWORD, '203.0.113.4')).status, 200)
  assert.equal((await signIn(app.visitor(), 'finley', PASSWORD, '203.0.113.4')).status, 200)
  app.advance(2_000)
  assert.equal((await signIn(browser, 'finley', PASSWORD, '203.0.113.4')).status, 200)
  const [row] = await app.sql(
    `select detail->>'subject' as subject, p.handle_key as person from audit_entries e join people p on p.id = e.person_id
      where action = 'lockout.began' and p.handle_key = 'finley'`,
  )
  assert.deepEqual(row, { subject: 'known browser', person: 'finley' })
})

quietly(
  'guesses that are sent concurrently cannot bypass the waits, in a known browser or in a signed-in one',
  async (t) => {
    const browser = await knownBrowser('ellis')
    hashAtFullCost(t)
    const hash = await hashPassword(PASSWORD)
    await app.sql(`update people set password_hash = '${hash}' where handle_key = 'ellis' returning 1`)
    const answered = async (guess: (i: number) => Promise<Answer>) => {
      const statuses = await Promise.all(Array.from({ length: 30 }, async (_, i) => (await guess(i)).status))
      assert.ok(statuses.every((status) => status === 401 || status === 429))
      return statuses.filter((status) => status === 401).length
    }
    const known = await answered((i) => signIn(browser, 'ellis', `guess ${i}`, '203.0.113.10'))
    assert.ok(known >= 10 && known <= 14, `${known} guesses`)
    app.advance(3_600_000)
    assert.equal((await signIn(browser, 'ellis', PASSWORD, '203.0.113.10')).status, 200)
    const proof = await answered((i) =>
      call(browser, 'POST', '/account/v1/password', { password: `guess ${i}`, newPassword: NEW }),
    )
    assert.ok(proof >= 5 && proof <= 9, `${proof} guesses`)
  },
)

quietly(
  'the cookie of a known browser grants nothing, names nobody, and works for one person, who cannot be chosen',
  async () => {
    const browser = app.visitor()
    await app.givePassword('avery')
    const answer = await signIn(browser, 'avery', PASSWORD, '203.0.113.5')
    const [, line] = answer.headers.getSetCookie()
    assert.match(line!, /^gs_known=[\w-]{54}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=34560000$/)
    const failed = await signIn(app.visitor(), 'avery', 'wrong', '203.0.113.5')
    assert.deepEqual(failed.headers.getSetCookie(), [])

    const value = browser.cookies.get('gs_known')!
    const thief = app.visitor()
    thief.cookies.set('gs_known', value)
    assert.equal(await isSignedIn(thief), false)
    await guessFromEverywhere('blake', '198.18.4')
    await guessFromEverywhere('ghost', '198.18.4')
    await guessFromEverywhere('avery', '198.18.4')
    // The cookie has no effect for other people's handles or for unknown handles.
    for (const handle of ['blake', 'ghost'])
      assertError(await signIn(thief, handle, PASSWORD, '203.0.113.6'), 429, 4291, /^Too many failed sign-ins/)
    const bytes = Buffer.from(value, 'base64url')
    for (let i = 0; i < bytes.length; i++) {
      const changed = Buffer.from(bytes)
      changed[i]! ^= 1
      thief.cookies.set('gs_known', changed.toString('base64url'))
      assertError(await signIn(thief, 'avery', PASSWORD, '203.0.113.6'), 429, 4291)
    }
    for (const nonsense of ['', 'x', 'x'.repeat(3000), value.slice(1), `${value}A`]) {
      thief.cookies.set('gs_known', nonsense)
      assertError(await signIn(thief, 'avery', PASSWORD, '203.0.113.6'), 429, 4291)
    }
    app.advance(400 * 24 * 3_600_000)
    await guessFromEverywhere('avery', '198.18.5')
    app.advance(1_000)
    assertError(await signIn(browser, 'avery', PASSWORD, '203.0.113.6'), 429, 4291)
  },
)

quietly('several people can be known in one browser, and signing in again keeps their place', async () => {
  const people: Person[] = ['avery', 'blake', 'casey']
  const browser = app.visitor()
  for (const person of [...people, ...people]) {
    await app.givePassword(person)
    assert.equal((await signIn(browser, person, PASSWORD, '203.0.113.7')).status, 200)
  }
  assert.equal(Buffer.from(browser.cookies.get('gs_known')!, 'base64url').length, 3 * 40)
  for (const person of people) {
    await guessFromEverywhere(person, '198.18.6')
    assert.equal((await signIn(browser, person, PASSWORD, '203.0.113.7')).status, 200)
  }
})

quietly('all browsers that knew an old password share one set of tries', async () => {
  const browsers = await Promise.all(Array.from({ length: 6 }, () => knownBrowser('drew')))
  const owner = await knownBrowser('drew')
  await signIn(owner, 'drew', PASSWORD, '203.0.113.8')
  const change = { password: PASSWORD, newPassword: NEW }
  assert.equal((await call(owner, 'POST', '/account/v1/password', change)).status, 200)
  const statuses: number[] = []
  for (let i = 0; i < 24; i++)
    statuses.push((await signIn(browsers[i % 6]!, 'drew', `guess ${i}`, '203.0.113.9')).status)
  const answered = statuses.filter((status) => status === 401).length
  assert.ok(answered >= 10 && answered <= 14, `${answered} guesses`)
  assert.equal((await signIn(owner, 'drew', NEW, '203.0.113.9')).status, 200)
})

test('over https the cookie is for this host alone, and never sent without TLS', async (t) => {
  const secure = await testApp(t, { BASE_URL: 'https://school.example.org' })
  await secure.givePassword('avery')
  const answer = await call(secure.visitor(), 'POST', '/account/v1/signin', { handle: 'avery', password: PASSWORD })
  const [, line] = answer.headers.getSetCookie()
  assert.match(line!, /^__Host-gs_known=[\w-]+; Path=\/; HttpOnly; SameSite=Lax; Secure; Max-Age=/)
})
