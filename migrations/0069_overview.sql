-- The overview of administrators counts what is new and what waits.
create index organisations_by_age on organisations (created_at);
create index classes_by_age on classes (created_at);
create index browsers_by_use on browsers (last_used_at);
create index apps_pending on apps (id) where status = 'pending';
create index people_invited on people (invited_until) where invited_until is not null;
