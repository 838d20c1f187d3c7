import { type Static, Type } from 'typebox'
import { Id, Text } from '../../kernel/http/input/fields.ts'
import { PageOf, paging } from '../../kernel/paging.ts'

const MAX_TEXT = 10_000

const ids = {
  lessonId: Type.Optional(Id('Id of a lesson; the note then also has its course')),
  userId: Type.Optional(Id('userId of the user it is about, in this app')),
  classId: Type.Optional(Id('Id of a class; the note then also has its course')),
  studentId: Type.Optional(Id('Id of a student; the note then also has their user, class and course')),
  courseId: Type.Optional(Id('Id of a course')),
}

export const CreateNote = Type.Object({
  text: Text(`The text of the note, up to ${MAX_TEXT} characters`, MAX_TEXT),
  ...ids,
  lessondId: Type.Optional(Id('The same as lessonId, in an older spelling')),
})
export type CreateNote = Static<typeof CreateNote>
export const ListNotes = Type.Object({
  ...ids,
  lessondId: Type.Optional(Id('The same as lessonId, in an older spelling')),
  ...paging,
})
export type ListNotes = Static<typeof ListNotes>
export const NameNote = Type.Object({ noteId: Id('Id of the note') })
export type NameNote = Static<typeof NameNote>

const orNull = Type.Union([Type.String(), Type.Null()])
export const Note = Type.Object(
  {
    noteId: Type.String(),
    text: Type.String(),
    lessonId: orNull,
    userId: Type.Union([Type.String(), Type.Null()], {
      description: 'userId of the user it is about, in this app; null if there is none, or they do not use the app',
    }),
    classId: orNull,
    studentId: orNull,
    courseId: orNull,
    authorId: Type.Union([Type.String(), Type.Null()], {
      description: 'userId of the author, in this app; null if they do not use the app',
    }),
    authorName: Type.Union([Type.String(), Type.Null()], {
      description: 'Name of the author; null if they do not use the app',
    }),
    createdDate: Type.String({ format: 'date-time' }),
  },
  { title: 'Note' },
)
export type Note = Static<typeof Note>
export const Notes = Type.Array(Note, { title: 'Notes' })
export const NotePage = PageOf(Note, 'NotePage')
