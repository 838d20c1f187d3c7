import { withinBytes } from '../../kernel/database/page-bytes.ts'
import { c, nullable, report, write } from '../../kernel/database/statement.ts'

/** Keeps the first entries of a list within a record: those that fit into the record's share of the page. */
const withinShare = (rows: string, order: string): string =>
  withinBytes(rows, { size: 'octet_length(r.entry::text)', order, bytes: ':share' })

/**
 * Lists a page of people whom a plugin may see, with everything it may read about them. A course of the plugin's
 * organisations is listed once per person. If the person takes it in several classes, it is listed with the results of
 * the class in which they have made the most progress.
 */
export const listRecords = report('records.list', {
  params: { plugin: c.int8, organisations: nullable(c.textArray), limit: c.int8, offset: c.int8, share: c.int8 },
  row: {
    person_id: c.int8,
    user_id: nullable(c.text),
    duty_title: c.text,
    afsc: c.text,
    education: c.textArray,
    skills: c.textArray,
    courses: c.json,
    badges: c.json,
  },
  text: `
    with page as materialized (
      select s.person_id from plugin_people(:plugin) s
       where :organisations is null
          or s.person_id in (select m.person_id from organisation_members m join organisations o on o.id = m.organisation_id where o.key = any(:organisations))
       order by s.person_id limit :limit offset :offset
    )
    select g.person_id, u.user_id, coalesce(p.service ->> 'displayDutyTitle', '') as duty_title,
           coalesce(k.afsc, '') as afsc, coalesce(k.education, '{}') as education, coalesce(k.skills, '{}') as skills,
           (select coalesce(json_agg(j.entry order by j.key), '[]') from ${withinShare(
             `select t.key, json_build_object('courseId', t.key, 'name', t.name, 'organisation', t.organisation, 'lessons', t.lessons,
                     'lessonsPassed', t.passed, 'completed', t.completed, 'completedDate', case when t.completed then t.completed_at end, 'score', t.score) as entry
              from (select distinct on (c.course_id) y.key, v.name, o.key as organisation, n.lessons, n.passed,
                           n.lessons > 0 and n.passed = n.lessons as completed, n.completed_at, n.score
                      from enrolments e join classes c on c.id = e.class_id join courses y on y.id = c.course_id
                      join course_versions v on v.id = c.version_id join organisations o on o.id = y.organisation_id
                      join plugin_organisations w on w.organisation_id = y.organisation_id and w.plugin_id = :plugin
                      cross join lateral (
                        select count(*) as lessons, count(*) filter (where d.is_passed) as passed, max(d.completed_at) as completed_at, avg(d.score) as score
                          from lesson_versions l left join standings d on d.enrolment_id = e.id and d.lesson_id = l.lesson_id
                         where l.version_id = c.version_id) n
                     where e.person_id = g.person_id and (e.status <> 'dropped' or n.passed = n.lessons)
                     order by c.course_id, n.passed = n.lessons desc, n.passed desc, e.enrolled_at desc, e.id desc) t`,
             'r.key',
           )} j) as courses,
           (select coalesce(json_agg(j.entry order by j.issued_at desc, j.id desc), '[]') from ${withinShare(
             `select a.issued_at, a.id, json_build_object('badgeId', a.badge_key, 'name', a.name, 'issuedOn', a.issued_at, 'assertedBy', a.asserted_by) as entry
              from badge_assertions a where a.person_id = g.person_id and plugin_sees_assertion(:plugin, a)`,
             'r.issued_at desc, r.id desc',
           )} j) as badges
      from page g join people p on p.id = g.person_id left join skills k on k.person_id = g.person_id
      left join plugin_users u on u.plugin_id = :plugin and u.person_id = g.person_id
     order by g.person_id`,
})

/** Returns no row if the person was deleted. */
export const setInfo = write('records.setInfo', {
  params: { plugin: c.int8, person: c.int8, info: c.json, now: c.timestamptz },
  row: { changed_at: c.instant },
  text: `
    insert into additional_info as i (plugin_id, person_id, info, changed_at)
    select :plugin, p.id, :info, :now from (select id from people where id = :person for key share) p
    on conflict (plugin_id, person_id) do update set info = excluded.info, changed_at = excluded.changed_at returning i.changed_at`,
})

export const exportInfo = report('records.exportInfo', {
  params: { person: c.int8 },
  row: { client_id: c.text, name: c.text, info: c.json, changed_at: c.instant },
  text: `
    select a.client_id, a.name, i.info, i.changed_at from additional_info i join plugins p on p.id = i.plugin_id join apps a on a.id = p.app_id
     where i.person_id = :person order by a.client_id`,
})
