import { estimateRows } from '../../../kernel/database/estimates.ts'
import { shareLimit } from '../../../kernel/database/share-limit.ts'
import { c, list, nullable, write } from '../../../kernel/database/statement.ts'

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
 * SQL: the shares of :people through :apps, the totals of :apps, and the shares of :credentials. `room` is the number
 * of bytes left; for a person, in all apps together. This runs for every batch, so it searches each index once for all
 * senders, and calls no SQL function for each sender.
 */
const SHARES = `
    select w.share_no, w.person_id, w.app_id, null::bigint as credential_id, 'person ' || w.person_id as room_name,
           ${shareLimit('person')} - w.used as room
      from (select s.*, sum(s.bytes) over (partition by s.person_id)::bigint as used from shares s where s.person_id = any(:people)) w
     where w.app_id = any(:apps) or w.app_id is null
    union all
    select s.share_no, null, s.app_id, null, 'app ' || s.app_id, ${shareLimit('app')} - s.bytes
      from shares s where s.person_id is null and s.app_id = any(:apps)
    union all
    select s.share_no, null, null, s.credential_id, 'key ' || s.credential_id, ${shareLimit('app')} - s.bytes
      from shares s where s.credential_id = any(:credentials)`
const PAYERS = { people: c.int8Array, apps: c.int8Array, credentials: c.int8Array }

export const findShares = write('statements.findShares', {
  params: PAYERS,
  row: {
    share_no: c.int8,
    person_id: nullable(c.int8),
    app_id: nullable(c.int8),
    credential_id: nullable(c.int8),
    room_name: c.text,
    room: nullable(c.int8),
  },
  text: SHARES,
})

export const makeShares = write('statements.makeShares', {
  params: { payers: c.json },
  row: { share_no: c.int8 },
  text: `
    select share_of(p.person, p.app, p.credential) as share_no
      from json_to_recordset(:payers) as p(person bigint, app bigint, credential bigint)`,
})

/** Adds to shares, or takes from them, whatever their limits. */
export const chargeShares = write('statements.chargeShares', {
  params: { shares: c.int8Array, bytes: c.int8Array },
  row: { changed: c.int8 },
  text: `select charge_shares(:shares, :bytes) as changed`,
})

const REFS = { refKeys: c.uuidArray, refNumbers: c.int8Array, refRoles: c.int8Array }

/** The columns of `selectKnown`. */
const KNOWN_ROW = {
  statement_id: c.uuid,
  seq: c.int8,
  fingerprint: c.uuid,
  timestamp: nullable(c.text),
  payload: nullable(c.text),
  copies: c.textArray,
}

/**
 * SQL: the timestamp at the start of a stored text (see `textOf` in requests.ts). Reads the whole text only if
 * the timestamp has more digits than anybody needs.
 */
const timestampIn = (payload: string): string => {
  const [start, pattern] = [`left(${payload}, 100)`, `'^\\{"timestamp":"([^"]*)"'`]
  return `case when ${start} ~ '^\\{"timestamp":"[^"]*$' then substring(${payload} from ${pattern}) else substring(${start} from ${pattern}) end`
}

/**
 * SQL: finds statements by :ids, if `isReadable` is true of their row `s`. Only those of :targets are read whole, up to
 * :bytes together, because many ids can be sent again in one request and each of these statements can have a megabyte.
 * `copies` are the keys that a statement has copied from those it refers to, as texts of role and key; `hasCopies` says
 * whether to read them.
 */
const selectKnown = ({ isReadable = 'true', hasCopies = 'true' } = {}): string => `
    select i.statement_id, i.seq, i.fingerprint, ${timestampIn('i.payload')} as timestamp,
           case when i.is_target and i.bytes <= :bytes then i.payload end as payload,
           array(select r.role || ' ' || r.key from statement_refs r where r.seq = i.seq and r.role >= 32 and ${hasCopies} limit 1000) as copies
      from (
        select n.statement_id, n.seq, n.fingerprint, s.payload, n.statement_id = any(:targets) as is_target,
               sum(octet_length(s.payload)) filter (where n.statement_id = any(:targets)) over (order by n.seq) as bytes
          from unnest(:ids) k(id)
         cross join lateral (select i.* from statement_ids i where i.statement_id = k.id limit 1) n
         cross join lateral (select t.payload, t.sender from statements t where t.seq = n.seq offset 0) s
         where ${isReadable}
      ) i`

export const findKnown = write('statements.findKnown', {
  params: { ids: c.uuidArray, targets: c.uuidArray, bytes: c.int8 },
  row: KNOWN_ROW,
  text: selectKnown(),
})

/** Finds statements like `findKnown`, without a transaction; with :sender only those that the sender has sent. */
export const listKnown = list('statements.listKnown', {
  params: { ids: c.uuidArray, targets: c.uuidArray, bytes: c.int8, sender: nullable(c.uuid) },
  row: KNOWN_ROW,
  text: selectKnown({
    isReadable: '(:sender::uuid is null or s.sender = :sender)',
    hasCopies: ':sender::uuid is null',
  }),
})

/**
 * Returns the number of the newest statement, and whether any of :ids is stored or referred to. :keys are the keys of
 * :ids as targets.
 */
export const findStored = write('statements.findStored', {
  params: { ids: c.uuidArray, keys: c.uuidArray },
  row: { since: c.int8, is_known: c.bool },
  text: `
    select c.last as since,
           exists (select from unnest(:ids) n(id) where (select i.seq from statement_ids i where i.statement_id = n.id) is not null)
           or exists (select from unnest(:keys) n(key)
                       where (select r.seq from statement_refs r where r.key = n.key and r.role = 14 limit 1) is not null) as is_known
      from statement_clock c`,
})

/**
 * Finds the stored statements that refer to one of :ids, directly or through others, the nearest first. :keys are the
 * keys of :ids as targets. Ids that are stored themselves are left out: whatever refers to them has their keys already.
 * Role 14 is REFERS (model/refs.ts).
 * Subqueries that return one value are looked up in an index; the planner would turn `exists` into a scan of the table.
 */
export const findReferring = write('statements.findReferring', {
  params: { ids: c.uuidArray, keys: c.uuidArray, voided: c.uuid, most: c.int8 },
  row: { target: c.uuid, seq: c.int8, id: c.uuid, is_voiding: c.bool },
  text: `
    with recursive referring as (
      select n.id as target, r.seq, s.statement_id as id, true as is_direct
        from unnest(:ids, :keys) n(id, key) join statement_refs r on r.key = n.key and r.role = 14
       cross join lateral (select t.statement_id from statements t where t.seq = r.seq limit 1) s
       where (select k.seq from statement_ids k where k.statement_id = n.id) is null
      union
      select e.target, r.seq, s.statement_id, false
        from referring e join statement_refs r on r.key = statement_target_key(e.id) and r.role = 14
       cross join lateral (select t.statement_id from statements t where t.seq = r.seq limit 1) s
    )
    select e.target, e.seq, e.id,
           e.is_direct and (select v.seq from statement_refs v where v.key = :voided and v.seq = e.seq limit 1) is not null as is_voiding
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
    select k, s, r::smallint from unnest(:refKeys, :refNumbers, :refRoles) n(k, s, r) on conflict do nothing returning seq`,
})

/**
 * Inserts statements with their ids, keys, links and definitions, and adds :charges to :shares. Positions count from
 * the first of the :count numbers that the transaction has taken. :payloads has a line for each of :rows: JSON texts
 * contain no line breaks.
 *
 * Inserts nothing and returns no row if an assumption is wrong: that since the number :since none of the ids :absent
 * has been stored and no statement refers to one of the keys :unreferred, that the ids :present are stored, that
 * definitions are the same as :before, and that :rooms have room for :needs. The transaction holds the clock, so no
 * other one can change that before the commit. As in `findReferring`, subqueries that return one value are looked up in
 * an index. The planner does not know the value of `(select :since)`, so it keeps one plan for all values.
 */
export const insertStatements = write('statements.insert', {
  params: {
    ...{ count: c.int8, rows: c.json, payloads: c.text, definitions: c.json, ...REFS },
    ...{ shares: c.int8Array, charges: c.int8Array },
    ...{ absent: c.uuidArray, since: c.int8, unreferred: c.uuidArray, present: c.uuidArray, before: c.json },
    ...{ rooms: c.textArray, needs: c.int8Array, ...PAYERS },
  },
  row: { last: c.int8 },
  text: `
    with clock as materialized (
      select c.last, c.last - :count as start from statement_clock c
       where not exists (
           select from unnest(:absent) n(id)
            where (select i.seq from statement_ids i where i.statement_id = n.id and i.seq > (select :since)) is not null)
         and not exists (
           select from unnest(:present) n(id) where (select i.seq from statement_ids i where i.statement_id = n.id) is null)
         and (select count(*) from statement_refs r where r.key = any(:unreferred) and r.role = 14 and r.seq > (select :since)) = 0
         and not exists (
           select from json_to_recordset(:before) as d(key uuid, before text)
            where (select a.definition from activities a where a.key = d.key) is distinct from d.before)
         and not exists (
           select from unnest(:rooms, :needs) n(room_name, need) join (${SHARES}
           ) s on s.room_name = n.room_name where s.room < n.need)
    ), wanted as materialized (
      select k.start + r.position as seq, r.*
        from clock k, rows from (
          json_to_recordset(:rows) as (position bigint, id uuid, fingerprint uuid, is_voided boolean, credential bigint,
            app bigint, sender uuid, share bigint, charge bigint, links json),
          unnest(string_to_array(:payloads, E'\n'))
        ) as r(position, id, fingerprint, is_voided, credential, app, sender, share, charge, links, payload)
    ), ids as (
      insert into statement_ids (statement_id, seq, fingerprint) select id, seq, fingerprint from wanted
    ), refs as (
      insert into statement_refs (key, seq, role)
      select n.key, k.start + n.position, n.role::smallint
        from clock k, unnest(:refKeys, :refNumbers, :refRoles) n(key, position, role) order by n.key, n.position
    ), links as (
      insert into statement_links (seq, person_id, sender_id, is_own, lesson_id, course_id, class_id, enrolment_id, attempt_id, objective_id, badge_id)
      select w.seq, l.person, l.sender, coalesce(l.own, false), l.lesson, l.course, l.class, l.enrolment, l.attempt, l.objective, l.badge
        from wanted w, json_to_record(w.links) as l(person bigint, sender bigint, own boolean, lesson bigint, course bigint, class bigint, enrolment bigint,
             attempt bigint, objective bigint, badge bigint)
       where w.links is not null
    ), definitions as (
      insert into activities (key, iri, definition)
      select d.key, d.iri, d.definition from clock, json_to_recordset(:definitions) as d(key uuid, iri text, definition text)
      on conflict (key) do update set definition = excluded.definition
    ), stored as (
      insert into statements (seq, statement_id, payload, is_voided, credential_id, app_id, sender, share_no, charge)
      select seq, id, payload, is_voided, credential, app, sender, share, charge from wanted
    ), charged as materialized (
      select charge_shares(:shares, :charges) from clock
    )
    select k.last from clock k, charged`,
})

export const voidStatements = write('statements.void', {
  params: { seqs: c.int8Array },
  row: { seq: c.int8 },
  text: `update statements set is_voided = true where seq = any(:seqs) returning seq`,
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
    ), facts as (
      delete from statement_facts f where f.seq = any(:seqs)
    ), files as (
      delete from statement_attachments t where t.seq = any(:seqs)
    ), gone as (
      delete from statements s where s.seq = any(:seqs) returning s.seq, s.statement_id, s.share_no, s.charge
    ), ids as (
      delete from statement_ids i where i.statement_id = any(array(select g.statement_id from gone g))
         and i.seq between (select min(seq) from gone) and (select max(seq) from gone)
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

/** Deletes those of the given attachments that no statement uses any more, and has upkeep delete their objects. */
export const deleteAttachments = write('statements.deleteAttachments', {
  params: { hashes: c.textArray },
  row: { sha2: c.text },
  text: `
    with gone as (
      delete from attachments a where a.sha2 = any(:hashes) and not exists (select from statement_attachments f where f.sha2 = a.sha2)
      returning a.sha2, a.object
    ), unused as (
      insert into unused_objects (name) select object from gone where object is not null
    )
    select sha2 from gone`,
})

export const estimateStatements = estimateRows('statements.estimate', 'statements')
