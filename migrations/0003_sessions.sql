-- A session is one person on one device in one app. Access tokens are kept as SHA-256 only. The refresh token is not kept at all: it is the
-- session's id, a counter and a signature over both.

create table sessions (
  id               uuid primary key,
  app_id           bigint not null references apps on delete cascade,
  person_id        bigint not null references people on delete cascade,
  user_id          text not null references app_users on delete cascade,
  door             text not null,
  device           text not null default '',
  scope            text not null default '',
  refresh_counter  integer not null default 0,
  refreshed_at     timestamptz not null,
  -- The latest counter that a client is known to have received, because it used it.
  refresh_used     integer not null default 0,
  created_at       timestamptz not null,
  expires_at       timestamptz not null,
  ended_at         timestamptz,
  end_reason       text
);
create index sessions_by_person on sessions (person_id, app_id);
create index sessions_by_app on sessions (app_id);
create index sessions_by_user on sessions (user_id);
create index sessions_by_expiry on sessions (expires_at);

create table access_tokens (
  token_hash  bytea primary key,
  session_id  uuid not null references sessions on delete cascade,
  created_at  timestamptz not null,
  expires_at  timestamptz not null
);
create index access_tokens_by_session on access_tokens (session_id);
create index access_tokens_by_expiry on access_tokens (expires_at);
