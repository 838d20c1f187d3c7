-- Plugins: docs/plugins-design.md. A plugin is an app, and more.

create table plugins (
  id           bigint generated always as identity primary key,
  app_id       bigint not null unique references apps on delete cascade,
  kind         text not null check (kind in ('ai', 'ato')),
  description  text not null default '',
  -- Said by its owner; what it may do is said by administrators.
  is_active    boolean not null default false,
  created_at   timestamptz not null
);

-- Whether the platform itself must send the app's secrets: then they are also kept sealed.
alter table apps add column secrets_sealed boolean not null default false;
alter table app_secrets add column sealed bytea;

create table plugin_addresses (
  plugin_id      bigint not null references plugins on delete cascade,
  purpose        text not null check (purpose in ('request', 'distributions', 'capabilities', 'candidates')),
  uri            text not null,
  -- Since when nothing that was sent there was taken.
  failing_since  timestamptz,
  -- Switched off by the platform; setting the address again switches it on.
  off_at         timestamptz,
  off_reason     text,
  primary key (plugin_id, purpose)
);

create table plugin_permissions (
  plugin_id   bigint not null references plugins on delete cascade,
  permission  text not null check (permission in ('user-records', 'badges', 'skills', 'mission-planner', 'ato')),
  asked_at    timestamptz not null,
  granted_at  timestamptz,
  primary key (plugin_id, permission)
);

-- Whose people it may see.
create table plugin_organisations (
  plugin_id        bigint not null references plugins on delete cascade,
  organisation_id  bigint not null references organisations on delete cascade,
  given_at         timestamptz not null,
  primary key (plugin_id, organisation_id)
);
create index plugin_organisations_by_organisation on plugin_organisations (organisation_id);

-- A person as one plugin knows them.
create table plugin_users (
  user_id    text primary key,
  plugin_id  bigint not null references plugins on delete cascade,
  person_id  bigint not null references people on delete cascade,
  unique (plugin_id, person_id)
);
create index plugin_users_by_person on plugin_users (person_id);

-- The people that a plugin may see, said once.
create function plugin_people(plugin bigint) returns table (person_id bigint) language sql stable begin atomic
  select p.id from people p
   where p.disabled_at is null and not p.anonymous
     and exists (select from organisation_members m join plugin_organisations g on g.organisation_id = m.organisation_id
                  where g.plugin_id = plugin and m.person_id = p.id);
end;

-- Who works on the apps and plugins of an organisation, and on those that are somebody's own: its owners and developers, the person who answers for it, administrators.
create function develops(person bigint, a apps) returns table (develops boolean) language sql stable rows 1 begin atomic
  select coalesce(a.owner_id = person, false)
      or exists (select from organisation_members m
                  where m.organisation_id = a.organisation_id and m.person_id = person and m.role in ('owner', 'developer') offset 0)
      or exists (select from people p where p.id = person and p.administrator offset 0);
end;
