import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { UNLIMITED } from '../../apps/buckets/testing.ts'
import type { TestBrowser } from '../../operations/testing/browser.ts'
import { size } from '../../operations/testing/sizes.ts'
import { type Client, type Person, testApp } from '../../operations/testing/testing.ts'
import {
  act,
  actByHandle,
  assertNothingContradicts,
  browserOf,
  forgetAll,
  letDeclinesAge,
  openSearch,
  see,
  seeOwn,
  VERBS,
  type View,
} from './testing.ts'

const SEQUENCES = size(80)
const NAMES: readonly Person[] = ['avery', 'blake', 'casey', 'drew']
/** The people with public search on: all of NAMES but the last. */
const OPEN: readonly Person[] = ['avery', 'blake', 'casey']

type Verb = (typeof VERBS)[number]
const OK = 200
const MISSING = 4042
const IMPOSSIBLE = 4006

/**
 * A minimal model of the rules of friendship. Each set contains texts `from>to`; a friendship is in its set twice, once
 * per direction.
 */
class Model {
  readonly #friends = new Set<string>()
  readonly #asked = new Set<string>()
  /** The requests that the recipient sees. */
  readonly #heard = new Set<string>()
  readonly #declined = new Set<string>()
  readonly #blocked = new Set<string>()
  /** The blocks that appear in the blocker's list: the blocker could see the person, or the two had a relation. */
  readonly #listed = new Set<string>()

  take(verb: Verb, me: Person, other: Person): number {
    const [mine, theirs] = [`${me}>${other}`, `${other}>${me}`]
    switch (verb) {
      case 'request':
        if (this.#listed.has(mine)) return IMPOSSIBLE
        if (this.#blocked.has(mine)) return MISSING
        if (this.#friends.has(mine)) return OK
        if (this.#asked.has(theirs)) return this.#befriend(mine, theirs)
        if (!this.#asked.has(mine) && !this.#isFindable(me, other)) return MISSING
        this.#asked.add(mine)
        if (!this.#blocked.has(theirs) && !this.#declined.has(mine)) this.#heard.add(mine)
        return OK
      case 'accept':
        if (this.#friends.has(mine)) return OK
        return this.#heard.has(theirs) ? this.#befriend(mine, theirs) : MISSING
      case 'decline':
        if (!this.#heard.delete(theirs)) return MISSING
        this.#declined.add(theirs)
        return OK
      case 'cancel':
        this.#heard.delete(mine)
        return this.#asked.delete(mine) ? OK : MISSING
      case 'remove':
        this.#friends.delete(theirs)
        return this.#friends.delete(mine) ? OK : MISSING
      case 'block': {
        const hasToDo = [this.#friends, this.#asked].some((set) => set.has(mine) || set.has(theirs))
        if (hasToDo || this.#declined.has(theirs) || this.#isFindable(me, other)) this.#listed.add(mine)
        for (const one of [mine, theirs]) {
          this.#friends.delete(one)
          this.#heard.delete(one)
        }
        this.#asked.delete(mine)
        this.#blocked.add(mine)
        return OK
      }
      case 'unblock':
        this.#blocked.delete(mine)
        this.#listed.delete(mine)
        return OK
    }
  }

  letTimePass(): void {
    this.#declined.clear()
  }

  see(me: Person): View {
    const others = NAMES.filter((one) => one !== me)
    return {
      friends: others.filter((other) => this.#friends.has(`${me}>${other}`)),
      received: others.filter((other) => this.#heard.has(`${other}>${me}`)),
      sent: others.filter((other) => this.#asked.has(`${me}>${other}`)),
      blocked: others.filter((other) => this.#listed.has(`${me}>${other}`)),
    }
  }

  #isFindable(me: Person, other: Person): boolean {
    return OPEN.includes(other) && !this.#blocked.has(`${other}>${me}`)
  }

  #befriend(mine: string, theirs: string): number {
    for (const one of [mine, theirs]) {
      this.#friends.add(one)
      for (const set of [this.#asked, this.#heard, this.#declined]) set.delete(one)
    }
    return OK
  }
}

const step = fc.oneof(
  {
    weight: 20,
    arbitrary: fc.record({
      // Most verbs need an earlier request, so `request` is generated more often.
      verb: fc.constantFrom<Verb>('request', 'request', 'request', 'accept', ...VERBS),
      me: fc.integer({ min: 0, max: 3 }),
      // Most steps are between the same two people, so that their states interact.
      other: fc.constantFrom(1, 1, 1, 2, 3),
      isInApp: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.constant('a month passes' as const) },
)

test(`over ${SEQUENCES} random sequences friends do what a plain model does, and both sides agree`, async (t) => {
  const app = await testApp(t, UNLIMITED)
  await openSearch(app, OPEN)
  const clients: Client[] = []
  const browsers: TestBrowser[] = []
  for (const name of NAMES) {
    clients.push(await app.as(name))
    browsers.push(await browserOf(app, name))
  }
  // On failure, fast-check prints the seed and the shortest failing sequence; pass the seed to fc.assert to repeat it.
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 6, maxLength: 16, size: 'max' }), async (steps) => {
      await forgetAll(app)
      const model = new Model()
      for (const one of steps) {
        if (one === 'a month passes') {
          await letDeclinesAge(app, 31)
          model.letTimePass()
          continue
        }
        const [me, other] = [one.me, (one.me + one.other) % 4]
        const expected = model.take(one.verb, NAMES[me]!, NAMES[other]!)
        const answer = one.isInApp
          ? await act(clients[me]!, one.verb, clients[other]!)
          : await actByHandle(browsers[me]!, one.verb, NAMES[other]!)
        assert.equal(answer.body.error_code ?? answer.status, expected, answer.text)
        const views = await Promise.all([me, other].map((i) => see(clients[i]!)))
        assert.deepEqual(
          views,
          [me, other].map((i) => model.see(NAMES[i]!)),
        )
      }
      const views = await Promise.all(browsers.map(seeOwn))
      assert.deepEqual(
        views,
        NAMES.map((name) => model.see(name)),
      )
      assertMirrored(views)
    }),
    { numRuns: SEQUENCES },
  )
  await assertNothingContradicts(app)
})

/** Asserts that friendships are mutual, and that the sender of each received request sees it as sent. */
function assertMirrored(views: readonly View[]): void {
  for (const [i, view] of views.entries()) {
    for (const [j, other] of views.entries()) {
      const [me, them] = [NAMES[i]!, NAMES[j]!]
      assert.equal(view.friends.includes(them), other.friends.includes(me))
      if (view.received.includes(them)) assert.ok(other.sent.includes(me))
    }
  }
}
