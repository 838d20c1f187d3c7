import { estimateRows } from '../../../kernel/database/estimates.ts'
import {
  bool,
  bytea,
  int4,
  int8,
  int8Array,
  json,
  nullable,
  text,
  textArray,
  timestamptz,
  uuid,
  uuidArray,
  write,
} from '../../../kernel/database/statement.ts'

/** Takes the next numbers, up to and including the one returned. Nobody else gets any until the commit. */
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

/** Statements that were stored before their target, a thousand at a time. Role 14 is REFERS (model/refs.ts). */
export const findReferring = write('statements.findReferring', {
  params: { keys: uuidArray, voided: uuid, after: int8 },
  row: { key: uuid, seq: int8, id: uuid, is_voiding: bool },
  text: `
    select r.key, r.seq, (select i.statement_id from statement_ids i where i.seq = r.seq) as id,
           exists (select from statement_refs v where v.key = :voided and v.seq = r.seq) as is_voiding
      from statement_refs r where r.key = any(:keys) and r.role = 14 and r.seq > :after
     order by r.seq limit 1000`,
})

/** Adds keys to stored statements, which may have some of them already. */
export const insertLateRefs = write('statements.insertLateRefs', {
  params: REFS,
  row: { seq: int8 },
  text: `
    insert into statement_refs (key, seq, role)
    select k, s, r::smallint from unnest(:refKeys, :refSeqs, :refRoles) n(k, s, r) on conflict do nothing returning seq`,
})

/** Inserts statements with their ids, refs and links. */
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

/** Makes the partitions of the coming months. */
export const makeMonths = write('statements.makeMonths', {
  params: { now: timestamptz },
  row: { made: int4 },
  text: `select make_statement_months(:now) as made`,
})

export const holdFacts = write('statements.holdFacts', {
  params: {},
  row: { last: int8, fed: int8 },
  text: `
    select (select last from statement_clock) as last, f.fed from statement_facts_clock f for update of f`,
})

/** Deletes statements with everything that belongs to them. */
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

/** Deletes those of some attachments that no statement has any more. */
export const deleteAttachments = write('statements.deleteAttachments', {
  params: { hashes: textArray },
  row: { sha2: text },
  text: `
    delete from attachments a where a.sha2 = any(:hashes) and not exists (select from statement_attachments f where f.sha2 = a.sha2)
    returning a.sha2`,
})

export const estimateStatements = estimateRows('statements.estimate', 'statements')
