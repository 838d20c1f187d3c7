-- The latest requests of each app, for its developers: what was asked and how it was answered, nothing of what was in it or of whom it was about.
-- Not in the write-ahead log: it is written all the time, and nobody misses it after a crash.

create unlogged table app_requests (
  id          bigint generated always as identity primary key,
  app_id      bigint not null references apps on delete cascade,
  at          timestamptz not null,
  operation   text not null,
  status      integer not null,
  code        integer,
  ms          integer not null,
  request_id  text not null
);
create index app_requests_by_app on app_requests (app_id, id);
create index app_requests_refused on app_requests (app_id, code, id) where code is not null;
create index app_requests_by_age on app_requests (at);
