import { estimateRows } from '../../../kernel/database/estimates.ts'
import { c, nullable, write } from '../../../kernel/database/statement.ts'

/**
 * Takes :count sequence numbers; the one returned is the last of them. Other transactions wait for the commit before
 * they can take any.
 */
export const takeNumbers = write('statements.takeNumbers', {
  params: { now: c.int8, count: c.int8, homePage: nullable(c.text) },
  row: { last: c.int8 },
  text: `
    update statement_clock set last = greatest(last, :now) + :count, home_page = coalesce(:homePage, home_page) returning last`,
})

/**
 * Finds the shares that statements count for, or makes them. `room` is the number of bytes left; null if there is no
 * limit.
 */
export const findShares = write('statements.findShares', {
  params: { payers: c.json },
  row: { name: c.text, share_no: c.int8, room: nullable(c.int8) },
  text: `
    select p.name, coalesce(s.share_no, share_of(p.person, p.app, p.credential)) as share_no,
           share_room(row(s.share_no, p.person, p.app, p.credential, coalesce(s.bytes, 0))::shares) as room
      from json_to_recordset(:payers) as p(name text, person bigint, app bigint, credential bigint)
      left join lateral (
        select * from shares where credential_id = p.credential
        union all select * from shares where p.credential is null and person_id = p.person and (app_id = p.app or p.app is null and app_id is null)
      ) s on true`,
})

/** Adds to shares, or takes from them. */
export const chargeShares = write('statements.chargeShares', {
  params: { shares: c.int8Array, bytes: c.int8Array },
  row: { changed: c.int8 },
  text: `select charge_shares(:shares, :bytes) as changed`,
})

const REFS = { refKeys: c.uuidArray, refSeqs: c.int8Array, refRoles: c.int8Array }

/** Lists the keys that a statement has copied from those it refers to, as texts of role and key. */
const COPIES = `array(select r.role || ' ' || r.key from statement_refs r where r.seq = i.seq and r.role >= 32 limit 1000)`

export const findKnown = write('statements.findKnown', {
  params: { ids: c.uuidArray },
  row: { statement_id: c.uuid, seq: c.int8, fingerprint: c.uuid, payload: c.text, copies: c.textArray },
  text: `
    select i.statement_id, i.seq, i.fingerprint, s.payload, ${COPIES} as copies
      from statement_ids i cross join lateral (select t.payload from statements t where t.seq = i.seq offset 0) s
     where i.statement_id = any(:ids)`,
})

/**
 * Finds the stored statements that refer to one of :ids, directly or through others, the nearest first. Ids that are
 * stored themselves are left out: whatever refers to them has their keys already. Role 14 is REFERS (model/refs.ts).
 */
export const findReferring = write('statements.findReferring', {
  params: { ids: c.uuidArray, voided: c.uuid, most: c.int8 },
  row: { target: c.uuid, seq: c.int8, id: c.uuid, is_voiding: c.bool },
  text: `
    with recursive referring as (
      select n.id as target, r.seq, i.statement_id as id, true as is_direct
        from unnest(:ids) n(id) join statement_refs r on r.key = statement_target_key(n.id) and r.role = 14
        join statement_ids i on i.seq = r.seq
       where not exists (select from statement_ids k where k.statement_id = n.id)
      union
      select e.target, r.seq, i.statement_id, false
        from referring e join statement_refs r on r.key = statement_target_key(e.id) and r.role = 14
        join statement_ids i on i.seq = r.seq
    )
    select e.target, e.seq, e.id,
           e.is_direct and exists (select from statement_refs v where v.key = :voided and v.seq = e.seq) as is_voiding
      from referring e limit :most`,
})

export const countCopies = write('statements.countCopies', {
  params: { seqs: c.int8Array },
  row: { seq: c.int8, count: c.int8 },
  text: `select seq, count(*) as count from statement_refs where seq = any(:seqs) and role >= 32 group by seq`,
})

/** Adds keys to stored statements, which may already have some of them. */
export const insertLateRefs = write('statements.insertLateRefs', {
  params: REFS,
  row: { seq: c.int8 },
  text: `
    insert into statement_refs (key, seq, role)
    select k, s, r::smallint from unnest(:refKeys, :refSeqs, :refRoles) n(k, s, r) on conflict do nothing returning seq`,
})

/** Inserts statements with their ids, keys and links, and marks the statements that they void. */
export const insertStatements = write('statements.insert', {
  params: { rows: c.json, voids: c.int8Array, ...REFS },
  row: { seq: c.int8 },
  text: `
    with wanted as materialized (
      select * from json_to_recordset(:rows) as r(seq bigint, id uuid, fingerprint uuid, payload text, is_voided boolean,
        credential bigint, app bigint, sender uuid, share bigint, charge bigint, links json)
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
    insert into statements (seq, statement_id, payload, is_voided, credential_id, app_id, sender, share_no, charge)
    select seq, id, payload, is_voided, credential, app, sender, share, charge from wanted returning seq`,
})

/** Creates the partitions of the coming months. */
export const makeMonths = write('statements.makeMonths', {
  params: { now: c.timestamptz },
  row: { made: c.int4 },
  text: `select make_statement_months(:now) as made`,
})

export const holdFacts = write('statements.holdFacts', {
  params: {},
  row: { last: c.int8, fed: c.int8 },
  text: `
    select (select last from statement_clock) as last, f.fed from statement_facts_clock f for update of f`,
})

/**
 * Deletes statements with their keys, links, ids and facts, and with their references to attachments. Their bytes go
 * back to the shares.
 */
export const deleteStatements = write('statements.delete', {
  params: { seqs: c.int8Array, refKeys: c.uuidArray, refSeqs: c.int8Array },
  row: { seq: c.int8 },
  text: `
    with refs as (
      delete from statement_refs r using unnest(:refKeys, :refSeqs) g(key, seq) where r.key = g.key and r.seq = g.seq and r.role < 32
    ), copies as (
      delete from statement_refs r where r.seq = any(:seqs) and r.role >= 32
    ), links as (
      delete from statement_links l where l.seq = any(:seqs)
    ), ids as (
      delete from statement_ids i where i.seq = any(:seqs)
    ), facts as (
      delete from statement_facts f where f.seq = any(:seqs)
    ), files as (
      delete from statement_attachments t where t.seq = any(:seqs)
    ), gone as (
      delete from statements s where s.seq = any(:seqs) returning s.seq, s.share_no, s.charge
    ), given_back as (
      select charge_shares(array_agg(g.share_no), array_agg(-g.bytes)) as changed
        from (select share_no, sum(charge)::int8 as bytes from gone where share_no is not null group by share_no) g
    )
    select gone.seq from gone, given_back`,
})

export const findDefinitions = write('statements.findDefinitions', {
  params: { keys: c.uuidArray },
  row: { iri: c.text, definition: c.text },
  text: `select iri, definition from activities where key = any(:keys)`,
})

export const upsertDefinitions = write('statements.upsertDefinitions', {
  params: { rows: c.json },
  row: { key: c.uuid },
  text: `
    insert into activities (key, iri, definition) select * from json_to_recordset(:rows) as r(key uuid, iri text, definition text)
    on conflict (key) do update set definition = excluded.definition returning key`,
})

export const insertAttachment = write('statements.insertAttachment', {
  params: { seq: c.int8, sha2: c.text, bytes: c.bytea },
  row: { seq: c.int8 },
  text: `
    with content as (
      insert into attachments (sha2, content) values (:sha2, :bytes) on conflict do nothing
    )
    insert into statement_attachments (seq, sha2) values (:seq, :sha2) on conflict do nothing returning seq`,
})

export const listHashes = write('statements.listHashes', {
  params: { seqs: c.int8Array },
  row: { sha2: c.text },
  text: `select distinct sha2 from statement_attachments where seq = any(:seqs)`,
})

/** Deletes those of the given attachments that no statement uses any more. */
export const deleteAttachments = write('statements.deleteAttachments', {
  params: { hashes: c.textArray },
  row: { sha2: c.text },
  text: `
    delete from attachments a where a.sha2 = any(:hashes) and not exists (select from statement_attachments f where f.sha2 = a.sha2)
    returning a.sha2`,
})

export const estimateStatements = estimateRows('statements.estimate', 'statements')
