import { appSection, userTie } from '../apps/import.ts'
import { parentTie } from '../families/import.ts'
import { friendTie } from '../friends/import.ts'
import type { ImportSection } from '../imports/section.ts'
import { memberTie, organisationSection } from '../organisations/import.ts'
import { peopleSection } from '../people/import.ts'
import { placeNewcomers } from '../search/draws.ts'

/** What a file may hold, in the order in which it is imported. */
export const IMPORT_SECTIONS: readonly ImportSection[] = [
  organisationSection,
  // More may come at once than are drawn without a place.
  { ...peopleSection, ties: [memberTie, parentTie, friendTie, userTie], finish: placeNewcomers },
  appSection,
]
