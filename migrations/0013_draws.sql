-- Random sampling. Everybody who may be found by an app's users has a place there, and the places are numbered without gaps: a random number is a random person
-- (docs/people.md, decision 25).

create table draw_places (
  app_id     bigint not null,
  place      bigint not null,
  person_id  bigint not null,
  primary key (app_id, place) include (person_id)
);
create unique index draw_places_by_person on draw_places (app_id, person_id);

-- Who became findable or ceased to be, noted in the same transaction; places are given and taken afterwards, by one process at a time, so that nobody waits for anybody
-- else's place. Until then, who has no place and stands here is drawn from here.
create table draw_changes (
  id         bigint generated always as identity primary key,
  app_id     bigint not null,
  person_id  bigint not null
);

insert into draw_places (app_id, place, person_id)
select app_id, row_number() over (partition by app_id order by person_id), person_id from findable_users;

alter table findable_users drop column lot;

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

create function note_draws() returns trigger language plpgsql set search_path from current as $$
begin
  insert into draw_changes (app_id, person_id) select app_id, person_id from changed_rows order by 1, 2;
  return null;
end $$;
create trigger findable_users_come after insert on findable_users
  referencing new table as changed_rows for each statement execute function note_draws();
create trigger findable_users_gone after delete on findable_users
  referencing old table as changed_rows for each statement execute function note_draws();

-- Gives and takes the places of the oldest changes; returns how many changes these were. Whoever changes meanwhile has noted it again.
create function settle_draws(most integer) returns bigint language plpgsql set search_path from current
  set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off as $$
declare
  apps bigint[];
  people bigint[];
  settled bigint;
  one record;
  top bigint;
  holes bigint[];
  newcomers bigint[];
begin
  if not pg_try_advisory_xact_lock(hashtextextended('settle_draws ' || current_schema(), 0)) then return 0; end if;
  with taken as (
    delete from draw_changes where id in (select id from draw_changes order by id limit most) returning app_id, person_id
  )
  select array_agg(app_id), array_agg(person_id), count(*) into apps, people, settled from taken;
  for one in
    select c.app_id, array_agg(distinct c.person_id) as people from unnest(apps, people) as c(app_id, person_id) group by c.app_id
  loop
    select coalesce(max(place), 0) into top from draw_places where app_id = one.app_id;
    with gone as (
      delete from draw_places d where d.app_id = one.app_id and d.person_id = any(one.people)
         and not exists (select from findable_users f where f.app_id = d.app_id and f.person_id = d.person_id)
      returning place
    )
    select coalesce(array_agg(place order by place), '{}') into holes from gone;
    select coalesce(array_agg(n.id), '{}') into newcomers from unnest(one.people) as n(id)
     where exists (select from findable_users f where f.app_id = one.app_id and f.person_id = n.id)
       and not exists (select from draw_places d where d.app_id = one.app_id and d.person_id = n.id);
    insert into draw_places (app_id, place, person_id)
    select one.app_id, coalesce(holes[n.number], top + n.number - cardinality(holes)), n.id
      from unnest(newcomers) with ordinality as n(id, number);
    holes := holes[cardinality(newcomers) + 1 :];
    -- The last ones move to where somebody left.
    top := top - cardinality(holes);
    update draw_places d set place = free.place from (
      select place, row_number() over (order by place) as number from draw_places where app_id = one.app_id and place > top offset 0
    ) mover join (
      select h.place, row_number() over (order by h.place) as number from unnest(holes) as h(place) where h.place <= top offset 0
    ) free using (number)
     where cardinality(holes) > 0 and d.app_id = one.app_id and d.place = mover.place;
  end loop;
  return settled;
end $$;
