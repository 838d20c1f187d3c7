-- Sign-in: browsers, codes, devices, passkeys, one-time links, and the messages that carry them.

-- An epoch counts what makes earlier proofs worthless: a new password, a disabled account (people), a withdrawn consent (app_users). Whoever holds a
-- browser, a code or a link keeps the epoch that it was given in, and it holds only while that is still the current one.
alter table people add column epoch integer not null default 0;
alter table app_users add column epoch integer not null default 0;

-- The successor of a refresh token is used exactly when the counter has moved on, so nothing more has to be remembered.
alter table sessions drop column refresh_used;
-- Where an app sends notifications to this device.
alter table sessions add column push_token text;

alter table apps add column device_enabled boolean not null default false;

-- A browser in which a person is signed in to the platform itself. The cookie is kept as SHA-256 only.
create table browsers (
  id          uuid primary key,
  token_hash  bytea not null unique,
  person_id   bigint not null references people on delete cascade,
  epoch       integer not null,
  door        text not null,
  device      text not null,
  created_at  timestamptz not null,
  expires_at  timestamptz not null
);
create index browsers_by_person on browsers (person_id);
create index browsers_by_expiry on browsers (expires_at);

-- One use, a minute. A used code stays for a while, so that a second use is known as one.
create table authorization_codes (
  code_hash       bytea primary key,
  app_id          bigint not null references apps on delete cascade,
  person_id       bigint not null references people on delete cascade,
  person_epoch    integer not null,
  consent_epoch   integer not null,
  door            text not null,
  redirect_uri    text not null,
  -- Whether the request named it, so that the token request has to name it too (RFC 6749 §4.1.3).
  redirect_given  boolean not null,
  challenge       text,
  device          text not null,
  created_at      timestamptz not null,
  expires_at      timestamptz not null,
  used_at         timestamptz,
  session_id      uuid
);
create index authorization_codes_by_app on authorization_codes (app_id);
create index authorization_codes_by_person on authorization_codes (person_id);
create index authorization_codes_by_expiry on authorization_codes (expires_at);

-- A device without a browser, and the person who answers for it elsewhere (RFC 8628).
create table device_grants (
  device_hash       bytea primary key,
  user_code         text not null unique,
  app_id            bigint not null references apps on delete cascade,
  status            text not null check (status in ('pending', 'allowed', 'denied', 'used')),
  person_id         bigint references people on delete cascade,
  person_epoch      integer,
  consent_epoch     integer,
  device            text not null,
  -- Where it was asked for: nobody can use up alone what an app may have open.
  network           text not null,
  interval_seconds  integer not null,
  polled_at         timestamptz,
  created_at        timestamptz not null,
  expires_at        timestamptz not null,
  session_id        uuid
);
create index device_grants_by_app on device_grants (app_id, expires_at);
create index device_grants_by_person on device_grants (person_id);
create index device_grants_by_expiry on device_grants (expires_at);

create table passkeys (
  id             uuid primary key,
  -- As the authenticator calls it, in base64url; at most 1023 bytes (WebAuthn §4, Credential ID).
  credential_id  text not null unique,
  person_id      bigint not null references people on delete cascade,
  -- COSE_Key (RFC 9052 §7).
  public_key     bytea not null,
  -- Grows with each use, or stays 0 where the authenticator does not count.
  counter        bigint not null,
  transports     text[] not null,
  name           text not null,
  created_at     timestamptz not null,
  last_used_at   timestamptz
);
create index passkeys_by_person on passkeys (person_id, created_at);

-- What a browser was asked to sign, and has answered: each is good for one answer. Those that nobody answered are kept nowhere.
create table passkey_challenges (
  challenge_hash  bytea primary key,
  expires_at      timestamptz not null
);
create index passkey_challenges_by_expiry on passkey_challenges (expires_at);

-- One-time links to set a new password.
create table password_resets (
  code_hash   bytea primary key,
  person_id   bigint not null references people on delete cascade,
  epoch       integer not null,
  created_at  timestamptz not null,
  expires_at  timestamptz not null,
  used_at     timestamptz
);
create index password_resets_by_person on password_resets (person_id, created_at);
create index password_resets_by_expiry on password_resets (expires_at);

-- Messages to people, written with what they tell about and sent afterwards. The text may hold a one-time link, so it is encrypted, and removed once it is sent.
create table messages (
  id            bigint generated always as identity primary key,
  person_id     bigint not null references people on delete cascade,
  kind          text not null,
  recipient     text not null,
  sealed        bytea,
  created_at    timestamptz not null,
  attempts      integer not null default 0,
  -- Also how long a try may take: a process that dies during one leaves the message to the others.
  next_try_at   timestamptz not null,
  -- Nobody wants it later, such as a link that has expired.
  give_up_at    timestamptz not null,
  sent_at       timestamptz,
  given_up_at   timestamptz
);
create index messages_by_person on messages (person_id);
create index messages_waiting on messages (next_try_at) where sent_at is null and given_up_at is null;
create index messages_by_age on messages (created_at);

-- Anonymous users are gone with their last session: what ended first is found first.
create index sessions_anonymous on sessions (least(expires_at, ended_at)) where door = 'anonymous';
-- What a person's own page shows.
create index sessions_live on sessions (person_id, app_id, created_at) where ended_at is null;
