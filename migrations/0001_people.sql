-- People, the organisations they belong to, and how they prove who they are.

create table organisations (
  id          bigint generated always as identity primary key,
  key         text not null unique,
  name        text not null,
  created_at  timestamptz not null
);

create table people (
  id             bigint generated always as identity primary key,
  handle         text not null,
  -- The handle's normal form: what makes two handles the same.
  handle_key     text not null unique,
  first_name     text not null default '',
  last_name      text not null default '',
  email          text,
  country        text,
  date_of_birth  date,
  public_search  boolean not null default false,
  administrator  boolean not null default false,
  developer      boolean not null default false,
  anonymous      boolean not null default false,
  -- argon2id in PHC form; null: this person cannot sign in with a password.
  password_hash  text,
  disabled_at    timestamptz,
  created_at     timestamptz not null
);

create table organisation_members (
  organisation_id  bigint not null references organisations on delete cascade,
  person_id        bigint not null references people on delete cascade,
  role             text not null,
  primary key (organisation_id, person_id)
);
create index organisation_members_by_person on organisation_members (person_id);

-- Failed sign-ins by account and by address, shared by all processes, so that a restart does not forget them.
create table sign_in_failures (
  subject        text primary key,
  failures       integer not null,
  last_at        timestamptz not null,
  blocked_until  timestamptz not null
);
create index sign_in_failures_by_age on sign_in_failures (last_at);
