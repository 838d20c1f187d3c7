-- The mission planner: searches by engines that plugins host, and plans. docs/plugins-design.md, decision 46.

-- Who plans in an organisation: its owners, its instructors, administrators. Written, like `sight`, so that PostgreSQL puts the body in the place of each call.
create function plans_in(person bigint, organisation bigint) returns table (plans boolean) language sql stable rows 1 begin atomic
  select exists (select from organisation_members m
                  where m.organisation_id = organisation and m.person_id = person and m.role in ('owner', 'instructor') offset 0)
      or exists (select from people p where p.id = person and p.administrator offset 0);
end;

-- Whom the planner shows to somebody who plans in these organisations: members of them, unless one has blocked the other.
create function plans_with(viewer bigint, p people, organisations bigint[]) returns table (is_shown boolean) language sql stable rows 1 begin atomic
  select p.disabled_at is null and not p.anonymous
     and exists (select from organisation_members m, lateral plans_in(viewer, m.organisation_id) i
                  where m.person_id = p.id and m.organisation_id = any(organisations) and i.plans offset 0)
     and not exists (select from hidden_from(viewer) h where h.person_id = p.id offset 0);
end;

create table planner_searches (
  id             bigint generated always as identity primary key,
  key            text not null unique,
  person_id      bigint not null references people on delete cascade,
  text           text not null,
  -- Where it searched. One that is gone means nothing any more.
  organisations  bigint[] not null,
  -- Each engine that was asked, and what came of it.
  engines        json not null,
  -- For each of them, in this order, its capabilities as it calls them.
  capabilities   json not null,
  -- The latest search for candidates: what was asked for, and each engine that was asked.
  candidates     json,
  created_at     timestamptz not null
);
create index planner_searches_by_person on planner_searches (person_id, id);
create index planner_searches_by_created on planner_searches (created_at);

-- Whom the latest search for candidates found: one row a person, with what each engine said.
create table planner_candidates (
  search_id  bigint not null references planner_searches on delete cascade,
  person_id  bigint not null references people on delete cascade,
  score      double precision not null,
  sources    json not null,
  primary key (search_id, person_id)
);
create index planner_candidates_by_person on planner_candidates (person_id, search_id);

create table plans (
  id             bigint generated always as identity primary key,
  key            text not null unique,
  person_id      bigint not null references people on delete cascade,
  name           text not null,
  notes          text not null,
  -- As the search had them.
  text           text not null,
  organisations  bigint[] not null,
  created_at     timestamptz not null,
  changed_at     timestamptz not null
);
create index plans_by_person on plans (person_id, changed_at, id);

create table plan_people (
  plan_id    bigint not null references plans on delete cascade,
  person_id  bigint not null references people on delete cascade,
  score      double precision not null,
  sources    json not null,
  primary key (plan_id, person_id)
);
create index plan_people_by_person on plan_people (person_id, plan_id);
