-- Grading: docs/learning-design.md.

-- Completed, and an instructor has yet to grade it. A student may begin again meanwhile, so it is said of the attempt; standings say it of the latest one.
alter table attempts add column awaits_grade boolean not null default false;
update attempts t set awaits_grade = true from standings s where s.attempt_id = t.id and s.awaits_grade;
create index attempts_awaiting on attempts (enrolment_id, completed_at) where awaits_grade;
drop index standings_awaiting;

-- Owners of the organisation whose course it is: they manage the class as administrators do, and grade, which administrators do not.
create function owns_class(person bigint, c classes) returns table (owns boolean) language sql stable rows 1 begin atomic
  select exists (select from courses k join organisation_members m on m.organisation_id = k.organisation_id
                  where k.id = c.course_id and m.person_id = person and m.role = 'owner' offset 0);
end;

-- As before; who owns is asked of the function above.
create or replace function roles_in_class(person bigint, c classes) returns table (teaches boolean, observes boolean, manages boolean)
  language sql stable rows 1 begin atomic
  select exists (select from class_staff s where s.class_id = c.id and s.person_id = person and s.role = 'instructor' offset 0),
         exists (select from class_staff s where s.class_id = c.id and s.person_id = person and s.role = 'observer' offset 0),
         o.owns or exists (select from people p where p.id = person and p.administrator offset 0)
    from owns_class(person, c) o;
end;
