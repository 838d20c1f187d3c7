import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { call, PASSWORD, signInBrowser } from '../account/testing.ts'
import { UNLIMITED } from '../buckets/testing.ts'
import { until } from '../database/test-database.ts'
import { type Answer, assertError, testApp } from '../testing/testing.ts'
import { MOST_AT_ONCE } from './places.ts'
import { addReaders, EXPORT, fillBuckets, openExport } from './testing.ts'

const [SCHOOL, ALONE, ELSEWHERE] = [1, 2, 3]
/** Ids of requests tell whose download gave way: whoever reads nothing does not notice. */
const headersOf = (person: number, network: number) => ({
  'x-forwarded-for': `192.0.2.${network}`,
  'x-request-id': `reader-${String(person).padStart(3, '0')}`,
})

test('everybody gets their download, also where others want to keep it from them', async (t) => {
  const app = await testApp(t, { ...UNLIMITED, TRUST_PROXY: '127.0.0.1' })
  // Who gives way depends on for how long everybody has had a place, to the second.
  app.holdClock()
  await signInBrowser(app, 'avery')
  await fillBuckets(app, 80)
  const people = await addReaders(app, MOST_AT_ONCE + 6)
  const ask = (person: number, network = SCHOOL): Promise<Answer> =>
    call(people[person]!, 'POST', EXPORT, { password: PASSWORD }, headersOf(person, network))
  const held = new Map<number, IncomingMessage>()
  /** Takes a place, and reads nothing. */
  const hold = async (person: number, network = SCHOOL) => {
    const open = () => openExport(people[person]!, undefined, headersOf(person, network))
    let answer = await open()
    // What they had before was left just now.
    for (; answer.statusCode === 429; answer = await open()) await sleep(20)
    assert.equal(answer.statusCode, 200)
    answer.on('error', () => {}).pause()
    held.set(person, answer)
  }
  const leave = (person: number) => {
    held.get(person)?.destroy()
    held.delete(person)
  }
  /** Who was made to give way since it was last looked. */
  let seen = 0
  const listCut = async (count: number): Promise<number[]> => {
    const list = () =>
      app
        .log()
        .split('\n')
        .filter((line) => line.includes('a download broke off') && line.includes('gave way'))
        .map((line) => Number(/reader-(\d+)/.exec(line)?.[1]))
    await until(`${count} gave way`, async () => list().length >= seen + count)
    const cut = list().slice(seen)
    seen += cut.length
    for (const person of cut) leave(person)
    return cut
  }
  const isAnswered = (answer: Promise<unknown>) => Promise.race([answer.then(() => true), sleep(400, false)])
  const newcomers = Array.from({ length: 6 }, (_, i) => MOST_AT_ONCE + i)

  await t.test('two who keep coming back, and read nothing, are in nobody’s way', async () => {
    for (let round = 0; round < 3; round++) {
      await Promise.all([hold(0), hold(1)])
      assert.equal((await ask(2)).status, 200)
      app.advance(25_000)
      for (const person of [0, 1]) leave(person)
    }
    assert.ok(!app.log().includes('a download broke off'))
    // What they have had is forgotten.
    app.advance(11 * 60_000)
  })

  await t.test('one at a time for a person; one that stands still makes way for the next', async () => {
    await hold(3)
    const second = await ask(3)
    assertError(second, 429, 4291, /downloading your data already/)
    assert.ok(Number(second.headers.get('retry-after')) <= 30)
    await until('nothing moves any more', async () => {
      app.advance(31_000)
      return (await ask(3)).status === 200
    })
    leave(3)
    app.advance(11 * 60_000)
  })

  let [waited, crowded] = [0, 0]
  await t.test('where all places are taken, who had none gets one within half a minute', async () => {
    for (let person = 0; person < MOST_AT_ONCE - 1; person++) await hold(person)
    await hold(MOST_AT_ONCE - 1, ALONE)
    const victim = ask(newcomers[0]!)
    assert.equal(await isAnswered(victim), false)
    app.advance(31_000)
    assert.equal((await victim).status, 200)
    const cut = await listCut(1)
    assert.equal(cut.length, 1)
    waited = cut[0]!
    assert.notEqual(waited, MOST_AT_ONCE - 1, 'who is alone in a network does not give way to a crowded one')
    await hold(newcomers[1]!)
  })

  await t.test('and somebody of another network too, from the most crowded one', async () => {
    assert.equal((await ask(newcomers[2]!, ELSEWHERE)).status, 200)
    const cut = await listCut(1)
    assert.equal(cut.length, 1)
    crowded = cut[0]!
    assert.notEqual(crowded, MOST_AT_ONCE - 1)
    await hold(newcomers[3]!)
  })

  await t.test('who has had a place comes after who had none, and comes', async () => {
    const again = ask(waited)
    assert.equal(await isAnswered(again), false)
    assert.equal((await ask(newcomers[4]!)).status, 200)
    assert.equal((await again).status, 200, 'as soon as there is room')
    assert.equal((await listCut(1)).length, 1)
    await hold(newcomers[5]!)
  })

  await t.test('who is signed out while they wait gets nothing', async () => {
    const again = ask(crowded)
    assert.equal(await isAnswered(again), false)
    await call(people[crowded]!, 'POST', '/account/v1/sessions/end-all', {})
    await call(people[crowded]!, 'POST', '/account/v1/signout', {})
    const [someone] = held.keys()
    leave(someone!)
    assertError(await again, 401, 4016, /signed out here meanwhile/)
    await hold(someone!)
  })

  await t.test('who cannot be helped is told when to try again', async () => {
    const again = ask(waited)
    assert.equal(await isAnswered(again), false)
    const once = ask(waited)
    assertError(await again, 429, 4291, /once more/)
    app.advance(46_000)
    const refused = await once
    assertError(refused, 503, 5030, /Others are downloading/)
    assert.ok(Number(refused.headers.get('retry-after')) <= 30)
  })

  await t.test('nobody waits for a platform that stops', async () => {
    const again = ask(waited)
    assert.equal(await isAnswered(again), false)
    const stopped = app.platform.stop()
    assertError(await again, 503, 5030, /stopping/)
    await stopped
  })
})
