-- Places are given one row at a time, by its key. As one update for all of them, the plan hung on statistics: of an app that was new it compared everybody there with everybody who was to
-- get a place, for as long as a statement may take, and held all of them meanwhile. An import gives its own people places before anybody sees them; as it may take its time, it moves nobody.
drop function settle_draws(integer);
create function settle_draws(most integer, may_move boolean default true) returns bigint language plpgsql set search_path from current
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
  if not may_move then perform pg_advisory_xact_lock(hashtextextended('settle_draws ' || current_schema(), 0));
  elsif not pg_try_advisory_xact_lock(hashtextextended('settle_draws ' || current_schema(), 0)) then return 0;
  end if;
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
    for i in 1 .. cardinality(newcomers) loop
      update findable_users set place = coalesce(holes[i], top + i - cardinality(holes)) where app_id = app and person_id = newcomers[i];
      delete from draw_holes where app_id = app and place = holes[i];
    end loop;
    holes := case when may_move then holes[cardinality(newcomers) + 1 :] else '{}' end;
    -- The last one to the first hole, and so on, as long as that is before it.
    select coalesce(array_agg(m.person_id order by m.number), '{}'), coalesce(array_agg(m.place order by m.number), '{}')
      into movers, left_by_movers from (
      select f.person_id, f.place, row_number() over (order by f.place desc) as number from (
        select person_id, place from findable_users
         where app_id = app and place is not null order by place desc limit cardinality(holes) for update skip locked
      ) f
    ) m where m.place > holes[m.number];
    for i in 1 .. cardinality(movers) loop
      update findable_users set place = holes[i] where app_id = app and person_id = movers[i];
      delete from draw_holes where app_id = app and place = holes[i];
      insert into draw_holes (app_id, place) values (app, left_by_movers[i]);
    end loop;
    select coalesce(max(place), 0) into top from findable_users where app_id = app and place is not null;
    delete from draw_holes where app_id = app and place > top;
    done := done + cardinality(newcomers) + cardinality(movers);
  end loop;
  return done;
end $$;
