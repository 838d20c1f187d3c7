-- Search and random sampling. What is found is kept up to date by triggers, in the transaction of whatever changes it, so that no operation can forget to
-- (docs/people.md, decision 21).

-- What somebody is found by, made by src/search/rules.ts: '0' + handle, '1' + word, '2' + two words, '3' + name without spaces. The version
-- says by which rules; those of an older one are made anew when the platform starts.
alter table people
  add column search_keys text[] not null default '{}',
  add column search_version integer not null default 0;
create index people_by_search_version on people (search_version) where not anonymous;

-- Who may be found by an app's users: they consented and have public search on. The lot is drawn once, so that a random place in the index is a random person.
create table findable_users (
  app_id     bigint not null,
  person_id  bigint not null,
  user_id    text not null references app_users on delete cascade,
  lot        integer not null,
  keys       text[] not null,
  primary key (app_id, person_id)
);
create index findable_users_by_lot on findable_users (app_id, lot, person_id);
create index findable_users_by_person on findable_users (person_id);
create index findable_users_by_user on findable_users (user_id);

create table search_keys (
  app_id     bigint not null,
  key        text collate "C" not null,
  person_id  bigint not null,
  primary key (app_id, key, person_id)
);

-- The words that an app's users are found by, so that a mistyped one is looked for among words and not among people.
create table search_words (
  app_id  bigint not null,
  word    text collate "C" not null,
  primary key (app_id, word)
);

-- The first seven letters of a word, and what is left of them without one, or without two: two words of which one is a slip of the other have a variant in common
-- (symmetric deletion). Short words are kept without one, longer ones also without two.
create function search_variants(app bigint, word text, most integer) returns text[] language plpgsql immutable parallel safe as $$
declare
  start constant text := left(word, 7);
  variants text[] := array[app || ':' || start];
  one text;
begin
  if length(start) < 3 then return variants; end if;
  for i in 1 .. length(start) loop
    one := left(start, i - 1) || substr(start, i + 1);
    variants := variants || (app || ':' || one);
    if most > 1 and length(word) > 7 then
      for j in i .. length(one) loop
        variants := variants || (app || ':' || left(one, j - 1) || substr(one, j + 1));
      end loop;
    end if;
  end loop;
  return variants;
end $$;

-- The same for the last seven letters of a long word, without one at most: many words begin alike.
create function search_ends(app bigint, word text) returns text[] language plpgsql immutable parallel safe as $$
declare
  ending constant text := right(word, 7);
  variants text[] := array[app || '$' || ending];
begin
  if length(word) <= 7 then return '{}'; end if;
  for i in 1 .. 7 loop
    variants := variants || (app || '$' || left(ending, i - 1) || substr(ending, i + 1));
  end loop;
  return variants;
end $$;

-- Everything that a word is looked up by. It stands in the index alone: rows are small, and a search reads hundreds.
create function search_marks(app bigint, word text) returns text[] language plpgsql immutable parallel safe set search_path from current as $$
begin
  return search_variants(app, word, 2) || search_ends(app, word);
end $$;
create index search_words_by_mark on search_words using gin (search_marks(app_id, word)) with (fastupdate = off);

-- Brings what is found of these people in line with what they and their apps say. Rows are locked, so that two changes at once do not each miss the other's.
-- A connection keeps the plans of this and of the other functions, also where the first call had no rows, or thousands: so they look up row by row, whatever that was.
create function sync_findable(changed bigint[]) returns void language plpgsql set search_path from current
  set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off as $$
begin
  if changed is null then return; end if;
  delete from findable_users f where f.person_id = any(changed) and (
    select true from app_users u join people p on p.id = u.person_id
     where u.user_id = f.user_id and u.withdrawn_at is null and p.public_search and p.disabled_at is null and not p.anonymous) is null;
  insert into findable_users as f (app_id, person_id, user_id, lot, keys)
  select v.app_id, v.person_id, v.user_id, floor(random() * 2147483647)::integer, v.search_keys from (
    select u.app_id, u.person_id, u.user_id, p.search_keys
      from people p join app_users u on u.person_id = p.id
     where p.id = any(changed) and u.withdrawn_at is null and p.public_search and p.disabled_at is null and not p.anonymous
     order by u.user_id for share of p, u
  ) v
  on conflict (app_id, person_id) do update set keys = excluded.keys where f.keys <> excluded.keys;
end $$;

create function people_changed() returns trigger language plpgsql set search_path from current as $$
begin
  perform sync_findable((
    select array_agg(n.id) from new_rows n join old_rows o on o.id = n.id
     where (n.public_search, n.disabled_at is null, n.search_keys) is distinct from (o.public_search, o.disabled_at is null, o.search_keys)));
  return null;
end $$;
create trigger people_found after update on people
  referencing old table as old_rows new table as new_rows for each statement execute function people_changed();

create function app_users_changed() returns trigger language plpgsql set search_path from current as $$
begin
  perform sync_findable((select array_agg(distinct person_id) from new_rows));
  return null;
end $$;
create trigger app_users_joined after insert on app_users
  referencing new table as new_rows for each statement execute function app_users_changed();

create function consent_changed() returns trigger language plpgsql set search_path from current as $$
begin
  perform sync_findable((
    select array_agg(distinct n.person_id) from new_rows n join old_rows o on o.user_id = n.user_id
     where (n.withdrawn_at is null) <> (o.withdrawn_at is null)));
  return null;
end $$;
create trigger app_users_found after update on app_users
  referencing old table as old_rows new table as new_rows for each statement execute function consent_changed();

-- Words whose last bearer may be gone; looked at and forgotten by the platform's tidying.
create table search_words_left (
  id      bigint generated always as identity primary key,
  app_id  bigint not null,
  word    text collate "C" not null
);

-- A word that is being forgotten at this moment is made again; one that is there is locked, so that it stays until our transaction ends.
create function add_search_keys() returns trigger language plpgsql set search_path from current
  set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off as $$
declare
  wanted bigint;
  held bigint;
begin
  insert into search_keys (app_id, key, person_id)
  select n.app_id, k.key, n.person_id from new_rows n cross join unnest(n.keys) as k(key) order by 1, 2, 3
  on conflict do nothing;
  select count(distinct (n.app_id, k.key)) into wanted
    from new_rows n cross join unnest(n.keys) as k(key) where k.key like '1%';
  loop
    insert into search_words (app_id, word)
    select w.app_id, w.word from (
      select distinct n.app_id, substr(k.key, 2) as word from new_rows n cross join unnest(n.keys) as k(key) where k.key like '1%'
    ) w
     where not exists (select from search_words s where s.app_id = w.app_id and s.word = w.word)
     order by 1, 2 on conflict do nothing;
    perform from search_words s join (
      select distinct n.app_id, substr(k.key, 2) as word from new_rows n cross join unnest(n.keys) as k(key) where k.key like '1%'
    ) w using (app_id, word) order by s.app_id, s.word for key share of s;
    get diagnostics held = row_count;
    exit when held = wanted;
  end loop;
  return null;
end $$;
create trigger findable_users_added after insert on findable_users
  referencing new table as new_rows for each statement execute function add_search_keys();
create trigger findable_users_renamed after update on findable_users
  referencing new table as new_rows for each statement execute function add_search_keys();

create function drop_search_keys() returns trigger language plpgsql set search_path from current
  set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off set enable_material = off as $$
begin
  if not exists (select from old_rows) then return null; end if;
  -- `offset 0`: the whole key is known before it is looked up.
  delete from search_keys s using (
    select o.app_id, k.key, o.person_id from old_rows o cross join unnest(o.keys) as k(key)
     where not exists (select from findable_users f where f.app_id = o.app_id and f.person_id = o.person_id and k.key = any(f.keys))
    offset 0
  ) gone
   where s.app_id = gone.app_id and s.key = gone.key and s.person_id = gone.person_id;
  insert into search_words_left (app_id, word)
  select distinct o.app_id, substr(k.key, 2) from old_rows o cross join unnest(o.keys) as k(key)
   where k.key like '1%'
     and not exists (select from findable_users f where f.app_id = o.app_id and f.person_id = o.person_id and k.key = any(f.keys))
   order by 1, 2;
  return null;
end $$;
create trigger findable_users_left after delete on findable_users
  referencing old table as old_rows for each statement execute function drop_search_keys();
create trigger findable_users_renamed_from after update on findable_users
  referencing old table as old_rows for each statement execute function drop_search_keys();
