import { rooms } from '../../app.ts'
import type { Db } from '../../kernel/database/database.ts'
import type { ImportSection } from '../../kernel/imports/section.ts'

/** Sections of the import file, in the order of the rooms, which is the order of the import. */
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
