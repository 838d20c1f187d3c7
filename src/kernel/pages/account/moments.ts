import { type Html, html } from '../html.ts'

const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'always' })
const absolute = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' })

/** Formats a time relative to now if it is recent, else as a date. The server does not know the reader's time zone. */
export function sayAgo(moment: Date, now: Date): string {
  const seconds = Math.floor((now.getTime() - moment.getTime()) / 1000)
  if (seconds < MINUTE) return 'just now'
  if (seconds < HOUR) return relative.format(-Math.floor(seconds / MINUTE), 'minute')
  if (seconds < DAY) return relative.format(-Math.floor(seconds / HOUR), 'hour')
  if (seconds < 31 * DAY) return relative.format(-Math.floor(seconds / DAY), 'day')
  return `on ${absolute.format(moment)}`
}

export const showAgo = (moment: Date, now: Date): Html =>
  html`<time datetime="${moment.toISOString()}">${sayAgo(moment, now)}</time>`

const count = (number: number, unit: string): string => `${number} ${unit}${number === 1 ? '' : 's'}`

/** Formats a waiting time in words, rounded up. */
export const sayWait = (seconds: number): string =>
  seconds < 2 * MINUTE ? count(seconds, 'second') : count(Math.ceil(seconds / MINUTE), 'minute')
