-- Courses of up to 1,500 lessons. The list of earlier lessons takes 12 kB for the last of them. Uncompressed, it is
-- written faster, and it is read only for classes that go in order.
alter table lesson_versions alter column earlier set storage external;

-- The lesson that shows a unit is found by the unit: a version can show a thousand units of one package.
create index lesson_versions_by_item on lesson_versions (package_id, package_item, version_id) where package_id is not null;
drop index lesson_versions_by_package;

-- Whether a lesson is locked for a student at a time, and by what. A lock set by hand wins, for the student before the
-- class, and for the lesson before its parent. Otherwise a lesson is locked before it opens, until the required lessons
-- are passed, and after it closes. Without a time, dates are ignored: they bind students, not instructors. Long lists
-- are compared by hashing: `<@` takes a second for the locks of 1,000 lessons that are all passed.
create or replace function lock_of(enrolment bigint, passed bigint[], c classes, l lesson_versions, at timestamptz)
  returns table (by_hand boolean, required bigint[], opens_at timestamptz, due_at timestamptz, closes_at timestamptz, locked_by text, locked boolean)
  language sql stable rows 1 begin atomic
  select h.by_hand, r.required, d.opens_at, d.due_at, d.closes_at, w.locked_by, w.locked_by is not null
    from (select case when c.is_sequential then l.earlier || l.prerequisites else l.prerequisites end as required) r,
         (select (select k.is_locked from lesson_locks k
                   where k.class_id = c.id and k.lesson_id in (l.lesson_id, l.parent_id) and (k.enrolment_id = enrolment or k.enrolment_id is null)
                   order by k.enrolment_id is null, k.lesson_id <> l.lesson_id limit 1) as by_hand) h,
         dates_of(enrolment, c.id, l.lesson_id, l.parent_id) d,
         lateral (select case when h.by_hand then 'hand' when not h.by_hand then null
                              when d.opens_at > at then 'opening'
                              when case when cardinality(r.required) < 50 then not r.required <@ passed
                                        else exists (select unnest(r.required) except select unnest(passed)) end then 'lessons'
                              when d.closes_at <= at then 'closing' end as locked_by) w;
end;
