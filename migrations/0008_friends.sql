-- Who is friends with whom, who has asked, and who wants nothing to do with whom.

-- One row for two people, whoever asked: both sides see the same. It is a request until it is accepted.
create table friendships (
  asker_id      bigint not null references people on delete cascade,
  asked_id      bigint not null references people on delete cascade,
  requested_at  timestamptz not null,
  -- A request that the asked one does not see: it was declined, or they have blocked the asker. To the asker it looks like one that nobody has answered yet.
  is_quiet      boolean not null default false,
  accepted_at   timestamptz,
  primary key (asker_id, asked_id),
  check (asker_id <> asked_id),
  check (accepted_at is null or not is_quiet)
);
create unique index friendships_pair on friendships (least(asker_id, asked_id), greatest(asker_id, asked_id));
create index friendships_by_asked on friendships (asked_id);
create index friendships_accepted on friendships (asked_id) where accepted_at is not null;
create index friendships_sent on friendships (asker_id, requested_at) where accepted_at is null;
create index friendships_received on friendships (asked_id, requested_at) where accepted_at is null and not is_quiet;

-- Whoever was declined asks in vain for a while, also after they have cancelled.
create table declines (
  asker_id     bigint not null references people on delete cascade,
  decliner_id  bigint not null references people on delete cascade,
  declined_at  timestamptz not null,
  primary key (asker_id, decliner_id)
);
create index declines_by_decliner on declines (decliner_id, declined_at);
create index declines_by_age on declines (declined_at);

create table blocks (
  blocker_id  bigint not null references people on delete cascade,
  blocked_id  bigint not null references people on delete cascade,
  created_at  timestamptz not null,
  primary key (blocker_id, blocked_id),
  check (blocker_id <> blocked_id)
);
create index blocks_by_blocked on blocks (blocked_id, blocker_id);
