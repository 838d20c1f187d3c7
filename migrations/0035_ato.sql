-- Packages of apps, and requests to ATO plugins about them: docs/plugins-design.md.

create table ato_packages (
  id          bigint generated always as identity primary key,
  key         text not null unique,
  app_id      bigint not null references apps on delete cascade,
  name        text not null,
  -- Where plugins reach the people behind the app; organisations have no phone.
  phone       text,
  created_at  timestamptz not null
);
create index ato_packages_by_app on ato_packages (app_id, id);

create table ato_distributions (
  id          bigint generated always as identity primary key,
  key         text not null unique,
  package_id  bigint not null references ato_packages on delete cascade,
  name        text not null,
  platform    text,
  version     text,
  uri         text not null,
  added_at    timestamptz not null
);
create index ato_distributions_by_package on ato_distributions (package_id, id);

create table ato_requests (
  id                bigint generated always as identity primary key,
  key               text not null unique,
  package_id        bigint not null references ato_packages on delete cascade,
  -- Null: the plugin was removed. What it was called when the request started is kept.
  plugin_id         bigint references plugins on delete set null,
  plugin_client_id  text not null,
  plugin_name       text not null,
  -- Who started it, as long as they are here.
  person_id         bigint references people on delete set null,
  status            text not null default 'not-started'
                    check (status in ('not-started', 'in-progress', 'action-required', 'under-review', 'completed')),
  -- Said by the plugin; true until it says something.
  is_cancellable    boolean not null default true,
  started_at        timestamptz not null,
  changed_at        timestamptz not null,
  completed_at      timestamptz,
  cancelled_at      timestamptz,
  check ((completed_at is not null) = (status = 'completed'))
);
-- One at a time, whoever starts them.
create unique index ato_requests_open on ato_requests (package_id, plugin_id) where completed_at is null and cancelled_at is null;
create index ato_requests_by_package on ato_requests (package_id, id);
create index ato_requests_by_plugin on ato_requests (plugin_id);
create index ato_requests_by_person on ato_requests (person_id);

-- What happened to a request, in order. An alert is told by the plugin.
create table ato_entries (
  id          bigint generated always as identity primary key,
  request_id  bigint not null references ato_requests on delete cascade,
  kind        text not null check (kind in ('started', 'status', 'alert', 'distribution-added', 'distribution-removed', 'cancelled')),
  person_id   bigint references people on delete set null,
  at          timestamptz not null,
  -- As it is shown: {"status"}, {"alert"} or {"distribution"}.
  detail      json not null
);
create index ato_entries_by_request on ato_entries (request_id, id);
create index ato_entries_by_person on ato_entries (person_id, id);

-- Whether a plugin takes ATO requests and may report on them, said once.
create function serves_ato(p plugins) returns table (serves boolean) language sql stable rows 1 begin atomic
  select p.kind = 'ato' and p.is_active
     and exists (select from apps a where a.id = p.app_id and a.status = 'approved' offset 0)
     and exists (select from plugin_permissions m where m.plugin_id = p.id and m.permission = 'ato' and m.granted_at is not null offset 0);
end;
