import assert from 'node:assert/strict'
import { call } from '../../apps/account/testing.ts'
import type { TestBrowser } from '../../operations/testing/browser.ts'
import type { Answer, Client, Person, TestApp } from '../../operations/testing/testing.ts'
import { signedIn } from '../passkeys/testing.ts'
import type { FriendVerb } from './schema.ts'

export const PATH = '/user/v1/my/friends'
export const OWN_PATH = '/account/v1/friends'
export const VERBS = ['request', 'accept', 'decline', 'cancel', 'remove', 'block', 'unblock'] as const

export const EVERYBODY: readonly Person[] = ['avery', 'blake', 'casey', 'drew', 'ellis', 'finley']

/** Turns public search on or off for these people. */
export async function openSearch(app: TestApp, people: readonly Person[], isOpen = true): Promise<void> {
  await app.sql(
    `update people set public_search = ${isOpen} where handle_key in (${people.map((name) => `'${name}'`).join()})`,
  )
}

/** Applies a friend verb through an app. */
export const act = (client: Client, verb: FriendVerb, other: { userId: string }): Promise<Answer> =>
  client.post(`${PATH}/${verb}`, { userId: other.userId })

/** Applies a friend verb on the platform's pages. */
export const actByHandle = (browser: TestBrowser, verb: FriendVerb, handle: string): Promise<Answer> =>
  call(browser, 'POST', `${OWN_PATH}/${verb}`, { handle })

export async function expectDone(answer: Promise<Answer>): Promise<void> {
  const { status, body, text } = await answer
  assert.equal(status, 200, text)
  assert.deepEqual(body, { success: true })
}

export interface View {
  readonly friends: readonly string[]
  readonly received: readonly string[]
  readonly sent: readonly string[]
  readonly blocked: readonly string[]
}
export const NOBODY: View = { friends: [], received: [], sent: [], blocked: [] }

const handles = (list: readonly { handle: string }[]): string[] => list.map(({ handle }) => handle.slice(1)).sort()

/** Returns the handles of the people in a user's lists, as an app gets them. */
export async function see(client: Client): Promise<View> {
  const answers = await Promise.all([PATH, `${PATH}/requests`, `${PATH}/blocked`].map((path) => client.get(path)))
  for (const { status, text } of answers) assert.equal(status, 200, text)
  const [friends, requests, blocked] = answers.map(({ body }) => body)
  return {
    friends: handles(friends),
    received: handles(requests.received),
    sent: handles(requests.sent),
    blocked: handles(blocked),
  }
}

/** Returns the handles of the people in a person's lists, as the platform's pages show them. */
export async function seeOwn(browser: TestBrowser): Promise<View> {
  const { status, body, text } = await call(browser, 'GET', OWN_PATH)
  assert.equal(status, 200, text)
  const { friends, received, sent, blocked } = body
  return {
    friends: handles(friends),
    received: handles(received),
    sent: handles(sent),
    blocked: handles(blocked),
  }
}

export async function befriend(one: Client, other: Client): Promise<void> {
  await expectDone(act(one, 'request', other))
  await expectDone(act(other, 'accept', one))
}

export const forgetAll = (app: TestApp): Promise<unknown> =>
  app.sql(
    'delete from friendships; delete from declines; delete from blocks; delete from blocked_names; delete from sign_in_failures',
  )

/** Makes declines older by changing their dates; advancing the clock would let tokens expire. */
export const letDeclinesAge = (app: TestApp, days: number): Promise<unknown> =>
  app.sql(`update declines set declined_at = declined_at - interval '${days} days'`)

export const browserOf = (app: TestApp, person: Person): Promise<TestBrowser> => signedIn(app, person)

/** Creates this many users of the first app. */
export async function makePeople(app: TestApp, prefix: string, count: number): Promise<void> {
  await app.sql(
    `with made as (
       insert into people (handle, handle_key, first_name, public_search, created_at)
       select '@${prefix}' || n, '${prefix}' || n, 'N' || lpad(n::text, 5, '0'), true, now() from generate_series(1, ${count}) n
       returning id
     ) insert into app_users (user_id, app_id, person_id, consented_at)
       select '${prefix}-' || made.id, a.id, made.id, now() from made, apps a where a.name = 'first'`,
  )
}

/** Asserts that nobody is friends with, or has an open request from, a person whom they have blocked. */
export async function assertNothingContradicts(app: TestApp): Promise<void> {
  const wrong = await app.sql(
    `select f.asker_id, f.asked_id from friendships f join blocks b
         on (b.blocker_id, b.blocked_id) in ((f.asker_id, f.asked_id), (f.asked_id, f.asker_id))
      where f.accepted_at is not null or b.blocker_id = f.asker_id or not f.is_quiet`,
  )
  assert.deepEqual(wrong, [])
  const [deadlocks] = await app.sql(
    `select deadlocks::int as n from pg_stat_database where datname = current_database()`,
  )
  assert.equal(deadlocks?.n, 0)
  assert.ok(!app.log().includes('unhandled error'))
}
