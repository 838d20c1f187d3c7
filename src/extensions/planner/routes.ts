import { PLANNERS } from '../../apps/organisations/roles.ts'
import { callerKey, type PersonCaller } from '../../kernel/caller.ts'
import { person } from '../../kernel/http/callers/callers.ts'
import { Nothing } from '../../kernel/http/input/fields.ts'
import { type Operation, operationsIn } from '../../kernel/http/operation.ts'
import { json, success } from '../../kernel/http/output/output.ts'
import { rateLimit } from '../../kernel/limits/limits.ts'
import { PLAN_ID, SEARCH_ID } from '../../kernel/samples.ts'
import { listEngines } from './engines.ts'
import { changePlan, listPlans, readPlan, removePlan, savePlan, sharePlan, unsharePlan } from './plans.ts'
import {
  Candidates,
  ChangePlan,
  Engines,
  FindCandidates,
  ListPlans,
  ListSearches,
  NamePlan,
  NameSearch,
  Plan,
  PlanPage,
  SavePlan,
  Search,
  SearchPage,
  SharePlan,
  StartSearch,
} from './schema.ts'
import { findCandidates, listSearches, readSearch, startSearch } from './searches.ts'

const op = operationsIn({ area: 'Mission planner', who: person })

/** Rate limit of calls to engines, per person who searches, so that nobody can flood a plugin through the planner. */
const plannerLimit = {
  limiter: rateLimit('planner', ({ RATE_PLANNER_PER_MINUTE: calls }) => ({ perSecond: calls / 60, burst: calls })),
  key: (who: PersonCaller) => callerKey(who),
}
/** Counts the engines that the capability ids belong to. A capability id begins with the number of its engine. */
const countEngines = (capabilityIds: readonly string[]) => new Set(capabilityIds.map((id) => id.split('.')[0])).size

export const plannerOperations: readonly Operation[] = [
  op('GET /planner/v1/engines', {
    name: 'listPlannerEngines',
    summary: 'List planner engines',
    description:
      'Returns the engines that the caller can search with: active AI plugins with the permission mission-planner, both search URLs, and access to an organisation in which the caller can plan. At most 100, sorted by name.',
    example: { as: 'casey' },
    input: Nothing,
    output: json(Engines),
    run: ({ db, who }) => listEngines(db, who),
  }),
  op('PUT /planner/v1/search', {
    name: 'startPlannerSearch',
    summary: 'Start a planner search',
    description:
      'Asks engines which capabilities a mission needs. All engines are asked at the same time, and each has 10 seconds; a failed one says why, and if none gives a usable response, the result is 504/5040. Searches are kept for 30 days, at most 100 per user.',
    example: {
      request: { text: 'Night search over water, two aircraft', organisations: ['sandhills'], engines: ['gs-demo-ai'] },
      as: 'casey',
      fill: { engines: 'Start the engine of the demo data first: npm run ai-plugin' },
    },
    roles: PLANNERS,
    limit: { ...plannerLimit, cost: (_who, { engines }) => engines.length },
    input: StartSearch,
    // An Idempotency-Key would keep a transaction open until the slowest engine has answered.
    refusesIdempotencyKey: true,
    output: json(Search),
    errors: ['forbidden', 'notFound', 'pluginTimeout'],
    run: ({ environment, db, who }, input) => startSearch(db, who, input, environment),
  }),
  op('POST /planner/v1/search/candidates', {
    name: 'findCandidates',
    summary: 'Search candidates',
    description:
      'Asks each engine which users have the chosen capabilities of that engine. Returns members of the searched organisations, each once, with what every engine said. Users who blocked the caller, or whom the caller blocked, are left out.',
    example: { request: { searchId: SEARCH_ID, capabilityIds: ['1.1', '1.2'], limit: 5 }, as: 'casey' },
    roles: ['searcher'],
    limit: { ...plannerLimit, cost: (_who, { capabilityIds }) => countEngines(capabilityIds) },
    input: FindCandidates,
    // An Idempotency-Key would keep a transaction open until the slowest engine has answered.
    refusesIdempotencyKey: true,
    output: json(Candidates),
    errors: ['impossibleNow', 'notFound', 'pluginTimeout'],
    run: ({ environment, db, who }, input) => findCandidates(db, who, input, environment),
  }),
  op('GET /planner/v1/search', {
    name: 'readPlannerSearch',
    summary: 'Get a planner search',
    description:
      "Returns the engines' responses to a search, and the latest candidates. Users whom the caller can no longer see are left out.",
    example: { request: { searchId: SEARCH_ID }, as: 'casey', after: 'findCandidates' },
    roles: ['searcher'],
    input: NameSearch,
    output: json(Search),
    errors: ['notFound'],
    run: ({ db, who }, input) => readSearch(db, who, input),
  }),
  op('GET /planner/v1/search/list', {
    name: 'listPlannerSearches',
    summary: 'List your planner searches',
    description:
      "Returns the caller's searches of the last 30 days, newest first. Get one by its id to see its results.",
    example: { as: 'casey', after: 'startPlannerSearch' },
    input: ListSearches,
    output: json(SearchPage),
    run: ({ db, who }, input) => listSearches(db, who, input),
  }),
  op('PUT /planner/v1/plan', {
    name: 'savePlan',
    summary: 'Create a plan',
    description:
      'Creates a plan from candidates of a search, with their sources and reasons. It is kept until its owner deletes it; a user can have at most 100 plans.',
    example: { request: { name: 'Night search', searchId: SEARCH_ID }, as: 'casey', after: 'findCandidates' },
    roles: ['searcher'],
    input: SavePlan,
    output: json(Plan),
    errors: ['impossibleNow', 'notFound'],
    run: ({ db, who }, input) => savePlan(db, who, input),
  }),
  op('POST /planner/v1/plan', {
    name: 'changePlan',
    summary: 'Update a plan',
    description:
      'Changes the fields that are sent; all others stay the same. `people` keeps only the users that it lists.',
    example: { request: { planId: PLAN_ID, name: 'Night search, two aircraft' }, as: 'casey' },
    roles: ['planOwner'],
    input: ChangePlan,
    output: json(Plan),
    errors: ['notFound'],
    run: ({ db, who }, input) => changePlan(db, who, input),
  }),
  op('GET /planner/v1/plan', {
    name: 'readPlan',
    summary: 'Get a plan',
    description:
      'Returns a plan with the users whom its owner can see now, without those who have left the organisation. Users whom it is shared with can read it while they belong to one of its organisations.',
    example: { request: { planId: PLAN_ID }, as: 'casey' },
    roles: ['planOwner', 'planReader'],
    input: NamePlan,
    output: json(Plan),
    errors: ['notFound'],
    run: ({ db, who }, input) => readPlan(db, who, input),
  }),
  op('GET /planner/v1/plan/list', {
    name: 'listPlans',
    summary: 'List your plans',
    description:
      "Returns the caller's own plans and those that others share with them, last changed first. Each says who owns it and how many users it shows.",
    example: { as: 'casey', after: 'savePlan' },
    input: ListPlans,
    output: json(PlanPage),
    run: ({ db, who }, input) => listPlans(db, who, input),
  }),
  op('PUT /planner/v1/plan/share', {
    name: 'sharePlan',
    summary: 'Share a plan',
    description:
      'Lets all members of an organisation of the plan read it, or some of them by handle. They see its notes, and the users whom its owner can see, with what the engines said.',
    example: { request: { planId: PLAN_ID, people: ['@avery'] }, as: 'casey' },
    roles: ['planOwner'],
    input: SharePlan,
    output: json(Plan),
    errors: ['impossibleNow', 'notFound'],
    run: ({ db, who }, input) => sharePlan(db, who, input),
  }),
  op('POST /planner/v1/plan/unshare', {
    name: 'unsharePlan',
    summary: 'Stop sharing a plan',
    description:
      'Revokes a share, so that its users can no longer read the plan, unless it is shared with them in another way too. The plan itself does not change.',
    example: { request: { planId: PLAN_ID, people: ['@avery'] }, as: 'casey' },
    roles: ['planOwner'],
    input: SharePlan,
    output: json(Plan),
    errors: ['notFound'],
    run: ({ db, who }, input) => unsharePlan(db, who, input),
  }),
  op('POST /planner/v1/plan/remove', {
    name: 'removePlan',
    summary: 'Delete a plan',
    description: "Deletes one of the caller's plans. This cannot be undone.",
    example: { request: { planId: PLAN_ID }, as: 'casey' },
    roles: ['planOwner'],
    input: NamePlan,
    from: 'either',
    output: success(),
    errors: ['notFound'],
    run: ({ db, who }, input) => removePlan(db, who, input),
  }),
]
