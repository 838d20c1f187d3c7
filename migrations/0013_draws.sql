-- Random sampling. Everybody who may be found by an app's users gets a place there, and the places are numbered without gaps: a random number is a random person
-- (docs/people.md, decision 25). Places are given and filled afterwards, by one process at a time, so that nobody who comes waits for anybody else; who has none yet is drawn all the same.
alter table findable_users drop column lot;
alter table findable_users add column place bigint;
update findable_users f set place = numbered.place from (
  select app_id, person_id, row_number() over (partition by app_id order by person_id) as place from findable_users
) numbered where f.app_id = numbered.app_id and f.person_id = numbered.person_id;
create unique index findable_users_by_place on findable_users (app_id, place);
create index findable_users_without_place on findable_users (app_id, person_id) where place is null;

-- Places that somebody has left, noted in the transaction in which they went.
create table draw_holes (
  app_id  bigint not null,
  place   bigint not null,
  primary key (app_id, place)
);

-- What others see of somebody, beside what they are found by: a page of people is read here alone. Written when somebody becomes findable and whenever any of it changes.
alter table findable_users
  add column handle text not null default '',
  add column first_name text not null default '',
  add column last_name text not null default '',
  add column date_of_birth date,
  add column account_kind text,
  add column country text,
  add column picture_version integer not null default 0,
  add column cover_version integer not null default 0,
  add column camera_disabled boolean not null default true,
  add column proximity_friends boolean not null default false,
  add column service json not null default '{}';

-- Who is found by other keys than before goes and comes again: so keys change with rows alone.
drop trigger findable_users_renamed on findable_users;
drop trigger findable_users_renamed_from on findable_users;

create or replace function sync_findable(changed bigint[]) returns void language plpgsql set search_path from current
  set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off as $$
begin
  if changed is null then return; end if;
  delete from findable_users f where f.person_id = any(changed) and (
    select true from app_users u join people p on p.id = u.person_id
     where u.user_id = f.user_id and u.withdrawn_at is null and p.public_search and p.disabled_at is null and not p.anonymous
       and p.search_keys = f.keys) is null;
  insert into findable_users as f (
    app_id, person_id, user_id, keys, handle, first_name, last_name, date_of_birth, account_kind, country,
    picture_version, cover_version, camera_disabled, proximity_friends, service)
  select u.app_id, u.person_id, u.user_id, p.search_keys, p.handle, p.first_name, p.last_name, p.date_of_birth, p.account_kind, p.country,
         p.picture_version, p.cover_version, p.camera_disabled, p.proximity_friends, p.service
    from people p join app_users u on u.person_id = p.id
   where p.id = any(changed) and u.withdrawn_at is null and p.public_search and p.disabled_at is null and not p.anonymous
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

create or replace function people_changed() returns trigger language plpgsql set search_path from current as $$
begin
  perform sync_findable((
    select array_agg(n.id) from new_rows n join old_rows o on o.id = n.id
     where (n.public_search, n.disabled_at is null, n.search_keys, n.handle, n.first_name, n.last_name, n.date_of_birth, n.account_kind,
            n.country, n.picture_version, n.cover_version, n.camera_disabled, n.proximity_friends, n.service::text)
       is distinct from (o.public_search, o.disabled_at is null, o.search_keys, o.handle, o.first_name, o.last_name, o.date_of_birth, o.account_kind,
            o.country, o.picture_version, o.cover_version, o.camera_disabled, o.proximity_friends, o.service::text)));
  return null;
end $$;

update findable_users f set
  handle = p.handle, first_name = p.first_name, last_name = p.last_name, date_of_birth = p.date_of_birth, account_kind = p.account_kind,
  country = p.country, picture_version = p.picture_version, cover_version = p.cover_version, camera_disabled = p.camera_disabled,
  proximity_friends = p.proximity_friends, service = p.service
  from people p where p.id = f.person_id;

create function note_hole() returns trigger language plpgsql set search_path from current as $$
begin
  insert into draw_holes (app_id, place) select app_id, place from old_rows where place is not null order by 1, 2;
  return null;
end $$;
create trigger findable_users_gone after delete on findable_users
  referencing old table as old_rows for each statement execute function note_hole();

-- Gives places to those who have none, first those that somebody has left, and then moves the last ones to where somebody left. Returns how much it did. Whoever is being changed at
-- the moment is left for the next time: this waits for nobody, so nobody waits long for it.
create function settle_draws(most integer) returns bigint language plpgsql set search_path from current
  set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off as $$
declare
  app bigint;
  top bigint;
  holes bigint[];
  newcomers bigint[];
  movers bigint[];
  left_by_movers bigint[];
  done bigint := 0;
begin
  if not pg_try_advisory_xact_lock(hashtextextended('settle_draws ' || current_schema(), 0)) then return 0; end if;
  for app in
    select u.app_id from (select app_id from findable_users where place is null order by app_id, person_id limit most) u
    union select h.app_id from (select app_id from draw_holes order by app_id, place limit most) h
  loop
    select coalesce(max(place), 0) into top from findable_users where app_id = app and place is not null;
    -- Behind the last one nothing is missing.
    delete from draw_holes where app_id = app and place > top;
    newcomers := array(
      select person_id from findable_users where app_id = app and place is null order by person_id limit most for update skip locked);
    holes := array(select place from draw_holes where app_id = app order by place limit most);
    update findable_users f set place = coalesce(holes[n.number], top + n.number - cardinality(holes))
      from unnest(newcomers) with ordinality as n(id, number) where f.app_id = app and f.person_id = n.id;
    delete from draw_holes where app_id = app and place = any(holes[: cardinality(newcomers)]);
    holes := holes[cardinality(newcomers) + 1 :];
    -- The last one to the first hole, and so on, as long as that is before it.
    select array_agg(m.person_id order by m.number), array_agg(m.place) into movers, left_by_movers from (
      select f.person_id, f.place, row_number() over (order by f.place desc) as number from (
        select person_id, place from findable_users
         where app_id = app and place is not null order by place desc limit cardinality(holes) for update skip locked
      ) f
    ) m where m.place > holes[m.number];
    update findable_users f set place = holes[m.number]
      from unnest(movers) with ordinality as m(id, number) where f.app_id = app and f.person_id = m.id;
    delete from draw_holes where app_id = app and place = any(holes[: cardinality(movers)]);
    insert into draw_holes (app_id, place) select app, m.place from unnest(left_by_movers) as m(place);
    select coalesce(max(place), 0) into top from findable_users where app_id = app and place is not null;
    delete from draw_holes where app_id = app and place > top;
    done := done + cardinality(newcomers) + coalesce(cardinality(movers), 0);
  end loop;
  return done;
end $$;
