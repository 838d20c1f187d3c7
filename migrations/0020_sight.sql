-- Who may see whom, said once: the stores of all rooms ask these functions, and none repeats their conditions. They belong to profiles. They are written so that PostgreSQL puts their bodies
-- in the place of each call: plans are those of the conditions themselves.

-- A user of an app who is there: consent was not withdrawn, the account is not disabled.
create function is_there(u app_users, p people) returns boolean language sql immutable
  return u.withdrawn_at is null and p.disabled_at is null;

-- Lets others find them, unless one has blocked the other.
create function is_findable(p people) returns boolean language sql immutable
  return p.public_search and p.disabled_at is null and not p.anonymous;

-- Those who have blocked the viewer, and whom the viewer has blocked: neither sees the other.
create function hidden_from(viewer bigint) returns table (person_id bigint, by_viewer boolean) language sql stable begin atomic
  select b.blocked_id, true from blocks b where b.blocker_id = viewer
  union all
  select b.blocker_id, false from blocks b where b.blocked_id = viewer;
end;

-- What a viewer may do about somebody, who lets others find them (`is_findable`) or does not. Each block and tie is looked up by itself (`offset 0`): there is no end to how many somebody may have.
-- may_find: search, profiles, requests to be friends. may_see: pictures, also of friends and of those who ask to be one. may_name: also those with whom they have to do already.
create function sight(viewer bigint, person bigint, findable boolean) returns table (may_find boolean, may_see boolean, may_name boolean)
  language sql stable rows 1 begin atomic
  select person = viewer
           or findable and not exists (select from hidden_from(viewer) h where h.person_id = person offset 0),
         person = viewer
           or (findable
               or exists (select from friendships f where f.asker_id = person and f.asked_id = viewer and not f.is_quiet offset 0)
               or exists (select from friendships f where f.asker_id = viewer and f.asked_id = person and f.accepted_at is not null offset 0))
              and not exists (select from hidden_from(viewer) h where h.person_id = person offset 0),
         person = viewer
           or findable and not exists (select from hidden_from(viewer) h where h.person_id = person offset 0)
           or exists (select from blocks b where b.blocker_id = viewer and b.blocked_id = person and b.is_listed offset 0)
           or exists (select from friendships f where f.asker_id = viewer and f.asked_id = person offset 0)
           or exists (select from friendships f where f.asker_id = person and f.asked_id = viewer offset 0);
end;

-- Who can be found by the users of an app is kept in a table of its own, by the same rule.
create or replace function sync_findable(changed bigint[]) returns void language plpgsql set search_path from current
  set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off as $$
begin
  if changed is null then return; end if;
  delete from findable_users f where f.person_id = any(changed) and (
    select true from app_users u join people p on p.id = u.person_id
     where u.user_id = f.user_id and is_there(u, p) and is_findable(p) and p.search_keys = f.keys) is null;
  insert into findable_users as f (
    app_id, person_id, user_id, keys, handle, first_name, last_name, date_of_birth, account_kind, country,
    picture_version, cover_version, camera_disabled, proximity_friends, service)
  select u.app_id, u.person_id, u.user_id, p.search_keys, p.handle, p.first_name, p.last_name, p.date_of_birth, p.account_kind, p.country,
         p.picture_version, p.cover_version, p.camera_disabled, p.proximity_friends, p.service
    from people p join app_users u on u.person_id = p.id
   where p.id = any(changed) and is_there(u, p) and is_findable(p)
   order by u.user_id for share of p, u
  on conflict (app_id, person_id) do update set
    handle = excluded.handle, first_name = excluded.first_name, last_name = excluded.last_name, date_of_birth = excluded.date_of_birth,
    account_kind = excluded.account_kind, country = excluded.country, picture_version = excluded.picture_version,
    cover_version = excluded.cover_version, camera_disabled = excluded.camera_disabled, proximity_friends = excluded.proximity_friends,
    service = excluded.service
  where (f.handle, f.first_name, f.last_name, f.date_of_birth, f.account_kind, f.country, f.picture_version, f.cover_version,
         f.camera_disabled, f.proximity_friends, f.service::text)
    is distinct from (excluded.handle, excluded.first_name, excluded.last_name, excluded.date_of_birth, excluded.account_kind, excluded.country,
         excluded.picture_version, excluded.cover_version, excluded.camera_disabled, excluded.proximity_friends, excluded.service::text);
end $$;
