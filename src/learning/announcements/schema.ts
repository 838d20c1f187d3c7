import { type Static, Type } from 'typebox'
import { Id, Text } from '../../kernel/http/input/fields.ts'
import { PageOf, paging } from '../../kernel/paging.ts'

const MAX_TITLE = 200
const MAX_TEXT = 10_000

const target = {
  classId: Type.Optional(Id('Id of a class; send either this or `organisation`')),
  organisation: Type.Optional(Id('Key of an organisation; send either this or `classId`')),
}

export const CreateAnnouncement = Type.Object({
  announcementId: Type.Optional(
    Type.String({
      ...Id('An id of your own, such as a UUID. Sending the same id again creates nothing', 64),
      pattern: '^[A-Za-z0-9_-]{16,64}$',
    }),
  ),
  ...target,
  title: Text(`The title: one line of up to ${MAX_TITLE} characters`, MAX_TITLE),
  text: Text(`Plain text of up to ${MAX_TEXT} characters`, MAX_TEXT),
})
export type CreateAnnouncement = Static<typeof CreateAnnouncement>

export const ListAnnouncements = Type.Object({ ...target, ...paging })
export type ListAnnouncements = Static<typeof ListAnnouncements>

export const NameAnnouncement = Type.Object({ announcementId: Id('Id of the announcement') })
export type NameAnnouncement = Static<typeof NameAnnouncement>

const orNull = (description: string) => Type.Union([Type.String(), Type.Null()], { description })

export const Announcement = Type.Object(
  {
    announcementId: Type.String(),
    organisation: Type.String({ description: 'Key of the organisation' }),
    organisationName: Type.String(),
    classId: orNull('Id of the class; null if it is for the whole organisation'),
    className: orNull('Name of the class; null if it is for the whole organisation'),
    title: Type.String(),
    text: Type.String(),
    authorName: orNull('Name of the author; null if they deleted their account'),
    createdDate: Type.String({ format: 'date-time' }),
    mayDelete: Type.Boolean({ description: 'Whether the caller can delete it' }),
  },
  { title: 'Announcement' },
)
export type Announcement = Static<typeof Announcement>

export const AnnouncementPage = Type.Object(
  {
    ...PageOf(Announcement, 'AnnouncementPage').properties,
    recipients: Type.Union([Type.Integer(), Type.Null()], {
      description: 'Number of users who would get a new announcement; null if the caller cannot create one',
    }),
  },
  { title: 'AnnouncementPage' },
)
