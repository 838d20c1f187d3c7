import type { ImportSection } from '../../kernel/imports/section.ts'
import { byName, type Room } from '../../kernel/room.ts'
import { planSection } from './import.ts'
import { exportPlans, exportSharedPlans } from './plans.ts'
import { plannerOperations } from './routes.ts'
import { exportCandidacies, exportSearches } from './searches.ts'
import { deleteOldSearches, findByName } from './store.ts'

const SEARCH_DAYS = 30

export const planner: Room = {
  name: 'planner',
  areas: {
    'Mission planner':
      'Find users for a mission: engines, which plugins host, list the capabilities that it needs, and then members of the organisation who have them, with reasons.',
  },
  operations: plannerOperations,
  importSections: [planSection as unknown as ImportSection],
  personalTables: {
    planner_searches: { inExport: '`planner-searches.json`', whenDeleted: 'deleted; otherwise after 30 days' },
    planner_candidates: { inExport: '`candidacies.json`', whenDeleted: 'deleted; otherwise after 30 days' },
    plans: { inExport: '`plans.json`', whenDeleted: 'gone' },
    plan_shares: {
      inExport: '`plans.json` for its owner, `shared-plans.json` for users it is shared with by handle',
      whenDeleted: 'gone',
    },
    plan_people: { inExport: '`plans.json`, `candidacies.json`', whenDeleted: 'deleted, also from plans of others' },
  },
  exports: [
    { file: 'planner-searches.json', about: 'Searches that you made in the mission planner', read: exportSearches },
    { file: 'plans.json', about: 'Plans that you created', read: exportPlans },
    { file: 'shared-plans.json', about: 'Plans that others share with you directly', read: exportSharedPlans },
    { file: 'candidacies.json', about: 'What engines of the mission planner said about you', read: exportCandidacies },
  ],
  finders: [{ kind: 'plan', find: byName(findByName) }],
  retention: () => [{ days: SEARCH_DAYS, remove: deleteOldSearches }],
}
