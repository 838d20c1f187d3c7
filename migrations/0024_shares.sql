-- Whose storage is whose: a user has a share of an app's storage, and all anonymous users of the app have one together (docs/decisions/0035-who-pays-for-storage.md).
-- And what an app may be set to: no anonymous users, public buckets that all its users write to.

alter table apps
  add column anonymous_enabled boolean not null default true,
  add column shared_buckets boolean not null default false;

-- What a user's buckets are charged, in blocks. A row is made with the first of them. It is changed only by whoever holds the app's storage row.
create table user_storage (
  payer_no     bigint generated always as identity primary key,
  user_id      text not null unique references app_users on delete cascade,
  blocks_used  bigint not null default 0 check (blocks_used >= 0)
);

alter table app_storage add column anonymous_blocks bigint not null default 0 check (anonymous_blocks >= 0);

-- Who pays is a number and not the user id, and refers to nothing: it says nothing about somebody who is gone, and nothing has to be written when they go.
alter table buckets
  add column payer_no bigint,
  add column by_anonymous boolean not null default false;

insert into user_storage (user_id, blocks_used)
select u.user_id, sum(b.blocks) from buckets b join app_users u on u.user_id = b.users[1] group by u.user_id order by u.user_id;

update buckets b set payer_no = s.payer_no, by_anonymous = p.anonymous
  from user_storage s join app_users u on u.user_id = s.user_id join people p on p.id = u.person_id
 where s.user_id = b.users[1];

update app_storage s set anonymous_blocks = b.blocks
  from (select app_id, sum(blocks) as blocks from buckets where by_anonymous group by app_id) b where b.app_id = s.app_id;

-- The number that a user pays under. The caller holds the user's row.
create function payer_of(payer text) returns bigint language plpgsql set search_path from current as $$
declare found_no bigint;
begin
  select payer_no into found_no from user_storage where user_id = payer;
  if found_no is null then
    insert into user_storage (user_id) values (payer) on conflict do nothing;
    select payer_no into found_no from user_storage where user_id = payer;
  end if;
  return found_no;
end $$;

-- What became of a charge: refused by the share of the `app`, the `user` or all `anonymous` users together; or done, and no bucket made now has a version at or below the floor.
create type charge as (refusal text, version_floor bigint);

-- Changes what a bucket is charged, and to whom: all counters at once, or none where one of them has no room. Only what grows can be refused. The storage row is locked first, and each statement
-- in here sees what was committed before that, so counters that belong to it need no locks of their own.
create function move_charge(app bigint, old_payer bigint, old_anonymous boolean, old_blocks bigint,
                            new_payer bigint, new_anonymous boolean, new_blocks bigint,
                            user_percent integer, anonymous_percent integer, new_floor bigint) returns charge
  language plpgsql set search_path from current as $$
declare
  room app_storage;
  growth bigint := new_blocks - old_blocks;
  anonymous_growth bigint := case when new_anonymous then new_blocks else 0 end - case when old_anonymous then old_blocks else 0 end;
  payer_growth bigint := new_blocks - case when new_payer is not distinct from old_payer then old_blocks else 0 end;
begin
  select * into room from app_storage where app_id = app for update;
  if growth > 0 and room.blocks_used + growth > room.blocks_limit then return row('app', null)::charge; end if;
  if anonymous_growth > 0 and room.anonymous_blocks + anonymous_growth > (room.blocks_limit * anonymous_percent + 99) / 100 then
    return row('anonymous', null)::charge;
  end if;
  if payer_growth > 0 and (select blocks_used from user_storage where payer_no = new_payer) + payer_growth > (room.blocks_limit * user_percent + 99) / 100 then
    return row('user', null)::charge;
  end if;
  update app_storage
     set blocks_used = blocks_used + growth, anonymous_blocks = anonymous_blocks + anonymous_growth, version_floor = greatest(version_floor, new_floor)
   where app_id = app;
  if new_payer is distinct from old_payer then
    update user_storage set blocks_used = blocks_used - old_blocks where payer_no = old_payer;
  end if;
  update user_storage set blocks_used = blocks_used + payer_growth where payer_no = new_payer;
  return row(null, room.version_floor)::charge;
end $$;

-- Whether the viewer may bring somebody into what they share with others, such as a bucket: nobody who has blocked them or whom they have blocked, and a child (born after `born_after`) only where it has to
-- do with them: friends, parents, children of the same parents. A hidden person may be brought in: whoever has the id got it from an app of theirs. It returns a table so that its body takes the place of each call, as in `sight`.
create function may_share_with(viewer bigint, person bigint, born date, born_after date) returns table (may_share boolean)
  language sql stable rows 1 begin atomic
  select person = viewer
           or not exists (select from hidden_from(viewer) h where h.person_id = person offset 0)
              and (born is null or born <= born_after
                   or exists (select from friendships f where f.asker_id = person and f.asked_id = viewer and f.accepted_at is not null offset 0)
                   or exists (select from friendships f where f.asker_id = viewer and f.asked_id = person and f.accepted_at is not null offset 0)
                   or exists (select from guardians g where g.child_id = person and g.parent_id = viewer offset 0)
                   or exists (select from guardians g join guardians own on own.parent_id = g.parent_id where g.child_id = person and own.child_id = viewer offset 0));
end;
