import { groupsWithinBytes, withinBytes } from '../../kernel/database/page-bytes.ts'
import { c, list, nullable, read, write } from '../../kernel/database/statement.ts'

/** Lists the current account of a person, and the accounts by which stored statements name that person as the actor. */
export const listAccounts = write('statements.listAccounts', {
  params: { person: c.int8 },
  row: { home_page: c.text, name: c.text },
  text: `
    select c.home_page, p.handle as name from people p, statement_clock c where p.id = :person and c.home_page is not null
    union
    select s.payload::json #>> '{actor,account,homePage}', s.payload::json #>> '{actor,account,name}'
      from statement_links l cross join lateral (select t.payload from statements t where t.seq = l.seq offset 0) s where l.person_id = :person`,
})

export const findPersonOfUser = write('statements.findPersonOfUser', {
  params: { app: c.int8, user: c.text },
  row: { person_id: c.int8 },
  text: `select person_id from app_users where app_id = :app and user_id = :user`,
})

/**
 * Lists up to 1000 of the statements in which a person is the actor or is named. Those that only name the person come
 * first. The statements in which the person is the actor must be removed last, because the person's accounts are read
 * from them.
 */
export const listOfPerson = write('statements.listOfPerson', {
  params: { person: c.int8, keys: c.uuidArray },
  row: { seq: c.int8, payload: c.text, sender: nullable(c.uuid) },
  text: `
    select p.seq, p.payload, p.sender from ${withinBytes(
      `select s.seq, s.payload, s.sender, f.acts
      from (select g.seq, bool_or(g.acts) as acts
              from (select l.seq, true as acts from statement_links l where l.person_id = :person
                    union all select r.seq, false from statement_refs r where r.key = any(:keys)) g
             group by g.seq order by bool_or(g.acts), g.seq limit 1000) f
     cross join lateral (select t.seq, t.payload, t.sender from statements t where t.seq = f.seq offset 0) s`,
      { size: 'octet_length(r.payload)', order: 'r.acts, r.seq' },
    )} p`,
})

export const exportOfPerson = list('statements.exportOfPerson', {
  params: { person: c.int8, after: c.int8 },
  row: { seq: c.int8, payload: c.text, is_voided: c.bool },
  text: `
    select p.seq, p.payload, p.is_voided from ${withinBytes(
      `select s.seq, s.payload, s.is_voided from statement_links l join statements s on s.seq = l.seq
     where l.person_id = :person and l.seq > :after order by l.seq limit 500`,
      { size: 'octet_length(r.payload)', order: 'r.seq' },
    )} p order by p.seq`,
})

/**
 * Selects the statement of a link, unless it is voided. `offset 0` keeps the planner from starting with all statements.
 */
const shownOf = (link: string) => `
  select t.seq, t.statement_id, t.payload from statements t where t.seq = ${link}.seq and not t.is_voided offset 0`

/**
 * Lists statements about a student, newest first, without those that the platform wrote. May exceed :limit, so that all
 * statements of the last millisecond are included. A payload is null if the statements of one millisecond are too large
 * together.
 */
export const listOfStudent = list('statements.listOfStudent', {
  params: { app: nullable(c.int8), enrolment: c.int8, before: c.int8, limit: c.int8 },
  row: {
    seq: c.int8,
    statement_id: c.uuid,
    payload: nullable(c.text),
    lesson: nullable(c.text),
    attempt: nullable(c.text),
    sender_user_id: nullable(c.text),
    sender_name: nullable(c.text),
    found: c.int8,
  },
  text: `
    select s.seq, s.statement_id, case when s.is_whole then s.payload end as payload, o.key as lesson, t.key as attempt, u.user_id as sender_user_id,
           case when :app is null or u.user_id is not null then coalesce(nullif(trim(p.first_name || ' ' || p.last_name), ''), p.handle) end as sender_name,
           s.found
      from ${groupsWithinBytes(
        `select s.seq, s.statement_id, s.payload, l.lesson_id, l.attempt_id, l.sender_id
           from statement_links l cross join lateral (${shownOf('l')}) s
          where l.enrolment_id = :enrolment and not l.is_own and l.seq < :before and l.seq >= coalesce((
             select m.seq / 1000 * 1000 from statement_links m cross join lateral (${shownOf('m')}) v
              where m.enrolment_id = :enrolment and not m.is_own and m.seq < :before
              order by m.seq desc offset :limit - 1::int8 limit 1), 0)`,
        { size: 'octet_length(r.payload)', order: 'r.seq desc', group: 'r.seq / 1000' },
      )} s
      left join lessons o on o.id = s.lesson_id left join attempts t on t.id = s.attempt_id
      left join people p on p.id = s.sender_id left join app_users u on u.app_id = :app and u.person_id = s.sender_id
     order by s.seq desc`,
})

/** Counts the statements about each lesson of a student. */
export const countOfStudent = read('statements.countOfStudent', {
  params: { enrolment: c.int8 },
  row: { lesson: c.text, count: c.int8 },
  gather: false,
  text: `
    select o.key as lesson, count(*) from statement_links l join lessons o on o.id = l.lesson_id cross join lateral (${shownOf('l')}) s
     where l.enrolment_id = :enrolment and not l.is_own group by o.key`,
})
