import type { Version } from './statement.ts'

// ISO 8601:2004 §4.4.3.2, the format with designators. Only the last number may have a fraction, and weeks cannot be
// combined with other units.
const N = '\\d+(?:[.,]\\d+)?'
const DURATION = new RegExp(
  `^P(?![^.,]*[.,]\\d+[A-Z].)(?:${N}W|(?=\\d|T\\d)(?:${N}Y)?(?:${N}M)?(?:${N}D)?(?:T(?=\\d)(?:${N}H)?(?:${N}M)?(?:${N}S)?)?)$`,
)
export const isDuration = (text: string): boolean => DURATION.test(text)

/**
 * Truncates a duration to hundredths of a second, the precision at which durations are compared (xAPI-Data 2.3.1, 4.6).
 */
export const cutDuration = (text: string): string => text.replace(/([.,]\d\d)\d+S$/, '$1S')

// Years and months have no fixed length, so a duration with years or months cannot be converted to seconds.
const COUNTED = /^P(?:([\d.,]+)W|(?:0+Y)?(?:0+M)?(?:([\d.,]+)D)?(?:T(?:([\d.,]+)H)?(?:([\d.,]+)M)?(?:([\d.,]+)S)?)?)$/
const SECONDS = [7 * 86_400, 86_400, 3600, 60, 1]
const MOST_SECONDS = 1e12

/** Converts a duration to seconds; undefined if it has years or months, or is longer than MOST_SECONDS. */
export function secondsOf(duration: string): number | undefined {
  const found = COUNTED.exec(duration)
  if (!found) return undefined
  const parts = SECONDS.map((seconds, i) => Number(found[i + 1]?.replace(',', '.') ?? 0) * seconds)
  const sum = parts.reduce((all, one) => all + one)
  return sum <= MOST_SECONDS ? sum : undefined
}

// Version 2.0 requires RFC 3339. Version 1.0 allows all of ISO 8601, which includes the basic format, times without
// seconds, and times without a zone (taken as UTC).
const RFC_3339 = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:Z|([+-])(\d\d):(\d\d))$/i
const EXTENDED = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)(?::(\d\d)(?:[.,](\d+))?)?(?:Z|([+-])(\d\d)(?::?(\d\d))?)?$/i
const BASIC = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(?:(\d\d)(?:[.,](\d+))?)?(?:Z|([+-])(\d\d)(?::?(\d\d))?)?$/i

const DAYS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
const isShortFebruary = (year: number, month: number): boolean =>
  month === 2 && (year % 4 !== 0 || (year % 100 === 0 && year % 400 !== 0))
const FIRST = Date.parse('0001-01-01T00:00:00Z')
const LAST = Date.parse('9999-12-31T23:59:59Z')

/** A point in time: its whole second, in milliseconds since 1970, and the digits of the fraction as they were sent. */
type Time = { second: number; fraction: string }

function readTime(found: RegExpExecArray | null): Time | undefined {
  if (!found) return undefined
  const number = (at: number) => Number(found[at] ?? 0)
  const [year, month, day] = [number(1), number(2), number(3)]
  if (month < 1 || month > 12 || day < 1 || day > DAYS[month - 1]! - (isShortFebruary(year, month) ? 1 : 0))
    return undefined
  // The second 60 is a leap second.
  if (number(4) > 23 || number(5) > 59 || number(6) > 60 || number(9) > 23 || number(10) > 59) return undefined
  const offset = number(9) * 60 + number(10)
  // ISO 8601 does not allow the offset -00:00, and both xAPI versions refuse it.
  if (found[8] === '-' && offset === 0) return undefined
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  const second = date.setUTCHours(number(4), number(5) - (found[8] === '-' ? -offset : offset), number(6))
  // Converting to UTC can move a time out of the years 1 to 9999, outside of which a UTC timestamp cannot be written.
  return second < FIRST || second > LAST ? undefined : { second, fraction: found[7] ?? '' }
}

const readAny = (text: string): Time | undefined => readTime(EXTENDED.exec(text) ?? BASIC.exec(text))

export const isTimestamp = (text: string, version: Version): boolean =>
  (version === '2.0.0' ? readTime(RFC_3339.exec(text)) : readAny(text)) !== undefined

/** Converts a timestamp to milliseconds since 1970, truncated as the specification allows. */
export function instantOf(text: string): number | undefined {
  const time = readAny(text)
  return time && time.second + Number(time.fraction.slice(0, 3).padEnd(3, '0'))
}

/** Converts a timestamp to microseconds since 1970, which is the unit of sequence numbers. */
export function microsecondsOf(text: string): number | undefined {
  const time = readAny(text)
  return time && time.second * 1000 + Number(time.fraction.slice(0, 6).padEnd(6, '0'))
}

/** Converts a time to a sequence number. Statements stored after that time have a greater `seq`. */
export const numberOf = (moment: Date): number => moment.getTime() * 1000

/** Converts microseconds since 1970 to a UTC timestamp: the inverse of `microsecondsOf`. */
export const timestampOf = (microseconds: number): string =>
  `${new Date(Math.floor(microseconds / 1000)).toISOString().slice(0, -1)}${String(microseconds % 1000).padStart(3, '0')}Z`

/**
 * Converts a timestamp to UTC with the precision that was sent, but at least milliseconds. A UTC timestamp is returned
 * unchanged.
 */
export function toUtc(text: string): string {
  const time = text.endsWith('Z') ? undefined : readAny(text)
  return time ? `${new Date(time.second).toISOString().slice(0, 19)}.${time.fraction.padEnd(3, '0')}Z` : text
}
