import classes from './calendar.module.css'
import { byDay } from './calendar-model.ts'
import { EntryShown } from './entry-shown.tsx'
import type { DaysProps } from './month-grid.tsx'

const dayName = new Intl.DateTimeFormat('en-GB', { weekday: 'long', day: 'numeric', month: 'long', timeZone: 'UTC' })

/** Shows the days that have entries, one below the other, for narrow screens. */
export const DayList = ({ month, today, entries }: DaysProps) => (
  <ol className={classes.days}>
    {[...byDay(entries)]
      .filter(([day]) => day.startsWith(month))
      .map(([day, ofDay]) => (
        <li key={day} aria-current={day === today ? 'date' : undefined}>
          <h3 className={classes.dayName}>
            <time dateTime={day}>{dayName.format(new Date(day))}</time>
          </h3>
          <ul className={classes.entries}>
            {ofDay.map((one) => (
              <li key={`${one.classId} ${one.lessonId} ${one.event} ${one.at}`}>
                <EntryShown entry={one} />
              </li>
            ))}
          </ul>
        </li>
      ))}
  </ol>
)
