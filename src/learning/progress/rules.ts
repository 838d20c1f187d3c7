import { fail } from '../../kernel/errors.ts'
import type { LessonKind } from '../courses/schema.ts'
import { type Interval, MAX_ANSWERS_BYTES } from './schema.ts'

/** The state of an attempt; `none` if there is no attempt. */
export type AttemptState = 'none' | OpenState | 'completed'
type OpenState = 'in progress' | 'paused' | 'idle'
export const STATES: readonly AttemptState[] = ['none', 'in progress', 'paused', 'idle', 'completed']

export type LessonVerb = 'start' | 'pause' | 'resume' | 'idle' | 'active' | 'update' | 'complete' | 'report'

/**
 * The next state, or the reason for a refusal. `same` means that the attempt is already in that state, so that
 * repeating a request is harmless.
 */
type Outcome = Exclude<AttemptState, 'none'> | 'same' | 'not started' | 'already started' | 'out of turn'

/**
 * The outcome of each operation in each state. `complete` and `report` are both sent as progress updates: `complete`
 * ends the open attempt, `report` records a whole attempt after it has ended.
 */
export const TRANSITIONS: Readonly<Record<LessonVerb, Readonly<Record<AttemptState, Outcome>>>> = {
  start: {
    none: 'in progress',
    'in progress': 'already started',
    paused: 'already started',
    idle: 'already started',
    completed: 'in progress',
  },
  pause: { none: 'not started', 'in progress': 'paused', paused: 'same', idle: 'paused', completed: 'out of turn' },
  resume: {
    none: 'not started',
    'in progress': 'same',
    paused: 'in progress',
    idle: 'out of turn',
    completed: 'out of turn',
  },
  idle: { none: 'not started', 'in progress': 'idle', paused: 'out of turn', idle: 'same', completed: 'out of turn' },
  active: {
    none: 'not started',
    'in progress': 'same',
    paused: 'out of turn',
    idle: 'in progress',
    completed: 'out of turn',
  },
  update: {
    none: 'not started',
    'in progress': 'in progress',
    paused: 'paused',
    idle: 'idle',
    completed: 'out of turn',
  },
  complete: {
    none: 'not started',
    'in progress': 'completed',
    paused: 'completed',
    idle: 'completed',
    completed: 'out of turn',
  },
  report: {
    none: 'completed',
    'in progress': 'in progress',
    paused: 'paused',
    idle: 'idle',
    completed: 'completed',
  },
}

const REFUSALS: Partial<Record<Outcome, () => Error>> = {
  'not started': () => fail('notFound', 'User has not started that lesson yet.'),
  'already started': () =>
    fail('conflict', 'User has already started that lesson; the earlier session must be completed first.'),
}

/** Returns the state after an operation; undefined if the state does not change. Throws if the operation is refused. */
export function nextState(verb: LessonVerb, state: AttemptState): Exclude<AttemptState, 'none'> | undefined {
  const outcome = TRANSITIONS[verb][state]
  if (outcome === 'same') return undefined
  if (outcome === 'out of turn')
    throw fail('impossibleNow', `A lesson that is ${state} cannot ${VERB_PHRASES[verb]}; ${ADVICE[state]}`)
  const refuse = REFUSALS[outcome]
  if (refuse) throw refuse()
  return outcome as Exclude<AttemptState, 'none'>
}

const VERB_PHRASES: Record<LessonVerb, string> = {
  start: 'be started',
  pause: 'be paused',
  resume: 'be resumed',
  idle: 'become idle',
  active: 'become active',
  update: 'be updated',
  complete: 'be completed',
  report: 'be reported',
}
const ADVICE: Record<AttemptState, string> = {
  none: 'start it first',
  'in progress': 'continue with it',
  paused: 'resume it first',
  idle: 'activate it first',
  completed: 'start it again for another attempt',
}

/**
 * How much a request writes about a lesson. `attend`: start, pause, resume, idle, active. `complete`: end the attempt
 * and say nothing about its result. `report`: pass, score, answers, or a whole attempt.
 */
export type WriteAction = 'attend' | 'complete' | 'report'

interface Reporter {
  readonly kind: LessonKind
  /** The kind of lesson that the calling room records: a quiz, an evaluation or the content of a package. */
  readonly recorder?: LessonKind | undefined
  /** The app that delivers the lesson; null if none does. */
  readonly lessonApp: number | null
  /** The app through which the request came; undefined if it came from the platform's own pages. */
  readonly callerApp: number | undefined
  /** Whether the caller is the student; otherwise, the caller is an instructor of the class. */
  readonly isOwn: boolean
}

/**
 * Decides whether progress may be written this way. Returns the reason if it may not. A lesson that an app delivers is
 * written through that app, and a lesson without an app on the platform's own pages. In the pages, students report no
 * result: nothing there checks what they did. A quiz is written only by the quiz operations,
 * and a package lesson only by its content.
 */
export function whyNotWritten(
  action: WriteAction,
  { kind, recorder, lessonApp, callerApp, isOwn }: Reporter,
):
  | 'another app'
  | 'no app'
  | 'the app reports'
  | 'an instructor reports'
  | 'the quiz reports'
  | 'the content reports'
  | 'read it'
  | undefined {
  // No app delivers a package lesson, so this comes before the question through which app the request came.
  if (kind === 'package') return recorder === kind ? undefined : 'the content reports'
  if (callerApp !== undefined) {
    if (lessonApp === null) return 'no app'
    return lessonApp === callerApp ? undefined : 'another app'
  }
  if (recorder === kind) return undefined
  if (kind === 'quiz') return 'the quiz reports'
  if (!isOwn) return undefined
  if (kind === 'instructor-led') return 'an instructor reports'
  if (action === 'attend') return undefined
  if (lessonApp !== null) return 'the app reports'
  if (action === 'complete') return undefined
  return kind === 'page' || kind === 'file' ? 'read it' : 'an instructor reports'
}

const QUARTER_MS = 15 * 60_000
const [FIRST_ZONE_MS, LAST_ZONE_MS] = [-12 * 60 * 60_000, 14 * 60 * 60_000]

/** Whether a time from `LocalDateTime` has no zone. */
export const isLocal = (time: string | undefined): boolean => time !== undefined && !time.endsWith('Z')

/**
 * Reads the start and the end of an attempt. Old clients send local time without a zone. It is taken as the zone in
 * which the pair lies nearest to now and not after it, so an attempt that has just ended is stored as just ended.
 * Offsets are whole quarters of an hour from −12 to +14 hours. A pair that is in the future everywhere stays in the
 * future. If one of the two has a zone, the other is in UTC, as everywhere else.
 */
export function readAttemptTimes(
  { startTime, endTime }: { readonly startTime?: string; readonly endTime?: string },
  now: Date,
): { startTime: Date | undefined; endTime: Date | undefined } {
  const asUtc = (time: string) => Date.parse(isLocal(time) ? `${time}Z` : time)
  const given = [startTime, endTime].filter((time) => time !== undefined)
  const ahead = Math.max(...given.map(asUtc)) - now.getTime()
  const guessed = Math.min(Math.max(Math.ceil(ahead / QUARTER_MS) * QUARTER_MS, FIRST_ZONE_MS), LAST_ZONE_MS)
  const offset = given.every(isLocal) ? guessed : 0
  const read = (time: string | undefined) => (time === undefined ? undefined : new Date(asUtc(time) - offset))
  return { startTime: read(startTime), endTime: read(endTime) }
}

/** The properties of an attempt that change with its state. */
export interface AttemptTiming {
  readonly state: Exclude<AttemptState, 'none'>
  readonly completedAt: Date | null
  readonly progress: readonly Interval[]
  readonly idle: readonly Interval[]
  /**
   * Milliseconds on task: in progress and not idle. The interval that is running since `activeSince` is not included.
   */
  readonly activeMs: number
  readonly activeSince: Date | null
}

/**
 * Maximum number of progress intervals of an attempt, and of idle intervals. Each write stores them all again. An app
 * that reaches the limit must complete the attempt and start another.
 */
const MAX_INTERVALS = 1000

/**
 * Moves an attempt to another state. The last progress interval is open unless the attempt is paused or completed; the
 * last idle interval is open only while the attempt is idle.
 */
export function moveTo(
  before: AttemptTiming | undefined,
  state: Exclude<AttemptState, 'none'>,
  at: Date,
): AttemptTiming {
  const { progress = [], idle = [], activeMs = 0, activeSince = null } = before ?? {}
  const moved = {
    state,
    completedAt: state === 'completed' ? at : null,
    progress: openOrClose(progress, state === 'in progress' || state === 'idle', at),
    idle: openOrClose(idle, state === 'idle', at),
    activeMs: activeMs + (activeSince ? at.getTime() - activeSince.getTime() : 0),
    activeSince: state === 'in progress' ? at : null,
  }
  if (moved.progress.length > MAX_INTERVALS || moved.idle.length > MAX_INTERVALS)
    throw fail('impossibleNow', `This attempt already has ${MAX_INTERVALS} intervals; complete it and start another`)
  return moved
}

function openOrClose(intervals: readonly Interval[], isOpen: boolean, at: Date): readonly Interval[] {
  const last = intervals.at(-1)
  const wasOpen = last !== undefined && last.end === null
  if (wasOpen === isOpen) return intervals
  const now = at.toISOString()
  return isOpen
    ? [...intervals, { start: now, end: null }]
    : [...intervals.slice(0, -1), { start: last!.start, end: now }]
}

export interface Grade {
  readonly pass: boolean
  readonly score: number | null
}

/**
 * Computes the grade after an instructor's change. If the lesson has a threshold and only a score is given, the
 * threshold decides whether the attempt is passed.
 */
export function gradeOf(
  { pass, score }: { readonly pass?: boolean; readonly score?: number },
  before: Grade,
  threshold: number | null,
): Grade {
  if (pass === undefined && score === undefined)
    throw fail('parameterMissing', 'pass and score are missing: send one of them, or both')
  const follows = score !== undefined && threshold !== null ? score >= threshold : before.pass
  return { pass: pass ?? follows, score: score ?? before.score }
}

/** Converts answers to the JSON text that is stored. Throws if it is too long. */
export function answersText(answers: readonly unknown[] | undefined): string | undefined {
  const text = answers && JSON.stringify(answers)
  if (text && Buffer.byteLength(text) > MAX_ANSWERS_BYTES)
    throw fail('validationFailed', `answers must be at most ${MAX_ANSWERS_BYTES / 1024} KiB`)
  return text
}
