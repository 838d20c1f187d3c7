import type { Room } from '../../kernel/room.ts'
import { auditLogOperations } from './audit-log-routes.ts'
import { findNamed } from './people.ts'
import { administrationOperations } from './routes.ts'

export const administration: Room = {
  name: 'administration',
  areas: {
    Administration: 'What administrators do: look after people, read the audit log, see how the platform is doing.',
  },
  operations: [...administrationOperations, ...auditLogOperations],
  finders: [{ kind: 'person', find: findNamed }],
}
