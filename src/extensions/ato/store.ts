import { markWithinBytes } from '../../kernel/database/page-bytes.ts'
import { c, list, nullable, read, report, write } from '../../kernel/database/statement.ts'

/** Maximum number of timeline entries per request, not counting the start and alerts. The oldest are deleted first. */
const KEPT_ENTRIES = 500

// Packages and distributions

const PACKAGE = { key: c.text, client_id: c.text, name: c.text, phone: nullable(c.text), created_at: c.instant }
const packageColumns = 'k.key, a.client_id, k.name, k.phone, k.created_at'

/** Locks an app that the person develops, so that no other transaction adds a package to it. */
export const lockApp = write('ato.lockApp', {
  params: { person: c.int8, client: c.text },
  row: { id: c.int8 },
  text: `
    select a.id from apps a, lateral develops(:person, a) d where a.client_id = :client and d.develops for no key update of a`,
})

/**
 * Counts the packages of an app. Run it after `lockApp`, not in the same statement: a statement that had to wait for
 * the lock would still see the rows from before.
 */
export const countPackages = read('ato.countPackages', {
  params: { app: c.int8 },
  row: { count: c.int8 },
  text: `select count(*) from ato_packages where app_id = :app`,
})

export const insertPackage = write('ato.insertPackage', {
  params: { key: c.text, app: c.int8, name: c.text, phone: nullable(c.text), now: c.timestamptz },
  row: { id: c.int8 },
  text: `
    insert into ato_packages (key, app_id, name, phone, created_at) values (:key, :app, :name, :phone, :now) returning id`,
})

/** Finds a package of an app that the person develops. */
export const findPackage = read('ato.findPackage', {
  params: { person: c.int8, package: c.text },
  row: { id: c.int8, ...PACKAGE },
  gather: false,
  text: `
    select k.id, ${packageColumns} from ato_packages k join apps a on a.id = k.app_id, lateral develops(:person, a) d
     where k.key = :package and d.develops`,
})

export const listPackages = read('ato.listPackages', {
  params: { person: c.int8, client: c.text, limit: c.int8, offset: c.int8 },
  row: { ...PACKAGE, total: c.int8 },
  gather: false,
  text: `
    select ${packageColumns}, count(*) over () as total
      from apps a join ato_packages k on k.app_id = a.id, lateral develops(:person, a) d
     where a.client_id = :client and d.develops order by k.name, k.id limit :limit offset :offset`,
})

/**
 * Locks a package. This serialises changes to its distributions and new requests about it, so that plugins are sent the
 * lists of distributions in order.
 */
export const lockPackage = write('ato.lockPackage', {
  params: { package: c.text },
  row: { id: c.int8 },
  text: `select id from ato_packages where key = :package for no key update`,
})

/** Counts the distributions, requests and open requests of a package. */
export const countOfPackage = read('ato.countOfPackage', {
  params: { package: c.int8 },
  row: { distributions: c.int8, requests: c.int8, open: c.int8 },
  text: `
    select (select count(*) from ato_distributions where package_id = :package) as distributions,
           (select count(*) from ato_requests where package_id = :package) as requests,
           (select count(*) from ato_requests where package_id = :package and completed_at is null and cancelled_at is null) as open`,
})

export const deletePackage = write('ato.deletePackage', {
  params: { package: c.int8 },
  row: { id: c.int8 },
  text: `delete from ato_packages where id = :package returning id`,
})

export const listDistributions = list('ato.listDistributions', {
  params: { package: c.int8 },
  row: {
    key: c.text,
    name: c.text,
    platform: nullable(c.text),
    version: nullable(c.text),
    uri: c.text,
    added_at: c.instant,
  },
  text: `select key, name, platform, version, uri, added_at from ato_distributions where package_id = :package order by id`,
})

export const insertDistribution = write('ato.insertDistribution', {
  params: {
    key: c.text,
    package: c.int8,
    name: c.text,
    platform: nullable(c.text),
    version: nullable(c.text),
    uri: c.text,
    now: c.timestamptz,
  },
  row: { id: c.int8 },
  text: `
    insert into ato_distributions (key, package_id, name, platform, version, uri, added_at)
    values (:key, :package, :name, :platform, :version, :uri, :now) returning id`,
})

export const findPackageOfDistribution = read('ato.findPackageOfDistribution', {
  params: { distribution: c.text },
  row: { package: c.text },
  text: `
    select k.key as package from ato_distributions d join ato_packages k on k.id = d.package_id where d.key = :distribution`,
})

export const deleteDistribution = write('ato.deleteDistribution', {
  params: { distribution: c.text },
  row: { id: c.int8 },
  text: `delete from ato_distributions where key = :distribution returning id`,
})

// Timeline entries of requests. `trim` deletes the oldest entries beyond KEPT_ENTRIES; alerts are limited separately.

const trim = (of: string) => `
  delete from ato_entries where id in (
    select x.id from ${of} o, lateral (
      select e.id from ato_entries e where e.request_id = o.id and e.kind not in ('started', 'alert')
       order by e.id desc offset ${KEPT_ENTRIES - 1}) x)`

/** Adds an entry to the timeline of every open request of the package, and returns these requests. */
export const recordDistribution = write('ato.recordDistribution', {
  params: { package: c.int8, kind: c.text, person: c.int8, now: c.timestamptz, detail: c.json },
  row: { id: c.int8, key: c.text, plugin_id: nullable(c.int8) },
  text: `
    with open as (
      select id, key, plugin_id from ato_requests where package_id = :package and completed_at is null and cancelled_at is null
    ), recorded as (
      insert into ato_entries (request_id, kind, person_id, at, detail) select id, :kind, :person, :now, :detail from open order by id
    ), gone as (${trim('open')})
    select id, key, plugin_id from open order by id`,
})

// Requests

/**
 * FROM and WHERE clauses for ATO plugins that accept requests: those that may serve requests and whose request address
 * is switched on.
 */
const acceptingPlugins = `
  plugins p join apps g on g.id = p.app_id, lateral serves_ato(p) v
   where v.serves and exists (select from plugin_addresses d where d.plugin_id = p.id and d.purpose = 'request' and d.off_at is null)`

export const findPlugin = read('ato.findPlugin', {
  params: { client: c.text },
  row: { id: c.int8, name: c.text },
  gather: false,
  text: `select p.id, g.name from ${acceptingPlugins} and g.client_id = :client`,
})

export const listPlugins = read('ato.listPlugins', {
  params: { limit: c.int8, offset: c.int8 },
  row: { client_id: c.text, name: c.text, description: c.text, total: c.int8 },
  gather: false,
  text: `
    select g.client_id, g.name, p.description, count(*) over () as total from ${acceptingPlugins}
     order by g.name, g.client_id limit :limit offset :offset`,
})

/** Returns no row if the package already has an open request with the plugin. */
export const insertRequest = write('ato.insertRequest', {
  params: {
    key: c.text,
    package: c.int8,
    plugin: c.int8,
    client: c.text,
    name: c.text,
    person: c.int8,
    now: c.timestamptz,
  },
  row: { id: c.int8 },
  text: `
    with made as (
      insert into ato_requests (key, package_id, plugin_id, plugin_client_id, plugin_name, person_id, started_at, changed_at)
      values (:key, :package, :plugin, :client, :name, :person, :now, :now)
      on conflict (package_id, plugin_id) where completed_at is null and cancelled_at is null do nothing returning id
    ), recorded as (
      insert into ato_entries (request_id, kind, person_id, at, detail)
      select id, 'started', :person, :now, '{"status":"not-started"}' from made
    )
    select id from made`,
})

/** Finds the values of the document that a plugin gets when a request starts, except the distributions. */
export const findStarted = read('ato.findStarted', {
  params: { request: c.int8 },
  row: {
    key: c.text,
    status: c.text,
    is_cancellable: c.bool,
    company: nullable(c.text),
    company_name: nullable(c.text),
    phone: nullable(c.text),
    first_name: nullable(c.text),
    last_name: nullable(c.text),
    email: nullable(c.text),
    app_name: c.text,
    package_name: c.text,
  },
  gather: false,
  text: `
    select r.key, r.status, r.is_cancellable, o.key as company, o.name as company_name, k.phone, nullif(w.first_name, '') as first_name,
           nullif(w.last_name, '') as last_name, w.email, a.name as app_name, k.name as package_name
      from ato_requests r join ato_packages k on k.id = r.package_id join apps a on a.id = k.app_id
      left join organisations o on o.id = a.organisation_id left join people w on w.id = r.person_id
     where r.id = :request`,
})

const REQUEST = {
  key: c.text,
  package: c.text,
  package_name: c.text,
  client_id: c.text,
  app_name: c.text,
  plugin_client_id: c.text,
  plugin_name: c.text,
  is_plugin_removed: c.bool,
  started_by: nullable(c.text),
  status: c.text,
  can_cancel: c.bool,
  started_at: c.instant,
  changed_at: c.instant,
  completed_at: nullable(c.instant),
  cancelled_at: nullable(c.instant),
}
/**
 * Whether a request can be cancelled. A plugin may forbid it, but not after it was removed or lost the right to serve
 * requests.
 */
const canCancel = 'r.completed_at is null and r.cancelled_at is null and (r.is_cancellable or not v.serves)'
const requestColumns = `
  r.key, k.key as package, k.name as package_name, a.client_id, a.name as app_name, r.plugin_client_id, coalesce(g.name, r.plugin_name) as plugin_name,
  r.plugin_id is null as is_plugin_removed,
  w.handle as started_by, r.status, ${canCancel} as can_cancel, r.started_at, r.changed_at, r.completed_at, r.cancelled_at`
const requests = `
  apps a join ato_packages k on k.app_id = a.id join ato_requests r on r.package_id = k.id
  left join plugins p on p.id = r.plugin_id left join apps g on g.id = p.app_id left join people w on w.id = r.person_id,
  lateral develops(:person, a) d, lateral serves_ato(p) v`

/**
 * Finds a request about an app that the person develops. `redirect_uri` opens the request in the plugin; null if the
 * plugin no longer serves requests.
 */
export const findRequest = read('ato.findRequest', {
  params: { person: c.int8, request: c.text },
  row: { id: c.int8, ...REQUEST, redirect_uri: nullable(c.text) },
  gather: false,
  text: `
    select r.id, ${requestColumns},
           case when v.serves then coalesce(g.launch_uri,
             (select u.uri from app_redirect_uris u where u.app_id = g.id order by u.uri not like 'https:%', u.uri limit 1)) end as redirect_uri
      from ${requests} where r.key = :request and d.develops`,
})

/** Lists requests, newest first. */
export const listRequests = report('ato.listRequests', {
  params: { person: c.int8, client: c.text, package: nullable(c.text), limit: c.int8, offset: c.int8 },
  row: { ...REQUEST, total: c.int8 },
  text: `
    select ${requestColumns}, count(*) over () as total from ${requests}
     where a.client_id = :client and d.develops and (:package is null or k.key = :package)
     order by r.id desc limit :limit offset :offset`,
})

/** Lists the timeline of a request. The text of its older alerts is shortened if all of them are too large together. */
export const listEntries = list('ato.listEntries', {
  params: { request: c.int8 },
  row: { kind: c.text, at: c.instant, by: nullable(c.text), detail: c.json },
  text: `
    select e.kind, e.at, w.handle as by,
           case when e.is_whole or e.kind <> 'alert' then e.detail
                else json_build_object('alert', jsonb_set(e.alert, '{text}', to_jsonb(left(e.alert ->> 'text', 500) || '…'))) end as detail
      from ${markWithinBytes(
        `select e.*, (e.detail -> 'alert')::jsonb as alert from ato_entries e where e.request_id = :request`,
        {
          size: 'octet_length(r.detail::text)',
          order: 'r.id desc',
        },
      )} e left join people w on w.id = e.person_id order by e.id`,
})

/** Returns no row if the request cannot be cancelled. */
export const cancelRequest = write('ato.cancelRequest', {
  params: { request: c.int8, person: c.int8, now: c.timestamptz },
  row: { id: c.int8 },
  text: `
    with cancelled as (
      update ato_requests r set cancelled_at = :now, changed_at = :now
        from ato_requests s left join plugins p on p.id = s.plugin_id, lateral serves_ato(p) v
       where r.id = :request and s.id = r.id and ${canCancel}
      returning r.id
    )
    insert into ato_entries (request_id, kind, person_id, at, detail)
    select id, 'cancelled', :person, :now, '{}' from cancelled returning request_id as id`,
})

// Status and alert reports that plugins send

/**
 * Finds a request for the plugin of an app. Returns no row if the app is no plugin that may report; `id` is null if the
 * plugin serves no such request. `may_work` is true for developers of the requesting app and for people of the plugin's
 * organisation.
 */
export const findServed = read('ato.findServed', {
  params: { app: c.int8, person: c.int8, request: c.text },
  row: { id: nullable(c.int8), status: nullable(c.text), is_cancelled: c.bool, may_work: c.bool },
  gather: false,
  text: `
    select r.id, r.status, r.cancelled_at is not null as is_cancelled,
           coalesce(d.develops, false) or s.develops
             or exists (select from organisation_members m where m.organisation_id = g.organisation_id and m.person_id = :person
                           and m.role in ('instructor', 'member')) as may_work
      from plugins p join apps g on g.id = p.app_id
      left join (ato_requests r join ato_packages k on k.id = r.package_id join apps a on a.id = k.app_id)
        on r.plugin_id = p.id and r.key = :request
      left join lateral develops(:person, a) d on true,
      lateral develops(:person, g) s, lateral serves_ato(p) v
     where p.app_id = :app and v.serves`,
})

/** Changes the status. Returns no row if it is no longer `from`, or if the request was cancelled. */
export const moveRequest = write('ato.moveRequest', {
  params: {
    request: c.int8,
    from: c.text,
    to: c.text,
    cancellable: nullable(c.bool),
    person: c.int8,
    now: c.timestamptz,
    detail: c.json,
  },
  row: { id: c.int8 },
  text: `
    with moved as (
      update ato_requests set status = :to, is_cancellable = coalesce(:cancellable, is_cancellable), changed_at = :now,
             completed_at = case when :to = 'completed' then :now end
       where id = :request and status = :from and cancelled_at is null returning id
    ), gone as (${trim('moved')})
    insert into ato_entries (request_id, kind, person_id, at, detail)
    select id, 'status', :person, :now, :detail from moved returning request_id as id`,
})

/** Sets whether the request can be cancelled. Returns no row if its status has changed, or if it was cancelled. */
export const setCancellable = write('ato.setCancellable', {
  params: { request: c.int8, status: c.text, cancellable: nullable(c.bool) },
  row: { id: c.int8 },
  text: `
    update ato_requests set is_cancellable = coalesce(:cancellable, is_cancellable)
     where id = :request and status = :status and cancelled_at is null returning id`,
})

export const lockRequest = write('ato.lockRequest', {
  params: { request: c.int8 },
  row: { cancelled_at: nullable(c.instant) },
  text: `select cancelled_at from ato_requests where id = :request for no key update`,
})

export const countAlerts = read('ato.countAlerts', {
  params: { request: c.int8 },
  row: { count: c.int8 },
  text: `select count(*) from ato_entries where request_id = :request and kind = 'alert'`,
})

export const insertAlert = write('ato.insertAlert', {
  params: { request: c.int8, person: c.int8, now: c.timestamptz, detail: c.json },
  row: { id: c.int8 },
  text: `
    insert into ato_entries (request_id, kind, person_id, at, detail) values (:request, 'alert', :person, :now, :detail) returning id`,
})

export const exportEntries = list('ato.exportEntries', {
  params: { person: c.int8, after: c.int8 },
  row: {
    id: c.int8,
    request: c.text,
    app_name: c.text,
    package_name: c.text,
    kind: c.text,
    at: c.instant,
    detail: c.json,
  },
  text: `
    select e.id, r.key as request, a.name as app_name, k.name as package_name, e.kind, e.at, e.detail
      from ato_entries e join ato_requests r on r.id = e.request_id join ato_packages k on k.id = r.package_id join apps a on a.id = k.app_id
     where e.person_id = :person and e.id > :after order by e.id limit 500`,
})

/** Lists the people who started requests. */
export const listStarters = read('ato.listStarters', {
  params: { requests: c.int8Array },
  row: { id: c.int8, key: c.text, person_id: nullable(c.int8), package: c.text, plugin: c.text },
  gather: false,
  text: `
    select r.id, r.key, r.person_id, k.name as package, r.plugin_name as plugin
      from ato_requests r join ato_packages k on k.id = r.package_id where r.id = any(:requests) and r.person_id is not null`,
})
