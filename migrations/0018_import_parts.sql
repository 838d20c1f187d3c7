-- What an import has decided and not written yet: one row for each part, in the order in which they are written. The content is a list of small import files, at first of one.
create table import_parts (
  id bigint generated always as identity primary key,
  decided_at timestamptz not null,
  request_id text not null,
  address text not null,
  content json not null
);
