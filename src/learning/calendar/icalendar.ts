import { createHash } from 'node:crypto'
import type { CalendarEntry } from './schema.ts'

/** Longest line in bytes, without its line break (RFC 5545 §3.1). */
const LINE_BYTES = 75
/** SEQUENCE counts seconds from here, so that it grows with each change and fits 32 bits until 2088. */
const SEQUENCE_START_MS = Date.UTC(2020, 0)

const EVENT_NAMES = { opening: 'opens', due: 'is due', closing: 'closes' } as const
const STATE_NAMES = { open: undefined, done: 'Completed', late: 'Completed late', overdue: 'Overdue' } as const

/** Escapes a TEXT value (RFC 5545 §3.3.11). Control characters are not allowed in one, so they become spaces. */
const text = (value: string): string =>
  value
    .replaceAll(/[\\;,]/g, '\\$&')
    .replaceAll(/\r\n|[\r\n\u0085\u2028\u2029]/g, '\\n')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be sent
    .replaceAll(/[\u0000-\u001f\u007f]/g, ' ')

/** Folds a line after at most 75 bytes, between characters: a continuation begins with a space, which counts. */
function fold(line: string): string {
  if (Buffer.byteLength(line) <= LINE_BYTES) return line
  let folded = ''
  let bytes = 0
  for (const character of line) {
    const size = Buffer.byteLength(character)
    if (bytes + size > LINE_BYTES) {
      folded += '\r\n '
      bytes = 1
    }
    folded += character
    bytes += size
  }
  return folded
}

/** Formats a time in UTC (RFC 5545 §3.3.5), such as 20261120T090000Z. Calendar programs show it in the local zone. */
const utc = (iso: string): string => iso.replaceAll(/[-:]|\.\d+/g, '')

interface FeedEntry extends CalendarEntry {
  /** When the date was set. */
  readonly changed: string
}

/** Writes a calendar in the format iCalendar (RFC 5545). `url` is the origin of the platform's pages. */
export function writeCalendar(name: string, url: string, entries: readonly FeedEntry[]): string {
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Groundschool//Calendar//EN',
    'CALSCALE:GREGORIAN',
    'METHOD:PUBLISH',
    `X-WR-CALNAME:${text(name)}`,
    `NAME:${text(name)}`,
    // Two forms of the same hint: RFC 7986 §5.7, and the one that Outlook reads.
    'REFRESH-INTERVAL;VALUE=DURATION:PT1H',
    'X-PUBLISHED-TTL:PT1H',
    ...entries.flatMap((entry) => writeEvent(url, entry)),
    'END:VCALENDAR',
  ]
  return `${lines.map(fold).join('\r\n')}\r\n`
}

function writeEvent(url: string, entry: FeedEntry): string[] {
  const { classId, className, lessonId, lessonName, event, at, state, changed } = entry
  const page = `${url}/dashboard/classes/${encodeURIComponent(classId)}${
    lessonId !== null && !entry.locked ? `/lessons/${encodeURIComponent(lessonId)}` : ''
  }`
  const title =
    lessonName === null
      ? `${className}: class ${EVENT_NAMES[event]}`
      : `${lessonName} ${EVENT_NAMES[event]} · ${className}`
  const stateName = state === null ? undefined : STATE_NAMES[state]
  const uid = createHash('sha256')
    .update([url, classId, lessonId ?? '', event].join('\n'))
    .digest('hex')
    .slice(0, 40)
  return [
    'BEGIN:VEVENT',
    `UID:${uid}@${new URL(url).hostname}`,
    `DTSTAMP:${utc(changed)}`,
    `LAST-MODIFIED:${utc(changed)}`,
    `SEQUENCE:${Math.max(0, Math.floor((Date.parse(changed) - SEQUENCE_START_MS) / 1000))}`,
    `DTSTART:${utc(at)}`,
    `SUMMARY:${text(title)}`,
    `DESCRIPTION:${text([stateName, page].filter((one) => one !== undefined).join('\n'))}`,
    `URL:${page}`,
    'TRANSP:TRANSPARENT',
    'END:VEVENT',
  ]
}
