-- Classes: one run of one version of a course. docs/learning-design.md.

create table classes (
  id             bigint generated always as identity primary key,
  key            text not null unique,
  course_id      bigint not null references courses,
  version_id     bigint not null references course_versions,
  name           text not null,
  is_sequential  boolean not null,
  join_code      text unique,
  -- From then on nothing is recorded any more.
  ended_at       timestamptz,
  created_at     timestamptz not null
);
create index classes_by_course on classes (course_id);
create index classes_by_version on classes (version_id);

create table class_staff (
  class_id   bigint not null references classes on delete cascade,
  person_id  bigint not null references people on delete cascade,
  role       text not null check (role in ('instructor', 'observer')),
  primary key (class_id, person_id)
);
create index class_staff_by_person on class_staff (person_id);

-- A student: one person in one class. Whoever comes back is the same student again.
create table enrolments (
  id           bigint generated always as identity primary key,
  key          text not null unique,
  class_id     bigint not null references classes on delete cascade,
  person_id    bigint not null references people on delete cascade,
  status       text not null check (status in ('active', 'suspended', 'dropped')),
  enrolled_at  timestamptz not null,
  changed_at   timestamptz not null,
  unique (class_id, person_id)
);
create index enrolments_by_person on enrolments (person_id, enrolled_at);

-- Set by an instructor, for a class or for one student; the student's wins over the class's, and both over what the course says.
create table lesson_locks (
  class_id      bigint not null references classes on delete cascade,
  lesson_id     bigint not null references lessons on delete cascade,
  enrolment_id  bigint references enrolments on delete cascade,
  is_locked     boolean not null,
  set_by        bigint references people on delete set null,
  set_at        timestamptz not null,
  unique nulls not distinct (class_id, lesson_id, enrolment_id)
);
create index lesson_locks_by_lesson on lesson_locks (lesson_id);
create index lesson_locks_by_enrolment on lesson_locks (enrolment_id);
create index lesson_locks_by_setter on lesson_locks (set_by);

-- What somebody is in a class, said once: statements of learning ask this function. manages: owners of the organisation, and administrators.
create function roles_in_class(person bigint, c classes) returns table (teaches boolean, observes boolean, manages boolean)
  language sql stable rows 1 begin atomic
  select exists (select from class_staff s where s.class_id = c.id and s.person_id = person and s.role = 'instructor' offset 0),
         exists (select from class_staff s where s.class_id = c.id and s.person_id = person and s.role = 'observer' offset 0),
         exists (select from courses k join organisation_members m on m.organisation_id = k.organisation_id
                  where k.id = c.course_id and m.person_id = person and m.role = 'owner' offset 0)
           or exists (select from people p where p.id = person and p.administrator offset 0);
end;

-- The class that is meant where none is named: the newest in which the person takes the lesson.
create function newest_enrolment(person bigint, lesson bigint) returns bigint language sql stable
  return (select e.id from enrolments e join classes c on c.id = e.class_id
           where e.person_id = person and e.status <> 'dropped'
             and exists (select from lesson_versions v where v.version_id = c.version_id and v.lesson_id = lesson offset 0)
           order by c.ended_at is not null, e.enrolled_at desc, e.id desc limit 1);

-- Which version of a course somebody reads, and as whom: as a student, as staff of a class, as its manager, or as anybody, who sees what is public. Where a class is named, it is the class's.
create function course_view(person bigint, course bigint, class bigint)
  returns table (version_id bigint, class_id bigint, enrolment_id bigint, is_inside boolean) language sql stable rows 1 begin atomic
  select w.version_id, w.class_id, w.enrolment_id, w.rank < 4
    from (select c.version_id, c.id as class_id, e.id as enrolment_id, 1 as rank, c.ended_at is not null as has_ended, e.enrolled_at as since
            from enrolments e join classes c on c.id = e.class_id
           where e.person_id = person and e.status <> 'dropped' and c.course_id = course and (class is null or c.id = class)
          union all
          select c.version_id, c.id, null, 2, c.ended_at is not null, c.created_at
            from class_staff s join classes c on c.id = s.class_id
           where s.person_id = person and c.course_id = course and (class is null or c.id = class)
          union all
          select coalesce(c.version_id, k.version_id), c.id, null, 3, false, k.created_at
            from courses k left join classes c on c.id = class
           where k.id = course and (class is null or c.course_id = course) and (
                 exists (select from organisation_members m where m.organisation_id = k.organisation_id and m.person_id = person and m.role = 'owner' offset 0)
                 or exists (select from people p where p.id = person and p.administrator offset 0))
          union all
          select k.version_id, null, null, 4, false, k.created_at from courses k where k.id = course and class is null) w
   where w.version_id is not null
   order by w.rank, w.has_ended, w.since desc, w.enrolment_id desc limit 1;
end;

-- Those with whom somebody is in a class that goes on, as an active student or as staff.
create function people_in_classes_of(viewer bigint) returns table (person_id bigint) language sql stable begin atomic
  with mine as (
    select e.class_id from enrolments e where e.person_id = viewer and e.status = 'active'
    union all select s.class_id from class_staff s where s.person_id = viewer
  ), going_on as (
    select m.class_id from mine m join classes c on c.id = m.class_id where c.ended_at is null
  )
  select e.person_id from going_on m join enrolments e on e.class_id = m.class_id where e.status = 'active'
  union all
  select s.person_id from going_on m join class_staff s on s.class_id = m.class_id;
end;

-- As before, and a child's classmates and teachers may share with it.
create or replace function may_share_with(viewer bigint, person bigint, born date, born_after date) returns table (may_share boolean)
  language sql stable rows 1 begin atomic
  select person = viewer
           or not exists (select from hidden_from(viewer) h where h.person_id = person offset 0)
              and (born is null or born <= born_after
                   or exists (select from friendships f where f.asker_id = person and f.asked_id = viewer and f.accepted_at is not null offset 0)
                   or exists (select from friendships f where f.asker_id = viewer and f.asked_id = person and f.accepted_at is not null offset 0)
                   or exists (select from guardians g where g.child_id = person and g.parent_id = viewer offset 0)
                   or exists (select from guardians g join guardians own on own.parent_id = g.parent_id where g.child_id = person and own.child_id = viewer offset 0)
                   or exists (select from people_in_classes_of(viewer) c where c.person_id = person offset 0));
end;
