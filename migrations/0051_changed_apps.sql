-- When a developer last changed an approved app of production. Null: nobody has, since an administrator looked at it.
alter table apps add column changed_at timestamptz;
create index apps_changed on apps (changed_at) where changed_at is not null;
