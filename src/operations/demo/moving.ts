import { isObject } from '../../kernel/imports/section.ts'

const DAY_MS = 24 * 60 * 60_000
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?Z$/

const dayOf = (ms: number): number => Math.floor(ms / DAY_MS)

/**
 * Moves all times of the demo data from the day for which it was written (`madeAt`) to today. They move by whole days,
 * in UTC. Only what happened on that day keeps its distance to `madeAt`, which becomes now: so somebody is working
 * right now, and nothing that has happened moves into the future. Dates without a time, such as dates of birth, stay.
 */
export function moveDemo(content: unknown, now: Date): unknown {
  if (!isObject(content) || typeof content.madeAt !== 'string') return content
  const { madeAt, ...sections } = content
  const made = Date.parse(madeAt as string)
  const exactMs = now.getTime() - made
  const daysMs = (dayOf(now.getTime()) - dayOf(made)) * DAY_MS
  const move = (value: unknown): unknown => {
    if (typeof value === 'string') return TIME.test(value) ? moveTime(value) : value
    if (Array.isArray(value)) return value.map(move)
    if (!isObject(value)) return value
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, move(one)]))
  }
  const moveTime = (text: string): string => {
    const time = Date.parse(text)
    const isRecent = dayOf(time) === dayOf(made) && time <= made
    return new Date(time + (isRecent ? exactMs : daysMs)).toISOString()
  }
  return move(sections)
}
