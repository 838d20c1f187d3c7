-- Content packages of organisations, such as cmi5 courses. docs/decisions/0099-packages.md.

create table packages (
  id               bigint generated always as identity primary key,
  key              text not null unique,
  organisation_id  bigint not null references organisations on delete cascade,
  kind             text not null check (kind in ('cmi5')),
  title            text not null,
  -- The uploaded file: its name, its content and its size.
  name             text not null,
  sha256           text not null references file_contents,
  bytes            bigint not null,
  -- What it takes of the organisation's storage: the uploaded file and its unpacked files.
  stored_bytes     bigint not null,
  files            integer not null,
  units            integer not null,
  blocks           integer not null,
  -- What the package says about the course as a whole: ids, titles, objectives, extensions.
  structure        json not null,
  created_by       bigint references people on delete set null,
  created_at       timestamptz not null,
  -- An upload that is repeated finds its first package.
  unique (organisation_id, sha256)
);
create index packages_by_content on packages (sha256);
create index packages_by_person on packages (created_by);

-- The parts of a package, in the order of the document: blocks, and the units that a student starts.
create table package_items (
  package_id  bigint not null references packages on delete cascade,
  position    integer not null,
  -- The position of its block; null at the top.
  parent      integer,
  kind        text not null check (kind in ('unit', 'block')),
  item        json not null,
  primary key (package_id, position)
);

create table package_files (
  package_id  bigint not null references packages on delete cascade,
  path        text not null,
  sha256      text not null references file_contents,
  bytes       bigint not null,
  media_type  text not null,
  primary key (package_id, path)
);
create index package_files_by_content on package_files (sha256);
