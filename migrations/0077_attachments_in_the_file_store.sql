-- Attachments in the file store: docs/decisions/0091-attachments-in-the-file-store.md.

-- The bytes of an attachment are either in `content`, or in an object of the store.
alter table attachments
  alter column content drop not null,
  add column object text,
  add column bytes bigint,
  add constraint attachments_are_stored check (content is not null or (object is not null and bytes is not null));
create index attachments_in_database on attachments (sha2) where content is not null;

-- Objects that no attachment refers to. They are deleted after `kept_until`: an upload that is under way protects its
-- object until then.
create table unused_objects (
  name        text primary key,
  kept_until  timestamptz not null default '-infinity'
);
create index unused_objects_by_time on unused_objects (kept_until);
