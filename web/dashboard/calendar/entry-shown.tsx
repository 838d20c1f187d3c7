import { VisuallyHidden } from '@mantine/core'
import { CircleAlert, CircleCheck } from '../../parts/icons.tsx'
import { sayMoment } from '../../parts/time.tsx'
import classes from './calendar.module.css'
import type { CalendarEntry } from './calendar-model.ts'
import { EntryLink } from './entry-link.tsx'
import { sayClock } from './when.ts'
import { calendarWords } from './words.ts'

const { page: say } = calendarWords

/** An entry of the calendar: its time, what happens, the lesson and the class. */
export const EntryShown = ({
  entry,
  isShort = false,
}: {
  readonly entry: CalendarEntry
  readonly isShort?: boolean
}) => {
  const { lessonName, className, event, at, state } = entry
  const isDone = state === 'done' || state === 'late'
  return (
    <EntryLink entry={entry} className={classes.entry} title={`${className} · ${sayMoment(at)}`}>
      <span className={classes.mark} data-event={event} data-state={state ?? undefined}>
        {isDone && <CircleCheck size={14} />}
        {state === 'overdue' && <CircleAlert size={14} />}
        {sayClock(new Date(at))} {say.events[event]}
        {state !== null && state !== 'open' && <VisuallyHidden>, {say.states[state]}</VisuallyHidden>}
      </span>
      <span className={classes.entryName}>{lessonName ?? className}</span>
      {!isShort && <span className={classes.entryClass}>{lessonName === null ? say.wholeClass : className}</span>}
    </EntryLink>
  )
}
