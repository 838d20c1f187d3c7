import type { Room } from '../../kernel/room.ts'
import { auditLogOperations } from './audit-log-routes.ts'
import { findNamed } from './people.ts'
import { managingOperations } from './people-routes.ts'
import { administrationOperations } from './routes.ts'

export const administration: Room = {
  name: 'administration',
  areas: {
    Administration:
      'For administrators, and partly for owners of organisations: manage users, read the audit log and monitor the platform.',
  },
  operations: [...administrationOperations, ...managingOperations, ...auditLogOperations],
  finders: [{ kind: 'person', find: findNamed }],
}
