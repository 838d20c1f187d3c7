-- With whom the owner of a plan shares it: the members of one of its organisations, or one of them by name. Decision 54.
create table plan_shares (
  id               bigint generated always as identity primary key,
  plan_id          bigint not null references plans on delete cascade,
  organisation_id  bigint references organisations on delete cascade,
  person_id        bigint references people on delete cascade,
  created_at       timestamptz not null,
  check (num_nonnulls(organisation_id, person_id) = 1),
  unique nulls not distinct (plan_id, organisation_id, person_id)
);
create index plan_shares_by_organisation on plan_shares (organisation_id, plan_id);
create index plan_shares_by_person on plan_shares (person_id, plan_id);

-- Who reads a plan: its owner; and whoever it is shared with while they belong to one of its organisations, unless one of the two has blocked the other or the owner is disabled.
create function reads_plan(viewer bigint, n plans) returns table (reads boolean) language sql stable rows 1 begin atomic
  select n.person_id = viewer
      or exists (select from plan_shares s join organisation_members m on m.person_id = viewer and m.organisation_id = any(n.organisations)
                  where s.plan_id = n.id and (s.person_id = viewer or s.organisation_id = m.organisation_id) offset 0)
         and exists (select from people o where o.id = n.person_id and o.disabled_at is null offset 0)
         and not exists (select from hidden_from(viewer) h where h.person_id = n.person_id offset 0);
end;
