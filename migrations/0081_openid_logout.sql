-- Signing out of apps that use OpenID Connect. docs/decisions/0097-logout.md.

alter table apps
  -- Where the platform may send a browser after the app has signed the person out; null stands for an empty list.
  add column post_logout_redirect_uris text[],
  -- Where the app is told that a person was signed out.
  add column backchannel_logout_uri text,
  -- Null stands for false.
  add column backchannel_logout_session_required boolean;

-- The browser sign-in that a code or a session came from; only for codes and sessions with the scope openid. Without a
-- foreign key, because a session can outlive the browser's row.
alter table authorization_codes add column browser_id uuid;
alter table sessions add column browser_id uuid;
create index sessions_by_browser on sessions (browser_id) where browser_id is not null;

-- Messages that tell apps that a person was signed out. They are written in the transaction that ends the session, and
-- deleted once they were delivered.
create table logout_messages (
  id          bigint generated always as identity primary key,
  app_id      bigint not null references apps on delete cascade,
  -- The person's id in the app, and the id of the sign-in, as in ID tokens.
  user_id     text not null,
  sid         text not null,
  created_at  timestamptz not null,
  due_at      timestamptz not null,
  attempts    integer not null default 0,
  -- Increases with each claim, so that a process that was too slow cannot settle the message.
  token       integer not null default 0,
  problem     text,
  status      integer,
  failed_at   timestamptz
);
create index logout_messages_due on logout_messages (app_id, due_at) where failed_at is null;
create index logout_messages_failed on logout_messages (app_id, failed_at) where failed_at is not null;
create index logout_messages_by_end on logout_messages (failed_at) where failed_at is not null;
