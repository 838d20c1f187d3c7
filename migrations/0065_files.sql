-- Uploaded files of organisations: docs/lessons-design.md, docs/decisions/0086-where-files-are-stored.md.

-- The bytes are in the store, once for each content. `used_at` is the last upload: upkeep leaves the bytes of a recent
-- one alone, because its row in `files` comes after them.
create table file_contents (
  sha256   text primary key,
  bytes    bigint not null,
  used_at  timestamptz not null
);
create index file_contents_by_use on file_contents (used_at);

create table files (
  id               bigint generated always as identity primary key,
  key              text not null unique,
  organisation_id  bigint not null references organisations on delete cascade,
  name             text not null,
  media_type       text not null,
  bytes            bigint not null,
  sha256           text not null references file_contents,
  created_by       bigint references people on delete set null,
  created_at       timestamptz not null,
  -- An upload that is repeated finds its first file.
  unique (organisation_id, sha256, name)
);
create index files_by_content on files (sha256);
create index files_by_person on files (created_by);

-- How much each organisation stores, and its own limit; null: the limit in the settings.
create table file_storage (
  organisation_id  bigint primary key references organisations on delete cascade,
  used_bytes       bigint not null,
  limit_bytes      bigint
);
