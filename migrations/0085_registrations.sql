-- Registrations of students for content packages, the state of their units, and launches.
-- docs/decisions/0101-launches.md.

create table registrations (
  id            bigint generated always as identity primary key,
  -- The registration that content and statements name.
  code          uuid not null unique,
  package_id    bigint not null references packages on delete cascade,
  -- Null for somebody who previews the package.
  enrolment_id  bigint references enrolments on delete cascade,
  person_id     bigint not null references people on delete cascade,
  created_at    timestamptz not null,
  satisfied_at  timestamptz
);
create unique index registrations_by_enrolment on registrations (enrolment_id, package_id) where enrolment_id is not null;
create unique index registrations_by_preview on registrations (person_id, package_id) where enrolment_id is null;
create index registrations_by_person on registrations (person_id);
create index registrations_by_package on registrations (package_id);

-- What content and instructors have reported about a unit or a block; no row if nothing was.
create table registration_items (
  registration_id  bigint not null references registrations on delete cascade,
  position         integer not null,
  completed_at     timestamptz,
  passed_at        timestamptz,
  failed_at        timestamptz,
  waived_at        timestamptz,
  waive_reason     text,
  satisfied_at     timestamptz,
  -- In percent, as the content reported them last.
  progress         real,
  score            real,
  primary key (registration_id, position)
);

create table launches (
  id               bigint generated always as identity primary key,
  -- The session that content and statements name.
  code             uuid not null unique,
  registration_id  bigint not null references registrations on delete cascade,
  position         integer not null,
  mode             text not null check (mode in ('Normal', 'Browse', 'Review')),
  -- Hashes of the token in the fetch URL, and of the credential that it returns once.
  fetch_hash       bytea unique,
  token_hash       bytea unique,
  created_at       timestamptz not null,
  fetched_at       timestamptz,
  preferences_at   timestamptz,
  initialized_at   timestamptz,
  completed_at     timestamptz,
  passed_at        timestamptz,
  failed_at        timestamptz,
  last_at          timestamptz not null,
  ended_at         timestamptz,
  ended_by         text check (ended_by in ('terminated', 'abandoned')),
  -- Duration as the content reported it when it ended, or else from the launch to the last request (seconds).
  seconds          double precision
);
create index launches_by_registration on launches (registration_id, id);
create index launches_open on launches (last_at) where ended_at is null;
