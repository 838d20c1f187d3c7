-- Invitations to organisations and classes (decision 64). Nobody is added to an organisation or a class by a stranger:
-- the invited person accepts first,
-- or a parent of an invited child.
create table invitations (
  id              bigint generated always as identity primary key,
  key             text not null unique,
  organisation_id bigint not null references organisations on delete cascade,
  -- Null for an invitation to the organisation itself.
  class_id        bigint references classes on delete cascade,
  role            text not null,
  -- The studentId that a roster has chosen for an invited student.
  student_key     text,
  -- As the inviter typed it. Nothing else about the invited person is shown to the inviter.
  handle          text not null,
  handle_key      text not null,
  -- Null if nobody had the handle: to the inviter it looks like any unanswered invitation, and it expires.
  person_id       bigint references people on delete cascade,
  inviter_id      bigint not null references people on delete cascade,
  sends           integer not null default 1,
  sent_at         timestamptz not null,
  expires_at      timestamptz not null,
  -- The inviter is not told of a decline.
  declined_at     timestamptz,
  -- When it was accepted or withdrawn.
  closed_at       timestamptz,
  unique nulls not distinct (organisation_id, class_id, handle_key)
);
create index invitations_by_class on invitations (class_id);
create index invitations_by_person on invitations (person_id);
create index invitations_by_inviter on invitations (inviter_id, sent_at);
create index invitations_by_organisation on invitations (organisation_id, sent_at);
create index invitations_by_age on invitations (expires_at);
