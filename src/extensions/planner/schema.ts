import { type Static, Type } from 'typebox'
import { Flag, Id, IdList, Text, Whole } from '../../kernel/http/input/fields.ts'
import { PageOf, paging, sorting } from '../../kernel/paging.ts'

const searchId = Id('Id of the search')
const planId = Id('Id of the plan')
const name = Text('Name of the plan', 200)
const notes = Text('Notes of its owner', 5000)

export const StartSearch = Type.Object({
  text: Text('The mission, in plain words', 2000),
  organisations: Type.Optional(
    IdList(
      'Keys of organisations; by default all in which the caller can plan and to which these engines have access',
      100,
    ),
  ),
  engines: IdList('Client IDs of the engines to ask, at most five', 5),
})
export type StartSearch = Static<typeof StartSearch>
export const FindCandidates = Type.Object({
  searchId,
  capabilityIds: IdList('Ids of capabilities that the search found; each engine is asked for its own', 100),
  limit: Type.Optional(Whole('Number of candidates, best first; 20 by default', 1, 100)),
})
export type FindCandidates = Static<typeof FindCandidates>
export const NameSearch = Type.Object({ searchId })
export type NameSearch = Static<typeof NameSearch>
export const ListSearches = Type.Object(paging)
export type ListSearches = Static<typeof ListSearches>

export const SavePlan = Type.Object({
  name,
  notes: Type.Optional(notes),
  searchId: Id('Id of the search whose candidates it stores'),
  people: Type.Optional(IdList('Handles of those candidates; all by default', 100)),
})
export type SavePlan = Static<typeof SavePlan>
export const ChangePlan = Type.Object({
  planId,
  name: Type.Optional(name),
  notes: Type.Optional(notes),
  people: Type.Optional(IdList('Handles of the users who stay in the plan', 100)),
})
export type ChangePlan = Static<typeof ChangePlan>
export const NamePlan = Type.Object({ planId })
export type NamePlan = Static<typeof NamePlan>
export const SharePlan = Type.Object({
  planId,
  organisations: Type.Optional(IdList('Keys of organisations of the plan, whose members can all read it', 100)),
  people: Type.Optional(IdList('Handles of members of these organisations', 100)),
})
export type SharePlan = Static<typeof SharePlan>
export const ListPlans = Type.Object({
  own: Type.Optional(Flag("Whether to return only the caller's own; false by default")),
  sort: sorting(['name', 'changed'], '-changed'),
  ...paging,
})
export type ListPlans = Static<typeof ListPlans>

const moment = Type.String({ format: 'date-time' })
const clientId = Type.String({ description: 'Client ID of the engine' })
const engineName = Type.String()
const organisations = Type.Array(Type.String(), { description: 'Keys of organisations' })
const score = Type.Number({ description: 'From 0 to 1' })

export const Engine = Type.Object(
  { clientId, name: engineName, description: Type.String(), organisations },
  { title: 'PlannerEngine' },
)
export type Engine = Static<typeof Engine>
export const Engines = Type.Array(Engine, { title: 'PlannerEngines' })

const outcome = {
  clientId,
  name: engineName,
  status: Type.String({ description: '`answered` or `failed`' }),
  problem: Type.Union([Type.String(), Type.Null()], { description: 'Why it failed' }),
}
const Outcome = Type.Object(outcome, { title: 'EngineOutcome' })
export type Outcome = Static<typeof Outcome>
const EngineCapabilities = Type.Object(
  {
    ...outcome,
    capabilities: Type.Array(
      Type.Object({ capabilityId: Type.String(), name: Type.String(), description: Type.String() }),
    ),
  },
  { title: 'EngineCapabilities' },
)
const EngineCandidates = Type.Object(
  {
    ...outcome,
    leftOut: Type.Integer({
      description:
        'Number of candidates that are not shown, because the userId is unknown or the caller cannot see them',
    }),
  },
  { title: 'EngineCandidates' },
)
export type EngineCandidates = Static<typeof EngineCandidates>

const Source = Type.Object(
  {
    clientId,
    name: engineName,
    score,
    reasons: Type.Array(Type.String()),
    weights: Type.Optional(
      Type.Array(Type.Number(), {
        description: 'Weight of each reason, from 0 to 1; only if the engine sends it',
      }),
    ),
  },
  { title: 'CandidateSource', description: 'What one engine said' },
)
export type Source = Static<typeof Source>
const Candidate = Type.Object(
  {
    handle: Type.String(),
    firstName: Type.String(),
    lastName: Type.String(),
    score: Type.Number({
      description:
        'The mean over all engines that responded, from 0 to 1; an engine that did not list the user counts as 0',
    }),
    sources: Type.Array(Source),
  },
  { title: 'Candidate' },
)
export type Candidate = Static<typeof Candidate>

export const Candidates = Type.Object(
  {
    searchId: Type.String(),
    capabilityIds: Type.Array(Type.String()),
    limit: Type.Integer(),
    searchedDate: moment,
    engines: Type.Array(EngineCandidates),
    candidates: Type.Array(Candidate, { description: 'Best first; ties by handle' }),
  },
  { title: 'Candidates' },
)
export type Candidates = Static<typeof Candidates>

const search = { searchId: Type.String(), text: Type.String(), organisations, createdDate: moment }
export const Search = Type.Object(
  {
    ...search,
    engines: Type.Array(EngineCapabilities),
    candidates: Type.Union([Candidates, Type.Null()], { description: 'The latest search for candidates' }),
  },
  { title: 'PlannerSearch' },
)
export type Search = Static<typeof Search>
export const SearchEntry = Type.Object({ ...search, engines: Type.Array(Outcome) }, { title: 'PlannerSearchEntry' })
export type SearchEntry = Static<typeof SearchEntry>
export const SearchPage = PageOf(SearchEntry, 'PlannerSearchPage')

const PlanReader = Type.Object(
  { handle: Type.String(), firstName: Type.String(), lastName: Type.String() },
  { title: 'PlanReader' },
)
const plan = {
  planId: Type.String(),
  name: Type.String(),
  notes: Type.String(),
  text: Type.String({ description: 'The mission, as it was searched' }),
  organisations,
  own: Type.Boolean({ description: 'Whether the caller owns it; shared plans are read-only' }),
  owner: PlanReader,
  createdDate: moment,
  changedDate: moment,
}
export const Plan = Type.Object(
  {
    ...plan,
    people: Type.Array(Candidate, {
      description: 'Users whom both its owner and the caller can see now; best first',
    }),
    shared: Type.Union(
      [
        Type.Object({
          organisations: Type.Array(Type.Object({ organisation: Type.String(), name: Type.String() })),
          people: Type.Array(PlanReader),
        }),
        Type.Null(),
      ],
      { description: 'Whom it is shared with; only its owner sees this' },
    ),
  },
  { title: 'Plan' },
)
export type Plan = Static<typeof Plan>
export const PlanEntry = Type.Object(
  { ...plan, people: Type.Integer({ description: 'Number of users in it whom the caller can see now' }) },
  { title: 'PlanEntry' },
)
export type PlanEntry = Static<typeof PlanEntry>
export const PlanPage = PageOf(PlanEntry, 'PlanPage')
