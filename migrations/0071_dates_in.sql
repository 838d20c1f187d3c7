-- The dates that apply to all lessons of a class at once: the rule of `dates_of`, without a call for each lesson and
-- student. Rows without an enrolment are for students without overrides; the others for those who have some.
create function dates_in(class bigint, version bigint)
  returns table (enrolment_id bigint, lesson_id bigint, parent_id bigint, opens_at timestamptz, due_at timestamptz, closes_at timestamptz)
  language sql stable begin atomic
  with base as materialized (
    select v.lesson_id, v.parent_id, d.opens_at, d.due_at, d.closes_at
      from lesson_versions v cross join lateral dates_of(null, class, v.lesson_id, v.parent_id) d where v.version_id = version
  ), own as materialized (
    select d.* from lesson_dates d join enrolments e on e.id = d.enrolment_id and e.class_id = d.class_id where d.class_id = class
  )
  select null, b.* from base b
  union all
  select s.enrolment_id, b.lesson_id, b.parent_id, coalesce(l.opens_at, p.opens_at, w.opens_at, b.opens_at),
         coalesce(l.due_at, p.due_at, w.due_at, b.due_at), coalesce(l.closes_at, p.closes_at, w.closes_at, b.closes_at)
    from (select distinct o.enrolment_id from own o) s cross join base b
    left join own l on l.enrolment_id = s.enrolment_id and l.lesson_id = b.lesson_id
    left join own p on p.enrolment_id = s.enrolment_id and p.lesson_id = b.parent_id
    left join own w on w.enrolment_id = s.enrolment_id and w.lesson_id is null;
end;
