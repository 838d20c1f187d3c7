const ISO = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/i
const ZONE = /(?:Z|[+-]\d{2}:?\d{2})$/i
/** .NET puts a space, a no-break space or a narrow no-break space before AM, depending on its version. */
const AMERICAN = /^(\d{1,2})\/(\d{1,2})\/(\d{4}|\d{2})(?: (\d{1,2}):(\d{2}):(\d{2})(?:[ \u00a0\u202f](AM|PM))?)?$/i

/**
 * Parses the date formats that clients send. A time without a zone is taken as UTC. Returns undefined for other
 * formats, for days that do not exist, and for years outside 1 to 9999, which PostgreSQL and ISO 8601 write
 * differently.
 */
export function parseDate(text: string): Date | undefined {
  const match = AMERICAN.exec(text)
  const date = match ? parseAmerican(match) : ISO.test(text) ? parseIso(text) : undefined
  const year = date?.getUTCFullYear() ?? 0
  return year >= 1 && year <= 9999 ? date : undefined
}

/**
 * Parses the same formats. Returns ISO 8601: in UTC, or without a zone for a time that was sent without one. A day
 * without a time is its midnight in UTC.
 */
export function parseLocalDate(text: string): string | undefined {
  const iso = parseDate(text)?.toISOString()
  const hasTime = text.includes(':')
  return hasTime && !ZONE.test(text) ? iso?.slice(0, -1) : iso
}

function parseIso(text: string): Date | undefined {
  const [day = '', time] = text.toUpperCase().replace(' ', 'T').split('T')
  const zoned = time === undefined ? `${day}T00:00:00Z` : ZONE.test(time) ? `${day}T${time}` : `${day}T${time}Z`
  const date = new Date(zoned.replace(/([+-]\d{2})(\d{2})$/, '$1:$2'))
  return Number.isNaN(date.getTime()) || !isRealDay(day) ? undefined : date
}

/** Tells whether a day exists, because `new Date('2026-02-30')` would roll over to March. */
function isRealDay(day: string): boolean {
  const date = new Date(`${day}T00:00:00Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day)
}

function parseAmerican(match: RegExpExecArray): Date | undefined {
  const [month, day, year, hour, minute, second] = match.slice(1, 7).map((part) => Number(part ?? 0)) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ]
  const half = match[7]?.toUpperCase()
  if (minute > 59 || second > 59 || (half ? hour < 1 || hour > 12 : hour > 23)) return undefined
  // Without AM or PM, only the form with two digits is known to mean 24 hours.
  if (!half && match[4]?.length === 1) return undefined
  // Of two-digit years, 00 to 68 are in this century, as in POSIX.
  const fullYear = match[3]?.length === 4 ? year : year <= 68 ? 2000 + year : 1900 + year
  const iso = `${String(fullYear).padStart(4, '0')}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`
  if (!isRealDay(iso)) return undefined
  const hours = half ? (hour % 12) + (half === 'PM' ? 12 : 0) : hour
  return new Date(Date.parse(`${iso}T00:00:00Z`) + ((hours * 60 + minute) * 60 + second) * 1000)
}
