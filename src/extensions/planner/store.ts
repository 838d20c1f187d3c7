import { foldedName, sortedBy } from '../../kernel/database/orders.ts'
import { deleteOlder } from '../../kernel/database/retention.ts'
import { c, list, nullable, read, report, write } from '../../kernel/database/statement.ts'
import { contains } from '../../kernel/database/words.ts'

const ENGINE = {
  plugin_id: c.int8,
  client_id: c.text,
  name: c.text,
  description: c.text,
  organisation_ids: c.int8Array,
  organisations: c.textArray,
}
/**
 * Selects the engines offered to a person: AI plugins that are active, approved, have the permission mission-planner
 * and both addresses switched on, and have access to an organisation in which the person may plan.
 */
const offered = (where: string) => `
    select p.id as plugin_id, a.client_id, a.name, p.description,
           array_agg(o.id order by o.key) as organisation_ids, array_agg(o.key order by o.key) as organisations
      from plugins p join apps a on a.id = p.app_id
      join plugin_organisations g on g.plugin_id = p.id join organisations o on o.id = g.organisation_id,
      lateral plans_in(:person, o.id) i
     where p.kind = 'ai' and p.is_active and a.status = 'approved' and i.plans and ${where}
       and exists (select from plugin_permissions m where m.plugin_id = p.id and m.permission = 'mission-planner' and m.granted_at is not null)
       and 2 = (select count(*) from plugin_addresses d
                 where d.plugin_id = p.id and d.purpose in ('capabilities', 'candidates') and d.off_at is null)
     group by p.id, a.client_id, a.name, p.description order by a.name, a.client_id limit 100`

export const listEngines = report('planner.listEngines', {
  params: { person: c.int8 },
  row: ENGINE,
  text: offered('true'),
})

export const findEngines = read('planner.findEngines', {
  params: { person: c.int8, clients: c.textArray },
  row: ENGINE,
  gather: false,
  text: offered('a.client_id = any(:clients)'),
})

/** Finds the people with these userIds of a plugin whom both the plugin and the caller may see. */
export const findCandidatePeople = read('planner.findCandidatePeople', {
  params: { person: c.int8, plugin: c.int8, organisations: c.int8Array, users: c.textArray },
  row: { user_id: c.text, person_id: c.int8, handle: c.text, first_name: c.text, last_name: c.text },
  gather: false,
  text: `
    select u.user_id, p.id as person_id, p.handle, p.first_name, p.last_name
      from plugin_users u join people p on p.id = u.person_id, lateral plans_with(:person, p, :organisations) w
     where u.plugin_id = :plugin and u.user_id = any(:users)
       and exists (select from plugin_people(:plugin) s where s.person_id = p.id) and w.is_shown`,
})

const SEARCH = {
  id: c.int8,
  key: c.text,
  text: c.text,
  organisation_ids: c.int8Array,
  organisations: c.textArray,
  engines: c.json,
  created_at: c.instant,
}
const searchColumns = `
  s.id, s.key, s.text, s.organisations as organisation_ids,
  array(select o.key from organisations o where o.id = any(s.organisations) order by 1) as organisations, s.engines, s.created_at`

/** Returns no row if the person was deleted while the engines were asked. */
export const insertSearch = write('planner.insertSearch', {
  params: {
    key: c.text,
    person: c.int8,
    text: c.text,
    organisations: c.int8Array,
    engines: c.json,
    capabilities: c.json,
    now: c.timestamptz,
  },
  row: { id: c.int8 },
  text: `
    insert into planner_searches (key, person_id, text, organisations, engines, capabilities, created_at)
    select :key, p.id, :text, :organisations, :engines, :capabilities, :now from people p where p.id = :person for key share
    returning id`,
})

/** Deletes all but the newest `kept` searches of a person. */
export const deleteBeyond = write('planner.deleteBeyond', {
  params: { person: c.int8, kept: c.int8 },
  row: { id: c.int8 },
  text: `
    delete from planner_searches where person_id = :person and id <=
      (select id from planner_searches where person_id = :person order by id desc offset :kept limit 1) returning id`,
})

export const findSearch = list('planner.findSearch', {
  params: { person: c.int8, search: c.text },
  row: { ...SEARCH, capabilities: c.json, candidates: nullable(c.json) },
  text: `select ${searchColumns}, s.capabilities, s.candidates from planner_searches s where s.key = :search and s.person_id = :person`,
})

export const listSearches = list('planner.listSearches', {
  params: { person: c.int8, limit: c.int8, offset: c.int8 },
  row: { ...SEARCH, total: c.int8 },
  text: `
    select ${searchColumns}, count(*) over () as total from planner_searches s
     where s.person_id = :person order by s.id desc limit :limit offset :offset`,
})

/**
 * Stores which capabilities were chosen and how the engines answered. Returns no row if the search was deleted
 * meanwhile. The update also serialises transactions that replace the candidates of the search.
 */
export const setCandidates = write('planner.setCandidates', {
  params: { search: c.int8, candidates: c.json },
  row: { id: c.int8 },
  text: `update planner_searches set candidates = :candidates where id = :search returning id`,
})

export const deleteCandidates = write('planner.deleteCandidates', {
  params: { search: c.int8 },
  row: { person_id: c.int8 },
  text: `delete from planner_candidates where search_id = :search returning person_id`,
})

/** Inserts candidates, except people who were deleted meanwhile. */
export const insertCandidates = write('planner.insertCandidates', {
  params: { search: c.int8, rows: c.json },
  row: { person_id: c.int8 },
  text: `
    insert into planner_candidates (search_id, person_id, score, sources)
    select :search, p.id, r.score, r.sources
      from json_to_recordset(:rows) as r(person_id bigint, score float8, sources json) join people p on p.id = r.person_id
     order by p.id for key share of p returning person_id`,
})

const CANDIDATE = {
  person_id: c.int8,
  handle: c.text,
  handle_key: c.text,
  first_name: c.text,
  last_name: c.text,
  score: c.float8,
  sources: c.json,
}
const candidateColumns = `p.id as person_id, p.handle, p.handle_key, p.first_name, p.last_name, c.score, c.sources`

/** Lists the candidates of a search whom the caller may see now. */
export const listCandidates = list('planner.listCandidates', {
  params: { person: c.int8, search: c.int8 },
  row: CANDIDATE,
  text: `
    select ${candidateColumns} from planner_searches s
      join planner_candidates c on c.search_id = s.id join people p on p.id = c.person_id, lateral plans_with(:person, p, s.organisations) w
     where s.id = :search and s.person_id = :person and w.is_shown`,
})

/** Takes a lock that serialises saving plans of a person, so that the number of plans can be limited. */
export const lockPlans = write('planner.lockPlans', {
  params: { person: c.int8 },
  row: { locked: c.text },
  text: `
    select pg_advisory_xact_lock(hashtextextended('groundschool.plans.' || current_schema(), :person))::text as locked`,
})

export const countPlans = read('planner.countPlans', {
  params: { person: c.int8 },
  row: { count: c.int8 },
  text: `select count(*) as count from plans where person_id = :person`,
})

/** Inserts a plan with the text and the organisations of the search. */
export const insertPlan = write('planner.insertPlan', {
  params: { key: c.text, search: c.int8, name: c.text, notes: c.text, now: c.timestamptz },
  row: { id: c.int8 },
  text: `
    insert into plans (key, person_id, name, notes, text, organisations, created_at, changed_at)
    select :key, s.person_id, :name, :notes, s.text, s.organisations, :now, :now from planner_searches s where s.id = :search
    returning id`,
})

/** Copies candidates of the search into the plan, with their scores and reasons. */
export const insertPlanPeople = write('planner.insertPlanPeople', {
  params: { plan: c.int8, search: c.int8, people: c.int8Array },
  row: { person_id: c.int8 },
  text: `
    insert into plan_people (plan_id, person_id, score, sources)
    select :plan, p.id, c.score, c.sources from planner_candidates c join people p on p.id = c.person_id
     where c.search_id = :search and c.person_id = any(:people)
     order by p.id for key share of p returning person_id`,
})

const PLAN = {
  id: c.int8,
  key: c.text,
  name: c.text,
  notes: c.text,
  text: c.text,
  organisations: c.textArray,
  created_at: c.instant,
  changed_at: c.instant,
  own: c.bool,
  owner_handle: c.text,
  owner_first_name: c.text,
  owner_last_name: c.text,
}
const planColumns = `
  n.id, n.key, n.name, n.notes, n.text, array(select o.key from organisations o where o.id = any(n.organisations) order by 1) as organisations,
  n.created_at, n.changed_at, n.person_id = :person as own,
  w.handle as owner_handle, w.first_name as owner_first_name, w.last_name as owner_last_name`
/** FROM and WHERE clauses for the people in a plan whom both the reader and the plan's owner may see now. */
const shownPeople = `
  plan_people c join people p on p.id = c.person_id, lateral plans_with(n.person_id, p, n.organisations) t
  where t.is_shown and not exists (select from hidden_from(:person) h where h.person_id = p.id)`
const readable = `plans n join people w on w.id = n.person_id, lateral reads_plan(:person, n) r`

/**
 * Selects the ids of plans that the person may be able to read, using indexes. `reads_plan` makes the final decision.
 */
const candidateIds = (areOthers: string) => `
             select id from plans where person_id = :person
              union select plan_id from plan_shares where person_id = :person and ${areOthers}
              union select s.plan_id from plan_shares s join organisation_members m on m.organisation_id = s.organisation_id
                     where m.person_id = :person and ${areOthers}`

/** Finds a plan that the person owns or that is shared with them. */
export const findPlan = read('planner.findPlan', {
  params: { person: c.int8, plan: c.text },
  row: PLAN,
  gather: false,
  text: `select ${planColumns} from ${readable} where n.key = :plan and r.reads`,
})

const PLAN_ORDERS = { name: [foldedName('n.name'), 'n.id'], changed: ['n.changed_at', 'n.id'] }

export const listPlans = sortedBy(PLAN_ORDERS, (order, suffix) =>
  report(`planner.listPlans${suffix}`, {
    params: { person: c.int8, own: c.bool, limit: c.int8, offset: c.int8 },
    row: { ...PLAN, people: c.int8, total: c.int8 },
    text: `
    select ${planColumns}, count(*) over () as total, (select count(*) from ${shownPeople} and c.plan_id = n.id) as people
      from ${readable}
     where r.reads and n.id in (${candidateIds('not :own')})
     order by ${order} limit :limit offset :offset`,
  }),
)

export const findByName = report('planner.findByName', {
  params: { person: c.int8, words: c.textArray, limit: c.int8 },
  row: { id: c.text, name: c.text, about: c.text },
  text: `
    select n.key as id, n.name, left(n.text, 100) as about from ${readable}
     where r.reads and n.id in (${candidateIds(`true`)}) and ${contains(`n.name || ' ' || n.text`)}
     order by n.changed_at desc, n.id desc limit :limit`,
})

const SHARE = {
  organisation: nullable(c.text),
  organisation_name: nullable(c.text),
  handle: nullable(c.text),
  first_name: nullable(c.text),
  last_name: nullable(c.text),
}

/**
 * Lists with whom the person's own plan is shared. Disabled people, people who blocked the owner, and people whom the
 * owner blocked are left out.
 */
export const listShares = read('planner.listShares', {
  params: { person: c.int8, plan: c.int8 },
  row: SHARE,
  gather: false,
  text: `
    select o.key as organisation, o.name as organisation_name, p.handle, p.first_name, p.last_name
      from plans n join plan_shares s on s.plan_id = n.id
      left join organisations o on o.id = s.organisation_id left join people p on p.id = s.person_id
     where n.id = :plan and n.person_id = :person
       and (p.id is null or p.disabled_at is null and not exists (select from hidden_from(:person) h where h.person_id = p.id))
     order by o.name, p.first_name, p.last_name, p.handle`,
})

/** Finds those of the given organisations that belong to the plan and in which its owner may plan now. */
export const findSharedOrganisations = read('planner.findSharedOrganisations', {
  params: { person: c.int8, plan: c.int8, organisations: c.textArray },
  row: { id: c.int8, key: c.text },
  gather: false,
  text: `
    select o.id, o.key from plans n join organisations o on o.id = any(n.organisations), lateral plans_in(:person, o.id) i
     where n.id = :plan and n.person_id = :person and o.key = any(:organisations) and i.plans`,
})

/** Finds those of the given people who belong to an organisation of the plan and whom its owner may see now. */
export const findSharedPeople = read('planner.findSharedPeople', {
  params: { person: c.int8, plan: c.int8, handles: c.textArray },
  row: { id: c.int8, handle_key: c.text },
  gather: false,
  text: `
    select p.id, p.handle_key from plans n, people p, lateral plans_with(:person, p, n.organisations) w
     where n.id = :plan and n.person_id = :person and p.handle_key = any(:handles) and p.id <> :person and w.is_shown`,
})

/** Locks the plan and counts its shares, so that their number can be limited. */
export const lockPlan = write('planner.lockPlan', {
  params: { plan: c.int8 },
  row: { shares: c.int8 },
  text: `
    with locked as (select id from plans where id = :plan for update)
    select (select count(*) from plan_shares s where s.plan_id = locked.id) as shares from locked`,
})

/** With whom a plan was shared: a person or an organisation. */
const sharedWith = { person_id: nullable(c.int8), organisation: nullable(c.text) }
const SHARED_WITH = `s.person_id, (select o.key from organisations o where o.id = s.organisation_id) as organisation`

/** Returns only the shares that are new. */
export const insertShares = write('planner.insertShares', {
  params: { plan: c.int8, organisations: c.int8Array, people: c.int8Array, now: c.timestamptz },
  row: sharedWith,
  text: `
    insert into plan_shares as s (plan_id, organisation_id, person_id, created_at)
    select :plan::int8, o, null::int8, :now from unnest(:organisations) o
     union all
    select :plan::int8, null, p, :now from unnest(:people) p
    on conflict do nothing returning ${SHARED_WITH}`,
})

export const deleteShares = write('planner.deleteShares', {
  params: { plan: c.int8, organisations: c.textArray, handles: c.textArray },
  row: sharedWith,
  text: `
    delete from plan_shares s where s.plan_id = :plan
       and (s.organisation_id in (select id from organisations where key = any(:organisations))
         or s.person_id in (select id from people where handle_key = any(:handles)))
    returning ${SHARED_WITH}`,
})

/** Lists plans of other people that are shared with the person individually and that the person may read now. */
export const exportShared = report('planner.exportShared', {
  params: { person: c.int8 },
  row: { key: c.text, name: c.text, owner: c.text, created_at: c.instant },
  text: `
    select n.key, n.name, w.handle as owner, s.created_at from plan_shares s join plans n on n.id = s.plan_id
      join people w on w.id = n.person_id, lateral reads_plan(:person, n) r
     where s.person_id = :person and r.reads order by s.id`,
})

/** Lists the people in a plan whom both its owner and the caller may see now. */
export const listPlanPeople = list('planner.listPlanPeople', {
  params: { person: c.int8, plan: c.int8 },
  row: CANDIDATE,
  text: `
    select ${candidateColumns} from plans n, lateral reads_plan(:person, n) r, ${shownPeople} and c.plan_id = n.id and n.id = :plan and r.reads`,
})

/** Changes a plan; a null field stays unchanged. */
export const changePlan = write('planner.changePlan', {
  params: { plan: c.int8, name: nullable(c.text), notes: nullable(c.text), now: c.timestamptz },
  row: { id: c.int8 },
  text: `
    update plans set name = coalesce(:name, name), notes = coalesce(:notes, notes), changed_at = :now
     where id = :plan returning id`,
})

export const keepPlanPeople = write('planner.keepPlanPeople', {
  params: { plan: c.int8, people: c.int8Array },
  row: { person_id: c.int8 },
  text: `delete from plan_people where plan_id = :plan and person_id <> all(:people) returning person_id`,
})

export const deletePlan = write('planner.deletePlan', {
  params: { person: c.int8, plan: c.text },
  row: { id: c.int8 },
  text: `delete from plans where key = :plan and person_id = :person returning id`,
})

export const deleteOldSearches = deleteOlder('planner.deleteOldSearches', {
  table: 'planner_searches',
  key: { id: c.int8 },
  by: 'created_at',
})

/** Lists what engines said about the person (scores and reasons), with dates. It does not say who searched. */
export const exportCandidacies = report('planner.exportCandidacies', {
  params: { person: c.int8 },
  row: { kept: c.text, score: c.float8, sources: c.json, at: c.instant },
  text: `
    select 'search' as kept, c.score, c.sources, s.created_at as at
      from planner_candidates c join planner_searches s on s.id = c.search_id where c.person_id = :person
    union all
    select 'plan', c.score, c.sources, n.created_at from plan_people c join plans n on n.id = c.plan_id where c.person_id = :person`,
})

export const findImported = read('planner.findImported', {
  params: { keys: c.textArray },
  row: { id: c.int8, key: c.text },
  gather: false,
  text: `select id, key from plans where key = any(:keys)`,
})

export const insertImported = write('planner.insertImported', {
  params: { rows: c.json },
  row: { id: c.int8, key: c.text },
  text: `
    insert into plans (key, person_id, name, notes, text, organisations, created_at, changed_at)
    select r.key, r.person_id, r.name, r.notes, r.text, array(select value::bigint from json_array_elements_text(r.organisations)), r.created, r.created
      from json_to_recordset(:rows) as r(key text, person_id bigint, name text, notes text, text text, organisations json, created timestamptz)
    returning id, key`,
})

export const insertImportedPeople = write('planner.insertImportedPeople', {
  params: { rows: c.json },
  row: { person_id: c.int8 },
  text: `
    insert into plan_people (plan_id, person_id, score, sources)
    select n.id, r.person_id, r.score, r.sources
      from json_to_recordset(:rows) as r(plan text, person_id bigint, score double precision, sources json) join plans n on n.key = r.plan
    on conflict do nothing returning person_id`,
})
