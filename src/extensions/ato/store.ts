import {
  bool,
  instant,
  int8,
  json,
  nullable,
  read,
  report,
  text,
  timestamptz,
  write,
} from '../../kernel/database/statement.ts'

/** Maximum number of entries per request, besides the start and alerts; older ones are deleted. */
const KEPT_ENTRIES = 500

// Packages and distributions

const PACKAGE = { key: text, client_id: text, name: text, phone: nullable(text), created_at: instant }
const packageColumns = 'k.key, a.client_id, k.name, k.phone, k.created_at'

/** Locks an app that the person develops, so that no other transaction adds a package to it. */
export const lockApp = write('ato.lockApp', {
  params: { person: int8, client: text },
  row: { id: int8 },
  text: `
    select a.id from apps a, lateral develops(:person, a) d where a.client_id = :client and d.develops for no key update of a`,
})

/** A statement of its own, after the lock: a statement that waits for a lock still sees the old snapshot. */
export const countPackages = read('ato.countPackages', {
  params: { app: int8 },
  row: { count: int8 },
  text: `select count(*) from ato_packages where app_id = :app`,
})

export const insertPackage = write('ato.insertPackage', {
  params: { key: text, app: int8, name: text, phone: nullable(text), now: timestamptz },
  row: { id: int8 },
  text: `
    insert into ato_packages (key, app_id, name, phone, created_at) values (:key, :app, :name, :phone, :now) returning id`,
})

/** A package of an app that the person develops. */
export const findPackage = read('ato.findPackage', {
  params: { person: int8, package: text },
  row: { id: int8, ...PACKAGE },
  gather: false,
  text: `
    select k.id, ${packageColumns} from ato_packages k join apps a on a.id = k.app_id, lateral develops(:person, a) d
     where k.key = :package and d.develops`,
})

export const listPackages = read('ato.listPackages', {
  params: { person: int8, client: text, limit: int8, offset: int8 },
  row: { ...PACKAGE, total: int8 },
  gather: false,
  text: `
    select ${packageColumns}, count(*) over () as total
      from apps a join ato_packages k on k.app_id = a.id, lateral develops(:person, a) d
     where a.client_id = :client and d.develops order by k.name, k.id limit :limit offset :offset`,
})

/** Serialises changes to the distributions of a package and requests about it, so that sets are sent in order. */
export const lockPackage = write('ato.lockPackage', {
  params: { package: text },
  row: { id: int8 },
  text: `select id from ato_packages where key = :package for no key update`,
})

/** The counts that the limits of a package apply to. */
export const countOfPackage = read('ato.countOfPackage', {
  params: { package: int8 },
  row: { distributions: int8, requests: int8, open: int8 },
  text: `
    select (select count(*) from ato_distributions where package_id = :package) as distributions,
           (select count(*) from ato_requests where package_id = :package) as requests,
           (select count(*) from ato_requests where package_id = :package and completed_at is null and cancelled_at is null) as open`,
})

export const deletePackage = write('ato.deletePackage', {
  params: { package: int8 },
  row: { id: int8 },
  text: `delete from ato_packages where id = :package returning id`,
})

export const listDistributions = read('ato.listDistributions', {
  params: { package: int8 },
  row: { key: text, name: text, platform: nullable(text), version: nullable(text), uri: text, added_at: instant },
  text: `select key, name, platform, version, uri, added_at from ato_distributions where package_id = :package order by id`,
})

export const insertDistribution = write('ato.insertDistribution', {
  params: {
    key: text,
    package: int8,
    name: text,
    platform: nullable(text),
    version: nullable(text),
    uri: text,
    now: timestamptz,
  },
  row: { id: int8 },
  text: `
    insert into ato_distributions (key, package_id, name, platform, version, uri, added_at)
    values (:key, :package, :name, :platform, :version, :uri, :now) returning id`,
})

export const findPackageOfDistribution = read('ato.findPackageOfDistribution', {
  params: { distribution: text },
  row: { package: text },
  text: `
    select k.key as package from ato_distributions d join ato_packages k on k.id = d.package_id where d.key = :distribution`,
})

export const deleteDistribution = write('ato.deleteDistribution', {
  params: { distribution: text },
  row: { id: int8 },
  text: `delete from ato_distributions where key = :distribution returning id`,
})

// Timeline entries. Alerts have a limit of their own; of the others, the oldest are deleted.

const trim = (of: string) => `
  delete from ato_entries where id in (
    select x.id from ${of} o, lateral (
      select e.id from ato_entries e where e.request_id = o.id and e.kind not in ('started', 'alert')
       order by e.id desc offset ${KEPT_ENTRIES - 1}) x)`

/** Adds an entry to every open request of the package, and returns these requests. */
export const recordDistribution = write('ato.recordDistribution', {
  params: { package: int8, kind: text, person: int8, now: timestamptz, detail: json },
  row: { id: int8, key: text, plugin_id: nullable(int8) },
  text: `
    with open as (
      select id, key, plugin_id from ato_requests where package_id = :package and completed_at is null and cancelled_at is null
    ), recorded as (
      insert into ato_entries (request_id, kind, person_id, at, detail) select id, :kind, :person, :now, :detail from open order by id
    ), gone as (${trim('open')})
    select id, key, plugin_id from open order by id`,
})

// Requests

/** ATO plugins that accept requests: their address is not switched off. */
const acceptingPlugins = `
  plugins p join apps g on g.id = p.app_id, lateral serves_ato(p) v
   where v.serves and exists (select from plugin_addresses d where d.plugin_id = p.id and d.purpose = 'request' and d.off_at is null)`

export const findPlugin = read('ato.findPlugin', {
  params: { client: text },
  row: { id: int8, name: text },
  gather: false,
  text: `select p.id, g.name from ${acceptingPlugins} and g.client_id = :client`,
})

export const listPlugins = read('ato.listPlugins', {
  params: { limit: int8, offset: int8 },
  row: { client_id: text, name: text, description: text, total: int8 },
  gather: false,
  text: `
    select g.client_id, g.name, p.description, count(*) over () as total from ${acceptingPlugins}
     order by g.name, g.client_id limit :limit offset :offset`,
})

/** No row if the package already has an open request with the plugin. */
export const insertRequest = write('ato.insertRequest', {
  params: { key: text, package: int8, plugin: int8, client: text, name: text, person: int8, now: timestamptz },
  row: { id: int8 },
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

/** The values that a plugin gets when a request starts, besides the distributions. */
export const findStarted = read('ato.findStarted', {
  params: { request: int8 },
  row: {
    key: text,
    status: text,
    is_cancellable: bool,
    company: nullable(text),
    company_name: nullable(text),
    phone: nullable(text),
    first_name: nullable(text),
    last_name: nullable(text),
    email: nullable(text),
    app_name: text,
    package_name: text,
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
  key: text,
  package: text,
  package_name: text,
  client_id: text,
  app_name: text,
  plugin_client_id: text,
  plugin_name: text,
  is_plugin_removed: bool,
  started_by: nullable(text),
  status: text,
  can_cancel: bool,
  started_at: instant,
  changed_at: instant,
  completed_at: nullable(instant),
  cancelled_at: nullable(instant),
}
/** A plugin that was removed or no longer serves requests cannot prevent cancelling. */
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
 * A request about an app that the person develops, with the URL that opens it in the plugin while the plugin serves
 * requests.
 */
export const findRequest = read('ato.findRequest', {
  params: { person: int8, request: text },
  row: { id: int8, ...REQUEST, redirect_uri: nullable(text) },
  gather: false,
  text: `
    select r.id, ${requestColumns},
           case when v.serves then coalesce(g.launch_uri,
             (select u.uri from app_redirect_uris u where u.app_id = g.id order by u.uri not like 'https:%', u.uri limit 1)) end as redirect_uri
      from ${requests} where r.key = :request and d.develops`,
})

/** Newest first. */
export const listRequests = report('ato.listRequests', {
  params: { person: int8, client: text, package: nullable(text), limit: int8, offset: int8 },
  row: { ...REQUEST, total: int8 },
  text: `
    select ${requestColumns}, count(*) over () as total from ${requests}
     where a.client_id = :client and d.develops and (:package is null or k.key = :package)
     order by r.id desc limit :limit offset :offset`,
})

export const listEntries = read('ato.listEntries', {
  params: { request: int8 },
  row: { kind: text, at: instant, by: nullable(text), detail: json },
  gather: false,
  text: `
    select e.kind, e.at, w.handle as by, e.detail from ato_entries e left join people w on w.id = e.person_id
     where e.request_id = :request order by e.id`,
})

/** No row if the request cannot be cancelled. */
export const cancelRequest = write('ato.cancelRequest', {
  params: { request: int8, person: int8, now: timestamptz },
  row: { id: int8 },
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

// Reports of plugins

/**
 * A request as the plugin of an app sees it. No row if the app is no plugin that may report; `id` is null if the plugin
 * serves no such request. Developers of the requesting app and people of the plugin's organisation may work on a
 * request.
 */
export const findServed = read('ato.findServed', {
  params: { app: int8, person: int8, request: text },
  row: { id: nullable(int8), status: nullable(text), is_cancelled: bool, may_work: bool },
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

/** No row if the status has changed or the request was cancelled. */
export const moveRequest = write('ato.moveRequest', {
  params: {
    request: int8,
    from: text,
    to: text,
    cancellable: nullable(bool),
    person: int8,
    now: timestamptz,
    detail: json,
  },
  row: { id: int8 },
  text: `
    with moved as (
      update ato_requests set status = :to, is_cancellable = coalesce(:cancellable, is_cancellable), changed_at = :now,
             completed_at = case when :to = 'completed' then :now end
       where id = :request and status = :from and cancelled_at is null returning id
    ), gone as (${trim('moved')})
    insert into ato_entries (request_id, kind, person_id, at, detail)
    select id, 'status', :person, :now, :detail from moved returning request_id as id`,
})

/** No row if the status has changed or the request was cancelled. */
export const setCancellable = write('ato.setCancellable', {
  params: { request: int8, status: text, cancellable: nullable(bool) },
  row: { id: int8 },
  text: `
    update ato_requests set is_cancellable = coalesce(:cancellable, is_cancellable)
     where id = :request and status = :status and cancelled_at is null returning id`,
})

/** Locks the request until the transaction ends. */
export const lockRequest = write('ato.lockRequest', {
  params: { request: int8 },
  row: { cancelled_at: nullable(instant) },
  text: `select cancelled_at from ato_requests where id = :request for no key update`,
})

export const countAlerts = read('ato.countAlerts', {
  params: { request: int8 },
  row: { count: int8 },
  text: `select count(*) from ato_entries where request_id = :request and kind = 'alert'`,
})

export const insertAlert = write('ato.insertAlert', {
  params: { request: int8, person: int8, now: timestamptz, detail: json },
  row: { id: int8 },
  text: `
    insert into ato_entries (request_id, kind, person_id, at, detail) values (:request, 'alert', :person, :now, :detail) returning id`,
})

export const exportEntries = read('ato.exportEntries', {
  params: { person: int8, after: int8 },
  row: { id: int8, request: text, app_name: text, package_name: text, kind: text, at: instant, detail: json },
  gather: false,
  text: `
    select e.id, r.key as request, a.name as app_name, k.name as package_name, e.kind, e.at, e.detail
      from ato_entries e join ato_requests r on r.id = e.request_id join ato_packages k on k.id = r.package_id join apps a on a.id = k.app_id
     where e.person_id = :person and e.id > :after order by e.id limit 500`,
})
