-- Registered apps. Client secrets are kept as keyed hashes, two active at a time, so that they can be rotated.

create table apps (
  id                bigint generated always as identity primary key,
  client_id         text not null unique,
  name              text not null,
  organisation_id   bigint references organisations,
  owner_id          bigint references people,
  status            text not null check (status in ('pending', 'approved', 'suspended')),
  -- A public app cannot keep a secret: it proves itself with PKCE.
  public_client     boolean not null default false,
  pkce_required     boolean not null default true,
  implicit_enabled  boolean not null default false,
  basic_enabled     boolean not null default false,
  created_at        timestamptz not null
);
create index apps_by_organisation on apps (organisation_id);
create index apps_by_owner on apps (owner_id);

create table app_secrets (
  id            bigint generated always as identity primary key,
  app_id        bigint not null references apps on delete cascade,
  secret_hash   bytea not null,
  created_at    timestamptz not null,
  last_used_at  timestamptz,
  unique (app_id, secret_hash)
);

create table app_redirect_uris (
  app_id  bigint not null references apps on delete cascade,
  uri     text not null,
  primary key (app_id, uri)
);

-- Origins of web pages that may call the platform from a browser.
create table app_origins (
  app_id  bigint not null references apps on delete cascade,
  origin  text not null,
  primary key (app_id, origin)
);

-- The quota of an app, in blocks of 1 KiB. version_floor: no bucket made from now on has a version at or below it.
create table app_storage (
  app_id         bigint primary key references apps on delete cascade,
  blocks_used    bigint not null default 0 check (blocks_used >= 0),
  blocks_limit   bigint not null check (blocks_limit >= 0),
  version_floor  bigint not null default 0
);

-- A person as one app knows them: the user id is random, so two apps cannot join their data by it.
create table app_users (
  user_id       text primary key,
  app_id        bigint not null references apps on delete cascade,
  person_id     bigint not null references people on delete cascade,
  consented_at  timestamptz not null,
  withdrawn_at  timestamptz,
  unique (app_id, person_id)
);
create index app_users_by_person on app_users (person_id);
