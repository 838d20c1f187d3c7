import { type Static, Type } from 'typebox'
import { DateTime, Id, Text } from '../../kernel/http/input/fields.ts'
import { Moment, orNull } from '../progress/schema.ts'

/** Largest number of days in one request for the calendar: a quarter of a year. */
export const MAX_DAYS = 92

const EVENTS = ['opening', 'due', 'closing'] as const
const ROLES = ['student', 'instructor', 'observer'] as const
const orNever = (description: string) => Type.Union([Moment, Type.Null()], { description })

const place = {
  classId: Type.String(),
  className: Type.String(),
  lessonId: Type.String(),
  lessonName: Type.String(),
}
/** A date of a lesson or of a whole class. */
const dated = {
  ...place,
  lessonId: orNull('Null for a date of the whole class'),
  lessonName: orNull('Null for a date of the whole class'),
  kind: orNull('Kind of the lesson; null for the whole class'),
  locked: Type.Boolean({ description: 'Whether the student cannot read the lesson yet; false for the whole class' }),
  event: Type.Enum([...EVENTS], { description: 'What happens then' }),
  at: Moment,
}

const AgendaEntry = Type.Object(
  { ...dated, remaining: Type.Integer({ description: 'Number of lessons with this date that are not completed' }) },
  { title: 'AgendaEntry' },
)

export const Agenda = Type.Object(
  {
    next: Type.Array(
      Type.Object(
        {
          ...place,
          kind: Type.String({ description: 'Kind of the lesson' }),
          inProgress: Type.Boolean({ description: 'Whether an attempt is open, so that the student continues it' }),
          passed: Type.Integer({
            description: 'Number of lessons of the class that are passed, without child lessons',
          }),
          total: Type.Integer({ description: 'Number of lessons of the class, without child lessons' }),
          due: orNever('Null if it has no due date'),
          closes: orNever('Null if it stays open'),
        },
        { title: 'NextLesson' },
      ),
      { description: 'The next lesson of each class: the one in progress, or else the first that can be started' },
    ),
    overdue: Type.Array(AgendaEntry, { description: 'Due dates that have passed, oldest first' }),
    overdueTotal: Type.Integer({ description: 'Number of all of them' }),
    upcoming: Type.Array(AgendaEntry, { description: 'What is due or opens in the next 14 days' }),
    upcomingTotal: Type.Integer({ description: 'Number of all of them' }),
    waiting: Type.Array(Type.Object({ ...place, completed: Moment }, { title: 'WaitingLesson' }), {
      description: 'Lessons that wait for a grade, oldest first',
    }),
    finished: Type.Array(
      Type.Object(
        {
          classId: Type.String(),
          className: Type.String(),
          total: Type.Integer({ description: 'Number of lessons of the class, without child lessons' }),
        },
        { title: 'FinishedClass' },
      ),
      { description: 'Classes in which the student has passed every lesson, newest first' },
    ),
    teaching: Type.Array(
      Type.Object(
        {
          classId: Type.String(),
          className: Type.String(),
          toGrade: Type.Integer({ description: 'Number of attempts that wait for a grade' }),
          overdue: Type.Integer({ description: 'Number of students with an overdue lesson' }),
        },
        { title: 'TaughtClass' },
      ),
      { description: 'Classes that the caller teaches, if something waits to be graded or somebody is overdue' },
    ),
  },
  { title: 'Agenda' },
)
export type Agenda = Static<typeof Agenda>

export const ListCalendar = Type.Object({
  from: DateTime('First moment. Without a time zone it is UTC'),
  to: DateTime(`End, not included; at most ${MAX_DAYS} days after \`from\``),
  classId: Type.Optional(Id('Only dates of this class')),
})
export type ListCalendar = Static<typeof ListCalendar>

export const CalendarEntry = Type.Object(
  {
    ...dated,
    role: Type.Enum([...ROLES], { description: 'Role of the caller in the class' }),
    state: Type.Union([Type.Enum(['open', 'done', 'late', 'overdue']), Type.Null()], {
      description:
        'For students: `done` if all its lessons are completed, `late` if one was completed after it was due, `overdue` if it is due and not completed, else `open`. Null for staff',
    }),
  },
  { title: 'CalendarEntry' },
)
export type CalendarEntry = Static<typeof CalendarEntry>

export const Calendar = Type.Object(
  {
    entries: Type.Array(CalendarEntry, { description: 'By time' }),
    isComplete: Type.Boolean({ description: 'False if there are more entries than a response can have' }),
    classes: Type.Array(Type.Object({ classId: Type.String(), className: Type.String() }), {
      description: 'Classes that the caller takes or teaches, by name; those that have ended are left out',
    }),
  },
  { title: 'Calendar' },
)
export type Calendar = Static<typeof Calendar>

export const CalendarFeed = Type.Object(
  {
    created: orNever('When the address was created; null if there is none'),
    lastRead: orNever('When a calendar program last read it; null if none has. Updated every ten minutes'),
  },
  { title: 'CalendarFeed' },
)
export type CalendarFeed = Static<typeof CalendarFeed>

export const NewCalendarFeed = Type.Object(
  { url: Type.String({ description: 'The secret address. It is not stored and cannot be shown again' }) },
  { title: 'NewCalendarFeed' },
)
export type NewCalendarFeed = Static<typeof NewCalendarFeed>

export const ReadFeed = Type.Object({ file: Text('The secret, with the ending `.ics`', 200) })
export type ReadFeed = Static<typeof ReadFeed>
