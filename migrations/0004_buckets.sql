-- Small JSON documents of an app. `users` are the app's own user ids; `data` is the JSON text, handed out as it stands.

create table buckets (
  bucket_no   bigint generated always as identity primary key,
  app_id      bigint not null references apps on delete cascade,
  id          text not null,
  users       text[] not null,
  public      boolean not null,
  data        json not null,
  version     bigint not null,
  -- What the bucket is charged: blocks of 1 KiB, at least one.
  blocks      integer not null check (blocks > 0),
  created_at  timestamptz not null,
  unique (app_id, id)
);

-- Who is in which bucket, in the order of a list, and since which version: earlier changes are not theirs to hear. It follows `users`, in the same statement.
create table bucket_members (
  user_id        text not null,
  bucket_id      text collate "C" not null,
  bucket_no      bigint not null references buckets on delete cascade,
  since_version  bigint not null,
  -- A user id belongs to one app, so this is one app's bucket.
  primary key (user_id, bucket_id)
);
create index bucket_members_by_bucket on bucket_members (bucket_no);

-- The latest changes of each bucket, for its change stream. Small values are kept, larger ones are left for the reader to fetch. There is no
-- foreign key: it would cost one more look-up on every write. They go with their bucket, in the same statement.
create table bucket_changes (
  bucket_no   bigint not null,
  version     bigint not null,
  kind        text not null check (kind in ('set', 'users')),
  key         text,
  value       json,
  user_id     text not null,
  changed_at  timestamptz not null,
  primary key (bucket_no, version)
);
