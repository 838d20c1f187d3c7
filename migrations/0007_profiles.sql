-- What people say about themselves, and what their organisation says about them.

alter table people
  add column gender text,
  add column position text,
  -- Accounts that are nobody's own: a figure of a story, or a group. Otherwise age and children decide about accountType.
  add column account_kind text check (account_kind in ('Character', 'Community')),
  -- Grades, ranks and titles, as an organisation gave them: an object of texts.
  add column service json not null default '{}';

-- Who answers for an app may leave; the app stays.
alter table apps drop constraint apps_owner_id_fkey;
alter table apps add constraint apps_owner_id_fkey foreign key (owner_id) references people on delete set null;

-- When the person allowed the app themselves. Null: enrolled by an import, so they are a user of the app and are still asked when they first sign in.
alter table app_users add column allowed_at timestamptz;
update app_users set allowed_at = consented_at;

-- Who looks after a child's account, until the child is thirteen.
create table guardians (
  child_id    bigint not null references people on delete cascade,
  parent_id   bigint not null references people on delete cascade,
  created_at  timestamptz not null,
  primary key (child_id, parent_id),
  check (child_id <> parent_id)
);
create index guardians_by_parent on guardians (parent_id);

-- What a parent decides for a child; at first the careful thing.
alter table people
  add column camera_disabled boolean not null default true,
  add column proximity_friends boolean not null default false;
