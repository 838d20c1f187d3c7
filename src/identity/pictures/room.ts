import type { Room } from '../../kernel/room.ts'
import { exportImages } from './pictures.ts'
import { pictureOperations } from './routes.ts'

export const pictures: Room = {
  name: 'pictures',
  areas: { Pictures: 'Pictures and covers of users.' },
  operations: pictureOperations,
  personalTables: { pictures: { inExport: '`picture.webp`, `cover.webp`', whenDeleted: 'gone' } },
  exports: [{ file: '*.webp', about: 'Your picture and your cover, if you have set them', readFiles: exportImages }],
}
