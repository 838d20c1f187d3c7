import { isObject } from '../../kernel/imports/section.ts'

const DAY_MS = 24 * 60 * 60_000
/** Times this shortly before `madeAt` keep their distance to it, so that somebody is working right now. */
const RECENT_MS = 6 * 60 * 60_000
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?Z$/

/**
 * Moves all times of the demo data, so that the time for which it was written (`madeAt`) becomes `now`. They move by
 * whole days and keep their time of day, except those of the last hours before `madeAt`. Nothing that has happened moves
 * into the future. Dates without a time, such as dates of birth, stay.
 */
export function moveDemo(content: unknown, now: Date): unknown {
  if (!isObject(content) || typeof content.madeAt !== 'string') return content
  const { madeAt, ...sections } = content
  const made = Date.parse(madeAt as string)
  const exactMs = now.getTime() - made
  const daysMs = Math.floor(exactMs / DAY_MS) * DAY_MS
  const move = (value: unknown): unknown => {
    if (typeof value === 'string') return TIME.test(value) ? moveTime(value) : value
    if (Array.isArray(value)) return value.map(move)
    if (!isObject(value)) return value
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, move(one)]))
  }
  const moveTime = (text: string): string => {
    const time = Date.parse(text)
    const isRecent = time > made - RECENT_MS && time <= made
    return new Date(time + (isRecent ? exactMs : daysMs)).toISOString()
  }
  return move(sections)
}
