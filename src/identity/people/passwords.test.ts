import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { getPriority } from 'node:os'
import { test } from 'node:test'
import { hashPassword, verifyPassword } from './passwords.ts'

const TASKS = '/proc/self/task'

test('a password is stored as argon2id in PHC form, each time with a new salt', async () => {
  const [first, second] = await Promise.all([hashPassword('groundschool'), hashPassword('groundschool')])
  for (const hash of [first, second])
    assert.match(hash, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/)
  assert.notEqual(first, second)
  assert.equal(await verifyPassword({ password: 'groundschool', hash: first }), true)
  assert.equal(await verifyPassword({ password: 'groundschool', hash: second }), true)
  for (const wrong of ['Groundschool', 'groundschool ', 'groundschoo', ''])
    assert.equal(await verifyPassword({ password: wrong, hash: first }), false, wrong)
})

test('hashing threads have a lower priority than the thread that serves requests', {
  skip: !existsSync(TASKS),
}, async () => {
  const hash = await hashPassword('groundschool')
  await verifyPassword({ password: 'groundschool', hash, check: async () => {} })
  const threads = readdirSync(TASKS).map((thread) => ({
    name: readFileSync(`${TASKS}/${thread}/comm`, 'utf8').trim(),
    priority: getPriority(Number(thread)),
  }))
  const [pool, others] = [true, false].map((isPool) =>
    threads.filter(({ name }) => (name === 'libuv-worker') === isPool),
  )
  assert.ok(pool!.length > 0)
  const least = Math.min(...pool!.map(({ priority }) => priority))
  for (const { priority } of others!) assert.ok(priority < least)
})

test('a caller from another network is hashed next, however long the queue of the first network is', async () => {
  const started: string[] = []
  const hash = (by: string) => hashPassword('groundschool', by, async () => void started.push(by))
  const crowd = Array.from({ length: 20 }, () => hash('crowd'))
  await Promise.all([...crowd, hash('alone')])
  assert.ok(started.indexOf('alone') <= 4, started.join(' '))
})

test('one network can take at most half of the queue', async () => {
  const line = Array.from({ length: 260 }, () =>
    verifyPassword({ password: 'x', hash: null, by: 'crowd', check: refuse }),
  )
  const outcomes = await Promise.allSettled(line)
  const full = outcomes.filter((one) => one.status === 'rejected' && /Too many sign-ins/.test(one.reason.message))
  assert.equal(full.length, 260 - 250 - 2)
})

/** A `check` that ends the verification before anything is hashed. */
const refuse = async (): Promise<void> => {
  throw new Error('refused')
}
