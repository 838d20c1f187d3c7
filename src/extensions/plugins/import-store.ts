import { c, read, write } from '../../kernel/database/statement.ts'

export const findPlugins = read('plugins.findForImport', {
  params: { apps: c.int8Array },
  row: {
    app_id: c.int8,
    kind: c.text,
    description: c.text,
    is_active: c.bool,
    addresses: c.json,
    permissions: c.textArray,
    organisations: c.textArray,
  },
  text: `
    select p.app_id, p.kind, p.description, p.is_active,
           (select coalesce(json_object_agg(purpose, uri), '{}') from plugin_addresses where plugin_id = p.id) as addresses,
           array(select permission from plugin_permissions where plugin_id = p.id and granted_at is not null) as permissions,
           array(select o.key from plugin_organisations g join organisations o on o.id = g.organisation_id where g.plugin_id = p.id) as organisations
      from plugins p where p.app_id = any(:apps)`,
})

const rows = `json_to_recordset(:rows) as r(app_id bigint, kind text, description text, is_active boolean,
  addresses json, permissions json, organisations json)`

export const writePlugins = write('plugins.writeMany', {
  params: { rows: c.json, now: c.timestamptz },
  row: { id: c.int8 },
  text: `
    insert into plugins (app_id, kind, description, is_active, created_at)
    select app_id, kind, description, is_active, :now from ${rows}
    on conflict (app_id) do update set description = excluded.description, is_active = excluded.is_active returning id`,
})

/** Replaces all addresses, permissions and organisations of these plugins. */
export const replaceParts = write('plugins.replaceParts', {
  params: { rows: c.json, now: c.timestamptz },
  row: { plugin_id: c.int8 },
  text: `
    with wanted as (
      select p.id as plugin_id, r.addresses, r.permissions, r.organisations from ${rows} join plugins p on p.app_id = r.app_id
    ), addresses as (
      select w.plugin_id, a.key as purpose, a.value as uri from wanted w, json_each_text(w.addresses) a
    ), permissions as (
      select w.plugin_id, p.value as permission from wanted w, json_array_elements_text(w.permissions) p
    ), organisations as (
      select w.plugin_id, o.value::bigint as organisation_id from wanted w, json_array_elements_text(w.organisations) o
    ), gone_addresses as (
      delete from plugin_addresses d where d.plugin_id in (select plugin_id from wanted)
         and not exists (select from addresses a where a.plugin_id = d.plugin_id and a.purpose = d.purpose)
    ), set_addresses as (
      insert into plugin_addresses as d (plugin_id, purpose, uri) select plugin_id, purpose, uri from addresses
      on conflict (plugin_id, purpose) do update set uri = excluded.uri, failing_since = null, off_at = null, off_reason = null
       where d.uri <> excluded.uri
    ), gone_permissions as (
      delete from plugin_permissions d where d.plugin_id in (select plugin_id from wanted)
         and not exists (select from permissions p where p.plugin_id = d.plugin_id and p.permission = d.permission)
    ), set_permissions as (
      insert into plugin_permissions as d (plugin_id, permission, asked_at, granted_at)
      select plugin_id, permission, :now::timestamptz, :now::timestamptz from permissions
      on conflict (plugin_id, permission) do update set granted_at = coalesce(d.granted_at, excluded.granted_at)
    ), gone_organisations as (
      delete from plugin_organisations d where d.plugin_id in (select plugin_id from wanted)
         and not exists (select from organisations o where o.plugin_id = d.plugin_id and o.organisation_id = d.organisation_id)
    )
    insert into plugin_organisations (plugin_id, organisation_id, given_at)
    select plugin_id, organisation_id, :now::timestamptz from organisations on conflict do nothing returning plugin_id`,
})
