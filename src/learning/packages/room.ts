import type { Room } from '../../kernel/room.ts'
import { removeExpiredUploads } from './resumable-upload.ts'
import { packageOperations } from './routes.ts'
import { packageFileRoute, packageOriginalRoute } from './serving-routes.ts'

export const packages: Room = {
  name: 'packages',
  areas: { Packages: 'Content packages of organisations: courses that follow cmi5 or SCORM.' },
  operations: packageOperations,
  contentRoutes: [packageFileRoute, packageOriginalRoute],
  personalTables: {
    packages: {
      inExport: 'no: packages belong to the organisation',
      whenDeleted: 'the package stays, without its author',
    },
    package_uploads: {
      inExport: 'no: packages belong to the organisation',
      whenDeleted: 'an unfinished upload stays, without its author, until it expires a day after its last part',
    },
  },
  upkeep: [{ name: 'expired uploads of packages', run: removeExpiredUploads }],
}
