import { c, list, nullable, read, report, write } from '../../kernel/database/statement.ts'
import { contains } from '../../kernel/database/words.ts'

/** Finds the plugin of an app, with its granted permissions. */
export const findCaller = read('plugins.findCaller', {
  params: { app: c.int8 },
  row: { id: c.int8, kind: c.text, is_active: c.bool, permissions: c.textArray },
  text: `
    select id, kind, is_active,
           array(select permission from plugin_permissions where plugin_id = p.id and granted_at is not null order by 1) as permissions
      from plugins p where app_id = :app`,
})

export const findUsers = read('plugins.findUsers', {
  params: { plugin: c.int8, people: c.int8Array },
  row: { person_id: c.int8, user_id: c.text },
  text: `select person_id, user_id from plugin_users where plugin_id = :plugin and person_id = any(:people)`,
})

/**
 * Inserts userIds for people who have none. A person who got a userId from another transaction meanwhile keeps that
 * one.
 */
export const ensureUsers = write('plugins.ensureUsers', {
  params: { plugin: c.int8, people: c.int8Array, users: c.textArray },
  row: { person_id: c.int8, user_id: c.text },
  text: `
    insert into plugin_users as u (user_id, plugin_id, person_id)
    select n.user_id, :plugin, p.id from unnest(:people, :users) n(person_id, user_id) join people p on p.id = n.person_id
     order by p.id
    on conflict (plugin_id, person_id) do update set user_id = u.user_id returning person_id, user_id`,
})

export const findPersonOfUser = read('plugins.findPersonOfUser', {
  params: { plugin: c.int8, user: c.text },
  row: { person_id: c.int8 },
  text: `
    select u.person_id from plugin_users u
     where u.user_id = :user and u.plugin_id = :plugin
       and exists (select from plugin_people(:plugin) s where s.person_id = u.person_id)`,
})

const pluginRow = {
  id: c.int8,
  app_id: c.int8,
  client_id: c.text,
  kind: c.text,
  name: c.text,
  description: c.text,
  organisation: nullable(c.text),
  organisation_name: nullable(c.text),
  owner: nullable(c.text),
  status: c.text,
  is_active: c.bool,
  addresses: c.json,
  redirect_uris: c.textArray,
  permissions: c.json,
  organisations: c.textArray,
  secrets: c.json,
  created_at: c.instant,
}
/** Administrators may give a plugin any number of organisations, so a list shows the first of each plugin only. */
const LISTED_ORGANISATIONS = 100
const pluginColumnsWith = (organisations: number | 'all') => `
  p.id, p.app_id, a.client_id, p.kind, a.name, p.description, o.key as organisation, o.name as organisation_name, w.handle as owner, a.status, p.is_active,
  (select coalesce(json_agg(json_build_object('purpose', d.purpose, 'uri', d.uri, 'failingSince', d.failing_since, 'offDate', d.off_at,
          'offReason', d.off_reason) order by d.purpose), '[]') from plugin_addresses d where d.plugin_id = p.id) as addresses,
  array(select uri from app_redirect_uris where app_id = a.id order by uri) as redirect_uris,
  (select coalesce(json_agg(json_build_object('permission', m.permission, 'askedDate', m.asked_at, 'grantedDate', m.granted_at)
          order by m.permission), '[]') from plugin_permissions m where m.plugin_id = p.id) as permissions,
  array(select g.key from plugin_organisations t join organisations g on g.id = t.organisation_id where t.plugin_id = p.id order by 1 limit ${organisations}) as organisations,
  (select coalesce(json_agg(json_build_object('createdDate', s.created_at, 'lastUsedDate', s.last_used_at) order by s.id), '[]')
     from app_secrets s where s.app_id = a.id) as secrets,
  p.created_at`
const pluginColumns = pluginColumnsWith('all')
const from = `
  plugins p join apps a on a.id = p.app_id left join organisations o on o.id = a.organisation_id
  left join people w on w.id = a.owner_id, lateral develops(:person, a) r`

/** Finds a plugin that the person develops. */
export const findManaged = read('plugins.findManaged', {
  params: { person: c.int8, client: c.text },
  row: pluginRow,
  gather: false,
  text: `select ${pluginColumns} from ${from} where a.client_id = :client and r.develops`,
})

export const listManaged = list('plugins.listManaged', {
  params: { person: c.int8, organisation: nullable(c.text), limit: c.int8, offset: c.int8 },
  row: { ...pluginRow, total: c.int8 },
  text: `
    select ${pluginColumnsWith(LISTED_ORGANISATIONS)}, count(*) over () as total from ${from}
     where r.develops and (:organisation is null or o.key = :organisation)
     order by a.name, a.client_id limit :limit offset :offset`,
})

export const findByName = report('plugins.findByName', {
  params: { person: c.int8, words: c.textArray, limit: c.int8 },
  row: { id: c.text, name: c.text, about: c.text },
  text: `
    select a.client_id as id, a.name, a.client_id as about from ${from}
     where r.develops and ${contains(`a.name || ' ' || a.client_id`)} order by a.name, a.client_id limit :limit`,
})

export const lockPlugin = write('plugins.lock', {
  params: { client: c.text },
  row: { id: c.int8 },
  text: `select p.id from plugins p join apps a on a.id = p.app_id where a.client_id = :client for update of p`,
})

/** Finds an organisation, and whether the person owns it or develops plugins for it. Administrators count as owners. */
export const findOrganisation = read('plugins.findOrganisation', {
  params: { person: c.int8, organisation: c.text, developers: c.textArray },
  row: { id: c.int8, develops: c.bool, owns: c.bool },
  text: `
    select o.id, r.owns,
           r.owns or exists (select from organisation_members m where m.organisation_id = o.id and m.person_id = :person and m.role = any(:developers)) as develops
      from organisations o, lateral (select i.owns or i.administers as owns from roles_in_organisation(:person, o.id) i) r
     where o.key = :organisation`,
})

export const insertPlugin = write('plugins.insert', {
  params: { app: c.int8, kind: c.text, description: c.text, now: c.timestamptz },
  row: { id: c.int8 },
  text: `insert into plugins (app_id, kind, description, created_at) values (:app, :kind, :description, :now) returning id`,
})

/** Changes a plugin; a null field stays unchanged. */
export const changePlugin = write('plugins.change', {
  params: { plugin: c.int8, description: nullable(c.text), active: nullable(c.bool) },
  row: { id: c.int8 },
  text: `
    update plugins set description = coalesce(:description, description), is_active = coalesce(:active, is_active)
     where id = :plugin returning id`,
})

/** Sets an address and switches it on, even if the address is the same as before. */
export const setAddress = write('plugins.setAddress', {
  params: { plugin: c.int8, purpose: c.text, uri: c.text },
  row: { uri: c.text },
  text: `
    insert into plugin_addresses (plugin_id, purpose, uri) values (:plugin, :purpose, :uri)
    on conflict (plugin_id, purpose) do update set uri = excluded.uri, failing_since = null, off_at = null, off_reason = null
    returning uri`,
})

export const deleteAddress = write('plugins.deleteAddress', {
  params: { plugin: c.int8, purpose: c.text },
  row: { uri: c.text },
  text: `delete from plugin_addresses where plugin_id = :plugin and purpose = :purpose returning uri`,
})

/**
 * Replaces the requested permissions. A permission that is requested again stays granted if it was; one that is no
 * longer requested is also revoked.
 */
export const requestPermissions = write('plugins.requestPermissions', {
  params: { plugin: c.int8, permissions: c.textArray, now: c.timestamptz },
  row: { permission: c.text },
  text: `
    with gone as (delete from plugin_permissions where plugin_id = :plugin and permission <> all(:permissions))
    insert into plugin_permissions (plugin_id, permission, asked_at)
    select distinct :plugin::int8, p, :now::timestamptz from unnest(:permissions) p
    on conflict do nothing returning permission`,
})

/** Grants these permissions and revokes all others. */
export const grantPermissions = write('plugins.grantPermissions', {
  params: { plugin: c.int8, permissions: c.textArray, now: c.timestamptz },
  row: { permission: c.text },
  text: `
    update plugin_permissions set granted_at = case when permission = any(:permissions) then coalesce(granted_at, :now) end
     where plugin_id = :plugin returning permission`,
})

export const giveOrganisation = write('plugins.giveOrganisation', {
  params: { plugin: c.int8, organisation: c.int8, now: c.timestamptz },
  row: { plugin_id: c.int8 },
  text: `
    insert into plugin_organisations (plugin_id, organisation_id, given_at) values (:plugin, :organisation, :now)
    on conflict do nothing returning plugin_id`,
})

export const takeOrganisation = write('plugins.takeOrganisation', {
  params: { plugin: c.int8, organisation: c.int8 },
  row: { plugin_id: c.int8 },
  text: `delete from plugin_organisations where plugin_id = :plugin and organisation_id = :organisation returning plugin_id`,
})

/**
 * Finds a plugin, whoever develops it. Used by administrators who grant permissions, and by owners of organisations who
 * give the plugin access.
 */
export const findByClientId = read('plugins.findByClientId', {
  params: { client: c.text },
  row: { id: c.int8, app_id: c.int8, kind: c.text, status: c.text, asked: c.textArray },
  text: `
    select p.id, p.app_id, p.kind, a.status, array(select permission from plugin_permissions where plugin_id = p.id order by 1) as asked
      from plugins p join apps a on a.id = p.app_id where a.client_id = :client`,
})

const HOSTED = {
  id: c.int8,
  client_id: c.text,
  name: c.text,
  purpose: c.text,
  uri: c.text,
  usable: c.bool,
  sealed: c.textArray,
}
/**
 * Selects a plugin's address with its encrypted secrets, oldest first. `usable` is true if the plugin is active,
 * approved and granted the permission that its kind needs, and the address is not switched off.
 */
const hosted = `
  select p.id, a.client_id, a.name, d.purpose, d.uri,
         p.is_active and a.status = 'approved' and d.off_at is null and exists (
           select from plugin_permissions m where m.plugin_id = p.id and m.granted_at is not null
              and m.permission = case p.kind when 'ato' then 'ato' else 'mission-planner' end) as usable,
         array(select encode(s.sealed, 'hex') from app_secrets s where s.app_id = a.id and s.sealed is not null order by s.id) as sealed
    from plugin_addresses d join plugins p on p.id = d.plugin_id join apps a on a.id = p.app_id`

export const findHosted = read('plugins.findHosted', {
  params: { plugin: c.int8, purpose: c.text },
  row: HOSTED,
  text: `${hosted} where d.plugin_id = :plugin and d.purpose = :purpose`,
})

/** Records that a call to the address succeeded: it is no longer failing. */
export const recordSuccess = write('plugins.recordSuccess', {
  params: { plugin: c.int8, purpose: c.text },
  row: { plugin_id: c.int8 },
  text: `
    update plugin_addresses set failing_since = null
     where plugin_id = :plugin and purpose = :purpose and failing_since is not null returning plugin_id`,
})

/**
 * Sets `failing_since` unless it is set already, so that it is the time of the first failure since the last success.
 * Returns no row if the address was replaced or switched off.
 */
export const recordFailure = write('plugins.recordFailure', {
  params: { plugin: c.int8, purpose: c.text, uri: c.text, now: c.timestamptz },
  row: { failing_since: nullable(c.timestamptz) },
  text: `
    update plugin_addresses set failing_since = coalesce(failing_since, :now)
     where plugin_id = :plugin and purpose = :purpose and uri = :uri and off_at is null returning failing_since`,
})

/** Returns no row if the address was already switched off or was replaced. */
export const switchOff = write('plugins.switchOff', {
  params: { plugin: c.int8, purpose: c.text, uri: c.text, reason: c.text, now: c.timestamptz },
  row: { app_id: c.int8, client_id: c.text, name: c.text },
  text: `
    update plugin_addresses d set off_at = :now, off_reason = :reason
      from plugins p join apps a on a.id = p.app_id
     where d.plugin_id = :plugin and d.purpose = :purpose and d.uri = :uri and d.off_at is null and p.id = d.plugin_id
    returning p.app_id, a.client_id, a.name`,
})

/** Lists the people who are notified about a plugin: its owner, and the owners of its organisation. */
export const listResponsible = read('plugins.listResponsible', {
  params: { app: c.int8 },
  row: { person_id: c.int8, email: nullable(c.text) },
  gather: false,
  text: `
    select w.id as person_id, w.email from people w
     where w.disabled_at is null and w.id in (
       select a.owner_id from apps a where a.id = :app
       union select m.person_id from apps a join organisation_members m on m.organisation_id = a.organisation_id and m.role = 'owner' where a.id = :app)
     order by w.id limit 20`,
})

/** Lists the owner of a plugin, and the owners and developers of its organisation. */
export const listOperators = read('plugins.listOperators', {
  params: { plugin: c.int8 },
  row: { person_id: c.int8, client_id: c.text, name: c.text },
  gather: false,
  text: `
    select w.id as person_id, a.client_id, a.name from plugins p join apps a on a.id = p.app_id join people w on w.id = a.owner_id or w.id in (
             select m.person_id from organisation_members m where m.organisation_id = a.organisation_id and m.role in ('owner', 'developer'))
     where p.id = :plugin order by w.id limit 100`,
})

export const listUses = read('plugins.listUses', {
  params: { person: c.int8 },
  row: { client_id: c.text, name: c.text, user_id: c.text },
  gather: false,
  text: `
    select a.client_id, a.name, u.user_id from plugin_users u join plugins p on p.id = u.plugin_id join apps a on a.id = p.app_id
     where u.person_id = :person order by a.client_id`,
})
