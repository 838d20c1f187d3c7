import { rooms } from '../../app.ts'
import type { Tx } from '../../kernel/database/database.ts'
import type { ImportSection } from '../../kernel/imports/section.ts'
import type { Room } from '../../kernel/room.ts'

/**
 * Rooms whose entries other entries refer to, as an app refers to its owner. They are imported first, in this order.
 */
const FIRST = ['organisations', 'people', 'families', 'friends', 'skills', 'apps']
const isFirst = ({ name }: Room): boolean => FIRST.includes(name)
const inOrder = [
  ...rooms.filter(isFirst).toSorted((one, other) => FIRST.indexOf(one.name) - FIRST.indexOf(other.name)),
  ...rooms.filter((room) => !isFirst(room)),
]

/** Rooms whose entries courses refer to. Their ties are in the order of all others. */
const BEFORE_COURSES = ['content', 'quizzes']
const isBefore = ({ name }: Room): boolean => isFirst({ name }) || BEFORE_COURSES.includes(name)
const byReference = [...inOrder.filter(isBefore), ...inOrder.filter((room) => !isBefore(room))]

/** All sections of the import file, in the order in which they are imported. */
export const IMPORT_SECTIONS: readonly ImportSection[] = byReference
  .flatMap(({ importSections = [] }) => importSections)
  .map((section) => ({
    ...section,
    ties: inOrder.flatMap(({ importTies }) => importTies?.[section.name] ?? []),
    finish: async (tx: Tx) => {
      await section.finish?.(tx)
      for (const room of inOrder) await room.afterImport?.(tx)
    },
  }))
