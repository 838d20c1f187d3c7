import { c, nullable, report } from '../../kernel/database/statement.ts'

const FILTERS = {
  action: nullable(c.text),
  app: nullable(c.text),
  from: c.text,
  to: c.text,
  before: c.text,
  id: c.int8,
  limit: c.int8,
}
const ROW = {
  id: c.int8,
  position: c.text,
  at: c.instant,
  action: c.text,
  person: nullable(c.text),
  doer: nullable(c.text),
  client_id: nullable(c.text),
  session_id: nullable(c.uuid),
  address: nullable(c.text),
  request_id: nullable(c.text),
  detail: c.json,
  names: c.json,
}

/** SQL condition for one page. Timestamps are passed as text, because a JavaScript date would lose the microseconds. */
const page = `
  e.at >= cast(:from || '' as timestamptz) and e.at < cast(:to || '' as timestamptz)
  and (e.at, e.id) < (cast(:before || '' as timestamptz), :id)`
const order = `order by e.at desc, e.id desc limit :limit`
const filtered = `
  (:action is null or e.action collate "C" = :action)
  and (:app is null or e.app_id = (select a.id from apps a where a.client_id = :app)) and ${page} ${order}`

export const fullNameOf = (person: string): string =>
  `nullif(trim(${person}.first_name || ' ' || ${person}.last_name), '')`

/** SQL: names of what the entry `e` refers to, as JSON. The keys are fields of the entry, or of its detail. */
const names = `
  json_strip_nulls(json_build_object(
    'person', ${fullNameOf('p')}, 'by', ${fullNameOf('d')}, 'clientId', a.name,
    'class', (select c.name from classes c where c.key = e.detail ->> 'class'),
    'from', (select c.name from classes c where c.key = e.detail ->> 'from'),
    'course', (select coalesce(v.name, c.draft ->> 'name') from courses c left join course_versions v on v.id = c.version_id
                where c.key = e.detail ->> 'course'),
    'lesson', (select v.name from lessons l join lesson_versions v on v.lesson_id = l.id where l.key = e.detail ->> 'lesson'
                order by v.version_id desc limit 1),
    'organisation', (select o.name from organisations o where o.key = e.detail ->> 'organisation'),
    'verb', (select v.name from verbs v where v.iri = e.detail ->> 'verb')))`

/** Wraps the query for a page of entries, and adds handles of people, client IDs of apps, and names. */
const shown = (entries: string): string => `
    select e.id, e.at::text as position, e.at, e.action, p.handle as person, d.handle as doer, a.client_id, e.session_id, e.address,
           e.request_id, e.detail, ${names} as names
      from (${entries}) e
      left join people p on p.id = e.person_id
      left join people d on d.id = cast(coalesce(e.detail ->> 'by', e.detail ->> 'parent') as bigint)
      left join apps a on a.id = e.app_id
     ${order}`

/**
 * Lists all entries. Each kind of filter has its own statement, which uses its own index, so that a page costs the same
 * however long the log is.
 */
export const listAll = report('administration.listAuditAll', {
  params: { from: c.text, to: c.text, before: c.text, id: c.int8, limit: c.int8 },
  row: ROW,
  text: shown(`select * from audit_entries e where ${page} ${order}`),
})

export const listOfAction = report('administration.listAuditOfAction', {
  params: { from: c.text, to: c.text, before: c.text, id: c.int8, limit: c.int8, action: c.text },
  row: ROW,
  text: shown(`select * from audit_entries e where e.action collate "C" = :action and ${page} ${order}`),
})

export const listOfApp = report('administration.listAuditOfApp', {
  params: { ...FILTERS, app: c.text },
  row: ROW,
  text: shown(`
    select * from audit_entries e where e.app_id = (select a.id from apps a where a.client_id = :app)
       and (:action is null or e.action collate "C" = :action) and ${page} ${order}`),
})

const ofOthers = 'e.person_id is distinct from (select id from who)'

/** Lists the entries about a person, and the entries about what the person did. */
export const listAbout = report('administration.listAuditAbout', {
  params: { ...FILTERS, handle: c.text },
  row: ROW,
  text: `
    with who as materialized (select id from people where handle_key = :handle) ${shown(`
      (select e.* from audit_entries e where e.person_id = (select id from who) and ${filtered})
       union all
      (select e.* from audit_entries e where e.detail ->> 'by' = (select id::text from who) and ${ofOthers} and ${filtered})
       union all
      (select e.* from audit_entries e where e.detail ->> 'parent' = (select id::text from who) and ${ofOthers}
          and e.detail ->> 'by' is null and ${filtered})`)}`,
})
