import { rooms } from '../../app.ts'
import type { Db } from '../../kernel/database/database.ts'
import type { ImportSection } from '../../kernel/imports/section.ts'

/** What a file may hold, in the order in which it is imported: that of the rooms. */
export const IMPORT_SECTIONS: readonly ImportSection[] = rooms
  .flatMap(({ importSections = [] }) => importSections)
  .map((section) => ({
    ...section,
    ties: rooms.flatMap(({ importTies }) => importTies?.[section.name] ?? []),
    finish: async (tx: Db) => {
      await section.finish?.(tx)
      for (const room of rooms) await room.afterImport?.(tx)
    },
  }))
