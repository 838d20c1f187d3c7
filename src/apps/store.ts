import { bool, bytea, int8, nullable, read, text, textArray, timestamptz, write } from '../database/statement.ts'

export const findByClientId = read('apps.findByClientId', {
  params: { client: text },
  row: { id: int8, client_id: text, name: text, status: text, basic_enabled: bool },
  text: `select id, client_id, name, status, basic_enabled from apps where client_id = :client`,
})

/** The person's id in this app: the one that exists, or a new one. Signing in is consent, given anew where it was withdrawn. */
export const ensureUser = write('apps.ensureUser', {
  params: { user: text, app: int8, person: int8, now: timestamptz },
  row: { user_id: text },
  text: `
    insert into app_users as u (user_id, app_id, person_id, consented_at) values (:user, :app, :person, :now)
    on conflict (app_id, person_id) do update set
      consented_at = case when u.withdrawn_at is null then u.consented_at else excluded.consented_at end,
      withdrawn_at = null
    returning user_id`,
})

/** Which of these user ids belong to the app. */
export const findUsers = read('apps.findUsers', {
  params: { app: int8, users: textArray },
  row: { user_id: text },
  text: `select user_id from app_users where user_id = any(:users) and app_id = :app and withdrawn_at is null`,
})

export const listOrigins = read('apps.listOrigins', {
  params: {},
  row: { origin: text },
  text: `select distinct o.origin from app_origins o join apps a on a.id = o.app_id where a.status = 'approved'`,
})

export const setStatus = write('apps.setStatus', {
  params: { client: text, status: text },
  row: { id: int8 },
  text: `update apps set status = :status where client_id = :client returning id`,
})

export const setStorageLimit = write('apps.setStorageLimit', {
  params: { client: text, blocks: int8 },
  row: { app_id: int8 },
  text: `
    update app_storage s set blocks_limit = :blocks from apps a where a.id = s.app_id and a.client_id = :client
    returning s.app_id`,
})

export const listApps = read('apps.list', {
  params: {},
  row: { client_id: text, name: text, status: text, blocks_used: int8, blocks_limit: int8, owner: nullable(text) },
  text: `
    select a.client_id, a.name, a.status, s.blocks_used, s.blocks_limit, p.handle as owner
      from apps a join app_storage s on s.app_id = a.id left join people p on p.id = a.owner_id
     order by a.client_id`,
})

/** The app with its storage, redirect URIs and origins; no row where the client ID is taken. */
export const insertApp = write('apps.insert', {
  params: {
    client: text,
    name: text,
    owner: nullable(int8),
    public: bool,
    implicit: bool,
    basic: bool,
    blocks: int8,
    uris: textArray,
    origins: textArray,
    now: timestamptz,
  },
  row: { id: int8 },
  text: `
    with app as (
      insert into apps (client_id, name, owner_id, status, public_client, implicit_enabled, basic_enabled, created_at)
      values (:client, :name, :owner, 'approved', :public, :implicit, :basic, :now)
      on conflict (client_id) do nothing returning id
    ), storage as (
      insert into app_storage (app_id, blocks_limit) select id, :blocks from app
    ), uris as (
      insert into app_redirect_uris (app_id, uri) select distinct id, uri from app, unnest(:uris) as uri
    ), origins as (
      insert into app_origins (app_id, origin) select distinct id, origin from app, unnest(:origins) as origin
    )
    select id from app`,
})

/** The row is locked, so that two rotations at once cannot leave three secrets. */
export const lockApp = write('apps.lock', {
  params: { client: text },
  row: { id: int8, public_client: bool },
  text: `select id, public_client from apps where client_id = :client for update`,
})

export const countSecrets = read('apps.countSecrets', {
  params: { app: int8 },
  row: { count: int8 },
  text: `select count(*) as count from app_secrets where app_id = :app`,
})

export const insertSecret = write('apps.insertSecret', {
  params: { app: int8, hash: bytea, now: timestamptz },
  row: { id: int8 },
  text: `insert into app_secrets (app_id, secret_hash, created_at) values (:app, :hash, :now) returning id`,
})

export const deleteOldSecrets = write('apps.deleteOldSecrets', {
  params: { app: int8 },
  row: { id: int8 },
  text: `
    delete from app_secrets where app_id = :app
       and id <> (select id from app_secrets where app_id = :app order by created_at desc, id desc limit 1)
    returning id`,
})
