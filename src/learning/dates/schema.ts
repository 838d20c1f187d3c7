import { type Static, Type } from 'typebox'
import { Id } from '../../kernel/http/input/fields.ts'
import { Moment } from '../progress/schema.ts'

const MAX_ENTRIES = 500
/** Rows of one class: its own, those of its lessons, and the overrides. */
export const MAX_DATES = 3000

const classId = Id('Id of the class')

export const ListDates = Type.Object({
  classId,
  studentId: Type.Optional(Id('Only dates for everybody and for this student; by default for all students')),
})
export type ListDates = Static<typeof ListDates>

const NamedId = (description: string) => Type.Optional(Type.String({ minLength: 1, maxLength: 200, description }))
const DateField = (description: string) =>
  Type.Optional(
    Type.Union([Type.String({ maxLength: 40 }), Type.Null()], {
      description: `${description}. ISO 8601, with an offset or as local time in the time zone of the organisation; null or empty for none. Unchanged by default`,
    }),
  )
const DatesEntry = Type.Object({
  lessonId: NamedId('Id of a lesson of the class; if left out, it is for the whole class'),
  studentId: NamedId('Id of a student of the class; if left out, it is for everybody'),
  opens: DateField('When students can start'),
  due: DateField('When it has to be completed, after which it is late'),
  closes: DateField('When students can no longer start'),
})
export type DatesEntry = Static<typeof DatesEntry>
export const SetDates = Type.Object({
  classId,
  dates: Type.Array(DatesEntry, {
    minItems: 1,
    maxItems: MAX_ENTRIES,
    description: 'Either all of them are set, or none',
  }),
})
export type SetDates = Static<typeof SetDates>

export const ClearDates = Type.Object({
  classId,
  lessonId: Type.Optional(Id('Id of a lesson of the class; if left out, those of the whole class are cleared')),
  studentId: Type.Optional(Id('Id of a student; if left out, those for everybody are cleared')),
})
export type ClearDates = Static<typeof ClearDates>

const DateOrNull = Type.Union([Moment, Type.Null()])
const idOrNull = (description: string) => Type.Union([Type.String(), Type.Null()], { description })
export const ClassDates = Type.Object(
  {
    classId: Type.String(),
    timeZone: Type.String({ description: 'The time zone of the organisation' }),
    dates: Type.Array(
      Type.Object({
        lessonId: idOrNull('Null for the whole class'),
        studentId: idOrNull('Null for everybody; otherwise an override for this student'),
        name: idOrNull('Name of the student'),
        opens: DateOrNull,
        due: DateOrNull,
        closes: DateOrNull,
      }),
      { description: 'The dates that were set. Which of them apply to a lesson is in the results of a student' },
    ),
  },
  { title: 'ClassDates' },
)
export type ClassDates = Static<typeof ClassDates>
