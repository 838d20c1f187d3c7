import {
  bool,
  int8,
  int8Array,
  json,
  nullable,
  read,
  text,
  textArray,
  uuid,
  write,
} from '../database/statement.ts'

/** The next numbers, up to and with the one that is returned. Nobody else gets any until the commit. */
export const takeNumbers = write('statements.takeNumbers', {
  params: { now: int8, count: int8 },
  row: { last: int8 },
  text: `update statement_clock set last = greatest(last, :now) + :count returning last`,
})

/** What is there of these ids, with their texts where they are asked for: of statements that others refer to. */
export const findKnown = write('statements.findKnown', {
  params: { ids: textArray, targets: textArray, voided: uuid },
  row: { statement_id: uuid, seq: int8, fingerprint: uuid, payload: nullable(text), is_voiding: bool },
  text: `
    select i.statement_id, i.seq, i.fingerprint,
           (select s.payload from statements s where s.seq = i.seq and i.statement_id = any(:targets::uuid[])) as payload,
           i.statement_id = any(:targets::uuid[])
             and exists (select from statement_refs r where r.key = :voided and r.seq = i.seq) as is_voiding
      from statement_ids i where i.statement_id = any(:ids::uuid[])`,
})

/** Statements that were here before what they refer to. */
export const findReferring = write('statements.findReferring', {
  params: { keys: textArray, role: int8 },
  row: { key: uuid, seq: int8, payload: text, is_voiding: bool },
  text: `
    select r.key, r.seq, s.payload, false as is_voiding
      from unnest(:keys::uuid[]) k join statement_refs r on r.key = k and r.role = :role join statements s on s.seq = r.seq
     order by r.seq limit 1000`,
})

/** Statements with their ids, refs and links, in one go. */
export const insertStatements = write('statements.insert', {
  params: {
    seqs: int8Array,
    ids: textArray,
    fingerprints: textArray,
    payloads: textArray,
    voids: int8Array,
    credential: nullable(int8),
    app: nullable(int8),
    sender: nullable(int8),
    refKeys: textArray,
    refSeqs: int8Array,
    refRoles: int8Array,
    links: json,
  },
  row: { seq: int8 },
  text: `
    with ids as (
      insert into statement_ids (statement_id, seq, fingerprint)
      select * from unnest(:ids::uuid[], :seqs, :fingerprints::uuid[])
    ), refs as (
      insert into statement_refs (key, seq, role)
      select k, s, r from unnest(:refKeys::uuid[], :refSeqs, :refRoles::smallint[]) n(k, s, r) on conflict do nothing
    ), links as (
      insert into statement_links (seq, person_id, lesson_id, course_id, class_id, enrolment_id, attempt_id, objective_id, badge_id)
      select * from json_to_recordset(:links) as l(seq bigint, person_id bigint, lesson_id bigint, course_id bigint, class_id bigint,
        enrolment_id bigint, attempt_id bigint, objective_id bigint, badge_id bigint)
    ), voided as (
      update statements set is_voided = true where seq = any(:voids)
    )
    insert into statements (seq, statement_id, payload, credential_id, app_id, sender_id)
    select n.seq, n.id, n.payload, :credential, :app, :sender from unnest(:seqs, :ids::uuid[], :payloads) n(seq, id, payload)
    returning seq`,
})

const SHOWN = { seq: int8, statement_id: uuid, payload: text, is_voided: bool }

export const findStatement = read('statements.find', {
  params: { id: uuid },
  row: SHOWN,
  text: `
    select s.seq, s.statement_id, s.payload, s.is_voided
      from statement_ids i join statements s on s.seq = i.seq where i.statement_id = :id`,
})

/** How often each key is there, up to a thousand times. */
export const countRefs = read('statements.countRefs', {
  params: { keys: textArray },
  row: { key: uuid, count: int8 },
  gather: false,
  text: `
    select k as key, (select count(*) from (select from statement_refs r where r.key = k limit 1000) c) as count
      from unnest(:keys::uuid[]) k`,
})

const probe = (n: number) => `
  (:key${n} is null or exists (select from statement_refs x
     where x.key = :key${n} and x.seq = r.seq and (:roles${n} >> x.role::int) & 1 = 1))`
const PROBED = { key: nullable(uuid), roles: int8 }
const query = (order: 'asc' | 'desc') => ({
  params: {
    key1: uuid,
    roles1: int8,
    key2: PROBED.key,
    roles2: int8,
    key3: PROBED.key,
    roles3: int8,
    key4: PROBED.key,
    roles4: int8,
    after: int8,
    upTo: int8,
    limit: int8,
  },
  row: SHOWN,
  gather: false,
  text: `
    select s.seq, s.statement_id, s.payload, s.is_voided
      from (select distinct r.seq from statement_refs r
             where r.key = :key1 and (:roles1 >> r.role::int) & 1 = 1 and r.seq > :after and r.seq <= :upTo
               and ${probe(2)} and ${probe(3)} and ${probe(4)}
               and exists (select from statements v where v.seq = r.seq and not v.is_voided)
             order by r.seq ${order} limit :limit) f
      join statements s on s.seq = f.seq
     order by s.seq ${order}`,
})
/** Statements of a key, and of up to three more: the first is the rarest. */
export const queryNewest = read('statements.queryNewest', query('desc'))
export const queryOldest = read('statements.queryOldest', query('asc'))

const list = (order: 'asc' | 'desc') => ({
  params: { after: int8, upTo: int8, limit: int8 },
  row: SHOWN,
  gather: false,
  text: `
    select seq, statement_id, payload, is_voided from statements
     where seq > :after and seq <= :upTo and not is_voided order by seq ${order} limit :limit`,
})
export const listNewest = read('statements.listNewest', list('desc'))
export const listOldest = read('statements.listOldest', list('asc'))

export const readClock = read('statements.readClock', {
  params: {},
  row: { last: int8 },
  text: `select last from statement_clock`,
})
