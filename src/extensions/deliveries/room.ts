import type { Room } from '../../kernel/room.ts'
import { deliveryConsumer } from './consumer.ts'
import { deliveryFigures } from './deliveries.ts'
import { deliveryJobs, deliveryRetention } from './retention.ts'
import { deliveryOperations } from './routes.ts'
import { deliveryRunner } from './runner.ts'

export const deliveries: Room = {
  name: 'deliveries',
  operations: deliveryOperations,
  consumers: [deliveryConsumer],
  jobs: deliveryJobs,
  retention: () => deliveryRetention,
  start: async (environment) => void environment.get(deliveryRunner),
  gauges: [
    {
      name: 'groundschool_deliveries_waiting',
      help: 'Pending deliveries to plugins',
      value: async ({ db, clock }) => (await deliveryFigures(db, clock())).waiting,
    },
    {
      name: 'groundschool_deliveries_overdue_seconds',
      help: 'How long the oldest pending delivery has been due',
      value: async ({ db, clock }) => (await deliveryFigures(db, clock())).overdue_seconds,
    },
    {
      name: 'groundschool_deliveries_failed',
      help: 'Failed deliveries to plugins that can be resent',
      value: async ({ db, clock }) => (await deliveryFigures(db, clock())).failed,
    },
  ],
}
