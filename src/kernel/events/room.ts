import type { Room } from '../room.ts'
import { eventFigures, eventRetention } from './events.ts'
import { eventJobs } from './retention.ts'

export const events: Room = {
  name: 'events',
  gauges: [
    {
      name: 'groundschool_events_unpublished_seconds',
      help: 'Age of the oldest event that consumers cannot read yet',
      value: async ({ db, clock }) => (await eventFigures(db, clock())).unpublishedSeconds,
    },
    {
      name: 'groundschool_events_unread',
      help: 'Events that a consumer has not read',
      label: 'consumer',
      value: async ({ db, clock }) =>
        Object.fromEntries((await eventFigures(db, clock())).consumers.map(({ name, unread }) => [name, unread])),
    },
    {
      name: 'groundschool_events_failed',
      help: 'Events that a consumer has skipped',
      label: 'consumer',
      value: async ({ db, clock }) =>
        Object.fromEntries((await eventFigures(db, clock())).consumers.map(({ name, failed }) => [name, failed])),
    },
  ],
  jobs: eventJobs,
  retention: () => eventRetention,
}
