import { callerKey } from '../../kernel/caller.ts'
import { fail } from '../../kernel/errors.ts'
import { person } from '../../kernel/http/callers/callers.ts'
import { type Operation, operationsIn } from '../../kernel/http/operation.ts'
import { json, success } from '../../kernel/http/output/output.ts'
import { rateLimit } from '../../kernel/limits/limits.ts'
import { ANNOUNCEMENT_ID } from '../../kernel/samples.ts'
import { MAY } from '../classes/roles.ts'
import { createAnnouncement, deleteAnnouncement, listAnnouncements, readAnnouncement } from './announcements.ts'
import { Announcement, AnnouncementPage, CreateAnnouncement, ListAnnouncements, NameAnnouncement } from './schema.ts'

const op = operationsIn({ area: 'Announcements', who: person })

const READERS = ['student', 'classmate', ...MAY.readClass] as const

const announcementLimit = rateLimit('announcement', ({ RATE_ANNOUNCEMENT_PER_HOUR: count }) => ({
  perSecond: count / 3600,
  burst: count,
}))

export const announcementOperations: readonly Operation[] = [
  op('PUT /edu/v1/announcement', {
    name: 'createAnnouncement',
    summary: 'Create an announcement',
    description:
      'Announces something to the active students and the staff of a class, as one of its instructors, or to the members of an organisation, as one of its owners. They are notified within seconds; people who join later are not. Choose an `announcementId`, so that the request can be repeated after a lost connection.',
    example: {
      request: {
        announcementId: ANNOUNCEMENT_ID,
        classId: 'class-alpha',
        title: 'Simulator closed on Friday',
        text: 'The simulator is being serviced. Friday’s sessions move to Monday, same time.',
      },
      as: 'casey',
    },
    roles: MAY.announce,
    input: CreateAnnouncement,
    output: json(Announcement),
    errors: ['forbidden', 'validationFailed', 'impossibleNow', 'conflict', 'tooManyRequests'],
    run: async ({ db, who, environment }, input) => {
      const limiter = environment.get(announcementLimit)
      const key = callerKey(who)
      const { isAllowed, waitSeconds } = limiter.take(key, who.at.getTime())
      if (!isAllowed)
        throw fail(
          'tooManyRequests',
          `You can create ${limiter.burst} announcements an hour; try again later`,
          waitSeconds,
        )
      let isNew = false
      try {
        const created = await createAnnouncement(db, who, input)
        isNew = created.isNew
        return created.announcement
      } finally {
        if (!isNew) limiter.giveBack(key)
      }
    },
  }),
  op('GET /edu/v1/announcement/list', {
    name: 'listAnnouncements',
    summary: 'List announcements',
    description:
      'Returns the announcements to a class, for its students and staff, or to an organisation, for its members, newest first. Texts after the first 2 MiB of a page are shortened.',
    example: { request: { classId: 'class-alpha' }, after: 'createAnnouncement' },
    roles: READERS,
    input: ListAnnouncements,
    output: json(AnnouncementPage),
    isCompressible: true,
    errors: ['forbidden', 'validationFailed'],
    run: ({ db, who }, input) => listAnnouncements(db, who, input),
  }),
  op('GET /edu/v1/announcement', {
    name: 'readAnnouncement',
    summary: 'Get an announcement',
    description:
      'Returns an announcement with its whole text. It is for people who belong to the class or the organisation; all others get 404.',
    example: { request: { announcementId: ANNOUNCEMENT_ID }, after: 'createAnnouncement' },
    roles: ['author', ...READERS],
    input: NameAnnouncement,
    output: json(Announcement),
    errors: ['notFound'],
    run: ({ db, who }, input) => readAnnouncement(db, who, input),
  }),
  op('POST /edu/v1/announcement/remove', {
    name: 'deleteAnnouncement',
    summary: 'Delete an announcement',
    description:
      'Deletes an announcement, as its author, an instructor of the class or an owner of the organisation. Notifications that were not read disappear, and e-mail that was not sent yet is not sent. This cannot be undone.',
    example: { request: { announcementId: ANNOUNCEMENT_ID }, as: 'casey', after: 'createAnnouncement' },
    roles: ['author', ...MAY.announce],
    input: NameAnnouncement,
    from: 'either',
    output: success(),
    errors: ['notFound'],
    run: ({ db, who }, input) => deleteAnnouncement(db, who, input),
  }),
]
