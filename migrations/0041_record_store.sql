-- The record store at /xapi: docs/xapi-design.md.

-- Through what a statement came, as the key of a ref: who may read what is theirs alone finds it by that.
alter table statements add column sender uuid;

-- What is known of activities: definitions of those who may define, put together.
create table activities (
  key         uuid primary key,
  iri         text not null,
  definition  text not null
);

-- The bytes of attachments, once for each content.
create table attachments (
  sha2     text primary key,
  content  bytea not null
);
-- Bytes of files are compressed already as a rule.
alter table attachments alter column content set storage external;

create table statement_attachments (
  seq   bigint not null,
  sha2  text not null references attachments,
  primary key (seq, sha2)
);
create index statement_attachments_by_content on statement_attachments (sha2, seq);
