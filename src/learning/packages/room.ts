import type { Room } from '../../kernel/room.ts'
import { packageOperations } from './routes.ts'
import { packageFileRoute, packageOriginalRoute } from './serving-routes.ts'

export const packages: Room = {
  name: 'packages',
  areas: { Packages: 'Content packages of organisations: courses that follow cmi5.' },
  operations: packageOperations,
  contentRoutes: [packageFileRoute, packageOriginalRoute],
  personalTables: {
    packages: {
      inExport: 'no: packages belong to the organisation',
      whenDeleted: 'the package stays, without its author',
    },
  },
}
