-- Announcements to a class or an organisation. docs/notifications-design.md.

-- Everybody whom an announcement is for: the active students and the staff of a class, or the members of an
-- organisation.
create function audience_of(organisation bigint, class bigint) returns table (person_id bigint) language sql stable begin atomic
  select e.person_id from enrolments e where e.class_id = class and e.status = 'active'
  union select s.person_id from class_staff s where s.class_id = class
  union select m.person_id from organisation_members m where class is null and m.organisation_id = organisation;
end;

create table announcements (
  id               bigint generated always as identity primary key,
  -- Chosen by the client, so that a request that is sent twice creates one announcement.
  key              text not null unique,
  organisation_id  bigint not null references organisations on delete cascade,
  -- Null for an announcement to the whole organisation.
  class_id         bigint references classes on delete cascade,
  author_id        bigint references people on delete set null,
  title            text not null,
  text             text not null,
  recipients       integer not null,
  -- The recipients when it was created, until all of them have got it. Those who join later do not get it.
  waiting          bigint[],
  -- The number of people in `waiting` who have been dealt with.
  position         integer not null default 0,
  created_at       timestamptz not null
);
create index announcements_by_class on announcements (class_id, created_at desc, id desc) where class_id is not null;
create index announcements_by_organisation on announcements (organisation_id, created_at desc, id desc) where class_id is null;
create index announcements_by_author on announcements (author_id);
-- To withdraw the notifications of an announcement.
create index notifications_by_announcement on notifications (key) where kind = 'announcement';
