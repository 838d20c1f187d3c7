-- A block tells its maker nothing about whom they could not see (docs/people.md, decision 26).

-- Whether the block is in the list of whoever made it: they saw the other one, or had to do with them.
alter table blocks add column is_listed boolean not null default true;

-- What a block was asked for by, where nobody was seen: '@' and a handle, or '#' and a user id, whether or not somebody has it. So the limit of blocks counts the same
-- for both.
create table blocked_names (
  blocker_id  bigint not null references people on delete cascade,
  name        text not null,
  -- Who had the name. Never shown: it says for how long the block holds. When they go the name stays, or it would tell that they were there.
  blocked_id  bigint references people on delete set null,
  created_at  timestamptz not null,
  primary key (blocker_id, name)
);
create index blocked_names_by_blocked on blocked_names (blocked_id, blocker_id) where blocked_id is not null;
