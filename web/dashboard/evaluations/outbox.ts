import type { EvaluationInput, EvaluationValues } from './evaluation-model.ts'

/** An evaluation that is saved on the device until the platform has it. */
export interface Waiting extends EvaluationInput {
  /** Name of the student, for messages. */
  readonly name: string
  /** Why the platform refused it; undefined while it waits to be sent. */
  readonly error?: string
}

/** Drafts and unsent evaluations of one lesson of a class, stored on the device. */
export interface Outbox {
  /** Unfinished forms by student; `*` is the form for all students. */
  readonly drafts: Readonly<Record<string, EvaluationValues>>
  readonly waiting: readonly Waiting[]
}

interface OutboxName {
  /** Handle of the instructor: a device may be shared. */
  readonly person: string
  readonly classId: string
  readonly lessonId: string
}

const PREFIX = 'groundschool.evaluations.'
const EMPTY: Outbox = { drafts: {}, waiting: [] }

const prefixOf = ({ person, classId }: Omit<OutboxName, 'lessonId'>): string =>
  `${PREFIX}${encodeURIComponent(person)}.${encodeURIComponent(classId)}.`
const keyOf = (name: OutboxName): string => prefixOf(name) + encodeURIComponent(name.lessonId)

export function readOutbox(name: OutboxName): Outbox {
  try {
    return { ...EMPTY, ...JSON.parse(localStorage.getItem(keyOf(name)) ?? '{}') }
  } catch {
    // Storage is blocked, or holds something else: begin without it.
    return EMPTY
  }
}

/** Returns false if the browser refuses to store anything, as some do in private windows. */
export function writeOutbox(name: OutboxName, outbox: Outbox): boolean {
  try {
    const isEmpty = Object.keys(outbox.drafts).length === 0 && outbox.waiting.length === 0
    if (isEmpty) localStorage.removeItem(keyOf(name))
    else localStorage.setItem(keyOf(name), JSON.stringify(outbox))
    return true
  } catch {
    return false
  }
}

/** Lists the lessons of a class with evaluations that wait to be sent, or were refused. */
export function lessonsWaiting(name: Omit<OutboxName, 'lessonId'>): string[] {
  try {
    return Object.keys(localStorage)
      .filter((key) => key.startsWith(prefixOf(name)))
      .map((key) => decodeURIComponent(key.slice(prefixOf(name).length)))
      .filter((lessonId) => readOutbox({ ...name, lessonId }).waiting.length > 0)
  } catch {
    return []
  }
}

/** `crypto.randomUUID` would be shorter, but exists only on https and localhost. */
export const makeEvaluationId = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
