import { UnstyledButton, VisuallyHidden } from '@mantine/core'
import { useState } from 'react'
import { sayDay } from '../../parts/time.tsx'
import classes from './calendar.module.css'
import { byDay, type CalendarEntry, sayMonth, weeksOf } from './calendar-model.ts'
import { EntryShown } from './entry-shown.tsx'
import { calendarWords } from './words.ts'

const { page: say } = calendarWords
/** Number of entries of a day that are shown at first. */
const SHOWN = 4
const weekday = (width: 'long' | 'short') => new Intl.DateTimeFormat('en-GB', { weekday: width, timeZone: 'UTC' })

export interface DaysProps {
  readonly month: string
  readonly today: string
  readonly entries: readonly CalendarEntry[]
}

/** Shows a month as a table of weeks. */
export function MonthGrid({ month, today, entries }: DaysProps) {
  const weeks = weeksOf(month)
  const days = byDay(entries)
  return (
    <table className={classes.grid}>
      <caption>
        <VisuallyHidden>{say.caption(sayMonth(month))}</VisuallyHidden>
      </caption>
      <thead>
        <tr>
          {weeks[0]!.map((day) => (
            <th key={day} scope="col">
              <abbr title={weekday('long').format(new Date(day))}>{weekday('short').format(new Date(day))}</abbr>
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {weeks.map((week) => (
          <tr key={week[0]}>
            {week.map((day) => (
              <td
                key={day}
                data-outside={!day.startsWith(month) || undefined}
                aria-current={day === today ? 'date' : undefined}
              >
                <Day day={day} entries={days.get(day) ?? []} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function Day({ day, entries }: { readonly day: string; readonly entries: readonly CalendarEntry[] }) {
  const [isWhole, setWhole] = useState(false)
  // A button for a single entry would take as much room as the entry.
  const shown = isWhole || entries.length <= SHOWN + 1 ? entries : entries.slice(0, SHOWN)
  const hidden = entries.length - shown.length
  return (
    <>
      <time dateTime={day} className={classes.day}>
        {Number(day.slice(8))}
      </time>
      {shown.length > 0 && (
        <ul className={classes.entries}>
          {shown.map((one) => (
            <li key={`${one.classId} ${one.lessonId} ${one.event} ${one.at}`}>
              <EntryShown entry={one} isShort />
            </li>
          ))}
        </ul>
      )}
      {hidden > 0 && (
        <UnstyledButton
          className={classes.more}
          onClick={() => setWhole(true)}
          aria-label={say.moreOn(hidden, sayDay(day))}
        >
          {say.more(hidden)}
        </UnstyledButton>
      )}
    </>
  )
}
