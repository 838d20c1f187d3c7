-- The platform as an OpenID provider. docs/sign-in-design.md.

-- Keys that sign ID tokens. A key is published before it is used, and stays published after it was retired.
create table signing_keys (
  kid           text primary key,
  algorithm     text not null check (algorithm in ('RS256', 'ES256', 'EdDSA')),
  public_jwk    json not null,
  -- The private key, encrypted. It is deleted once the key is retired or withdrawn.
  sealed        bytea,
  published_at  timestamptz not null,
  used_from     timestamptz not null,
  retired_at    timestamptz,
  withdrawn_at  timestamptz
);

-- How an app proves that it is the app: null stands for its client secret. With private_key_jwt it signs assertions.
alter table apps
  add column token_auth_method text check (token_auth_method in ('private_key_jwt')),
  add column public_keys json,
  -- The algorithm of the app's ID tokens; null stands for RS256.
  add column id_token_algorithm text check (id_token_algorithm in ('RS256', 'ES256', 'EdDSA'));

-- Assertions that apps have used. Each works once.
create table client_assertions (
  app_id      bigint not null references apps on delete cascade,
  jti_hash    bytea not null,
  expires_at  timestamptz not null,
  primary key (app_id, jti_hash)
);
create index client_assertions_by_end on client_assertions (expires_at);

-- What an ID token says about the sign-in: the nonce of the request, and when the person authenticated.
alter table authorization_codes add column nonce text, add column auth_time timestamptz;
alter table sessions add column auth_time timestamptz;
