-- What the kernel keeps: answers under an Idempotency-Key, the audit log, and facts of this installation.

create table idempotency_keys (
  caller       text not null,
  key          text not null,
  fingerprint  bytea not null,
  -- A success: the answer's text and headers. A refusal: its kind in `error`, its sentence in `answer`.
  answer       text,
  headers      json,
  error        text,
  created_at   timestamptz not null,
  primary key (caller, key)
);
create index idempotency_keys_by_caller on idempotency_keys (caller, created_at);
create index idempotency_keys_by_age on idempotency_keys (created_at);

create table audit_entries (
  id          bigint generated always as identity primary key,
  at          timestamptz not null,
  action      text not null,
  person_id   bigint,
  app_id      bigint,
  session_id  uuid,
  address     text,
  request_id  text,
  detail      json not null
);
create index audit_entries_by_time on audit_entries (at);
create index audit_entries_by_person on audit_entries (person_id, at);
create index audit_entries_by_app on audit_entries (app_id, at);

create table installation (
  name   text primary key,
  value  text not null
);
