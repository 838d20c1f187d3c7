import type { Algorithm } from '../apps/algorithms.ts'

const DAY_MS = 86_400_000

/** A key is published this long before it is used, so that apps have it by then. */
const ANNOUNCED_MS = 7 * DAY_MS
/** A key signs for this long. */
const USED_MS = 90 * DAY_MS
/** A retired key stays published for this long: ID tokens, and copies of the key set, are not used longer. */
const KEPT_MS = 30 * DAY_MS
/** Keys that are no longer published are stored for this long, because apps send old ID tokens as a hint. */
export const STORED_DAYS = 400

/**
 * Returns since when a key is used that is needed now. It is a little earlier, so that processes whose clocks are
 * behind use the key too, and do not create another.
 */
export const atOnce = (now: Date): Date => new Date(now.getTime() - 3_600_000)

export interface KeyDates {
  readonly algorithm: Algorithm
  readonly publishedAt: Date
  readonly usedFrom: Date
  /** When the next key takes over; null as long as there is no next key. */
  readonly retiredAt: Date | null
  /** Set if the key was compromised. Nothing that it has signed is accepted. */
  readonly withdrawnAt: Date | null
}

/** The key is published before it is used (`next`), used (`current`), and published for a while after that. */
export type KeyState = 'next' | 'current' | 'retired' | 'unpublished' | 'withdrawn'

export function stateOf(key: KeyDates, now: Date): KeyState {
  if (key.withdrawnAt) return 'withdrawn'
  if (key.usedFrom > now) return 'next'
  if (!key.retiredAt || key.retiredAt > now) return 'current'
  return key.retiredAt.getTime() + KEPT_MS > now.getTime() ? 'retired' : 'unpublished'
}

export const isPublished = (key: KeyDates, now: Date): boolean =>
  ['next', 'current', 'retired'].includes(stateOf(key, now))

/** Returns the key that signs now. After a restored backup there may be two; the later one is right. */
export const findCurrent = <K extends KeyDates>(keys: readonly K[], algorithm: Algorithm, now: Date): K | undefined =>
  keys
    .filter((key) => key.algorithm === algorithm && stateOf(key, now) === 'current')
    .sort((a, b) => b.usedFrom.getTime() - a.usedFrom.getTime())[0]

/**
 * Returns from when on a new key of this algorithm has to be used; undefined if no new key is needed yet. `isAsked`
 * says that an operator wants the next key now.
 */
export function planNextKey(
  keys: readonly KeyDates[],
  algorithm: Algorithm,
  now: Date,
  isAsked = false,
): { usedFrom: Date } | undefined {
  const current = findCurrent(keys, algorithm, now)
  if (!current) return { usedFrom: atOnce(now) }
  if (keys.some((key) => key.algorithm === algorithm && stateOf(key, now) === 'next')) return undefined
  const due = current.usedFrom.getTime() + USED_MS
  const soonest = now.getTime() + ANNOUNCED_MS
  if (isAsked) return { usedFrom: new Date(soonest) }
  return due <= soonest ? { usedFrom: new Date(Math.max(due, soonest)) } : undefined
}
