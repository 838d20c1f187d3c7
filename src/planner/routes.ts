import { RateLimiter } from '../bounds/rate-limiter.ts'
import { callerKey, type PersonCaller } from '../caller.ts'
import { service } from '../environment.ts'
import { person } from '../http/callers/callers.ts'
import { Nothing } from '../http/input/fields.ts'
import { type Operation, operation } from '../http/operation.ts'
import { json, success } from '../http/output/output.ts'
import { listEngines } from './engines.ts'
import { examples } from './examples.ts'
import { changePlan, listPlans, readPlan, removePlan, savePlan } from './plans.ts'
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
  StartSearch,
} from './schema.ts'
import { findCandidates, listSearches, readSearch, startSearch } from './searches.ts'

const area = 'Mission planner'
const path = '/planner/v1'
const planner = 'owner or instructor of the organisation, or administrator'
const searcher = 'whoever started the search'
const owner = 'owner of the plan'

/** Each call of a plugin counts for the person who searches: nobody floods a plugin through the planner. */
const plannerLimit = {
  limiter: service(({ config: { RATE_PLANNER_PER_MINUTE: calls } }) => new RateLimiter('planner', calls / 60, calls)),
  key: (who: PersonCaller) => callerKey(who),
}
/** As many as there are places of engines in the ids. */
const countEngines = (capabilityIds: readonly string[]) => new Set(capabilityIds.map((id) => id.split('.')[0])).size

export const plannerOperations: readonly Operation[] = [
  operation({
    name: 'listPlannerEngines',
    summary: 'Lists the engines that the caller can search with',
    ...examples.listPlannerEngines,
    method: 'GET',
    path: `${path}/engines`,
    area,
    who: person,
    role: 'anybody with an account',
    input: Nothing,
    from: 'query',
    output: json(Engines),
    errors: [],
    run: ({ db, who }) => listEngines(db, who),
  }),
  operation({
    name: 'startPlannerSearch',
    summary: 'Asks engines which capabilities a mission needs',
    ...examples.startPlannerSearch,
    method: 'PUT',
    path: `${path}/search`,
    area,
    who: person,
    role: planner,
    limit: { ...plannerLimit, cost: (_who, { engines }) => engines.length },
    input: StartSearch,
    from: 'body',
    // A key would hold a transaction open for as long as the slowest engine takes.
    isUnrepeatable: true,
    output: json(Search),
    errors: ['forbidden', 'notFound', 'pluginTimeout'],
    run: ({ environment, db, who }, input) => startSearch(environment, db, who, input),
  }),
  operation({
    name: 'findCandidates',
    summary: 'Asks engines who has the capabilities that were chosen',
    ...examples.findCandidates,
    method: 'POST',
    path: `${path}/search/candidates`,
    area,
    who: person,
    role: searcher,
    limit: { ...plannerLimit, cost: (_who, { capabilityIds }) => countEngines(capabilityIds) },
    input: FindCandidates,
    from: 'body',
    // The same.
    isUnrepeatable: true,
    output: json(Candidates),
    errors: ['impossibleNow', 'notFound', 'pluginTimeout'],
    run: ({ environment, db, who }, input) => findCandidates(environment, db, who, input),
  }),
  operation({
    name: 'readPlannerSearch',
    summary: 'Reads a search',
    ...examples.readPlannerSearch,
    method: 'GET',
    path: `${path}/search`,
    area,
    who: person,
    role: searcher,
    input: NameSearch,
    from: 'query',
    output: json(Search),
    errors: ['notFound'],
    run: ({ db, who }, input) => readSearch(db, who, input),
  }),
  operation({
    name: 'listPlannerSearches',
    summary: "Lists the caller's searches",
    ...examples.listPlannerSearches,
    method: 'GET',
    path: `${path}/search/list`,
    area,
    who: person,
    role: 'anybody with an account',
    input: ListSearches,
    from: 'query',
    output: json(SearchPage),
    errors: [],
    run: ({ db, who }, input) => listSearches(db, who, input),
  }),
  operation({
    name: 'savePlan',
    summary: 'Saves candidates of a search as a plan',
    ...examples.savePlan,
    method: 'PUT',
    path: `${path}/plan`,
    area,
    who: person,
    role: searcher,
    input: SavePlan,
    from: 'body',
    output: json(Plan),
    errors: ['impossibleNow', 'notFound'],
    run: ({ db, who }, input) => savePlan(db, who, input),
  }),
  operation({
    name: 'changePlan',
    summary: 'Changes a plan',
    ...examples.changePlan,
    method: 'POST',
    path: `${path}/plan`,
    area,
    who: person,
    role: owner,
    input: ChangePlan,
    from: 'body',
    output: json(Plan),
    errors: ['notFound'],
    run: ({ db, who }, input) => changePlan(db, who, input),
  }),
  operation({
    name: 'readPlan',
    summary: 'Reads a plan',
    ...examples.readPlan,
    method: 'GET',
    path: `${path}/plan`,
    area,
    who: person,
    role: owner,
    input: NamePlan,
    from: 'query',
    output: json(Plan),
    errors: ['notFound'],
    run: ({ db, who }, input) => readPlan(db, who, input),
  }),
  operation({
    name: 'listPlans',
    summary: "Lists the caller's plans",
    ...examples.listPlans,
    method: 'GET',
    path: `${path}/plan/list`,
    area,
    who: person,
    role: 'anybody with an account',
    input: ListPlans,
    from: 'query',
    output: json(PlanPage),
    errors: [],
    run: ({ db, who }, input) => listPlans(db, who, input),
  }),
  operation({
    name: 'removePlan',
    summary: 'Removes a plan',
    ...examples.removePlan,
    method: 'POST',
    path: `${path}/plan/remove`,
    area,
    who: person,
    role: owner,
    input: NamePlan,
    from: 'either',
    output: success(),
    errors: ['notFound'],
    run: ({ db, who }, input) => removePlan(db, who, input),
  }),
]
