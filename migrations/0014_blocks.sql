-- A block tells its maker nothing about whom they could not see (docs/people.md, decision 26).

-- Whether the block is in the list of whoever made it: they saw the other one, or had to do with them.
alter table blocks add column is_listed boolean not null default true;

-- What a block was asked for by, where nobody was seen: '@' and a handle, or '#' and a user id, whether or not somebody has it. So the limit of blocks counts the same
-- for both.
create table blocked_names (
  blocker_id  bigint not null references people on delete cascade,
  name        text not null,
  created_at  timestamptz not null,
  primary key (blocker_id, name)
);
