import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call, PASSWORD, UNLIMITED } from '../../apps/account/testing.ts'
import { TestBrowser } from '../../operations/testing/browser.ts'
import { type Person, sharedApp } from '../../operations/testing/testing.ts'
import { browserUses } from './uses.ts'

const MINUTE_MS = 60_000
const HOME = '203.0.113.7'
const WORK = '198.51.100.20'
const PHONE = '2001:db8:1:2:a:b:c:d'

const app = await sharedApp({ ...UNLIMITED, TRUST_PROXY: '127.0.0.1' })
app.holdClock()
const { get } = app.environment()

const from = (address: string) => ({ 'x-forwarded-for': address })
const nowPlus = (ms: number) => new Date(app.environment().clock().getTime() + ms).toISOString()

async function signIn(person: Person, address: string): Promise<TestBrowser> {
  await app.givePassword(person)
  const browser = app.visitor()
  const answer = await call(
    browser,
    'POST',
    '/account/v1/signin',
    { handle: person, password: PASSWORD, keep: true },
    from(address),
  )
  assert.equal(answer.status, 200, answer.text)
  return browser
}
const use = (browser: TestBrowser, address: string) => call(browser, 'GET', '/account/v1/me', undefined, from(address))
const list = async (browser: TestBrowser, address: string) =>
  (await call(browser, 'GET', '/account/v1/browsers', undefined, from(address))).body.map(
    ({ browserId: _, device: __, ...shown }: Record<string, unknown>) => shown,
  )
/** Reads a person's browser row with its version (xmin), which changes with every write. */
const kept = async (person: Person) =>
  (
    await app.sql(
      `select b.id, b.xmin::text as written, b.address, b.last_used_at from browsers b join people p on p.id = b.person_id where p.handle_key = '${person}'`,
    )
  )[0]!

test('people see where and when each browser was last used; an IPv6 address is shown as its network', async () => {
  const signedInAt = nowPlus(0)
  const laptop = await signIn('avery', HOME)
  const phone = await signIn('avery', PHONE)
  app.advance(30 * MINUTE_MS)
  assert.deepEqual(await list(laptop, WORK), [
    { address: WORK, createdDate: signedInAt, lastUsedDate: nowPlus(0), isCurrent: true },
    { address: '2001:db8:1:2::/64', createdDate: signedInAt, lastUsedDate: signedInAt, isCurrent: false },
  ])
  await get(browserUses).write()
  app.advance(5 * MINUTE_MS)
  assert.deepEqual(await list(phone, PHONE), [
    { address: '2001:db8:1:2::/64', createdDate: signedInAt, lastUsedDate: nowPlus(0), isCurrent: true },
    { address: WORK, createdDate: signedInAt, lastUsedDate: nowPlus(-5 * MINUTE_MS), isCurrent: false },
  ])
})

test('a browser in constant use is written once in ten minutes, whatever the number of requests and processes', async () => {
  const browser = await signIn('blake', HOME)
  const second = await app.startSecond()
  const elsewhere = second.environments.find(({ name }) => name === 'production')!.get(browserUses)
  const there = new TestBrowser(second.addresses.production)
  for (const [name, value] of browser.cookies) there.cookies.set(name, value)
  const first = await kept('blake')
  const useAll = async () => {
    const answers = await Promise.all([use(browser, WORK), use(browser, WORK), use(there, WORK)])
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 200],
    )
    await Promise.all([get(browserUses).write(), elsewhere.write()])
    return kept('blake')
  }
  app.advance(10 * MINUTE_MS - 1)
  assert.deepEqual(await useAll(), first)
  app.advance(1)
  const next = await useAll()
  assert.deepEqual([next.address, next.last_used_at], [WORK, new Date(nowPlus(0))])
  assert.notEqual(next.written, first.written)
  app.advance(9 * MINUTE_MS)
  assert.deepEqual(await useAll(), next)
  // Both processes collect a use before either of them writes it; only one of them may write the row.
  app.advance(MINUTE_MS)
  await use(browser, HOME)
  const last = await useAll()
  await get(browserUses).write()
  assert.deepEqual(await kept('blake'), last)
})

test('if a use cannot be written the request still succeeds, and the next one notes it', async () => {
  const browser = await signIn('casey', HOME)
  await app.sql(`
    create function refuse() returns trigger language plpgsql as $$ begin raise 'no' ; end $$;
    create trigger refuse before update on browsers for each row execute function refuse()`)
  app.advance(10 * MINUTE_MS)
  assert.equal((await use(browser, WORK)).status, 200)
  await get(browserUses)
    .write()
    .catch(() => {})
  await app.sql('drop trigger refuse on browsers; drop function refuse')
  assert.equal((await kept('casey')).address, HOME)
  assert.equal((await use(browser, WORK)).status, 200)
  await get(browserUses).write()
  assert.equal((await kept('casey')).address, WORK)
})

test('browsers beyond the memory limit are noted later, and a signed-out one is not written', async () => {
  const browser = await signIn('drew', HOME)
  app.advance(10 * MINUTE_MS)
  const at = app.environment().clock()
  const { id } = await kept('drew')
  const note = (browserId: string) =>
    get(browserUses).note({ at, requestId: 'test', address: WORK }, { browserId, lastUsedAt: new Date(0) } as never)
  for (let i = 0; i < 10_000; i++) note(`00000000-0000-4000-8000-${String(i).padStart(12, '0')}`)
  note(String(id))
  await get(browserUses).write()
  assert.equal((await kept('drew')).address, HOME)
  await use(browser, WORK)
  await get(browserUses).write()
  assert.equal((await kept('drew')).address, WORK)

  app.advance(10 * MINUTE_MS)
  await call(browser, 'POST', '/account/v1/signout', {}, from(WORK))
  await get(browserUses).write()
  assert.equal(await kept('drew'), undefined)
})
