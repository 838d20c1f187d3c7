import type { Calendar } from '../../api/operations.ts'
import { dayOf } from './days.ts'

export type CalendarEntry = Calendar['entries'][number]

/** A month as 2026-11. */
export const monthOf = (at: Date): string => dayOf(at).slice(0, 7)

/** Reads a month from the URL; undefined if it is not one between 2000 and 2099. */
export const monthFrom = (value: unknown): string | undefined =>
  typeof value === 'string' && /^20\d\d-(0[1-9]|1[0-2])$/.test(value) ? value : undefined

const partsOf = (month: string): [year: number, month: number] => {
  const [year = 0, number = 1] = month.split('-').map(Number)
  return [year, number]
}

export function shiftMonth(month: string, by: number): string {
  const [year, number] = partsOf(month)
  return new Date(Date.UTC(year, number - 1 + by, 1)).toISOString().slice(0, 7)
}

export const sayMonth = (month: string): string => {
  const [year, number] = partsOf(month)
  return new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' }).format(
    Date.UTC(year, number - 1, 1),
  )
}

/** Returns the weeks that a month is part of, from Monday, as days such as 2026-11-20. */
export function weeksOf(month: string): string[][] {
  const [year, number] = partsOf(month)
  const first = Date.UTC(year, number - 1, 1)
  // getUTCDay counts from Sunday.
  const before = (new Date(first).getUTCDay() + 6) % 7
  const days = new Date(Date.UTC(year, number, 0)).getUTCDate()
  const dayAt = (index: number) => new Date(Date.UTC(year, number - 1, 1 - before + index)).toISOString().slice(0, 10)
  return Array.from({ length: Math.ceil((before + days) / 7) }, (_, week) =>
    Array.from({ length: 7 }, (_, day) => dayAt(week * 7 + day)),
  )
}

/** Returns the moments between which the weeks of a month lie, in the reader's time zone. */
export function rangeOf(month: string): { from: string; to: string } {
  const days = weeksOf(month).flat()
  const startOf = (day: string, plus = 0) => {
    const [year = 0, number = 1, date = 1] = day.split('-').map(Number)
    return new Date(year, number - 1, date + plus).toISOString()
  }
  return { from: startOf(days[0]!), to: startOf(days.at(-1)!, 1) }
}

/** Groups entries by the day on which they are for the reader. */
export const byDay = (entries: readonly CalendarEntry[], timeZone?: string): Map<string, CalendarEntry[]> =>
  Map.groupBy(entries, ({ at }) => dayOf(new Date(at), timeZone))
