-- Notifications. docs/notifications-design.md.

-- One row for each person who was ever notified or has chosen something. `position` increases with every change of the
-- person's notifications, in the order of the commits, so that a live feed misses nothing.
create table notification_inboxes (
  person_id  bigint primary key references people on delete cascade,
  position   bigint not null default 0,
  -- An IANA name; null for the zone of the person's organisation.
  time_zone  text,
  -- When the next digest is due; null if nothing waits for it.
  digest_at  timestamptz
);
create index notification_inboxes_due on notification_inboxes (digest_at) where digest_at is not null;

-- A person's choice for a kind. Without a row, the default of the kind applies.
create table notification_settings (
  person_id  bigint not null references people on delete cascade,
  kind       text not null,
  app        boolean not null,
  email      text not null check (email in ('now', 'digest', 'off')),
  primary key (person_id, kind)
);

create table notifications (
  person_id      bigint not null references people on delete cascade,
  position       bigint not null,
  -- Derived from the cause, so that repeated work creates no second notification.
  key            text not null,
  kind           text not null,
  -- The membership that it depends on: class:<id> or organisation:<id>; null for none.
  scope          text,
  title          text not null,
  text           text not null,
  -- Path of a page.
  link           text not null,
  created_at     timestamptz not null,
  is_shown       boolean not null,
  read_at        timestamptz,
  -- How it is mailed: now or digest; null if it is not, or no longer.
  mail           text check (mail in ('now', 'digest')),
  -- Set before a mail is sent. A mail that was tried and is not mailed may or may not have arrived; it is not repeated.
  mail_tried_at  timestamptz,
  mailed_at      timestamptz,
  primary key (person_id, position),
  unique (person_id, key)
);
create index notifications_shown on notifications (person_id, position) where is_shown;
create index notifications_unread on notifications (person_id) where is_shown and read_at is null;
create index notifications_in_digest on notifications (person_id) where mail = 'digest' and mail_tried_at is null;
create index notifications_unconfirmed on notifications (mail_tried_at) where mail_tried_at is not null and mailed_at is null;
create index notifications_by_scope on notifications (scope, person_id) where scope is not null;
create index notifications_by_age on notifications (created_at);

-- Whether a person belongs to the class or organisation that a notification depends on.
create function is_in_scope(person bigint, scope text) returns boolean language sql stable begin atomic
  select case split_part(scope, ':', 1)
    when 'class' then exists (select from enrolments e where e.class_id = split_part(scope, ':', 2)::bigint and e.person_id = person and e.status = 'active')
                   or exists (select from class_staff s where s.class_id = split_part(scope, ':', 2)::bigint and s.person_id = person)
    when 'organisation' then exists (select from organisation_members m where m.organisation_id = split_part(scope, ':', 2)::bigint and m.person_id = person)
    else true end;
end;

-- The zone in which times are shown to a person: the person's own choice, or else that of the oldest membership.
create function zone_of(person bigint) returns text language sql stable begin atomic
  select coalesce((select i.time_zone from notification_inboxes i where i.person_id = person),
                  (select o.time_zone from organisation_members m join organisations o on o.id = m.organisation_id
                    where m.person_id = person order by o.id limit 1), 'UTC');
end;

-- The next time after :at that it is 7 o'clock in the zone.
create function next_digest(at timestamptz, zone text) returns timestamptz language sql stable begin atomic
  select min(d) filter (where d > at)
    from generate_series(0, 2) n, lateral (select (date_trunc('day', at at time zone zone) + n * interval '1 day' + interval '7 hours') at time zone zone as d) t;
end;

-- Lessons that open are announced by a job, which looks for them every minute.
create index lesson_dates_opening on lesson_dates (opens_at);
