import { CLIENT_ID, DONE, MOMENT } from '../../kernel/samples.ts'

const as = 'ellis' as const
const request = { handle: '@avery', reason: 'Their school asked for it' }
const FOUND = {
  handle: '@avery',
  name: 'Avery Lindqvist',
  email: 'avery@example.org',
  status: 'active',
  administrator: false,
  developer: false,
  createdDate: MOMENT,
}
const AVERY = {
  ...FOUND,
  disabledDate: null,
  reason: null,
  hasPassword: true,
  passkeys: 0,
  browsers: 0,
  sessions: 0,
  lastSeenDate: null,
  organisations: [{ key: 'sandhills', name: 'Sandhills Aviation School', role: 'student' }],
  apps: [{ clientId: CLIENT_ID, name: 'Demo app', sinceDate: MOMENT, lastSeenDate: null }],
}

/** What people read about these operations. */
export const examples = {
  findPeople: {
    description:
      'Send the beginning of a handle, an e-mail address, a first or a last name, or the beginnings of both names in either order. Without it everybody is listed, by handle. Anonymous users of apps are not among them.',
    example: { request: { query: 'av lind' }, answer: { docs: [FOUND], total: 1, limit: 10, page: 1, pages: 1 }, as },
  },
  readPerson: {
    description:
      'Whether they can sign in, what they have open, when they were last seen, the apps that they use and the organisations that they belong to. What they wrote, learned or keep in apps is not shown.',
    example: { request: { handle: '@avery' }, answer: AVERY, as },
  },
  disablePerson: {
    description:
      'They can no longer sign in, and all their tokens stop working at once. What they have made stays until they are enabled or removed. Nobody can disable themselves.',
    example: {
      request,
      answer: { ...AVERY, status: 'disabled', disabledDate: MOMENT, reason: request.reason },
      as,
    },
  },
  enablePerson: {
    description:
      'They can sign in again, with the password and the passkeys that they had. Sessions that were ended stay ended.',
    example: { request, answer: { ...AVERY, reason: request.reason }, as, after: 'disablePerson' },
  },
  endSessionsOfPerson: {
    description:
      'Ends their sessions in all apps and signs them out in all browsers, at once. They can sign in again: if somebody else knows the password, send them a reset link as well.',
    example: { request, answer: AVERY, as },
  },
  sendPasswordReset: {
    description:
      'The link goes to the person’s e-mail address and works once, within half an hour; nobody else sees it. It is refused if messages are off, or if the person has no address, is disabled, or has three such links already.',
    example: { request: { handle: '@avery' }, answer: DONE, as },
  },
  readSystem: {
    description:
      'Versions, the database, waiting work, and how long operations took. Times and counts of operations, memory and uptime are those of the answering process since its start; the rest is about the whole environment.',
    example: {
      answer: {
        environment: 'production',
        version: '0.1.0',
        node: 'v24.0.0',
        startedDate: MOMENT,
        uptimeSeconds: 86_400,
        memoryBytes: 180_000_000,
        database: {
          version: '18.0',
          sizeBytes: 52_428_800,
          connections: 34,
          connectionLimit: 100,
          waiting: 0,
          migrations: 44,
          lastMigration: '0044_administration',
        },
        events: {
          unpublishedSeconds: 0,
          consumers: [{ name: 'deliveries', waitingSeconds: 0, unread: 0, failed: 0 }],
        },
        jobs: [{ kind: 'message', due: 0, waitingSeconds: 0, givenUp: 0 }],
        deliveries: { waiting: 0, overdueSeconds: 0, failed: 0 },
        operations: [
          { operation: 'readBucket', count: 12_480, p50Ms: 1.4, p95Ms: 4.2, refused: 12, failed: 0, errorRate: 0 },
        ],
      },
      as,
      isLive: true,
    },
  },
}
