-- Keys of the record store: what tools that know nothing of this platform prove themselves with.

create table credentials (
  id            bigint generated always as identity primary key,
  -- The name that is sent with the secret. It is in statements, as the authority: so it is never given again.
  key           text not null unique,
  name          text not null,
  scopes        text[] not null check (scopes <@ array['statements/write', 'statements/read/mine', 'statements/read', 'state', 'define', 'profile', 'all'] and cardinality(scopes) > 0),
  -- The agent that its statements get as authority. Null: an account that is named like the key.
  authority     json,
  -- Whether its statements may only have verbs of the library.
  uses_library  boolean not null default false,
  created_at    timestamptz not null,
  created_by    bigint references people on delete set null,
  expires_at    timestamptz,
  suspended_at  timestamptz,
  -- The row stays: statements name it.
  revoked_at    timestamptz
);
create index credentials_by_maker on credentials (created_by);

-- Two at most, so that one can be replaced without a moment in which none is right.
create table credential_secrets (
  id             bigint generated always as identity primary key,
  credential_id  bigint not null references credentials on delete cascade,
  secret_hash    bytea not null,
  created_at     timestamptz not null,
  -- To the minute.
  last_used_at   timestamptz
);
create index credential_secrets_by_credential on credential_secrets (credential_id);
