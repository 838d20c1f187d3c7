import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { through, UNLIMITED } from '../../apps/buckets/testing.ts'
import { size } from '../../operations/testing/sizes.ts'
import { type Answer, type Client, type TestApp, testApp } from '../../operations/testing/testing.ts'
import { lesson, openSchool } from '../courses/testing.ts'

const SEQUENCES = size(250)
const PATH = '/edu/v1/lesson/progress'
const SECOND_MS = 1000
/** The clock of the second process is behind by this time. */
const BEHIND_MS = 7 * SECOND_MS
const THRESHOLDS = { plain: null, points: 80 } as const

type Name = keyof typeof THRESHOLDS
const VERBS = ['start', 'pause', 'resume', 'idle', 'active', 'update', 'complete', 'report'] as const
type Verb = (typeof VERBS)[number]
type Span = [start: number, end: number | null]

interface Attempt {
  key: string
  state: string
  started: number
  completed: number | null
  changed: number
  progress: Span[]
  idle: Span[]
  pass: boolean
  score: number | null
}

interface Command {
  readonly verb: Verb
  readonly isBehind: boolean
  readonly pass: boolean | undefined
  readonly score: number | undefined
  /** Only for `report`: how many seconds ago the attempt started, and how many seconds it took. */
  readonly ago: number
  readonly took: number
}

const OK = 200
const WRONG = 4003
const OUT_OF_TURN = 4006
const MISSING = 4042
const CONFLICT = 4091

/** A minimal model of one student's attempts at one lesson. */
class Model {
  attempts: Attempt[] = []

  /** The attempt that started last. If two started at the same time, the one reported later. */
  get latest(): Attempt | undefined {
    return this.attempts.reduce<Attempt | undefined>((a, b) => (a && a.started > b.started ? a : b), undefined)
  }

  /** Applies a command, and returns the expected response code and the kind of the expected event. */
  take(command: Command, now: number): [code: number, event?: string] {
    const { verb, pass, score } = command
    const last = this.latest
    const open = last?.state === 'completed' ? undefined : last
    if (verb === 'start') {
      if (open) return [CONFLICT]
      const at = Math.max(now, last?.completed ?? 0)
      this.attempts.push(fresh(at))
      return [OK, 'attempt.started']
    }
    if (verb === 'report') {
      const [from, to] = spanOf(command, now)
      if (from > now || to > now) return [WRONG]
      if (!open) {
        if (this.attempts.some(({ started, completed }) => started < to && completed! > from)) return [WRONG]
        const whole = {
          ...fresh(from),
          progress: [[from, to] as Span],
          state: 'completed',
          completed: to,
          changed: now,
        }
        this.attempts.push({ ...whole, pass: pass ?? false, score: score ?? null })
        return [OK, 'attempt.completed']
      }
      if (to < open.changed) return [WRONG]
      this.#record(open, command, now)
      this.#close(open, to)
      return [OK, 'attempt.completed']
    }
    if (!last) return [MISSING]
    if (!open) return [OUT_OF_TURN]
    const at = Math.max(now, open.changed)
    const move = (state: string): [number, string] => {
      open.state = state
      open.changed = at
      return [OK, `attempt.${{ pause: 'paused', resume: 'resumed' }[verb as string] ?? verb}`]
    }
    switch (verb) {
      case 'pause':
        if (open.state === 'paused') return [OK]
        endOpen(open.progress, at)
        endOpen(open.idle, at)
        return move('paused')
      case 'resume':
        if (open.state === 'in progress') return [OK]
        if (open.state === 'idle') return [OUT_OF_TURN]
        open.progress.push([at, null])
        return move('in progress')
      case 'idle':
        if (open.state === 'idle') return [OK]
        if (open.state === 'paused') return [OUT_OF_TURN]
        open.idle.push([at, null])
        return move('idle')
      case 'active':
        if (open.state === 'in progress') return [OK]
        if (open.state === 'paused') return [OUT_OF_TURN]
        endOpen(open.idle, at)
        return move('in progress')
      case 'update':
        this.#record(open, command, at)
        return [OK, 'attempt.updated']
      case 'complete':
        this.#record(open, command, at)
        this.#close(open, at)
        return [OK, 'attempt.completed']
    }
  }

  #record(attempt: Attempt, { pass, score }: Command, at: number): void {
    attempt.pass = pass ?? attempt.pass
    attempt.score = score ?? attempt.score
    attempt.changed = Math.max(at, attempt.changed)
  }

  #close(attempt: Attempt, at: number): void {
    endOpen(attempt.progress, at)
    endOpen(attempt.idle, at)
    attempt.state = 'completed'
    attempt.completed = at
  }
}

const fresh = (at: number): Attempt => ({
  key: '',
  state: 'in progress',
  started: at,
  completed: null,
  changed: at,
  progress: [[at, null]],
  idle: [],
  pass: false,
  score: null,
})

function endOpen(spans: Span[], at: number): void {
  const last = spans.at(-1)
  if (last?.[1] === null) last[1] = at
}

const spanOf = ({ ago, took }: Command, now: number): [number, number] => [
  now - ago * SECOND_MS,
  now - ago * SECOND_MS + took * SECOND_MS,
]

/** Computes the result of an attempt, independently of the code under test. */
function resultOf({ state, pass, score }: Pick<Attempt, 'state' | 'pass' | 'score'>, threshold: number | null): string {
  if (state !== 'completed') return 'IN PROGRESS'
  const isEnough = threshold === null ? pass : score !== null && score >= threshold
  if (pass && isEnough) return 'PASS'
  if (!pass && !isEnough && (threshold === null || score !== null)) return 'FAIL'
  return 'INCOMPLETE'
}

const timesOf = (spans: readonly Span[]) =>
  spans.map(([start, end]) => ({ start: iso(start), end: end === null ? null : iso(end) }))
const iso = (ms: number) => new Date(ms).toISOString()

const present = ({ started, completed, progress, idle, pass, score }: Attempt) => ({
  started: iso(started),
  completed: completed === null ? null : iso(completed),
  progressIntervals: timesOf(progress),
  idleIntervals: timesOf(idle),
  pass,
  score,
})

const command = (isParallel: boolean) =>
  fc.record({
    verb: fc.constantFrom<Verb>('start', 'start', ...VERBS),
    isBehind: fc.boolean(),
    pass: fc.option(fc.boolean(), { nil: undefined }),
    score: fc.option(fc.constantFrom(0, 79, 80, 100), { nil: undefined }),
    // Of concurrent commands, a reported attempt must not overlap one that is started now. The clocks of the two
    // processes differ, so the reported attempt must have ended longer ago than this difference.
    ago: fc.integer({ min: isParallel ? 120 : -2, max: 600 }),
    took: fc.integer({ min: 1, max: isParallel ? 60 : 300 }),
  })

const step = fc.oneof(
  { weight: 12, arbitrary: command(false).map((one) => ({ commands: [one], seconds: 0 })) },
  {
    weight: 3,
    arbitrary: fc.array(command(true), { minLength: 2, maxLength: 5 }).map((commands) => ({ commands, seconds: 0 })),
  },
  { weight: 5, arbitrary: fc.integer({ min: 1, max: 90 }).map((seconds) => ({ commands: [], seconds })) },
)

test(`over ${SEQUENCES} random sequences attempts do what a plain model does, and nothing contradicts itself`, async (t) => {
  const app = await testApp(t, UNLIMITED)
  await openSchool(app, {
    lessons: [lesson('plain'), lesson('points', { threshold: 80 })],
    alpha: { sequential: false },
  })
  const second = await app.startSecond({}, BEHIND_MS)
  app.holdClock()
  // On failure, fast-check prints the seed and the shortest failing sequence. Pass the seed to fc.assert to repeat it.
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom<Name>('plain', 'points'),
      fc.array(step, { minLength: 8, maxLength: 24, size: 'max' }),
      async (name, steps) => {
        await app.sql('delete from standings; delete from attempts; delete from event_outbox; delete from events')
        app.advance(3_600 * SECOND_MS)
        const avery = await app.as('avery')
        const behind = through(avery, second.addresses.production)
        const send = (one: Command) => sendTo(one.isBehind ? behind : avery, name, one, timeOf(app, one))
        const model = new Model()
        for (const { commands, seconds } of steps) {
          app.advance(seconds * SECOND_MS)
          const [only, ...more] = commands
          if (!only) continue
          if (more.length > 0) {
            const answers = await Promise.all(commands.map(send))
            for (const { status, text } of answers) assert.ok([200, 400, 404, 409].includes(status), text)
            await assertNothingContradicts(app, name)
            model.attempts = await readAttempts(app)
            continue
          }
          const before = await readEvents(app)
          const answer = await send(only)
          const [code, event] = model.take(only, timeOf(app, only))
          assert.equal(answer.body.error_code ?? answer.status, code, answer.text)
          const emitted = (await readEvents(app)).slice(before.length).map(({ kind }) => kind)
          assert.deepEqual(emitted, event === undefined ? [] : [event])
          const history = await avery.get(`${PATH}/history`, { lessonId: name })
          const newestFirst = model.attempts.toSorted((a, b) => a.started - b.started).reverse()
          assert.deepEqual(history.body.map(shown), newestFirst.map(present))
          if (model.latest)
            assert.deepEqual(shown((await avery.get(PATH, { lessonId: name })).body), present(model.latest))
          await assertNothingContradicts(app, name)
        }
      },
    ),
    { numRuns: SEQUENCES },
  )
})

const timeOf = (app: TestApp, { isBehind }: Command): number =>
  app.environment().clock().getTime() - (isBehind ? BEHIND_MS : 0)

function sendTo(who: Client, lessonId: string, one: Command, now: number): Promise<Answer> {
  const { verb, pass, score } = one
  const ids = { lessonId, classId: 'alpha' }
  if (verb === 'update') return who.post(PATH, { ...ids, pass, score })
  if (verb === 'complete') return who.post(PATH, { ...ids, pass, score, complete: true })
  if (verb !== 'report') return who.post(`${PATH}/${verb}`, ids)
  const [startTime, endTime] = spanOf(one, now).map(iso)
  return who.post(PATH, { ...ids, pass, score, startTime, endTime })
}

const shown = (record: ReturnType<typeof present>) => {
  const { started, completed, progressIntervals, idleIntervals, pass, score } = record
  return { started, completed, progressIntervals, idleIntervals, pass, score }
}

const readEvents = (app: TestApp) =>
  app.sql(
    `select kind, payload from (select 0 as n, id, kind, payload from events union all select 1, id, kind, payload from event_outbox) e order by n, id`,
  ) as Promise<{ kind: string; payload: { attempt: number; state: string; result: string; activeMs: number } }[]>

interface Row {
  readonly id: number
  readonly version: number
  readonly active_ms: number
  readonly active_since: Date | null
  readonly result: string
}

async function readRows(app: TestApp): Promise<(Attempt & Row)[]> {
  const rows = await app.sql(
    `select id::int, key, version, state, started_at, completed_at, changed_at, progress_intervals as progress, idle_intervals as idle, pass, score,
            active_ms::int, active_since, result from attempts order by id`,
  )
  const at = (value: unknown): number => (value as Date).getTime()
  const spans = (value: unknown): Span[] =>
    (value as { start: string; end: string | null }[]).map(({ start, end }) => [
      Date.parse(start),
      end === null ? null : Date.parse(end),
    ])
  return rows.map((row) => ({
    ...(row as unknown as Attempt & Row),
    started: at(row.started_at),
    completed: row.completed_at === null ? null : at(row.completed_at),
    changed: at(row.changed_at),
    progress: spans(row.progress),
    idle: spans(row.idle),
  }))
}

const readAttempts = async (app: TestApp): Promise<Attempt[]> => readRows(app)

/** Checks the invariants of attempts, standings and events. */
async function assertNothingContradicts(app: TestApp, name: Name): Promise<void> {
  const attempts = await readRows(app)
  const threshold = THRESHOLDS[name]
  for (const attempt of attempts) {
    const { state, started, completed, progress, idle, active_ms, active_since } = attempt
    const isOpen = state !== 'completed'
    assertInOrder(progress, started, completed)
    assertInOrder(idle, started, completed)
    assert.equal(progress.at(-1)?.[1] === null, state === 'in progress' || state === 'idle')
    assert.equal(idle.at(-1)?.[1] === null, state === 'idle')
    assert.equal(isOpen, completed === null)
    for (const [from, to] of idle)
      assert.ok(
        progress.some(([start, end]) => start <= from && (end === null || (to !== null && to <= end))),
        'idle lies outside of progress',
      )
    // The stored time on task must equal the progress intervals minus the idle intervals, up to the last time at which
    // it was stored.
    const upTo = idle.at(-1)?.[1] === null ? idle.at(-1)![0] : active_since?.getTime()
    const sum = (spans: readonly Span[]) => spans.reduce((ms, [start, end]) => ms + (end ?? upTo!) - start, 0)
    assert.equal(active_ms, sum(progress) - sum(idle.filter(([, end]) => end !== null)))
    assert.equal(active_since !== null, state === 'in progress')
    assert.equal(attempt.result, resultOf(attempt, threshold))
  }
  assert.ok(attempts.filter(({ state }) => state !== 'completed').length <= 1, 'two attempts are open')
  const inOrder = attempts.toSorted(
    (a, b) => a.started - b.started || (a.completed ?? Infinity) - (b.completed ?? Infinity),
  )
  for (const [i, attempt] of inOrder.entries())
    if (i > 0) assert.ok(inOrder[i - 1]!.completed! <= attempt.started, 'two attempts overlap')

  const standings = await app.sql(
    `select attempt_id::int, attempts, state, result, score, is_passed, active_ms::int, active_since, started_at, completed_at from standings`,
  )
  const model = new Model()
  model.attempts = attempts
  const latest = model.latest as (Attempt & Row) | undefined
  const date = (ms: number | null) => (ms === null ? null : new Date(ms))
  assert.deepEqual(
    standings,
    latest
      ? [
          {
            attempt_id: latest.id,
            attempts: attempts.length,
            state: latest.state,
            result: latest.result,
            score: latest.score,
            is_passed: attempts.some(({ result }) => result === 'PASS'),
            active_ms: attempts.reduce((ms, { active_ms }) => ms + active_ms, 0),
            active_since: latest.active_since,
            started_at: date(latest.started),
            completed_at: date(latest.completed),
          },
        ]
      : [],
  )

  // There is one event for each change, and the last event of an attempt contains its current state.
  const events = await readEvents(app)
  for (const { id, version, state, result, active_ms } of attempts) {
    const own = events.filter(({ payload }) => payload.attempt === id)
    assert.equal(own.length, version)
    const { payload } = own.at(-1)!
    assert.deepEqual([payload.state, payload.result, payload.activeMs], [state, result, active_ms])
  }
  assert.equal(
    events.length,
    attempts.reduce((sum, { version }) => sum + version, 0),
  )
}

/** Checks that no interval ends before it starts or overlaps the next one, and that only the last interval is open. */
function assertInOrder(spans: readonly Span[], from: number, to: number | null): void {
  for (const [i, [start, end]] of spans.entries()) {
    assert.ok(start >= (i === 0 ? from : spans[i - 1]![1]!), 'an interval begins before the one before it ended')
    assert.ok(end === null ? i === spans.length - 1 : end >= start, 'an interval ends before it began')
    if (to !== null) assert.ok(end !== null && end <= to, 'an interval ends after its attempt')
  }
}
