import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call, signInBrowser } from '../../apps/account/testing.ts'
import { openStream, type Stream, UNLIMITED } from '../../apps/buckets/testing.ts'
import { messagePolicy } from '../../kernel/messages/messages.ts'
import { tidy } from '../../operations/platform/upkeep.ts'
import type { TestBrowser } from '../../operations/testing/browser.ts'
import { assertError, Client, testApp } from '../../operations/testing/testing.ts'
import { KINDS } from './kinds.ts'
import { notify, withdrawNotifications } from './notifications.ts'
import { findPersonId, giveMailboxes, notifyPerson } from './testing.ts'

const PATH = '/account/v1/notifications'
const follow = ({ address, cookies }: TestBrowser, headers: Record<string, string> = {}): Promise<Stream> => {
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  return openStream(new Client(address), {}, { cookie, ...headers }, `${PATH}/events`)
}
const DAY_MS = 24 * 60 * 60_000

test('notifications', async (t) => {
  const app = await testApp(t, { ...UNLIMITED, MESSAGES: 'file' })
  const avery = await signInBrowser(app, 'avery')
  const blake = await signInBrowser(app, 'blake')
  const titles = async (who = avery, query = '') =>
    (await call(who, 'GET', `${PATH}${query}`)).body.docs.map(({ title }: { title: string }) => title)

  await t.test('are listed for one person, newest first and once, however often the cause is handled', async () => {
    assert.deepEqual((await call(avery, 'GET', PATH)).body, { docs: [], next: null, unread: 0 })
    for (const _ of [1, 2]) await notifyPerson(app, 'avery', { title: 'First' }, { title: 'Second' })
    await notifyPerson(app, 'avery', { key: 'twice', title: 'Third' }, { key: 'twice', title: 'Fourth' })
    const { docs, next, unread } = (await call(avery, 'GET', PATH)).body
    assert.deepEqual(
      [docs.map((one: { title: string }) => one.title), next, unread],
      [['Third', 'Second', 'First'], null, 3],
    )
    const { notificationId, createdDate, ...first } = docs[2]
    assert.deepEqual(first, {
      kind: 'graded',
      title: 'First',
      text: 'Casey has graded your check ride.',
      link: '/dashboard',
      readDate: null,
    })
    assert.deepEqual(await titles(blake), [])
    assertError(await app.nobody().get(PATH), 401, 4016)
    assertError(await (await app.as('avery')).get(PATH), 401, 4016)
  })

  await t.test('are in pages', async () => {
    const first = (await call(avery, 'GET', `${PATH}?limit=2`)).body
    assert.equal(first.docs.length, 2)
    assert.deepEqual(await titles(avery, `?limit=2&cursor=${first.next}`), ['First'])
    assertError(await call(avery, 'GET', `${PATH}?cursor=x`), 400, 4003)
  })

  await t.test('can be marked as read, one by one or up to one, and again', async () => {
    const { docs } = (await call(avery, 'GET', PATH)).body
    const [third, second, first] = docs.map(({ notificationId }: { notificationId: string }) => notificationId)
    for (const _ of [1, 2])
      assert.deepEqual((await call(avery, 'POST', `${PATH}/read`, { notificationIds: [first] })).body, { unread: 2 })
    assert.deepEqual(await titles(avery, '?unread=true'), ['Third', 'Second'])
    assert.deepEqual((await call(avery, 'POST', `${PATH}/read`, { upTo: second })).body, { unread: 1 })
    assert.deepEqual((await call(blake, 'POST', `${PATH}/read`, { upTo: third })).body, { unread: 0 })
    assert.deepEqual((await call(avery, 'POST', `${PATH}/read`, {})).body, { unread: 1 })
    assert.deepEqual(await titles(avery, '?unread=true'), ['Third'])
    const many = Array.from({ length: 101 }, String)
    assertError(await call(avery, 'POST', `${PATH}/read`, { notificationIds: many }), 400, 4003)
    assertError(await call(avery, 'POST', `${PATH}/read`, { upTo: '-1' }), 400, 4003)
  })

  await t.test('arrive live, also what was missed, and what another device has read', async () => {
    const stream = await follow(avery)
    const ready = await stream.next()
    assert.deepEqual([ready.event, ready.data], ['ready', { unread: 1 }])
    await notifyPerson(app, 'avery', { key: 'live', title: 'Live' })
    const change = await stream.next()
    assert.deepEqual([change.event, change.data.unread, change.data.notifications.length], ['change', 2, 1])
    assert.equal(change.data.notifications[0].title, 'Live')
    await call(avery, 'POST', `${PATH}/read`, { upTo: change.data.notifications[0].notificationId })
    assert.deepEqual((await stream.next()).data, { notifications: [], unread: 0 })
    await stream.close()
    const missed = await follow(avery, { 'last-event-id': String(ready.id) })
    assert.deepEqual((await missed.next()).data, { unread: 0 })
    const { data } = await missed.next()
    assert.deepEqual([data.notifications[0].title, data.unread], ['Live', 0])
    await missed.close()
  })

  await t.test('miss nobody in a live stream when two transactions commit in another order', async () => {
    const stream = await follow(blake)
    await stream.next()
    await Promise.all(Array.from({ length: 20 }, (_, i) => notifyPerson(app, 'blake', { key: `race:${i}` })))
    const seen = new Set<string>()
    while (seen.size < 20) for (const one of (await stream.next()).data.notifications) seen.add(one.notificationId)
    await stream.close()
    assert.equal((await call(blake, 'GET', PATH)).body.unread, 20)
  })

  await t.test('follow the settings of a person, and the default of the kind', async () => {
    await giveMailboxes(app)
    const { kinds, timeZone, emailAddress } = (await call(avery, 'GET', `${PATH}/settings`)).body
    assert.deepEqual([timeZone, emailAddress], ['UTC', 'avery@example.org'])
    for (const { kind, app, email, isFixed } of kinds)
      assert.deepEqual([app, email, isFixed], [true, KINDS[kind as keyof typeof KINDS].email, kind === 'invited'])
    const choice = [
      { kind: 'note', app: false, email: 'digest' },
      { kind: 'overdue', app: false, email: 'off' },
    ]
    const set = (await call(avery, 'PUT', `${PATH}/settings`, { kinds: choice, timeZone: 'Europe/Berlin' })).body
    assert.equal(set.timeZone, 'Europe/Berlin')
    const find = (kind: string) => set.kinds.find((one: { kind: string }) => one.kind === kind)
    assert.deepEqual([find('note').app, find('overdue').email, find('graded').email], [false, 'off', 'now'])
    for (const kind of ['note', 'overdue', 'graded', 'unlocked', 'invited'] as const)
      await notifyPerson(app, 'avery', { kind, key: `kind:${kind}`, title: kind })
    const rows = await app.sql(`select kind, is_shown, mail from notifications where key like 'kind:%' order by kind`)
    assert.deepEqual(rows, [
      { kind: 'graded', is_shown: true, mail: 'now' },
      { kind: 'invited', is_shown: true, mail: 'now' },
      { kind: 'note', is_shown: false, mail: 'digest' },
      { kind: 'unlocked', is_shown: true, mail: null },
    ])
    assert.ok(!(await titles()).includes('note'))
    for (const wrong of [
      { kinds: [{ kind: 'invited', app: true, email: 'off' }] },
      { kinds: [{ kind: 'weather', app: true, email: 'off' }] },
      { kinds: [choice[0], choice[0]] },
      { kinds: [{ kind: 'note', app: true, email: 'weekly' }] },
      { timeZone: 'Mars/Olympus' },
    ])
      assertError(await call(avery, 'PUT', `${PATH}/settings`, wrong), 400, 4003)
  })

  await t.test('are sent as a digest at 7 in the morning of the person', async () => {
    const [row] = await app.sql(`
      select next_digest('2026-07-01T04:59Z', 'Europe/Berlin') as same, next_digest('2026-07-01T05:00Z', 'Europe/Berlin') as next,
             next_digest('2026-03-28T23:30Z', 'Europe/Berlin') as clocks_change, next_digest('2026-07-01T20:00Z', 'Pacific/Kiritimati') as ahead`)
    assert.deepEqual(
      Object.values(row!).map((at) => (at as Date).toISOString().slice(0, 16)),
      ['2026-07-01T05:00', '2026-07-02T05:00', '2026-03-29T05:00', '2026-07-02T17:00'],
    )
  })

  await t.test('are not created for people who cannot sign in', async () => {
    const count = async () => Number((await app.sql('select count(*)::int as n from notifications'))[0]!.n)
    const before = await count()
    for (const state of ['disabled_at = now()', 'leaving_at = now()', 'unclaimed = true']) {
      await app.sql(`update people set ${state} where handle_key = 'drew'`)
      await notifyPerson(app, 'drew', { key: state })
      await app.sql(
        `update people set disabled_at = null, leaving_at = null, unclaimed = false where handle_key = 'drew'`,
      )
    }
    const { db, get, clock } = app.environment()
    const nobody = { personId: 999_999, kind: 'graded', key: 'x', title: '', text: '', link: '/', at: clock() } as const
    await db.transaction((tx) => notify(tx, [nobody], get(messagePolicy)))
    assert.equal(await count(), before)
  })

  await t.test('are withdrawn from people who leave, unless they were read and sent', async () => {
    const { db } = app.environment()
    await app.sql(`
      insert into organisations (key, name, created_at) values ('hangar', 'Hangar', now());
      insert into organisation_members (organisation_id, person_id, role)
      select o.id, p.id, 'member' from organisations o, people p where o.key = 'hangar' and p.handle_key = 'drew'`)
    const [row] = await app.sql(`select id::int as id from organisations where key = 'hangar'`)
    const scope = `organisation:${Number(row!.id)}` as const
    const drew = await signInBrowser(app, 'drew')
    await notifyPerson(app, 'drew', { scope, kind: 'unlocked', title: 'Read' })
    const [{ notificationId }] = (await call(drew, 'GET', PATH)).body.docs
    await call(drew, 'POST', `${PATH}/read`, { upTo: notificationId })
    await notifyPerson(app, 'drew', { scope, key: 'unread', title: 'Unread' }, { key: 'other', title: 'Other' })
    const people = [await findPersonId(app, 'drew')]
    await db.transaction((tx) => withdrawNotifications(tx, scope, people))
    assert.deepEqual(await titles(drew), ['Other', 'Read'])
    await app.sql(`delete from organisation_members where person_id = ${people[0]}`)
    await notifyPerson(app, 'drew', { scope, key: 'late', title: 'After they left' })
    assert.deepEqual(await titles(drew), ['Other', 'Read'])
  })

  await t.test('are deleted after 90 days', async () => {
    app.advance(91 * DAY_MS)
    await tidy(app.environment())
    assert.deepEqual(await app.sql('select from notifications'), [])
  })
})

test('a stream of a signed-in person does not mind the Authorization header of a proxy', async (t) => {
  const app = await testApp(t, UNLIMITED)
  const avery = await signInBrowser(app, 'avery')
  const stream = await follow(avery, { authorization: 'Basic of a proxy' })
  await stream.next()
  await notifyPerson(app, 'avery', { title: 'Hello' })
  assert.equal((await stream.next()).data.unread, 1)
  await stream.close()
})
