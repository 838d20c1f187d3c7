import { deleteOlder } from '../../kernel/database/retention.ts'
import { c, nullable, read, report, write } from '../../kernel/database/statement.ts'

export const findByClientId = read('apps.findByClientId', {
  params: { client: c.text },
  row: {
    id: c.int8,
    client_id: c.text,
    name: c.text,
    status: c.text,
    basic_enabled: c.bool,
    anonymous_enabled: c.bool,
  },
  text: `select id, client_id, name, status, basic_enabled, anonymous_enabled from apps where client_id = :client`,
})

export const findClient = read('apps.findClient', {
  params: { client: c.text },
  row: {
    id: c.int8,
    client_id: c.text,
    name: c.text,
    status: c.text,
    owner: nullable(c.text),
    public_client: c.bool,
    pkce_required: c.bool,
    implicit_enabled: c.bool,
    device_enabled: c.bool,
    scopes: nullable(c.textArray),
    redirect_uris: c.textArray,
    secrets: c.textArray,
    secrets_used: c.textArray,
    token_auth_method: nullable(c.text),
    public_keys: nullable(c.json),
    id_token_algorithm: nullable(c.text),
  },
  text: `
    select a.id, a.client_id, a.name, a.status, coalesce(o.name, p.handle) as owner, a.public_client, a.pkce_required,
           a.implicit_enabled, a.device_enabled, a.scopes,
           array(select uri from app_redirect_uris where app_id = a.id order by uri) as redirect_uris,
           array(select encode(secret_hash, 'hex') from app_secrets where app_id = a.id order by id) as secrets,
           array(select coalesce(extract(epoch from last_used_at)::text, '0') from app_secrets where app_id = a.id order by id) as secrets_used,
           a.token_auth_method, a.public_keys, a.id_token_algorithm
      from apps a left join organisations o on o.id = a.organisation_id left join people p on p.id = a.owner_id
     where a.client_id = :client`,
})

/** Deletes an app. The deletion cascades to its secrets, users, sessions and buckets. */
export const deleteApp = write('apps.delete', {
  params: { client: c.text },
  row: { id: c.int8 },
  text: `delete from apps where client_id = :client returning id`,
})

/** Notes that a secret was used, and replaces its hash if that was computed with the previous key. */
export const touchSecret = write('apps.touchSecret', {
  params: { app: c.int8, hash: c.bytea, current: c.bytea, now: c.timestamptz },
  row: { id: c.int8 },
  text: `
    update app_secrets set last_used_at = :now, secret_hash = :current
     where app_id = :app and secret_hash = :hash returning id`,
})

export const listSecrets = read('apps.listSecrets', {
  params: { client: c.text },
  row: { id: c.int8, created_at: c.instant, last_used_at: nullable(c.instant) },
  text: `
    select s.id, s.created_at, s.last_used_at from app_secrets s join apps a on a.id = s.app_id
     where a.client_id = :client order by s.id`,
})

/**
 * Returns the person's user id in this app, creating the user if needed. Signing in counts as consent and renews a
 * withdrawn consent. The scopes are added to those that the person has allowed before; null stands for all that the app
 * has registered. `is_changed` tells whether the allowed scopes are others now. The person's row is locked before the
 * user's, as in every statement: triggers that update the search lock both rows, and another order could cause a
 * deadlock.
 */
export const ensureUser = write('apps.ensureUser', {
  params: { user: c.text, app: c.int8, person: c.int8, scopes: nullable(c.textArray), now: c.timestamptz },
  row: { user_id: c.text, is_changed: c.bool },
  text: `
    with person as (select id from people where id = :person for share)
    insert into app_users as u (user_id, app_id, person_id, consented_at, allowed_at, scopes)
    select :user, :app, id, :now, :now, coalesce(:scopes, (select scopes from apps where id = :app)) from person
    on conflict (app_id, person_id) do update set
      consented_at = case when u.withdrawn_at is null then u.consented_at else excluded.consented_at end,
      allowed_at = case when u.withdrawn_at is null then coalesce(u.allowed_at, excluded.allowed_at) else excluded.allowed_at end,
      scopes = case
        when u.withdrawn_at is not null or u.allowed_at is null then excluded.scopes
        when u.scopes is null or excluded.scopes is null then null
        else array(select distinct unnest(u.scopes || excluded.scopes)) end,
      withdrawn_at = null
    returning user_id, scopes is distinct from
      (select b.scopes from app_users b where b.app_id = :app and b.person_id = :person) as is_changed`,
})

/**
 * Enrols people as users of apps, without their consent yet. Existing users and withdrawn consents are not changed.
 * People are locked first, as in `ensureUser`.
 */
export const enrolUsers = write('apps.enrolUsers', {
  params: { people: c.int8Array, rows: c.json, now: c.timestamptz },
  row: { user_id: c.text },
  text: `
    with person as (select id from people where id = any(:people) order by id for share)
    insert into app_users (user_id, app_id, person_id, consented_at)
    select r.user_id, r.app_id, person.id, :now
      from json_to_recordset(:rows) as r(user_id text, app_id bigint, person_id bigint) join person on person.id = r.person_id
    on conflict (app_id, person_id) do nothing returning user_id`,
})

/** Lists the apps that a person uses, most recent first. */
export const listOfPerson = read('apps.listOfPerson', {
  params: { person: c.int8 },
  row: {
    id: c.int8,
    client_id: c.text,
    name: c.text,
    owner: nullable(c.text),
    consented_at: c.instant,
    allowed_at: nullable(c.instant),
    scopes: nullable(c.textArray),
    user_scopes: nullable(c.textArray),
  },
  text: `
    select a.id, a.client_id, a.name, u.consented_at, u.allowed_at, a.scopes, u.scopes as user_scopes,
           coalesce(o.name, nullif(trim(p.first_name || ' ' || p.last_name), ''), p.handle) as owner
      from app_users u join apps a on a.id = u.app_id
      left join organisations o on o.id = a.organisation_id
      left join people p on p.id = a.owner_id
     where u.person_id = :person and u.withdrawn_at is null
     order by u.consented_at desc, a.id desc limit 200`,
})

/**
 * Lists the apps that a person uses, including those to which consent was withdrawn. Not paged, because a person uses
 * few apps.
 */
export const listUses = read('apps.listUses', {
  params: { person: c.int8 },
  row: {
    client_id: c.text,
    name: c.text,
    user_id: c.text,
    consented_at: c.instant,
    allowed_at: nullable(c.instant),
    withdrawn_at: nullable(c.instant),
    scopes: nullable(c.textArray),
  },
  gather: false,
  text: `
    select a.client_id, a.name, u.user_id, u.consented_at, u.allowed_at, u.withdrawn_at, u.scopes
      from app_users u join apps a on a.id = u.app_id where u.person_id = :person order by a.client_id`,
})

export const listOwned = read('apps.listOwned', {
  params: { person: c.int8 },
  row: { client_id: c.text, name: c.text, status: c.text, created_at: c.instant },
  gather: false,
  text: `select client_id, name, status, created_at from apps where owner_id = :person order by client_id`,
})

/**
 * Withdraws a consent. Incrementing its epoch also invalidates codes and device approvals that have not been redeemed.
 */
export const withdraw = write('apps.withdraw', {
  params: { client: c.text, person: c.int8, now: c.timestamptz },
  row: { app_id: c.int8 },
  text: `
    update app_users u set withdrawn_at = :now, epoch = u.epoch + 1
      from apps a
     where a.client_id = :client and u.app_id = a.id and u.person_id = :person and u.withdrawn_at is null
    returning u.app_id`,
})

/**
 * Takes scopes from what a person has allowed. Incrementing the epoch also invalidates codes and device approvals that
 * have not been redeemed. Returns no row if the person has allowed none of these scopes.
 */
export const withdrawScopes = write('apps.withdrawScopes', {
  params: { client: c.text, person: c.int8, scopes: c.textArray, all: c.textArray },
  row: { app_id: c.int8 },
  text: `
    update app_users u
       set scopes = array(select scope from unnest(coalesce(u.scopes, a.scopes, :all)) as scope where scope <> all(:scopes)),
           epoch = u.epoch + 1
      from apps a
     where a.client_id = :client and u.app_id = a.id and u.person_id = :person and u.withdrawn_at is null
       and u.allowed_at is not null and coalesce(u.scopes, a.scopes, :all) && :scopes
    returning u.app_id`,
})

/**
 * Returns the person's user id in the app, unless the password has been changed or the consent withdrawn since the
 * given epochs. Locks the person and the consent, so that no session is opened while another transaction ends them all.
 */
export const lockUser = write('apps.lockUser', {
  params: { app: c.int8, person: c.int8, personEpoch: c.int4, consentEpoch: c.int4 },
  row: { user_id: c.text },
  text: `
    select u.user_id from people p join app_users u on u.person_id = p.id
     where p.id = :person and p.epoch = :personEpoch and p.disabled_at is null
       and u.app_id = :app and u.epoch = :consentEpoch and u.withdrawn_at is null
       for share of p, u`,
})

/** Finds a consent. Returns no row if there is none, or if the person was enrolled and has not been asked yet. */
export const findConsent = read('apps.findConsent', {
  params: { app: c.int8, person: c.int8 },
  row: { epoch: c.int4, scopes: nullable(c.textArray) },
  text: `
    select epoch, scopes from app_users
     where app_id = :app and person_id = :person and withdrawn_at is null and allowed_at is not null`,
})

export const listOrigins = read('apps.listOrigins', {
  params: {},
  row: { origin: c.text },
  text: `select distinct o.origin from app_origins o join apps a on a.id = o.app_id where a.status = 'approved'`,
})

export const setStatus = write('apps.setStatus', {
  params: { client: c.text, status: c.text },
  row: { id: c.int8 },
  text: `update apps set status = :status, changed_at = null where client_id = :client returning id`,
})

/** Sets switches. A switch whose parameter is null keeps its value. */
export const setSwitches = write('apps.setSwitches', {
  params: { client: c.text, anonymous: nullable(c.bool), sharedBuckets: nullable(c.bool) },
  row: { id: c.int8, anonymous_enabled: c.bool, shared_buckets: c.bool },
  text: `
    update apps set anonymous_enabled = coalesce(:anonymous, anonymous_enabled), shared_buckets = coalesce(:sharedBuckets, shared_buckets)
     where client_id = :client returning id, anonymous_enabled, shared_buckets`,
})

export const setStorageLimit = write('apps.setStorageLimit', {
  params: { client: c.text, blocks: c.int8 },
  row: { app_id: c.int8 },
  text: `
    update app_storage s set blocks_limit = :blocks from apps a where a.id = s.app_id and a.client_id = :client
    returning s.app_id`,
})

export const listApps = read('apps.list', {
  params: {},
  row: {
    client_id: c.text,
    name: c.text,
    status: c.text,
    blocks_used: c.int8,
    blocks_limit: c.int8,
    owner: nullable(c.text),
  },
  text: `
    select a.client_id, a.name, a.status, s.blocks_used, s.blocks_limit, p.handle as owner
      from apps a join app_storage s on s.app_id = a.id left join people p on p.id = a.owner_id
     order by a.client_id`,
})

export const showApp = read('apps.show', {
  params: { client: c.text },
  row: {
    client_id: c.text,
    name: c.text,
    status: c.text,
    owner: nullable(c.text),
    organisation: nullable(c.text),
    is_plugin: c.bool,
    public_client: c.bool,
    basic_enabled: c.bool,
    implicit_enabled: c.bool,
    device_enabled: c.bool,
    anonymous_enabled: c.bool,
    shared_buckets: c.bool,
    redirect_uris: c.textArray,
    launch_uri: nullable(c.text),
    origins: c.textArray,
    post_logout_redirect_uris: c.textArray,
    backchannel_logout_uri: nullable(c.text),
    backchannel_logout_session_required: c.bool,
    scopes: nullable(c.textArray),
    token_auth_method: nullable(c.text),
    public_keys: nullable(c.json),
    id_token_algorithm: nullable(c.text),
    users: c.int8,
    blocks_used: c.int8,
    blocks_limit: c.int8,
    created_at: c.instant,
  },
  text: `
    select a.client_id, a.name, a.status, p.handle as owner, o.key as organisation,
           exists (select from plugins g where g.app_id = a.id) as is_plugin, a.public_client, a.basic_enabled, a.implicit_enabled,
           a.device_enabled, a.anonymous_enabled, a.shared_buckets,
           array(select uri from app_redirect_uris where app_id = a.id order by uri) as redirect_uris, a.launch_uri,
           array(select origin from app_origins where app_id = a.id order by origin) as origins,
           coalesce(a.post_logout_redirect_uris, '{}') as post_logout_redirect_uris, a.backchannel_logout_uri,
           coalesce(a.backchannel_logout_session_required, false) as backchannel_logout_session_required, a.scopes,
           a.token_auth_method, a.public_keys, a.id_token_algorithm,
           (select count(*) from app_users u where u.app_id = a.id and u.withdrawn_at is null) as users,
           s.blocks_used, s.blocks_limit, a.created_at
      from apps a join app_storage s on s.app_id = a.id left join people p on p.id = a.owner_id
      left join organisations o on o.id = a.organisation_id
     where a.client_id = :client`,
})

/** Inserts an app with its storage, redirect URIs and origins. Returns no row if the client ID is taken. */
export const insertApp = write('apps.insert', {
  params: {
    client: c.text,
    name: c.text,
    organisation: nullable(c.int8),
    owner: nullable(c.int8),
    status: c.text,
    public: c.bool,
    pkce: c.bool,
    sealed: c.bool,
    implicit: c.bool,
    basic: c.bool,
    device: c.bool,
    blocks: c.int8,
    uris: c.textArray,
    launch: nullable(c.text),
    origins: c.textArray,
    scopes: nullable(c.textArray),
    now: c.timestamptz,
  },
  row: { id: c.int8 },
  text: `
    with app as (
      insert into apps (client_id, name, organisation_id, owner_id, status, public_client, pkce_required, secrets_sealed,
                        implicit_enabled, basic_enabled, device_enabled, launch_uri, scopes, created_at)
      values (:client, :name, :organisation, :owner, :status, :public, :pkce, :sealed, :implicit, :basic, :device, :launch, :scopes, :now)
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

export const readReviewedFields = read('apps.readReviewedFields', {
  params: { app: c.int8 },
  row: {
    status: c.text,
    name: c.text,
    launch_uri: nullable(c.text),
    redirect_uris: c.textArray,
    origins: c.textArray,
    post_logout_redirect_uris: c.textArray,
    backchannel_logout_uri: nullable(c.text),
    scopes: nullable(c.textArray),
  },
  gather: false,
  text: `
    select a.status, a.name, a.launch_uri, array(select uri from app_redirect_uris where app_id = a.id order by uri) as redirect_uris,
           array(select origin from app_origins where app_id = a.id order by origin) as origins,
           coalesce(a.post_logout_redirect_uris, '{}') as post_logout_redirect_uris, a.backchannel_logout_uri, a.scopes
      from apps a where a.id = :app`,
})

/** Sets where an app is told about sign-outs. Null keeps a field; an empty list or text removes it. */
export const setLogout = write('apps.setLogout', {
  params: {
    app: c.int8,
    uris: nullable(c.textArray),
    receiver: nullable(c.text),
    sessionRequired: nullable(c.bool),
  },
  row: { id: c.int8 },
  text: `
    update apps set post_logout_redirect_uris = nullif(coalesce(:uris, post_logout_redirect_uris), '{}'),
           backchannel_logout_uri = nullif(coalesce(:receiver, backchannel_logout_uri), ''),
           backchannel_logout_session_required = coalesce(:sessionRequired, backchannel_logout_session_required)
     where id = :app returning id`,
})

/**
 * Changes an app. A field whose parameter is null keeps its value; an empty launch URI removes the launch URI, and an
 * empty list of scopes stands for all. A new
 * `changed_at` is always later than the stored one, even if the clocks of the processes differ.
 */
export const changeApp = write('apps.change', {
  params: {
    app: c.int8,
    name: nullable(c.text),
    owner: nullable(c.int8),
    uris: nullable(c.textArray),
    launch: nullable(c.text),
    origins: nullable(c.textArray),
    scopes: nullable(c.textArray),
    basic: nullable(c.bool),
    implicit: nullable(c.bool),
    device: nullable(c.bool),
    changed: nullable(c.timestamptz),
  },
  row: { id: c.int8 },
  text: `
    with gone as (
      delete from app_redirect_uris where app_id = :app and :uris is not null and uri <> all(:uris)
    ), added as (
      insert into app_redirect_uris (app_id, uri) select distinct :app::int8, uri from unnest(:uris) as uri on conflict do nothing
    ), closed as (
      delete from app_origins where app_id = :app and :origins is not null and origin <> all(:origins)
    ), opened as (
      insert into app_origins (app_id, origin) select distinct :app::int8, origin from unnest(:origins) as origin on conflict do nothing
    )
    update apps set name = coalesce(:name, name), owner_id = coalesce(:owner, owner_id), basic_enabled = coalesce(:basic, basic_enabled),
           implicit_enabled = coalesce(:implicit, implicit_enabled), device_enabled = coalesce(:device, device_enabled),
           launch_uri = nullif(coalesce(:launch, launch_uri), ''), scopes = nullif(coalesce(:scopes, scopes), '{}'),
           changed_at = case when :changed is null then changed_at else greatest(:changed, changed_at + interval '1 millisecond') end
     where id = :app returning id`,
})

/** Locks an app, so that two concurrent additions cannot result in three secrets. */
export const lockApp = write('apps.lock', {
  params: { client: c.text },
  row: { id: c.int8, public_client: c.bool, secrets_sealed: c.bool },
  text: `select id, public_client, secrets_sealed from apps where client_id = :client for update`,
})

export const countSecrets = read('apps.countSecrets', {
  params: { app: c.int8 },
  row: { count: c.int8 },
  text: `select count(*) as count from app_secrets where app_id = :app`,
})

export const insertSecret = write('apps.insertSecret', {
  params: { app: c.int8, hash: c.bytea, sealed: nullable(c.bytea), now: c.timestamptz },
  row: { id: c.int8 },
  text: `
    insert into app_secrets (app_id, secret_hash, sealed, created_at) values (:app, :hash, :sealed, :now) returning id`,
})

export const deleteOldSecrets = write('apps.deleteOldSecrets', {
  params: { app: c.int8 },
  row: { id: c.int8 },
  text: `
    delete from app_secrets where app_id = :app
       and id <> (select id from app_secrets where app_id = :app order by created_at desc, id desc limit 1)
    returning id`,
})

/** Lists the apps with a secret that was not used since a time, and so is still hashed with an earlier key. */
export const listUnused = report('apps.listUnused', {
  params: { since: c.timestamptz, limit: c.int8 },
  row: { client_id: c.text },
  text: `
    select distinct a.client_id from app_secrets s join apps a on a.id = s.app_id
     where s.created_at < :since and coalesce(s.last_used_at < :since, true) order by a.client_id limit :limit`,
})

export const listSealed = read('apps.listSealed', {
  params: { after: c.int8, limit: c.int8 },
  row: { id: c.int8, client_id: c.text, sealed: nullable(c.bytea) },
  gather: false,
  text: `
    select s.id, a.client_id, s.sealed from app_secrets s join apps a on a.id = s.app_id
     where s.id > :after and s.sealed is not null order by s.id limit :limit`,
})

/** Stores a secret that was encrypted again. Updates no row if the secret was changed meanwhile. */
export const reseal = write('apps.reseal', {
  params: { secret: c.int8, before: c.bytea, sealed: c.bytea },
  row: { id: c.int8 },
  text: `update app_secrets set sealed = :sealed where id = :secret and sealed = :before returning id`,
})

/** Lists the people who manage an app: its owner, and the owners and developers of its organisation. */
export const listManagers = read('apps.listManagers', {
  params: { app: c.int8, except: nullable(c.int8) },
  row: { person_id: c.int8, client_id: c.text, name: c.text },
  gather: false,
  text: `
    select p.id as person_id, a.client_id, a.name from apps a join people p on p.id = a.owner_id or p.id in (
             select m.person_id from organisation_members m where m.organisation_id = a.organisation_id and m.role in ('owner', 'developer'))
     where a.id = :app and p.id is distinct from :except order by p.id limit 100`,
})

/**
 * Changes how an app proves itself. A field whose parameter is null keeps its value; an empty list removes all keys.
 */
export const changeProof = write('apps.changeProof', {
  params: { app: c.int8, keys: nullable(c.json), method: nullable(c.text), algorithm: nullable(c.text) },
  row: { public_client: c.bool, token_auth_method: nullable(c.text), keys: c.int4 },
  text: `
    update apps set public_keys = nullif(coalesce(:keys, public_keys)::text, '[]')::json,
           token_auth_method = nullif(coalesce(:method, token_auth_method), 'client_secret'),
           id_token_algorithm = coalesce(:algorithm, id_token_algorithm)
     where id = :app returning public_client, token_auth_method, coalesce(json_array_length(public_keys), 0) as keys`,
})

/** Notes that an assertion was used. Returns no row if it was used before and has not expired. */
export const useAssertion = write('apps.useAssertion', {
  params: { app: c.int8, jti: c.bytea, expires: c.timestamptz, now: c.timestamptz },
  row: { app_id: c.int8 },
  text: `
    insert into client_assertions as a (app_id, jti_hash, expires_at) values (:app, :jti, :expires)
    on conflict (app_id, jti_hash) do update set expires_at = excluded.expires_at where a.expires_at <= :now
    returning app_id`,
})

export const deleteOldAssertions = deleteOlder('apps.deleteOldAssertions', {
  table: 'client_assertions',
  key: { app_id: c.int8, jti_hash: c.bytea },
  by: 'expires_at',
})
