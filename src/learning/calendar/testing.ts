import type { TestApp } from '../../operations/testing/testing.ts'

/** Sets dates by SQL: for a class or a lesson, for everybody or for one student. Times are relative to now, in SQL. */
export const setDates = (
  app: TestApp,
  {
    classId,
    lessonId,
    studentId,
    ...dates
  }: {
    classId: string
    lessonId?: string
    studentId?: string
    opens?: string | null
    due?: string | null
    closes?: string | null
  },
): Promise<unknown> => {
  const literal = (value: string | null | undefined) => (value ? `'${value}'::timestamptz` : 'null')
  const values = `${literal(dates.opens)}, ${literal(dates.due)}, ${literal(dates.closes)}`
  return app.sql(
    `insert into lesson_dates (class_id, lesson_id, enrolment_id, opens_at, due_at, closes_at, set_at)
     select c.id, ${lessonId ? `(select id from lessons where key = '${lessonId}')` : 'null'},
            ${studentId ? `(select id from enrolments where key = '${studentId}')` : 'null'}, ${values}, now()
       from classes c where c.key = '${classId}'
     on conflict (class_id, lesson_id, enrolment_id)
     do update set opens_at = excluded.opens_at, due_at = excluded.due_at, closes_at = excluded.closes_at, set_at = excluded.set_at`,
  )
}

/**
 * Enrols Avery in classes of 200 lessons with 30 students each, which Casey teaches. Every lesson has dates, every
 * class too, and every student has an override for every tenth lesson. Half of the lessons are completed.
 */
export const fillYear = (app: TestApp, classes: number): Promise<unknown> =>
  app.sql(`
    insert into people (handle, handle_key, created_at) select '@crowd-' || i, 'crowd-' || i, now() from generate_series(1, 29) i;
    insert into courses (key, organisation_id, created_at) select 'year', id, now() from organisations limit 1;
    insert into course_versions (course_id, number, name, description, is_public, document, published_at)
      select id, 1, 'Year', '', false, '{}', now() from courses where key = 'year';
    update courses k set version_id = v.id from course_versions v where v.course_id = k.id and k.key = 'year';
    insert into lessons (key, course_id) select 'year-' || i, id from courses, generate_series(1, 200) i where key = 'year';
    insert into lesson_versions (version_id, lesson_id, position, name, description, is_assessment, instructor_graded, is_public, launch_parameters, passes_code, prerequisites, earlier)
      select k.version_id, l.id, substr(l.key, 6)::int, l.key, '', false, false, false, '{}', false, '{}',
             array(select o.id from lessons o where o.course_id = k.id and substr(o.key, 6)::int < substr(l.key, 6)::int)
        from lessons l join courses k on k.id = l.course_id where k.key = 'year';
    insert into classes (key, course_id, version_id, name, is_sequential, created_at)
      select 'year-' || i, k.id, k.version_id, 'Class ' || i, i % 2 = 0, now() from courses k, generate_series(1, ${classes}) i where k.key = 'year';
    insert into enrolments (key, class_id, person_id, status, enrolled_at, changed_at)
      select c.key || '-' || p.id, c.id, p.id, 'active', now(), now() from classes c, people p where c.key like 'year-%' and (p.handle like '@crowd-%' or p.handle = '@avery');
    insert into class_staff (class_id, person_id, role)
      select c.id, p.id, 'instructor' from classes c, people p where c.key like 'year-%' and p.handle = '@casey';
    insert into lesson_dates (class_id, lesson_id, opens_at, due_at, closes_at, set_at)
      select c.id, l.id, now() + (substr(l.key, 6)::int - 100) * interval '1 day', now() + (substr(l.key, 6)::int - 98) * interval '1 day', now() + (substr(l.key, 6)::int - 90) * interval '1 day', now()
        from classes c join lessons l on l.course_id = c.course_id where c.key like 'year-%';
    insert into lesson_dates (class_id, due_at, set_at) select id, now() + interval '120 days', now() from classes where key like 'year-%';
    insert into lesson_dates (class_id, lesson_id, enrolment_id, due_at, set_at)
      select c.id, l.id, e.id, now() + (substr(l.key, 6)::int - 96) * interval '1 day', now()
        from classes c join lessons l on l.course_id = c.course_id join enrolments e on e.class_id = c.id
       where c.key like 'year-%' and substr(l.key, 6)::int % 10 = 0;
    insert into standings (enrolment_id, lesson_id, attempts, state, result, is_passed, started_at, completed_at, changed_at)
      select e.id, l.id, 1, 'completed', 'PASS', true, now(), now(), now()
        from enrolments e join classes c on c.id = e.class_id join lessons l on l.course_id = c.course_id
       where c.key like 'year-%' and substr(l.key, 6)::int <= 95;
    analyze`)
