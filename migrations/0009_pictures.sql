-- What people look like. Every size is made when a picture is sent, so that showing it is one row of one index.

alter table people
  -- Grow with each change, and with a removal: ids of images are made of them, so no id ever shows another image than it did.
  add column picture_version integer not null default 0,
  add column cover_version integer not null default 0;

create table pictures (
  person_id  bigint not null references people on delete cascade,
  kind       text not null check (kind in ('picture', 'cover')),
  width      integer not null,
  -- Made of the bytes.
  etag       text not null,
  bytes      bytea not null,
  primary key (person_id, kind, width)
);
-- WebP cannot be made smaller.
alter table pictures alter column bytes set storage external;
