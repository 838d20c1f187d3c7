-- Packages that arrive in parts, so that a large upload goes on after its connection was lost.

create table package_uploads (
  id               bigint generated always as identity primary key,
  key              text not null unique,
  organisation_id  bigint not null references organisations on delete cascade,
  name             text not null,
  -- The announced size, and how much of it has arrived, without gaps.
  bytes            bigint not null,
  received_bytes   bigint not null default 0,
  -- What the upload takes of the organisation's storage until it ends.
  reserved_bytes   bigint not null,
  -- Null for an operator.
  created_by       bigint references people on delete set null,
  created_at       timestamptz not null,
  expires_at       timestamptz not null,
  -- What became of it: a package, or the reasons why it was refused.
  package_id       bigint references packages on delete cascade,
  refusal          json
);
create index package_uploads_by_organisation on package_uploads (organisation_id);
create index package_uploads_by_person on package_uploads (created_by);
create index package_uploads_by_package on package_uploads (package_id);
create index package_uploads_by_expiry on package_uploads (expires_at);

-- The bytes of a part are in the file store, under their hash, where all processes find them.
create table package_upload_parts (
  upload_id  bigint not null references package_uploads on delete cascade,
  start      bigint not null,
  bytes      bigint not null,
  sha256     text not null references file_contents,
  primary key (upload_id, start)
);
create index package_upload_parts_by_content on package_upload_parts (sha256);
