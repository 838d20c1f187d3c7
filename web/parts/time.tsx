import { words } from './words.ts'

const STEPS: readonly [unit: Intl.RelativeTimeFormatUnit, seconds: number][] = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
]
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })
// The one absolute format, in the time zone of the browser.
const absolute = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' })
const calendarDay = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' })

function sayRelative(at: Date): string {
  const seconds = (at.getTime() - Date.now()) / 1000
  const step = STEPS.find(([, size]) => Math.abs(seconds) >= size)
  return step ? relative.format(Math.round(seconds / step[1]), step[0]) : words.time.justNow
}

/** Shows a relative time. The absolute time is in the tooltip and in the attribute `datetime`. */
export function Time({ at }: { readonly at: string | null }) {
  if (at === null) return <>{words.time.never}</>
  const moment = new Date(at)
  return (
    <time dateTime={at} title={absolute.format(moment)}>
      {sayRelative(moment)}
    </time>
  )
}

/** Shows an absolute time, for lists in which relative times would all look the same. */
export const Moment = ({ at }: { readonly at: string }) => (
  <time dateTime={at} title={sayRelative(new Date(at))}>
    {absolute.format(new Date(at))}
  </time>
)

/** Formats an absolute time as text, in the time zone of the browser. */
export const sayMoment = (at: string): string => absolute.format(new Date(at))

/** Formats a day without a time or a zone, such as a date of birth. */
export const sayDay = (day: string): string => calendarDay.format(new Date(day))

/** Formats a duration: 1 h 20 min, 4 min, 35 s. */
export function sayDuration(seconds: number): string {
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60)]
  if (hours > 0) return minutes > 0 ? `${hours} h ${minutes} min` : `${hours} h`
  return minutes > 0 ? `${minutes} min` : `${Math.round(seconds)} s`
}

const SIZES = ['bytes', 'KiB', 'MiB', 'GiB'] as const
export function sayBytes(bytes: number): string {
  const step = bytes === 0 ? 0 : Math.min(3, Math.floor(Math.log2(bytes) / 10))
  const value = bytes / 1024 ** step
  return `${value >= 10 || step === 0 ? Math.round(value) : value.toFixed(1)} ${SIZES[step]}`
}
