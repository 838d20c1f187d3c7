import { DONE, MOMENT, PLAN_ID, SEARCH_ID } from '../../kernel/samples.ts'

const as = 'casey' as const
const engine = { clientId: 'gs-demo-ai', name: 'demo-ai' }
const answered = { ...engine, status: 'answered', problem: null }
const mission = { text: 'Night search over water, two aircraft', organisations: ['sandhills'] }
const capabilities = [
  { capabilityId: '1.1', name: 'Night flying', description: 'Flies by instruments in the dark' },
  { capabilityId: '1.2', name: 'Search patterns', description: 'Knows expanding squares and creeping lines' },
]
const candidate = {
  handle: '@avery',
  firstName: 'Avery',
  lastName: 'Lindqvist',
  score: 0.92,
  sources: [{ ...engine, score: 0.92, reasons: ['Passed the checkride at night'] }],
}
const SEARCH = {
  searchId: SEARCH_ID,
  ...mission,
  engines: [{ ...answered, capabilities }],
  candidates: null,
  createdDate: MOMENT,
}
const asked = { searchId: SEARCH_ID, capabilityIds: ['1.1', '1.2'], limit: 5 }
const CANDIDATES = {
  ...asked,
  searchedDate: MOMENT,
  engines: [{ ...answered, leftOut: 0 }],
  candidates: [candidate],
}
const PLAN = {
  planId: PLAN_ID,
  name: 'Night search',
  notes: '',
  ...mission,
  own: true,
  owner: { handle: '@casey', firstName: 'Casey', lastName: 'Okafor' },
  people: [candidate],
  shared: { organisations: [], people: [] },
  createdDate: MOMENT,
  changedDate: MOMENT,
}
const { shared: _, ...ENTRY } = PLAN
const page = (entry: unknown) => ({ docs: [entry], total: 1, limit: 10, page: 1, pages: 1 })

/** What people read about these operations. */
export const examples = {
  listPlannerEngines: {
    description:
      'Engines are active AI plugins with the permission mission-planner, both addresses, and access to an organisation in which the caller can plan. At most 100, by name.',
    example: { answer: [{ ...engine, description: '', organisations: ['sandhills'] }], as },
  },
  startPlannerSearch: {
    description:
      'All engines are asked at once, and each has 10 seconds; a failed one says why. If none gives a usable answer, the result is 504/5040. Searches are kept for 30 days, at most 100 per person.',
    example: {
      request: { ...mission, engines: [engine.clientId] },
      answer: SEARCH,
      as,
      fill: { engines: 'Start the engine of the demo data first: npm run ai-plugin' },
    },
  },
  findCandidates: {
    description:
      'Each engine is asked about its own capabilities. The answer has members of the searched organisations, each once, with what every engine said. People who blocked the caller, or whom the caller blocked, are left out.',
    example: { request: asked, answer: CANDIDATES, as },
  },
  readPlannerSearch: {
    description:
      'What the engines answered, and the latest candidates. People whom the caller can no longer see are left out.',
    example: {
      request: { searchId: SEARCH_ID },
      answer: { ...SEARCH, candidates: CANDIDATES },
      as,
      after: 'findCandidates',
    },
  },
  listPlannerSearches: {
    description: 'The caller’s searches of the last 30 days, the newest first. Read one by its id to see its results.',
    example: {
      answer: page({ searchId: SEARCH_ID, ...mission, engines: [answered], createdDate: MOMENT }),
      as,
      after: 'startPlannerSearch',
    },
  },
  savePlan: {
    description:
      'A plan keeps candidates of a search, with their sources and reasons. It stays until its owner removes it; a person can have at most 100.',
    example: { request: { name: 'Night search', searchId: SEARCH_ID }, answer: PLAN, as, after: 'findCandidates' },
  },
  changePlan: {
    description: 'Changes the fields that are sent; the rest stays. `people` keeps only those who are named.',
    example: {
      request: { planId: PLAN_ID, name: 'Night search, two aircraft' },
      answer: { ...PLAN, name: 'Night search, two aircraft' },
      as,
    },
  },
  readPlan: {
    description:
      'A plan shows the people whom its owner can see now. People who have left the organisation are not among them. Others whom it is shared with can read it while they belong to one of its organisations.',
    example: { request: { planId: PLAN_ID }, answer: PLAN, as },
  },
  listPlans: {
    description:
      'The caller’s own plans and those that others share with them, latest change first. Each says who owns it and how many people it shows.',
    example: { answer: page({ ...ENTRY, people: 1 }), as, after: 'savePlan' },
  },
  sharePlan: {
    description:
      'Lets all members of an organisation of the plan read it, or some of them by name. They see its notes, and the people whom its owner can see, with what the engines said.',
    example: {
      request: { planId: PLAN_ID, people: ['@avery'] },
      answer: {
        ...PLAN,
        shared: { organisations: [], people: [{ handle: '@avery', firstName: 'Avery', lastName: 'Lindqvist' }] },
      },
      as,
    },
  },
  unsharePlan: {
    description:
      'They can no longer read it, unless it is shared with them in another way too. The plan itself does not change.',
    example: { request: { planId: PLAN_ID, people: ['@avery'] }, answer: PLAN, as },
  },
  removePlan: {
    description: 'Removes one of the caller’s plans. This cannot be undone.',
    example: { request: { planId: PLAN_ID }, answer: DONE, as },
  },
}
