import { estimateRows } from '../../kernel/database/estimates.ts'
import {
  bool,
  bytea,
  int4,
  int8,
  int8Array,
  json,
  nullable,
  read,
  text,
  textArray,
  timestamptz,
  uuid,
  uuidArray,
  write,
} from '../../kernel/database/statement.ts'

/** The next numbers, up to and with the one that is returned. Nobody else gets any until the commit. */
export const takeNumbers = write('statements.takeNumbers', {
  params: { now: int8, count: int8, homePage: nullable(text) },
  row: { last: int8 },
  text: `
    update statement_clock set last = greatest(last, :now) + :count, home_page = coalesce(:homePage, home_page) returning last`,
})

const REFS = { refKeys: uuidArray, refSeqs: int8Array, refRoles: int8Array }

export const findKnown = write('statements.findKnown', {
  params: { ids: uuidArray },
  row: { statement_id: uuid, seq: int8, fingerprint: uuid, payload: text },
  text: `
    select i.statement_id, i.seq, i.fingerprint, s.payload
      from statement_ids i cross join lateral (select t.payload from statements t where t.seq = i.seq offset 0) s
     where i.statement_id = any(:ids)`,
})

/** Statements that were here before what they refer to, in parts of a thousand. 14 is a reference (storing.ts). */
export const findReferring = write('statements.findReferring', {
  params: { keys: uuidArray, voided: uuid, after: int8 },
  row: { key: uuid, seq: int8, id: uuid, is_voiding: bool },
  text: `
    select r.key, r.seq, (select i.statement_id from statement_ids i where i.seq = r.seq) as id,
           exists (select from statement_refs v where v.key = :voided and v.seq = r.seq) as is_voiding
      from statement_refs r where r.key = any(:keys) and r.role = 14 and r.seq > :after
     order by r.seq limit 1000`,
})

/** Of those: what they are found by from then on. They may have been already. */
export const insertLateRefs = write('statements.insertLateRefs', {
  params: REFS,
  row: { seq: int8 },
  text: `
    insert into statement_refs (key, seq, role)
    select k, s, r::smallint from unnest(:refKeys, :refSeqs, :refRoles) n(k, s, r) on conflict do nothing returning seq`,
})

/** Statements with their ids, refs and links, in one go. */
export const insertStatements = write('statements.insert', {
  params: { rows: json, voids: int8Array, ...REFS },
  row: { seq: int8 },
  text: `
    with wanted as materialized (
      select * from json_to_recordset(:rows) as r(seq bigint, id uuid, fingerprint uuid, payload text, is_voided boolean,
        credential bigint, app bigint, sender uuid, links json)
    ), ids as (
      insert into statement_ids (statement_id, seq, fingerprint) select id, seq, fingerprint from wanted
    ), refs as (
      insert into statement_refs (key, seq, role)
      select k, s, r::smallint from unnest(:refKeys, :refSeqs, :refRoles) n(k, s, r) order by k, s
    ), links as (
      insert into statement_links (seq, person_id, sender_id, is_own, lesson_id, course_id, class_id, enrolment_id, attempt_id, objective_id, badge_id)
      select w.seq, l.person, l.sender, coalesce(l.own, false), l.lesson, l.course, l.class, l.enrolment, l.attempt, l.objective, l.badge
        from wanted w, json_to_record(w.links) as l(person bigint, sender bigint, own boolean, lesson bigint, course bigint, class bigint, enrolment bigint,
             attempt bigint, objective bigint, badge bigint)
       where w.links is not null
    ), voided as (
      update statements set is_voided = true where seq = any(:voids)
    )
    insert into statements (seq, statement_id, payload, is_voided, credential_id, app_id, sender)
    select seq, id, payload, is_voided, credential, app, sender from wanted returning seq`,
})

const SHOWN = { seq: int8, statement_id: uuid, payload: text, is_voided: bool }

export const findStatement = read('statements.find', {
  params: { id: uuid },
  row: { ...SHOWN, sender: nullable(uuid) },
  text: `
    select s.seq, s.statement_id, s.payload, s.is_voided, s.sender
      from statement_ids i join statements s on s.seq = i.seq where i.statement_id = :id`,
})

/** How common each key is within a range: how many of its newest entries there are, up to a few hundred, and how far back they reach. */
export const countRefs = read('statements.countRefs', {
  params: { keys: uuidArray, after: int8, upTo: int8 },
  row: { key: uuid, count: int8, reach: nullable(int8) },
  gather: false,
  text: `
    select k as key, c.count, c.reach
      from unnest(:keys) k cross join lateral (
        select count(*), min(n.seq) as reach
          from (select r.seq from statement_refs r where r.key = k and r.seq > :after and r.seq <= :upTo order by r.seq desc limit 300) n) c`,
})

const probe = (n: number) => `
  (:key${n} is null or exists (select from statement_refs x
     where x.key = :key${n} and x.seq = r.seq and (:roles${n} >> (x.role::int & 31)) & 1 = 1 and (x.role < 32 or :copied)))`
const FOUND = { ...SHOWN, found: int8 }
/** Of what is found, as much as so many bytes hold, and one at least; and how many there are. */
const cut = (order: 'asc' | 'desc', found: string) => `
    select g.seq, g.statement_id, g.payload, g.is_voided, g.found
      from (select s.seq, s.statement_id, s.payload, s.is_voided, count(*) over () as found,
                   sum(octet_length(s.payload)) over (order by s.seq ${order} rows unbounded preceding) - octet_length(s.payload) as before
              from ${found} f join statements s on s.seq = f.seq) g
     where g.before::int8 < :bytes order by g.seq ${order}`
const RANGE = { after: int8, upTo: int8, limit: int8, bytes: int8 }
/** `copied`: also by what a statement has of one that it refers to. */
const LEADING = { key1: uuid, roles1: int8, copied: bool }
const PROBED = {
  key2: nullable(uuid),
  roles2: int8,
  key3: nullable(uuid),
  roles3: int8,
  key4: nullable(uuid),
  roles4: int8,
  key5: nullable(uuid),
  roles5: int8,
}
/** All months are merged before anything is probed: each would look for a match of its own, far back, before the first is known. */
const queryText = (order: 'asc' | 'desc', probes: readonly number[]) =>
  cut(
    order,
    `(select distinct r.seq
              from (select l.seq from statement_refs l
                     where l.key = :key1 and (:roles1::int8 >> (l.role::int & 31)) & 1 = 1 and (l.role < 32 or :copied) and l.seq > :after and l.seq <= :upTo order by l.seq ${order} offset 0) r
             where ${probes.map((n) => `${probe(n)} and `).join('')}exists (select from statements v where v.seq = r.seq and not v.is_voided)
             order by r.seq ${order} limit :limit)`,
  )
const ofKey = (order: 'asc' | 'desc') => ({
  params: { ...LEADING, ...RANGE },
  row: FOUND,
  gather: false,
  text: queryText(order, []),
})
/** Statements of one key. Each probe would be made ready for all months before the first row, needed or not. */
export const ofKeyNewest = read('statements.ofKeyNewest', ofKey('desc'))
export const ofKeyOldest = read('statements.ofKeyOldest', ofKey('asc'))

const query = (order: 'asc' | 'desc') => ({
  params: { ...LEADING, ...PROBED, ...RANGE },
  row: FOUND,
  gather: false,
  text: queryText(order, [2, 3, 4, 5]),
})
/** Statements of a key, and of up to four more: the first is the rarest. */
export const queryNewest = read('statements.queryNewest', query('desc'))
export const queryOldest = read('statements.queryOldest', query('asc'))

const list = (order: 'asc' | 'desc') => ({
  params: RANGE,
  row: FOUND,
  gather: false,
  text: cut(
    order,
    `(select l.seq from statements l
             where l.seq > :after and l.seq <= :upTo and not l.is_voided order by l.seq ${order} limit :limit)`,
  ),
})
export const listNewest = read('statements.listNewest', list('desc'))
export const listOldest = read('statements.listOldest', list('asc'))

export const readClock = read('statements.readClock', {
  params: {},
  row: { last: int8 },
  text: `select last from statement_clock`,
})

/** Partitions of the months to come, where they are missing. */
export const makeMonths = write('statements.makeMonths', {
  params: { now: timestamptz },
  row: { made: int4 },
  text: `select make_statement_months(:now) as made`,
})

const VERB = { iri: text, name: text }
export const listVerbs = read('statements.listVerbs', {
  params: {},
  row: VERB,
  gather: false,
  text: `select iri, name from verbs order by iri`,
})

/** No row where it is there already, or where the caller is no administrator. */
export const insertVerb = write('statements.insertVerb', {
  params: { ...VERB, person: int8, now: timestamptz },
  row: { iri: text },
  text: `insert into verbs (iri, name, added_at, added_by) values (:iri, :name, :now, :person) on conflict do nothing returning iri`,
})

export const deleteVerb = write('statements.deleteVerb', {
  params: { iri: text },
  row: { name: text },
  text: `delete from verbs where iri = :iri returning name`,
})

/** The accounts that somebody is and has been in statements. */
export const listAccounts = write('statements.listAccounts', {
  params: { person: int8 },
  row: { home_page: text, name: text },
  text: `
    select c.home_page, p.handle as name from people p, statement_clock c where p.id = :person and c.home_page is not null
    union
    select s.payload::json #>> '{actor,account,homePage}', s.payload::json #>> '{actor,account,name}'
      from statement_links l cross join lateral (select t.payload from statements t where t.seq = l.seq offset 0) s where l.person_id = :person`,
})

export const findPersonOfUser = write('statements.findPersonOfUser', {
  params: { app: int8, user: text },
  row: { person_id: int8 },
  text: `select person_id from app_users where app_id = :app and user_id = :user`,
})

/** Some of what they act in, and of what names them; the latter first, as the former tell by what. */
export const listOfPerson = write('statements.listOfPerson', {
  params: { person: int8, keys: uuidArray },
  row: { seq: int8, payload: text, sender: nullable(uuid) },
  text: `
    select s.seq, s.payload, s.sender
      from (select g.seq
              from (select l.seq, true as acts from statement_links l where l.person_id = :person
                    union all select r.seq, false from statement_refs r where r.key = any(:keys)) g
             group by g.seq order by bool_or(g.acts), g.seq limit 1000) f
     cross join lateral (select t.seq, t.payload, t.sender from statements t where t.seq = f.seq offset 0) s`,
})

/** Statements and all that they are found by. */
export const deleteStatements = write('statements.delete', {
  params: { seqs: int8Array, refKeys: uuidArray, refSeqs: int8Array },
  row: { seq: int8 },
  text: `
    with refs as (
      delete from statement_refs r using unnest(:refKeys, :refSeqs) g(key, seq) where r.key = g.key and r.seq = g.seq
    ), links as (
      delete from statement_links l where l.seq = any(:seqs)
    ), ids as (
      delete from statement_ids i where i.seq = any(:seqs)
    ), facts as (
      delete from statement_facts f where f.seq = any(:seqs)
    ), files as (
      delete from statement_attachments t where t.seq = any(:seqs)
    )
    delete from statements s where s.seq = any(:seqs) returning s.seq`,
})

export const exportOfPerson = read('statements.exportOfPerson', {
  params: { person: int8, after: int8 },
  row: { seq: int8, payload: text, is_voided: bool },
  gather: false,
  text: `
    select s.seq, s.payload, s.is_voided from statement_links l join statements s on s.seq = l.seq
     where l.person_id = :person and l.seq > :after order by l.seq limit 500`,
})

/** The statement of a link, where it is not voided. The planner would rather begin with all statements where a student has many. */
const shownOf = (link: string) => `
  select t.seq, t.statement_id, t.payload from statements t where t.seq = ${link}.seq and not t.is_voided offset 0`

/** Of one student, the newest first and all of a moment: what was sent, not what the platform wrote itself. */
export const listOfStudent = read('statements.listOfStudent', {
  params: { app: nullable(int8), enrolment: int8, before: int8, limit: int8 },
  row: {
    seq: int8,
    statement_id: uuid,
    payload: text,
    lesson: nullable(text),
    attempt: nullable(text),
    sender_user_id: nullable(text),
    sender_name: nullable(text),
  },
  gather: false,
  text: `
    select s.seq, s.statement_id, s.payload, o.key as lesson, t.key as attempt, u.user_id as sender_user_id,
           case when :app is null or u.user_id is not null then coalesce(nullif(trim(p.first_name || ' ' || p.last_name), ''), p.handle) end as sender_name
      from statement_links l cross join lateral (${shownOf('l')}) s
      left join lessons o on o.id = l.lesson_id left join attempts t on t.id = l.attempt_id
      left join people p on p.id = l.sender_id left join app_users u on u.app_id = :app and u.person_id = l.sender_id
     where l.enrolment_id = :enrolment and not l.is_own and l.seq < :before and l.seq >= coalesce((
             select m.seq / 1000 * 1000 from statement_links m cross join lateral (${shownOf('m')}) v
              where m.enrolment_id = :enrolment and not m.is_own and m.seq < :before
              order by m.seq desc offset :limit - 1::int8 limit 1), 0)
     order by l.seq desc`,
})

/** How many were sent about each lesson of a student. */
export const countOfStudent = read('statements.countOfStudent', {
  params: { enrolment: int8 },
  row: { lesson: text, count: int8 },
  gather: false,
  text: `
    select o.key as lesson, count(*) from statement_links l join lessons o on o.id = l.lesson_id cross join lateral (${shownOf('l')}) s
     where l.enrolment_id = :enrolment and not l.is_own group by o.key`,
})

export const findDefinitions = write('statements.findDefinitions', {
  params: { keys: uuidArray },
  row: { iri: text, definition: text },
  text: `select iri, definition from activities where key = any(:keys)`,
})

export const upsertDefinitions = write('statements.upsertDefinitions', {
  params: { rows: json },
  row: { key: uuid },
  text: `
    insert into activities (key, iri, definition) select * from json_to_recordset(:rows) as r(key uuid, iri text, definition text)
    on conflict (key) do update set definition = excluded.definition returning key`,
})

export const listDefinitions = read('statements.listDefinitions', {
  params: { keys: uuidArray },
  row: { iri: text, definition: text },
  gather: false,
  text: `select iri, definition from activities where key = any(:keys)`,
})

export const insertAttachment = write('statements.insertAttachment', {
  params: { seq: int8, sha2: text, bytes: bytea },
  row: { seq: int8 },
  text: `
    with content as (
      insert into attachments (sha2, content) values (:sha2, :bytes) on conflict do nothing
    )
    insert into statement_attachments (seq, sha2) values (:seq, :sha2) on conflict do nothing returning seq`,
})

export const listHashes = write('statements.listHashes', {
  params: { seqs: int8Array },
  row: { sha2: text },
  text: `select distinct sha2 from statement_attachments where seq = any(:seqs)`,
})

/** What no statement has any more, of these. */
export const deleteAttachments = write('statements.deleteAttachments', {
  params: { hashes: textArray },
  row: { sha2: text },
  text: `
    delete from attachments a where a.sha2 = any(:hashes) and not exists (select from statement_attachments f where f.sha2 = a.sha2)
    returning a.sha2`,
})

export const listAttachments = read('statements.listAttachments', {
  params: { seqs: int8Array },
  row: { seq: int8, sha2: text, bytes: int8 },
  gather: false,
  text: `
    select f.seq, f.sha2, octet_length(a.content)::int8 as bytes from statement_attachments f join attachments a on a.sha2 = f.sha2
     where f.seq = any(:seqs) order by f.seq, f.sha2`,
})

export const readAttachment = read('statements.readAttachment', {
  params: { sha2: text },
  row: { content: bytea },
  gather: false,
  text: `select content from attachments where sha2 = :sha2`,
})

/** Which of these statements a sender has sent. */
export const findOwn = read('statements.findOwn', {
  params: { ids: uuidArray, sender: uuid },
  row: { statement_id: uuid },
  gather: false,
  text: `
    select i.statement_id from statement_ids i
     where i.statement_id = any(:ids) and exists (select from statements s where s.seq = i.seq and s.sender = :sender)`,
})

export const estimateStatements = estimateRows('statements.estimate', 'statements')
