import {
  bool,
  int8,
  int8Array,
  json,
  nullable,
  read,
  text,
  textArray,
  timestamptz,
  write,
} from '../database/statement.ts'

const TURN = `hashtextextended('groundschool.import.' || current_schema(), 0)`

/** One at a time in an environment decides about an import, or writes a part of one. */
export const takeTurn = write('imports.takeTurn', {
  params: {},
  row: { locked: text },
  text: `select pg_advisory_xact_lock(${TURN})::text as locked`,
})

/** From here to the end of the transaction it is about another environment. They share a database, so one commit can decide for both. */
export const enter = write('imports.enter', {
  params: { schema: text },
  row: { schema: text },
  text: `select set_config('search_path', :schema, true) as schema`,
})

/** Whoever decides about a large file thinks for longer between two statements than others may. */
export const beginDecision = write('imports.beginDecision', {
  params: {},
  row: { patience: text },
  text: `select set_config('idle_in_transaction_session_timeout', '0', true) as patience`,
})

export const insertParts = write('imports.insertParts', {
  params: { rows: json, now: timestamptz, request: text, address: text },
  row: { id: int8 },
  text: `
    insert into import_parts (decided_at, request_id, address, content)
    select :now, :request, :address, r.content from json_array_elements(:rows) with ordinality as r(content, n) order by n
    returning id`,
})

export const readFirstPart = write('imports.readFirstPart', {
  params: {},
  row: { id: int8, decided_at: timestamptz, request_id: text, address: text, content: json },
  text: `select id, decided_at, request_id, address, content from import_parts order by id limit 1`,
})

/** What is left of it. */
export const keepRest = write('imports.keepRest', {
  params: { part: int8, content: json },
  row: { id: int8 },
  text: `update import_parts set content = :content where id = :part returning id`,
})

export const deletePart = write('imports.deletePart', {
  params: { part: int8 },
  row: { id: int8 },
  text: `delete from import_parts where id = :part returning id`,
})

export const findFirstPart = read('imports.findFirstPart', {
  params: {},
  row: { id: int8 },
  text: `select id from import_parts order by id limit 1`,
})

export const findOrganisations = read('imports.findOrganisations', {
  params: { keys: textArray },
  row: { id: int8, key: text, name: text },
  text: `select id, key, name from organisations where key = any(:keys)`,
})

export const insertOrganisations = write('imports.insertOrganisations', {
  params: { rows: json, now: timestamptz },
  row: { id: int8, key: text },
  text: `
    insert into organisations (key, name, created_at)
    select r.key, r.name, :now from json_to_recordset(:rows) as r(key text, name text) returning id, key`,
})

export const updateOrganisations = write('imports.updateOrganisations', {
  params: { rows: json },
  row: { id: int8 },
  text: `
    update organisations o set name = r.name from json_to_recordset(:rows) as r(id bigint, name text)
     where o.id = r.id returning o.id`,
})

/** Nobody else gives or takes secrets of these apps until this part is written; people may go on to sign in to them. */
export const lockApps = write('imports.lockApps', {
  params: { clients: textArray },
  row: { id: int8 },
  text: `select id from apps where client_id = any(:clients) order by id for no key update`,
})

export const findAppIds = read('imports.findAppIds', {
  params: { clients: textArray },
  row: { id: int8, client_id: text },
  text: `select id, client_id from apps where client_id = any(:clients)`,
})

export const findApps = read('imports.findApps', {
  params: { clients: textArray },
  row: {
    id: int8,
    client_id: text,
    name: text,
    organisation: nullable(text),
    owner: nullable(text),
    status: text,
    public_client: bool,
    pkce_required: bool,
    implicit_enabled: bool,
    basic_enabled: bool,
    device_enabled: bool,
    blocks_limit: int8,
    redirect_uris: textArray,
    origins: textArray,
    secrets: textArray,
  },
  text: `
    select a.id, a.client_id, a.name, o.key as organisation, p.handle_key as owner, a.status, a.public_client,
           a.pkce_required, a.implicit_enabled, a.basic_enabled, a.device_enabled, s.blocks_limit,
           array(select uri from app_redirect_uris where app_id = a.id order by uri) as redirect_uris,
           array(select origin from app_origins where app_id = a.id order by origin) as origins,
           array(select encode(secret_hash, 'hex') from app_secrets where app_id = a.id order by 1) as secrets
      from apps a join app_storage s on s.app_id = a.id
      left join organisations o on o.id = a.organisation_id left join people p on p.id = a.owner_id
     where a.client_id = any(:clients)`,
})

export const insertApps = write('imports.insertApps', {
  params: { rows: json, now: timestamptz },
  row: { id: int8, client_id: text },
  text: `
    insert into apps (client_id, name, organisation_id, owner_id, status, public_client, pkce_required,
                      implicit_enabled, basic_enabled, device_enabled, created_at)
    select r.client_id, r.name, r.organisation_id, r.owner_id, r.status, r.public_client, r.pkce_required,
           r.implicit_enabled, r.basic_enabled, r.device_enabled, :now
      from json_to_recordset(:rows) as r(client_id text, name text, organisation_id bigint, owner_id bigint,
           status text, public_client boolean, pkce_required boolean, implicit_enabled boolean, basic_enabled boolean,
           device_enabled boolean)
    returning id, client_id`,
})

export const updateApps = write('imports.updateApps', {
  params: { rows: json },
  row: { id: int8 },
  text: `
    update apps a
       set name = r.name, organisation_id = r.organisation_id, owner_id = r.owner_id, status = r.status,
           public_client = r.public_client, pkce_required = r.pkce_required, implicit_enabled = r.implicit_enabled,
           basic_enabled = r.basic_enabled, device_enabled = r.device_enabled
      from json_to_recordset(:rows) as r(id bigint, name text, organisation_id bigint, owner_id bigint, status text,
           public_client boolean, pkce_required boolean, implicit_enabled boolean, basic_enabled boolean,
           device_enabled boolean)
     where a.id = r.id returning a.id`,
})

export const setStorageLimits = write('imports.setStorageLimits', {
  params: { rows: json },
  row: { app_id: int8 },
  text: `
    insert into app_storage as s (app_id, blocks_limit)
    select r.app_id, r.blocks_limit from json_to_recordset(:rows) as r(app_id bigint, blocks_limit bigint)
    on conflict (app_id) do update set blocks_limit = excluded.blocks_limit
     where s.blocks_limit <> excluded.blocks_limit returning s.app_id`,
})

/** Redirect URIs of these apps are these rows and no others. */
export const replaceRedirectUris = write('imports.replaceRedirectUris', {
  params: { apps: int8Array, rows: json },
  row: { app_id: int8 },
  text: `
    with wanted as (select * from json_to_recordset(:rows) as r(app_id bigint, value text)),
    gone as (
      delete from app_redirect_uris u where u.app_id = any(:apps) and not exists
        (select from wanted w where w.app_id = u.app_id and w.value = u.uri)
    )
    insert into app_redirect_uris (app_id, uri) select app_id, value from wanted on conflict do nothing returning app_id`,
})

export const replaceOrigins = write('imports.replaceOrigins', {
  params: { apps: int8Array, rows: json },
  row: { app_id: int8 },
  text: `
    with wanted as (select * from json_to_recordset(:rows) as r(app_id bigint, value text)),
    gone as (
      delete from app_origins o where o.app_id = any(:apps) and not exists
        (select from wanted w where w.app_id = o.app_id and w.value = o.origin)
    )
    insert into app_origins (app_id, origin) select app_id, value from wanted on conflict do nothing returning app_id`,
})

/** Hashes travel as hexadecimal text, which JSON can carry. */
export const replaceSecrets = write('imports.replaceSecrets', {
  params: { apps: int8Array, rows: json, now: timestamptz },
  row: { app_id: int8 },
  text: `
    with wanted as (
      select app_id, decode(value, 'hex') as secret_hash
        from json_to_recordset(:rows) as r(app_id bigint, value text)
    ), gone as (
      delete from app_secrets s where s.app_id = any(:apps) and not exists
        (select from wanted w where w.app_id = s.app_id and w.secret_hash = s.secret_hash)
    )
    insert into app_secrets (app_id, secret_hash, created_at)
    select app_id, secret_hash, :now from wanted on conflict do nothing returning app_id`,
})

export const findTraces = read('imports.findTraces', {
  params: {},
  row: { any: bool },
  text: `
    select exists (select from people) or exists (select from apps) or exists (select from audit_entries) as any`,
})
