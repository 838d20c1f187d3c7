import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Client, type Person, type TestApp, testApp } from '../../operations/testing/testing.ts'
import { c, write } from '../database/statement.ts'
import { until } from '../database/test-database.ts'
import { refreshSession } from './refresh.ts'
import { listSessionsOfPerson, openSession, type TokenPair, tokenPolicy } from './sessions.ts'
import { insertSession } from './store.ts'

const LIST = '/app/v1/bucket/list'
const WITHIN_MS = 1_000

const lockAll = write('test.sessions.lockAll', {
  params: {},
  row: { id: c.uuid },
  text: 'select id from sessions for update',
})

/** Returns functions that open sessions of one person in the first app, one second apart. */
async function settle(app: TestApp, person: Person) {
  const { db, get, clock } = app.environment()
  const { userId } = await app.as(person)
  await app.sql('delete from sessions')
  const [row] = await app.sql(`select app_id::int, person_id::int from app_users where user_id = '${userId}'`)
  const what = { appId: Number(row!.app_id), personId: Number(row!.person_id), userId, device: 'test' }
  const caller = () => ({ at: clock(), requestId: 'test', address: '127.0.0.1' })
  const open = (): Promise<TokenPair> => {
    app.advance(1_000)
    return openSession(db, caller(), { ...what, door: 'implicit' }, get(tokenPolicy))
  }
  return {
    open,
    openMany: async (count: number): Promise<TokenPair[]> => {
      const opened: TokenPair[] = []
      while (opened.length < count) opened.push(await open())
      return opened
    },
    refresh: ({ refreshToken }: TokenPair) =>
      refreshSession(db, caller(), { appId: what.appId, refreshToken }, get(tokenPolicy)),
    list: () => listSessionsOfPerson(db, caller(), what),
    countLive: async () =>
      (await app.sql(`select 1 from sessions where user_id = '${userId}' and ended_at is null`)).length,
  }
}

test('a person has at most 100 sessions in one app', async (t) => {
  const app = await testApp(t, { RATE_ADDRESS_BURST: '100000' })
  const second = await app.startSecond()
  /** Returns the status and error code of a request with each access token, in both processes. */
  const answersOf = async (sessions: readonly TokenPair[]): Promise<string[]> => {
    const answers: string[] = []
    for (const { accessToken } of sessions)
      for (const address of [app.address, second.addresses.production]) {
        const { status, body } = await new Client(address, accessToken).get(LIST)
        answers.push(status === 200 ? '200' : `${status}/${body.error_code}`)
      }
    return answers
  }
  const assertAll = async (sessions: readonly TokenPair[], expected: string) =>
    assert.deepEqual([...new Set(await answersOf(sessions))], [expected])
  const audit = () =>
    app.sql(
      `select p.handle_key as person, a.name as app, e.detail::text from audit_entries e join people p on p.id = e.person_id join apps a on a.id = e.app_id
        where action = 'sessions.ended' order by e.id`,
    )

  await t.test('one more ends the least recently used sessions, at once, in every process', async () => {
    const { openMany, refresh, countLive } = await settle(app, 'avery')
    const bystanders = [await app.as('avery', 'second'), await app.as('blake')]
    const [first, ...others] = await openMany(100)
    // The oldest session has been used recently, so it is not among the least recently used.
    const used = await refresh(first!)
    await assertAll([used, ...others], '200')
    assert.deepEqual(await audit(), [])

    const more = await openMany(30)
    const live = [used, ...others.slice(-48), ...more]
    const ended = others.slice(0, -48)
    assert.equal(live.length + ended.length, 130)
    await until('they are ended everywhere', async () => !(await answersOf(ended)).includes('200'), WITHIN_MS)
    await assertAll(ended, '403/4034')
    await assertAll(live, '200')
    assert.equal(await countLive(), live.length)
    for (const client of bystanders) assert.equal((await client.get(LIST)).status, 200)
    assert.deepEqual(await audit(), [{ person: 'avery', app: 'first', detail: '{"reason":"too many sessions"}' }])
    await assert.rejects(refresh(ended.at(-1)!), { code: 4034 })
    assert.equal((await refresh(live.at(-1)!)).expiresInSeconds, 86_400)
  })

  await t.test('also when many are opened at once, and the latest ones stay', async () => {
    const { open, countLive } = await settle(app, 'casey')
    for (let round = 0; round < 4; round++) await Promise.all(Array.from({ length: 60 }, open))
    await assertAll([await open()], '200')
    assert.ok((await countLive()) <= 101, `${await countLive()} live`)
  })

  await t.test('and is not blocked by a session that is being changed', async () => {
    const { open, openMany, list, countLive } = await settle(app, 'drew')
    await openMany(100)
    const { db } = app.environment()
    await db.transaction(async (tx) => {
      await tx.all(lockAll, {})
      await assertAll([await open()], '200')
    })
    assert.equal(await countLive(), 101)
    assert.equal((await list()).length, 100)
    await open()
    assert.equal(await countLive(), 50)
  })

  await t.test('and reads only live sessions, however many have ended', async () => {
    const plan = async () => JSON.stringify(await app.sql(`explain (generic_plan) ${insertSession.text}`))
    await app.sql(
      `insert into sessions (id, app_id, person_id, user_id, door, refreshed_at, created_at, expires_at, ended_at)
       select gen_random_uuid(), u.app_id, u.person_id, u.user_id, 'code', now(), now(), now(), now() from app_users u, generate_series(1, 5000)`,
    )
    assert.match(await plan(), /Scan (using|on) sessions_live/)
    await app.sql('analyze sessions')
    assert.match(await plan(), /Scan (using|on) sessions_live/)
  })
})
