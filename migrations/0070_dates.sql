-- Dates of classes and lessons. docs/dates-design.md.

-- An IANA name, such as Europe/Berlin. Dates without an offset are read in this zone.
alter table organisations add column time_zone text not null default 'UTC';

-- When lessons open, are due and close. A row without a lesson is for the whole class, a row with an enrolment is an
-- override for one student.
create table lesson_dates (
  class_id      bigint not null references classes on delete cascade,
  lesson_id     bigint references lessons on delete cascade,
  enrolment_id  bigint references enrolments on delete cascade,
  opens_at      timestamptz,
  due_at        timestamptz,
  closes_at     timestamptz,
  set_by        bigint references people on delete set null,
  set_at        timestamptz not null,
  unique nulls not distinct (class_id, lesson_id, enrolment_id),
  check (num_nonnulls(opens_at, due_at, closes_at) > 0)
);
create index lesson_dates_by_lesson on lesson_dates (lesson_id);
create index lesson_dates_by_enrolment on lesson_dates (enrolment_id);
create index lesson_dates_by_setter on lesson_dates (set_by);
create index lesson_dates_due on lesson_dates (due_at);

-- The dates that apply to a lesson: for each of the three, the student's before the class's, and the lesson's before
-- its parent's before that of the whole class. Always returns one row. Without an enrolment, overrides are ignored.
create function dates_of(enrolment bigint, class bigint, lesson bigint, parent bigint)
  returns table (opens_at timestamptz, due_at timestamptz, closes_at timestamptz) language sql stable rows 1 begin atomic
  select (array_agg(d.opens_at order by d.enrolment_id is null, d.lesson_id is null, d.lesson_id <> lesson) filter (where d.opens_at is not null))[1],
         (array_agg(d.due_at order by d.enrolment_id is null, d.lesson_id is null, d.lesson_id <> lesson) filter (where d.due_at is not null))[1],
         (array_agg(d.closes_at order by d.enrolment_id is null, d.lesson_id is null, d.lesson_id <> lesson) filter (where d.closes_at is not null))[1]
    from lesson_dates d
   where d.class_id = class and (d.lesson_id is null or d.lesson_id in (lesson, parent)) and (d.enrolment_id is null or d.enrolment_id = enrolment);
end;

-- Whether a lesson is locked for a student at a time, and by what. A lock set by hand wins, for the student before the
-- class, and for the lesson before its parent. Otherwise a lesson is locked before it opens, until the required lessons
-- are passed, and after it closes. Without a time, dates are ignored: they bind students, not instructors.
drop function lock_of(bigint, bigint[], classes, lesson_versions);
create function lock_of(enrolment bigint, passed bigint[], c classes, l lesson_versions, at timestamptz)
  returns table (by_hand boolean, required bigint[], opens_at timestamptz, due_at timestamptz, closes_at timestamptz, locked_by text, locked boolean)
  language sql stable rows 1 begin atomic
  select h.by_hand, r.required, d.opens_at, d.due_at, d.closes_at, w.locked_by, w.locked_by is not null
    from (select case when c.is_sequential then l.earlier || l.prerequisites else l.prerequisites end as required) r,
         (select (select k.is_locked from lesson_locks k
                   where k.class_id = c.id and k.lesson_id in (l.lesson_id, l.parent_id) and (k.enrolment_id = enrolment or k.enrolment_id is null)
                   order by k.enrolment_id is null, k.lesson_id <> l.lesson_id limit 1) as by_hand) h,
         dates_of(enrolment, c.id, l.lesson_id, l.parent_id) d,
         lateral (select case when h.by_hand then 'hand' when not h.by_hand then null
                              when d.opens_at > at then 'opening' when not r.required <@ passed then 'lessons'
                              when d.closes_at <= at then 'closing' end as locked_by) w;
end;
