import { dayOf, formatter } from './days.ts'
import { calendarWords } from './words.ts'

export type DateEvent = 'opening' | 'due' | 'closing'

const { when: say } = calendarWords
const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

export const sayClock = (at: Date, timeZone?: string): string =>
  formatter({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }, timeZone).format(at)

/** Number of midnights between two moments in the zone. Days can have 23 or 25 hours, so their dates are compared. */
const daysBetween = (from: Date, to: Date, timeZone?: string): number =>
  (Date.parse(dayOf(to, timeZone)) - Date.parse(dayOf(from, timeZone))) / DAY_MS

function sayDate(at: Date, now: Date, timeZone?: string): string {
  const isThisYear = dayOf(at, timeZone).slice(0, 4) === dayOf(now, timeZone).slice(0, 4)
  return formatter({ day: 'numeric', month: 'long', ...(!isThisYear && { year: 'numeric' }) }, timeZone).format(at)
}

/**
 * Says when something happens, from "today at 14:00" over "Friday" to "12 December". Names of days are only used within
 * six days, where they mean one day.
 */
function sayDay(at: Date, now: Date, timeZone?: string): string {
  const days = daysBetween(now, at, timeZone)
  const clock = sayClock(at, timeZone)
  if (days === 0) return say.today(clock)
  if (days === 1) return say.tomorrow(clock)
  if (days === -1) return say.yesterday
  if (Math.abs(days) < 7) return formatter({ weekday: 'long' }, timeZone).format(at)
  return sayDate(at, now, timeZone)
}

/** Says an event as part of a sentence: "due Friday", "overdue since Monday", "opens tomorrow at 09:00". */
export function sayEvent(event: DateEvent, at: Date, now: Date, timeZone?: string): string {
  const ms = at.getTime() - now.getTime()
  const isPast = ms <= 0
  if (event === 'due' && isPast)
    return say.overdue(daysBetween(now, at, timeZone) === 0 ? sayClock(at, timeZone) : sayDay(at, now, timeZone))
  const verb = isPast ? say.past[event] : say.coming[event]
  if (!isPast && ms < 60 * MINUTE_MS) return `${verb} ${say.minutes(Math.max(1, Math.ceil(ms / MINUTE_MS)))}`
  return `${verb} ${sayDay(at, now, timeZone)}`
}
