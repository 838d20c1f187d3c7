-- Leaving for good: it may take several steps, and the handle stays out of others' hands for a while.

-- From the first step on nobody can sign in, and nothing stops what has begun; where a process dies in between, another one goes on.
alter table people add column leaving_at timestamptz;
create index people_leaving on people (id) where leaving_at is not null;

-- SHA-256 of the normal form of handles that were given up: enough to refuse them, too little to list them.
create table retired_handles (
  handle_hash  bytea primary key,
  until        timestamptz not null
);
create index retired_handles_by_age on retired_handles (until);

-- The last message goes to somebody who is no longer here.
alter table messages alter column person_id drop not null;
