-- Instructors who create courses, if the owners of their organisation allow it.

alter table organisations add column course_authors text not null default 'owners'
  constraint organisations_course_authors_check check (course_authors in ('owners', 'instructors'));
alter table courses add column author_id bigint references people (id) on delete set null;
create index courses_by_author on courses (author_id) where author_id is not null;

-- Whether somebody can create courses of an organisation: all who manage it and, if its owners allow it, its
-- instructors.
create function creates_courses(person bigint, organisation bigint) returns table (creates boolean)
  language sql stable rows 1 begin atomic
  select r.owns or r.administers
         or exists (select from organisation_members m join organisations o on o.id = m.organisation_id
                     where m.organisation_id = organisation and m.person_id = person and m.role = 'instructor'
                       and o.course_authors = 'instructors' offset 0)
    from roles_in_organisation(person, organisation) r;
end;

-- What somebody may do with a course. Those who manage its organisation also create its classes. An instructor edits
-- only courses that they created, while they can create courses.
create function roles_in_course(person bigint, k courses) returns table (manages boolean, edits boolean)
  language sql stable rows 1 begin atomic
  select r.owns or r.administers, r.owns or r.administers or coalesce(k.author_id = person, false) and c.creates
    from roles_in_organisation(person, k.organisation_id) r, creates_courses(person, k.organisation_id) c;
end;
