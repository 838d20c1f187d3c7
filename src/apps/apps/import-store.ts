import { c, nullable, read, write } from '../../kernel/database/statement.ts'

/** Locks these apps against changes of their secrets. The lock is weak enough that people can still sign in to them. */
export const lockApps = write('apps.lockForImport', {
  params: { clients: c.textArray },
  row: { id: c.int8 },
  text: `select id from apps where client_id = any(:clients) order by id for no key update`,
})

export const findApps = read('apps.findForImport', {
  params: { clients: c.textArray },
  row: {
    id: c.int8,
    client_id: c.text,
    name: c.text,
    organisation_id: nullable(c.int8),
    organisation: nullable(c.text),
    owner_id: nullable(c.int8),
    owner: nullable(c.text),
    status: c.text,
    public_client: c.bool,
    pkce_required: c.bool,
    implicit_enabled: c.bool,
    basic_enabled: c.bool,
    device_enabled: c.bool,
    anonymous_enabled: c.bool,
    shared_buckets: c.bool,
    secrets_sealed: c.bool,
    blocks_limit: c.int8,
    redirect_uris: c.textArray,
    launch_uri: nullable(c.text),
    origins: c.textArray,
    post_logout_redirect_uris: c.textArray,
    backchannel_logout_uri: nullable(c.text),
    backchannel_logout_session_required: c.bool,
    scopes: nullable(c.textArray),
    public_keys: nullable(c.text),
    token_auth_method: nullable(c.text),
    id_token_algorithm: nullable(c.text),
    secrets: c.textArray,
  },
  text: `
    select a.id, a.client_id, a.name, a.organisation_id, o.key as organisation, a.owner_id, p.handle_key as owner, a.status, a.public_client,
           a.pkce_required, a.implicit_enabled, a.basic_enabled, a.device_enabled, a.anonymous_enabled, a.shared_buckets, a.secrets_sealed, s.blocks_limit,
           array(select uri from app_redirect_uris where app_id = a.id order by uri) as redirect_uris, a.launch_uri,
           array(select origin from app_origins where app_id = a.id order by origin) as origins,
           coalesce(a.post_logout_redirect_uris, '{}') as post_logout_redirect_uris, a.backchannel_logout_uri,
           coalesce(a.backchannel_logout_session_required, false) as backchannel_logout_session_required, a.scopes,
           a.public_keys::text as public_keys, a.token_auth_method, a.id_token_algorithm,
           array(select encode(secret_hash, 'hex') from app_secrets where app_id = a.id order by 1) as secrets
      from apps a join app_storage s on s.app_id = a.id
      left join organisations o on o.id = a.organisation_id left join people p on p.id = a.owner_id
     where a.client_id = any(:clients)`,
})

export const insertApps = write('apps.insertMany', {
  params: { rows: c.json, now: c.timestamptz },
  row: { id: c.int8, client_id: c.text },
  text: `
    insert into apps (client_id, name, organisation_id, owner_id, status, public_client, pkce_required,
                      implicit_enabled, basic_enabled, device_enabled, anonymous_enabled, shared_buckets, secrets_sealed, launch_uri,
                      backchannel_logout_uri, backchannel_logout_session_required, scopes,
                      public_keys, token_auth_method, id_token_algorithm, created_at)
    select r.client_id, r.name, r.organisation_id, r.owner_id, r.status, r.public_client, r.pkce_required,
           r.implicit_enabled, r.basic_enabled, r.device_enabled, r.anonymous_enabled, r.shared_buckets, r.secrets_sealed, r.launch_uri,
           r.backchannel_logout_uri, r.backchannel_logout_session_required, r.scopes,
           r.public_keys::json, r.token_auth_method, r.id_token_algorithm, :now
      from json_to_recordset(:rows) as r(client_id text, name text, organisation_id bigint, owner_id bigint,
           status text, public_client boolean, pkce_required boolean, implicit_enabled boolean, basic_enabled boolean,
           device_enabled boolean, anonymous_enabled boolean, shared_buckets boolean, secrets_sealed boolean, launch_uri text,
           backchannel_logout_uri text, backchannel_logout_session_required boolean, scopes text[],
           public_keys text, token_auth_method text, id_token_algorithm text)
    returning id, client_id`,
})

export const updateApps = write('apps.updateMany', {
  params: { rows: c.json },
  row: { id: c.int8 },
  text: `
    update apps a
       set name = r.name, organisation_id = r.organisation_id, owner_id = r.owner_id, status = r.status,
           public_client = r.public_client, pkce_required = r.pkce_required, implicit_enabled = r.implicit_enabled,
           basic_enabled = r.basic_enabled, device_enabled = r.device_enabled,
           anonymous_enabled = r.anonymous_enabled, shared_buckets = r.shared_buckets,
           secrets_sealed = r.secrets_sealed, launch_uri = r.launch_uri,
           backchannel_logout_uri = r.backchannel_logout_uri,
           backchannel_logout_session_required = r.backchannel_logout_session_required, scopes = r.scopes,
           public_keys = r.public_keys::json, token_auth_method = r.token_auth_method, id_token_algorithm = r.id_token_algorithm
      from json_to_recordset(:rows) as r(id bigint, name text, organisation_id bigint, owner_id bigint, status text,
           public_client boolean, pkce_required boolean, implicit_enabled boolean, basic_enabled boolean,
           device_enabled boolean, anonymous_enabled boolean, shared_buckets boolean, secrets_sealed boolean, launch_uri text,
           backchannel_logout_uri text, backchannel_logout_session_required boolean, scopes text[],
           public_keys text, token_auth_method text, id_token_algorithm text)
     where a.id = r.id returning a.id`,
})

export const setStorageLimits = write('apps.setStorageLimits', {
  params: { rows: c.json },
  row: { app_id: c.int8 },
  text: `
    insert into app_storage as s (app_id, blocks_limit)
    select r.app_id, r.blocks_limit from json_to_recordset(:rows) as r(app_id bigint, blocks_limit bigint)
    on conflict (app_id) do update set blocks_limit = excluded.blocks_limit
     where s.blocks_limit <> excluded.blocks_limit returning s.app_id`,
})

/** Makes the redirect URIs in `:rows` the only ones of these apps. */
export const replaceRedirectUris = write('apps.replaceRedirectUris', {
  params: { apps: c.int8Array, rows: c.json },
  row: { app_id: c.int8 },
  text: `
    with wanted as (select * from json_to_recordset(:rows) as r(app_id bigint, value text)),
    gone as (
      delete from app_redirect_uris u where u.app_id = any(:apps) and not exists
        (select from wanted w where w.app_id = u.app_id and w.value = u.uri)
    )
    insert into app_redirect_uris (app_id, uri) select app_id, value from wanted on conflict do nothing returning app_id`,
})

export const replaceOrigins = write('apps.replaceOrigins', {
  params: { apps: c.int8Array, rows: c.json },
  row: { app_id: c.int8 },
  text: `
    with wanted as (select * from json_to_recordset(:rows) as r(app_id bigint, value text)),
    gone as (
      delete from app_origins o where o.app_id = any(:apps) and not exists
        (select from wanted w where w.app_id = o.app_id and w.value = o.origin)
    )
    insert into app_origins (app_id, origin) select app_id, value from wanted on conflict do nothing returning app_id`,
})

/** Makes the post-logout redirect URIs in `:rows` the only ones of these apps. */
export const replacePostLogoutUris = write('apps.replacePostLogoutUris', {
  params: { apps: c.int8Array, rows: c.json },
  row: { id: c.int8 },
  text: `
    update apps a set post_logout_redirect_uris = nullif(
             array(select r.value from json_to_recordset(:rows) as r(app_id bigint, value text) where r.app_id = a.id order by 1), '{}')
     where a.id = any(:apps) returning a.id`,
})

/**
 * Makes the secrets in `:rows` the only ones of these apps. Hashes are passed as hexadecimal text, because JSON has no
 * bytes.
 */
export const replaceSecrets = write('apps.replaceSecrets', {
  params: { apps: c.int8Array, rows: c.json, now: c.timestamptz },
  row: { app_id: c.int8 },
  text: `
    with wanted as (
      select app_id, decode(hash, 'hex') as secret_hash, decode(sealed, 'hex') as sealed
        from json_to_recordset(:rows) as r(app_id bigint, hash text, sealed text)
    ), gone as (
      delete from app_secrets s where s.app_id = any(:apps) and not exists
        (select from wanted w where w.app_id = s.app_id and w.secret_hash = s.secret_hash)
    )
    insert into app_secrets (app_id, secret_hash, sealed, created_at)
    select app_id, secret_hash, sealed, :now from wanted
    on conflict (app_id, secret_hash) do update set sealed = excluded.sealed returning app_id`,
})

/** Finds which of these people are users of these apps, including users who have withdrawn their consent. */
export const findUsersOfApps = read('apps.findUsersOfApps', {
  params: { people: c.int8Array, apps: c.int8Array },
  row: { person_id: c.int8, app_id: c.int8 },
  text: `select person_id, app_id from app_users where person_id = any(:people) and app_id = any(:apps)`,
})
